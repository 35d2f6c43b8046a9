"""A provider on loopback and models that reach it, for both protocols, streamed and not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from app.agent.llm.base import ModelSettings, ModelTurn, ToolSpec, UserMessage
from app.agent.llm.provider.adapter import ProviderModel
from app.agent.llm.provider.breaker import BREAKER
from app.agent.llm.provider.connection import Connection, Limits, Secret
from tests.support.provider_server import ProviderServer

KEY = "sk-canary-0123456789"
SETTINGS = ModelSettings(model="openai:m", max_output_tokens=64)
TOOL = ToolSpec(
    name="list_languages",
    description="Lists the languages.",
    parameters={
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
        "additionalProperties": False,
    },
)
QUICK = Limits(connect=1.0, idle=0.4, total=1.2, body=256 * 1024)


@pytest.fixture(scope="module")
def shared_provider() -> Iterator[ProviderServer]:
    """One server for a module: its clients are made once."""
    server = ProviderServer()
    yield server
    server.stop()


@pytest.fixture
def provider(shared_provider: ProviderServer) -> Iterator[ProviderServer]:
    """The server, with nothing remembered; the breaker starts closed."""
    shared_provider.will()
    yield shared_provider
    BREAKER.reset()


class Asking:
    """A model behind one protocol; ``ask()`` sends one message."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.model = ProviderModel(connection, "m")
        self.heard: list[str] = []

    def ask(self, words: str = "Hello") -> ModelTurn:
        """The turn that answers ``words``."""
        return self.model.respond([UserMessage(content=words)], [TOOL], SETTINGS, on_text=self.heard.append)

    def patient(self) -> Asking:
        """The same without short limits."""
        return Asking(replace(self.connection, limits=Limits()))


Reach = Callable[..., Asking]


@pytest.fixture
def reach(provider: ProviderServer) -> Reach:
    """``reach("openai", is_streamed=True)``: a model of the server."""

    def make(name: str, *, is_streamed: bool = True, limits: Limits = QUICK) -> Asking:
        address = provider.address + ("/v1" if name == "openai" else "")
        return Asking(
            Connection(provider=name, base_url=address, key=Secret(KEY), is_streamed=is_streamed, limits=limits)
        )

    return make


@pytest.fixture(params=["openai, streamed", "openai, whole", "anthropic, streamed", "anthropic, whole"])
def asking(request: pytest.FixtureRequest, reach: Reach) -> Asking:
    """A model in each of the four ways."""
    name, _, way = request.param.partition(", ")
    return reach(name, is_streamed=way == "streamed")


@pytest.fixture(params=["openai", "anthropic"])
def streaming(request: pytest.FixtureRequest, reach: Reach) -> Asking:
    """A streaming model of each protocol."""
    return reach(request.param)
