"""Opens a provider: the library's model over a client of its SDK over our guarded transport.

An SDK is loaded only when a configuration names its provider. Nothing is taken from variables of the environment that the
SDKs know: keys, addresses, organisations and proxies are ours or absent.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import httpx2

from app.agent.llm.provider.connection import Connection
from app.agent.llm.provider.transport import GuardedTransport

if TYPE_CHECKING:
    from pydantic_ai.models import Model

_NO_KEY = "no-key"
"""What the SDKs are given when there is no key; the transport sends no credentials then."""
_NEW_FIELDS = (".openai.com", ".azure.com")
"""Hosts that take ``max_completion_tokens``; other endpoints know the older ``max_tokens``."""
_MOST_CLIENTS = 32


class Clients:
    """The models of this process by connection and name, made once: a client per call costs half a second."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._models: dict[tuple[Connection, str], Model] = {}

    def model(self, connection: Connection, name: str) -> Model:
        """The library's model ``name`` behind ``connection``."""
        with self._guard:
            found = self._models.get((connection, name))
            if found is None:
                if len(self._models) >= _MOST_CLIENTS:
                    self._models.clear()
                found = self._models[(connection, name)] = open_model(connection, name)
            return found


CLIENTS = Clients()
"""The clients of this process; they belong to its one event loop."""


def open_model(connection: Connection, name: str) -> Model:
    """A new model of the library behind ``connection``; nothing is sent yet."""
    client = httpx2.AsyncClient(
        transport=GuardedTransport(connection, httpx2.AsyncHTTPTransport(trust_env=False)),
        timeout=_timeout(connection),
        follow_redirects=False,
        trust_env=False,
    )
    if connection.provider == "anthropic":
        return _anthropic(connection, name, client)
    return _openai(connection, name, client)


def _timeout(connection: Connection) -> httpx2.Timeout:
    limits = connection.limits
    # An answer that is not streamed is silent until it is whole.
    silence = limits.idle if connection.is_streamed else limits.total
    return httpx2.Timeout(silence, connect=limits.connect)


def _openai(connection: Connection, name: str, client: httpx2.AsyncClient) -> Model:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    sdk = AsyncOpenAI(
        api_key=connection.key.reveal() or _NO_KEY,
        base_url=connection.base_url,
        timeout=_timeout(connection),
        max_retries=0,
        http_client=client,
    )
    if connection.origin[1].endswith(_NEW_FIELDS):
        return OpenAIChatModel(name, provider=OpenAIProvider(openai_client=sdk))
    profile = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
    return OpenAIChatModel(name, provider=OpenAICompatibleProvider("endpoint", openai_client=sdk, profile=profile))


def _anthropic(connection: Connection, name: str, client: httpx2.AsyncClient) -> Model:
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    sdk = AsyncAnthropic(
        api_key=connection.key.reveal() or _NO_KEY,
        base_url=connection.base_url,
        timeout=_timeout(connection),
        max_retries=0,
        open_telemetry=False,
        http_client=client,
    )
    return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=sdk))
