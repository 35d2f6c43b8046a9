"""Where a provider is and with which key it is spoken to; no library is loaded here."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from app.agent.llm.base import ConfigurationMissing
from app.config import PREFIX, Settings

PROVIDERS = ("openai", "anthropic")
_OWN_ADDRESS = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"}
_KEY = re.compile(r"[\x21-\x7e]*")
_DEFAULT_PORT = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Secret:
    """A key. Its text is reached through ``reveal`` only, so no log, traceback or ``repr`` shows it by accident."""

    _text: str = field(repr=False)

    def reveal(self) -> str:
        """The key itself."""
        return self._text

    def redact(self, words: str) -> str:
        """``words`` without the key."""
        return words.replace(self._text, "…") if self._text else words

    def __bool__(self) -> bool:
        return bool(self._text)

    def __str__(self) -> str:
        return "(key)" if self._text else "(no key)"


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """How long and how much is waited for, in seconds and bytes (F28)."""

    connect: float = 5.0
    idle: float = 60.0
    """Longest silence between two pieces of a streamed answer."""
    total: float = 300.0
    body: int = 4 * 1024 * 1024
    """Most bytes of an answer, unpacked."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Connection:
    """One provider as this installation reaches it. Equal connections share one client."""

    provider: str
    base_url: str
    key: Secret
    is_streamed: bool = True
    limits: Limits = field(default_factory=Limits)

    @property
    def origin(self) -> tuple[str, str, int]:
        """Scheme, host and port: the only place the key is sent to (I35)."""
        return origin_of(self.base_url)


def origin_of(address: str) -> tuple[str, str, int]:
    """Scheme, host and port of ``address``. Raises ``ValueError`` when it has none."""
    parts = urlsplit(address)
    port = parts.port or _DEFAULT_PORT.get(parts.scheme)
    if parts.scheme not in _DEFAULT_PORT or not parts.hostname or port is None:
        raise ValueError(address)
    return parts.scheme, parts.hostname.lower(), port


@dataclass(frozen=True, kw_only=True, slots=True)
class SettingState:
    """A setting a model is reached with, by name: whether it is set, never to what."""

    name: str
    is_set: bool


def settings_prefix(model: str) -> str:
    """How the names of the settings begin that the model of that name is reached with."""
    return f"{PREFIX}{model.partition(':')[0].upper()}"


def settings_for(model: str, settings: Settings) -> tuple[SettingState, ...]:
    """The settings read for the model of that name; none for models that are no provider's."""
    provider = model.partition(":")[0]
    if provider not in PROVIDERS:
        return ()
    read = (f"{provider}_base_url", f"{provider}_api_key")
    found = [
        SettingState(name=f"{PREFIX}{name.upper()}", is_set=bool(str(getattr(settings, name)).strip())) for name in read
    ]
    is_changed = settings.model_streaming != Settings().model_streaming
    return (*found, SettingState(name=f"{PREFIX}MODEL_STREAMING", is_set=is_changed))


def connection_to(provider: str, settings: Settings) -> Connection:
    """The connection to ``provider`` that ``settings`` describe.

    Raises ``ConfigurationMissing`` with a sentence when the key is missing or the address cannot be one. A key is needed
    unless an address is set: endpoints on one's own machine often take none.
    """
    address = str(getattr(settings, f"{provider}_base_url")).strip()
    key = Secret(str(getattr(settings, f"{provider}_api_key")).strip())
    named = f"{PREFIX}{provider.upper()}"
    if not key and not address:
        raise ConfigurationMissing(f"Models of {provider} need a key in {named}_API_KEY.", code="no_key", detail=named)
    if not _KEY.fullmatch(key.reveal()):
        raise ConfigurationMissing(f"{named}_API_KEY holds signs that no key has.", code="bad_key", detail=named)
    if not _is_usable(address or _OWN_ADDRESS[provider]):
        raise ConfigurationMissing(f"{named}_BASE_URL is not a web address.", code="bad_address", detail=named)
    return Connection(
        provider=provider,
        base_url=(address or _OWN_ADDRESS[provider]).rstrip("/"),
        key=key,
        is_streamed=bool(settings.model_streaming),
    )


def _is_usable(address: str) -> bool:
    """Whether it is an address of a place and nothing else: names, passwords, queries and fragments are refused."""
    try:
        parts = urlsplit(address)
        origin_of(address)
    except ValueError:
        return False
    return parts.username is None and parts.password is None and not parts.query and not parts.fragment
