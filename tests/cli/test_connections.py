"""Testing the connection of a configuration by command."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from app.agent.llm.provider.breaker import BREAKER
from tests.cli.conftest import Commands
from tests.support.provider_server import ProviderServer, Reply

KEY = "sk-canary-0123456789"


@pytest.fixture
def provider() -> Iterator[ProviderServer]:
    """A provider on loopback."""
    server = ProviderServer()
    yield server
    server.stop()
    BREAKER.reset()


def environment(provider: ProviderServer) -> dict[str, str]:
    """Settings that reach ``provider``."""
    return {"IMPRIMATUR_OPENAI_BASE_URL": provider.address + "/v1", "IMPRIMATUR_OPENAI_API_KEY": KEY}


def test_it_says_that_a_model_answers(commands: Commands, provider: ProviderServer) -> None:
    commands.done("configuration", "set", "Editorial", "--model", "openai:small")
    provider.will(Reply(text="Hello"))
    result = commands("configuration", "test", "Editorial", **environment(provider))
    assert (result.exit_code, result.stdout.startswith("openai:small answers (")) == (0, True), result.output
    assert [tool["function"]["name"] for tool in provider.asked[0].body["tools"]] == ["list_languages"]
    assert commands.done("configuration", "test", "Editorial, drafts only").startswith("builtin answers (")


def test_it_says_in_a_sentence_what_is_wrong(commands: Commands, provider: ProviderServer) -> None:
    commands.done("configuration", "set", "Editorial", "--model", "openai:small")
    body = json.dumps({"error": {"message": f"Incorrect key {KEY}."}}).encode()
    for reply, sentence in (
        (Reply(status=401, raw=body), "The provider does not accept the key. The provider says: “Incorrect key ….”"),
        (Reply(status=404, raw=b"<html>"), "knows no such model at this address"),
        (Reply(status=307, raw=b"", headers={"Location": "/x"}), "sends on to another one"),
        (Reply(raw=b"<html>", headers={"Content-Type": "text/html"}), "not in the language of this provider"),
        (Reply(text="Half", finish=None), "IMPRIMATUR_MODEL_STREAMING=0"),
        (Reply(status=429, raw=b"{}"), "asks to wait"),
    ):
        provider.will(reply)
        result = commands("configuration", "test", "Editorial", **environment(provider))
        assert result.exit_code == 1
        assert result.stderr.startswith("Error: openai:small: ")
        assert sentence in result.stderr
        assert KEY not in result.output + result.stderr
        assert len(result.stderr.splitlines()) == 1


def test_it_says_which_setting_is_missing(commands: Commands) -> None:
    for name, setting in (("openai", "IMPRIMATUR_OPENAI_API_KEY"), ("anthropic", "IMPRIMATUR_ANTHROPIC_API_KEY")):
        commands.done("configuration", "set", "Editorial", "--model", f"{name}:x")
        result = commands("configuration", "test", "Editorial", **{setting: ""})
        assert (result.exit_code, setting in result.stderr) == (1, True), result.stderr
    assert commands("configuration", "test", "Nothing").exit_code == 1


def test_what_is_no_name_of_a_model_is_not_taken(commands: Commands) -> None:
    for name in ("nonsense", "openai:", "mistral:small", "openai:x\ny", "openai:" + "x" * 120):
        result = commands("configuration", "set", "Editorial", "--model", name)
        assert result.exit_code == 1, name
        assert "Enter builtin, openai:NAME or anthropic:NAME" in result.stderr
    assert commands.done("configuration", "test", "Editorial").startswith("builtin answers (")


def test_it_never_prints_a_key(commands: Commands) -> None:
    result = commands("settings", IMPRIMATUR_OPENAI_API_KEY=KEY, IMPRIMATUR_ANTHROPIC_API_KEY="")
    lines = {line.split()[0]: line for line in result.stdout.splitlines()}
    assert KEY not in result.output
    assert lines["IMPRIMATUR_OPENAI_API_KEY"].split()[1] == "set"
    assert lines["IMPRIMATUR_ANTHROPIC_API_KEY"].split()[1:3] == ["not", "set"]
