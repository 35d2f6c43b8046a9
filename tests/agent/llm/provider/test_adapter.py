"""Answers of providers: text, calls, what they cost, and what is never taken for an answer."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.agent.llm.base import (
    AnswerUnreadable,
    AssistantMessage,
    CallCancelled,
    ProviderUnreachable,
    SystemMessage,
    ToolCallRequest,
    ToolMessage,
    Usage,
    UserMessage,
)
from app.agent.loop.arguments import NotAccepted, read_arguments
from tests.agent.llm.provider.conftest import SETTINGS, TOOL, Asking, Reach
from tests.support.provider_server import ProviderServer, Reply

ONE = ("id-1", "list_languages", '{"n":1}')


def test_it_answers_with_text(asking: Asking, provider: ProviderServer) -> None:
    provider.will(Reply(text="Good morning, there."))
    turn = asking.ask()
    assert (turn.content, turn.calls, turn.finish) == ("Good morning, there.", (), "stop")
    assert turn.usage == Usage(requests=1, prompt_tokens=11, completion_tokens=7)
    assert "".join(asking.heard) == turn.content
    assert len(asking.heard) == (2 if asking.connection.is_streamed else 1)


def test_it_asks_for_one_call_or_several(asking: Asking, provider: ProviderServer) -> None:
    provider.will(Reply(calls=(ONE,)))
    assert [(c.id, c.name, json.loads(c.arguments)) for c in asking.ask().calls] == [
        ("id-1", "list_languages", {"n": 1})
    ]
    provider.will(Reply(text="Two.", calls=(ONE, ("id-2", "other", '{"n":2}'))))
    turn = asking.ask()
    assert (turn.content, turn.finish) == ("Two.", "tool_calls")
    assert [(c.id, json.loads(c.arguments)) for c in turn.calls] == [("id-1", {"n": 1}), ("id-2", {"n": 2})]


def test_it_keeps_doubled_empty_and_endless_ids_apart_by_place(asking: Asking, provider: ProviderServer) -> None:
    provider.will(Reply(calls=(ONE, ONE, ("", "list_languages", '{"n":3}'), ("x" * 10_000, "other", "{}"))))
    calls = asking.ask().calls
    assert [c.name for c in calls] == ["list_languages", "list_languages", "list_languages", "other"]
    assert all(len(c.id) <= 200 for c in calls)


@pytest.mark.parametrize("arguments", ['{"n": 1', "nonsense", '{"n":1}{"n":2}', '{"n":1,"n":2}', "[1]", "null", '"x"'])
def test_it_never_repairs_arguments(reach: Reach, provider: ProviderServer, arguments: str) -> None:
    for name, is_streamed in (("openai", True), ("openai", False), ("anthropic", True)):
        provider.will(Reply(calls=(("id-1", "list_languages", arguments),)))
        call = reach(name, is_streamed=is_streamed).ask().calls[0]
        assert call.arguments == arguments
        assert isinstance(read_arguments(call.arguments, TOOL.parameters), NotAccepted)


def test_it_takes_missing_arguments_for_none(asking: Asking, provider: ProviderServer) -> None:
    provider.will(Reply(calls=(("id-1", "list_languages", ""),)))
    assert asking.ask().calls[0].arguments in ("", "{}")


@pytest.mark.parametrize("arguments", ["nonsense", "[1]", "null", "7", '"x"', '{"n":' + "[" * 400 + "]" * 400 + "}"])
def test_it_makes_no_call_of_what_is_no_object_in_a_whole_answer(
    reach: Reach, provider: ProviderServer, arguments: str
) -> None:
    provider.will(Reply(calls=(("id-1", "list_languages", arguments),)))
    try:
        turn = reach("anthropic", is_streamed=False).ask()
    except AnswerUnreadable:
        return  # the library stumbles over it, which is as good
    assert isinstance(read_arguments(turn.calls[0].arguments, TOOL.parameters), NotAccepted)


def test_it_hands_large_arguments_on_and_stops_reading_endless_ones(
    streaming: Asking, provider: ProviderServer
) -> None:
    provider.will(Reply(calls=(("id-1", "list_languages", '{"n":"' + "x" * 100_000 + '"}'),)))
    assert len(streaming.ask().calls[0].arguments) > 100_000
    deep = "[" * 5_000
    provider.will(Reply(calls=(("id-1", "list_languages", deep),)))
    assert streaming.ask().calls[0].arguments == deep
    provider.will(Reply(calls=(("id-1", "list_languages", "x" * 600_000),)))
    with pytest.raises(AnswerUnreadable) as raised:
        streaming.ask()
    assert raised.value.code == "too_much"


def test_it_says_when_an_answer_was_cut_at_its_length(asking: Asking, provider: ProviderServer) -> None:
    provider.will(Reply(text="Half", calls=(("id-1", "list_languages", "{}"),), finish="length"))
    assert asking.ask().finish == "length"


def test_it_keeps_the_calls_of_a_filtered_or_unknown_ending_from_being_carried_out(
    reach: Reach, provider: ProviderServer
) -> None:
    for name, reasons in (("openai", ("content_filter", "eos_token")), ("anthropic", ("refusal", "pause_turn", "new"))):
        for reason in reasons:
            provider.will(Reply(text="No.", calls=(ONE,), finish=reason))
            assert reach(name).ask().finish == "length", reason


@pytest.mark.parametrize("is_chunked", [True, False])
@pytest.mark.parametrize("cut_after", [1, 3, 4])
def test_it_does_not_take_a_cut_stream_for_an_answer(
    streaming: Asking, provider: ProviderServer, cut_after: int, is_chunked: bool
) -> None:
    provider.will(Reply(text="Hello", calls=(ONE,), cut_after=cut_after, is_chunked=is_chunked))
    with pytest.raises(ProviderUnreachable):
        streaming.ask()
    provider.will(Reply(calls=(ONE,), finish=None, is_chunked=is_chunked))
    with pytest.raises(ProviderUnreachable):
        streaming.ask()


def test_it_does_not_take_a_cut_body_for_an_answer(reach: Reach, provider: ProviderServer) -> None:
    for name in ("openai", "anthropic"):
        provider.will(Reply(calls=(ONE,), cut_after=60))
        with pytest.raises(AnswerUnreadable):
            reach(name, is_streamed=False).ask()


def test_it_notices_a_call_without_a_name(reach: Reach, provider: ProviderServer) -> None:
    provider.will(Reply(calls=(("id-1", None, "{}"),)))
    with pytest.raises(AnswerUnreadable):
        reach("openai").ask()


def test_it_tells_the_conversation_with_ids_of_its_own(asking: Asking, provider: ProviderServer) -> None:
    provider.will(Reply(text="Done."))
    same = [ToolCallRequest(id="same", name="list_languages", arguments=text) for text in ('{"n":1}', "{broken")]
    asking.model.respond(
        [
            SystemMessage(content="Be brief."),
            AssistantMessage(content="An old greeting."),
            UserMessage(content="Go"),
            AssistantMessage(content="", calls=(*same, ToolCallRequest(id="", name="other", arguments="{}"))),
            ToolMessage(call_id="same", tool="list_languages", content='{"ok":true}'),
            ToolMessage(call_id="same", tool="list_languages", content="invalid_arguments\nNo.", is_error=True),
            UserMessage(content="And?"),
        ],
        [TOOL],
        SETTINGS,
    )
    body = provider.asked[0].body
    said = json.dumps(body)
    assert "Be brief." in said
    assert "An old greeting." not in said
    assert "same" not in said
    for call_id in ("call00001", "call00002", "call00003"):
        assert said.count(call_id) == 2, "every call has exactly one result"
    roles = [message["role"] for message in body["messages"] if message["role"] != "system"]
    expected = (
        ["user", "assistant", "user"] if asking.connection.provider == "anthropic" else ["user", "assistant", "tool"]
    )
    assert roles[:3] == expected
    assert bool(body.get("stream")) is asking.connection.is_streamed


def test_it_sends_the_schema_as_it_is(asking: Asking, provider: ProviderServer) -> None:
    provider.will(Reply(text="Fine."))
    asking.ask()
    tool = provider.asked[0].body["tools"][0]
    tool = tool.get("function", tool)
    assert tool.get("parameters", tool.get("input_schema")) == TOOL.parameters
    assert not tool.get("strict")
    assert provider.asked[0].body["max_tokens"] == 64


def test_it_serves_many_threads_with_one_client(streaming: Asking, provider: ProviderServer) -> None:
    provider.will(Reply(text="Hello", calls=(ONE,)))
    patient = streaming.patient()
    with ThreadPoolExecutor(8) as pool:
        turns = list(pool.map(lambda _number: patient.ask(), range(40)))
    assert len(turns) == len(provider.asked) == 40
    assert {turn.content for turn in turns} == {"Hello"}
    assert [thread.name for thread in threading.enumerate()].count("model-event-loop") == 1


def test_it_drops_the_request_when_the_person_cancels(streaming: Asking, provider: ProviderServer) -> None:
    provider.will(Reply(text="Hello", is_endless=True))
    asked = threading.Event()
    patient = streaming.patient()
    with pytest.raises(CallCancelled):
        patient.model.respond(
            [UserMessage(content="Hello")], [TOOL], SETTINGS, on_text=lambda _piece: asked.set(), cancel=asked.is_set
        )
    assert provider.broken_off.wait(5), "the connection is closed, not left to the provider"
    provider.will(Reply(text="Never"))
    with pytest.raises(CallCancelled):
        patient.model.respond([UserMessage(content="Hello")], [], SETTINGS, cancel=lambda: True)
    assert provider.asked == []


def test_it_stops_when_the_listener_fails(streaming: Asking, provider: ProviderServer) -> None:
    provider.will(Reply(text="Hello", is_endless=True))

    def fail(_piece: str) -> None:
        raise KeyError

    with pytest.raises(KeyError):
        streaming.patient().model.respond([UserMessage(content="Hello")], [], SETTINGS, on_text=fail)
    assert provider.broken_off.wait(5)
