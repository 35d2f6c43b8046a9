"""Settings from the environment (prefix ``IMPRIMATUR_``), frozen for the life of a process."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any

PREFIX = "IMPRIMATUR_"
OTHERS = "*"
"""The name in a table of models that stands for every model it does not name."""


def _setting(default: Any, meaning: str, *, secret: bool = False) -> Any:
    return field(default=default, metadata={"meaning": meaning, "secret": secret}, repr=not secret)


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Every setting with its default and meaning; ``imprimatur settings`` lists them."""

    data: str = _setting("instance", "Folder for database, keys, files and the queue.")
    database_url: str = _setting("", "SQLAlchemy address of the database; empty = SQLite in the data folder.")
    base_url: str = _setting("", "Address people use, for absolute links; empty = the address the server listens on.")
    host: str = _setting("127.0.0.1", "Address the server listens on.")
    port: int = _setting(8000, "Port the server listens on; 0 takes a free one.")
    trusted_proxies: int = _setting(0, "Number of reverse proxies whose forwarding headers are believed.")
    timezone: str = _setting("Europe/Berlin", "Time zone of people who have not chosen one.")
    site_name: str = _setting("Imprimatur", "Name of the site in headings and texts.")
    languages: str = _setting("en,de", "Languages of a new site, the default first.")
    workers: int = _setting(2, "Threads that work on assignments inside the web process; 0 = only separate workers.")
    lease_seconds: int = _setting(60, "How long a worker may be silent before another takes its run over.")
    message_length: int = _setting(10_000, "Longest message in characters.")
    max_rounds: int = _setting(12, "How often the model is asked in one run.")
    calls_per_turn: int = _setting(20, "Most steps in one proposal.")
    messages_per_minute: int = _setting(20, "Messages a person may send in a minute.")
    decisions_per_minute: int = _setting(30, "Decisions a person may make in a minute.")
    session_idle_minutes: int = _setting(30, "Minutes without a page before a sign-in ends.")
    session_hours: int = _setting(12, "Hours after which a sign-in ends in any case.")
    approval_days: int = _setting(14, "Days a card waits before it expires; 0 = for ever.")
    openai_base_url: str = _setting(
        "", "Address of an OpenAI-compatible endpoint, up to and with /v1; empty = the address of OpenAI."
    )
    openai_api_key: str = _setting(
        "", "Key of that endpoint, sent to no other address; an address set above may need none.", secret=True
    )
    anthropic_base_url: str = _setting(
        "", "Address of an endpoint that speaks like Anthropic; empty = Anthropic's own."
    )
    anthropic_api_key: str = _setting(
        "", "Key of that endpoint, sent to no other address; an address set above may need none.", secret=True
    )
    model_windows: str = _setting(
        "", 'Tokens a model takes at once, as JSON: {"openai:NAME": 32768, "*": 16384}; * = every other model.'
    )
    model_prices: str = _setting(
        "",
        'Prices of a million tokens, as JSON: {"openai:NAME": {"read": 0.15, "written": 0.6}}; * = every other model.',
    )
    person_requests_day: int = _setting(0, "Requests to models for one person on one day (UTC); 0 = no limit.")
    person_tokens_day: int = _setting(0, "Tokens read and written for one person on one day; 0 = no limit.")
    person_cost_day: int = _setting(
        0, "Cost for one person on one day, in hundredths of the currency of the prices; 0 = no limit."
    )
    same_call_limit: int = _setting(5, "How often one assignment may ask for the same step with the same arguments.")
    model_streaming: int = _setting(1, "Whether answers of a provider are streamed; 0 for endpoints that cannot.")

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
        """Settings of this process. Raises ``ValueError`` naming the setting when a number is not one."""
        source = os.environ if environ is None else environ
        values: dict[str, Any] = {}
        for item in fields(cls):
            raw = source.get(PREFIX + item.name.upper())
            if raw is None:
                continue
            values[item.name] = _convert(item.name, raw, item.default)
        settings = cls(**{**values, **overrides})
        for check in (settings.price_of, settings.window_of):
            check("")
        return settings

    def price_of(self, model: str) -> tuple[Decimal, Decimal]:
        """Price of a million tokens read and written; zero for a model without a price.

        Raises ``ValueError`` naming the setting when it is malformed.
        """
        prices = _prices(self.model_prices)
        return prices.get(model) or prices.get(OTHERS) or (Decimal(0), Decimal(0))

    def window_of(self, model: str) -> int | None:
        """Tokens the settings name for a model; None = they name none. Raises ``ValueError`` as above."""
        windows = _windows(self.model_windows)
        return windows.get(model) or windows.get(OTHERS)

    @property
    def data_folder(self) -> Path:
        """The data folder as an absolute path."""
        return Path(self.data).resolve()

    @property
    def database(self) -> str:
        """The SQLAlchemy address in force."""
        return self.database_url or f"sqlite:///{self.data_folder / 'imprimatur.db'}"

    @property
    def language_codes(self) -> tuple[str, ...]:
        """Codes of a new site's languages, the default first."""
        return tuple(code.strip() for code in self.languages.split(",") if code.strip())


@lru_cache(maxsize=8)
def _prices(raw: str) -> Mapping[str, tuple[Decimal, Decimal]]:
    try:
        found = json.loads(raw or "{}", parse_float=Decimal)
        prices = {name: (Decimal(price["read"]), Decimal(price["written"])) for name, price in found.items()}
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError) as error:
        msg = f'{PREFIX}MODEL_PRICES must be JSON like {{"openai:NAME": {{"read": 0.15, "written": 0.6}}}}'
        raise ValueError(msg) from error
    if any(not part.is_finite() or part < 0 for price in prices.values() for part in price):
        msg = f"{PREFIX}MODEL_PRICES must hold numbers that are not negative"
        raise ValueError(msg)
    return prices


@lru_cache(maxsize=8)
def _windows(raw: str) -> Mapping[str, int]:
    try:
        found = json.loads(raw or "{}")
        is_sound = all(type(tokens) is int and tokens > 0 for tokens in found.values())
    except (ValueError, AttributeError):
        is_sound = False
    if not is_sound:
        msg = f'{PREFIX}MODEL_WINDOWS must be JSON like {{"openai:NAME": 32768}} with whole numbers above 0'
        raise ValueError(msg)
    return dict(found)


def _convert(name: str, raw: str, default: Any) -> Any:
    if isinstance(default, int):
        try:
            return int(raw)
        except ValueError as error:
            msg = f"{PREFIX}{name.upper()} must be a whole number"
            raise ValueError(msg) from error
    return raw
