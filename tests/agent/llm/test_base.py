from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.agent.llm.base import (
    AssistantMessage,
    CallCancelled,
    ConfigurationMissing,
    Message,
    ModelError,
    ModelSettings,
    RateLimited,
    SystemMessage,
    ToolCallRequest,
    ToolMessage,
    UnreadableMessage,
    UserMessage,
    decode_message,
    encode_message,
)
from app.agent.llm.builtin import BuiltInAssistant
from app.agent.llm.registry import make_model
from app.agent.llm.scripted import ScriptedModel, ScriptExhausted, call_turn, text_turn

SETTINGS = ModelSettings(model="scripted", max_output_tokens=100)
CALLS = st.builds(ToolCallRequest, id=st.text(), name=st.text(), arguments=st.text())
MESSAGES = st.one_of(
    st.builds(SystemMessage, content=st.text()),
    st.builds(UserMessage, content=st.text()),
    st.builds(AssistantMessage, content=st.text(), calls=st.lists(CALLS, max_size=3).map(tuple)),
    st.builds(ToolMessage, call_id=st.text(), tool=st.text(), content=st.text(), is_error=st.booleans()),
)


@given(MESSAGES)
def test_it_reads_back_every_message_it_stored(message: Message) -> None:
    assert decode_message(json.loads(json.dumps(encode_message(message)))) == message


@pytest.mark.parametrize(
    "stored",
    [
        {},
        {"v": 2, "kind": "user", "content": "x"},
        {"v": 1, "kind": "robot", "content": "x"},
        {"v": 1, "kind": "user"},
        {"v": 1, "kind": "user", "content": 5},
        {"v": 1, "kind": "assistant", "content": "x", "calls": [{"id": "1"}]},
        {"v": 1, "kind": "assistant", "content": "x", "calls": ["a"]},
        {"v": 1, "kind": "assistant", "content": "x"},
        {"v": 1, "kind": "tool", "call_id": "1", "tool": "t", "content": "x", "is_error": "no"},
    ],
)
def test_it_refuses_a_stored_message_it_cannot_read(stored: dict[str, Any]) -> None:
    with pytest.raises(UnreadableMessage):
        decode_message(stored)


def test_it_plays_a_script_and_records_what_was_asked() -> None:
    failure = RateLimited("slow down", retry_after=2.0)
    model = ScriptedModel(
        [call_turn(("read_record", {"uid": 1})), failure, lambda messages: text_turn(f"{len(messages)} seen")]
    )
    heard: list[str] = []
    first = model.respond([UserMessage(content="a")], [], SETTINGS, on_text=heard.append)
    with pytest.raises(RateLimited) as raised:
        model.respond([], [], SETTINGS)
    third = model.respond([UserMessage(content="a")], [], SETTINGS, on_text=heard.append)
    assert (first.finish, first.calls[0].name, raised.value.retry_after) == ("tool_calls", "read_record", 2.0)
    assert (third.content, heard, len(model.seen)) == ("1 seen", ["1 seen"], 3)
    with pytest.raises(ScriptExhausted):
        model.respond([], [], SETTINGS)


@pytest.mark.parametrize("model", [ScriptedModel([text_turn("x")]), BuiltInAssistant()])
def test_it_stops_when_the_person_cancelled(model: ScriptedModel | BuiltInAssistant) -> None:
    with pytest.raises(CallCancelled):
        model.respond([UserMessage(content="help")], [], SETTINGS, cancel=lambda: True)


def test_it_makes_the_built_in_assistant() -> None:
    assert isinstance(make_model("builtin"), BuiltInAssistant)


@pytest.mark.parametrize("name", ["", "gpt", "openai:", "openai:some-model", "anthropic:x", "evil:x"])
def test_it_says_which_models_it_cannot_use(name: str) -> None:
    with pytest.raises(ConfigurationMissing) as raised:
        make_model(name)
    assert isinstance(raised.value, ModelError)
    assert raised.value.kind == "configuration"
    assert str(raised.value).endswith(".")
