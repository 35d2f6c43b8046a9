"""What of a transcript is sent: whole turns are left out, oldest first, and never what must stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.agent.configurations import set_configuration
from app.agent.llm.base import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCallRequest,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from app.agent.llm.scripted import call_turn, text_turn
from app.agent.loop.window import (
    UNKNOWN_WINDOW,
    Fitted,
    TooLong,
    Window,
    estimate_message,
    estimate_tool,
    fit,
    grown_factor,
    turns_of,
    window_of,
)
from app.agent.types import RunStatus
from app.core.db import transaction
from tests.agent.scenes import Scene
from tests.agent.test_asking import offers

WRITE = "update_page_metadata"
READ = "get_page"


def is_write(name: str) -> bool:
    return name == WRITE


def round_of(number: int, tool: str, size: int, count: int = 1) -> list[Message]:
    """One answer with its calls and their results."""
    calls = [ToolCallRequest(id=f"{number}-{n}", name=tool, arguments="{}") for n in range(count)]
    results = [ToolMessage(call_id=call.id, tool=tool, content="r" * size) for call in calls]
    return [AssistantMessage(content="", calls=tuple(calls)), *results]


rounds = st.lists(
    st.tuples(st.sampled_from([READ, WRITE]), st.integers(0, 4_000), st.integers(1, 3)), min_size=0, max_size=8
)
spoken = st.lists(st.tuples(st.integers(1, 3_000), st.integers(1, 3_000)), min_size=0, max_size=4)


@st.composite
def transcripts(draw: st.DrawFn) -> list[Message]:
    """Standing words, earlier exchanges, the request, and what the model did for it so far."""
    found: list[Message] = [SystemMessage(content="s" * draw(st.integers(0, 2_000)))]
    for asked, answered in draw(spoken):
        found += [UserMessage(content="u" * asked), AssistantMessage(content="a" * answered)]
    found.append(UserMessage(content="request"))
    for number, (tool, size, count) in enumerate(draw(rounds)):
        found += round_of(number, tool, size, count)
    return found


def _body(messages: Sequence[Message]) -> list[Message]:
    return [message for message in messages if not isinstance(message, SystemMessage)]


@given(messages=transcripts(), tokens=st.integers(1_200, 12_000), factor=st.integers(1_150, 3_000))
def test_it_keeps_what_must_stay_and_splits_nothing(messages: list[Message], tokens: int, factor: int) -> None:
    before, window = tuple(messages), Window(tokens=tokens)
    fitted = fit(messages, (), window, factor=factor, is_kept=is_write)
    assert tuple(messages) == before, "the transcript itself is never changed"
    if isinstance(fitted, TooLong):
        assert fitted.estimate > window.budget
        return
    real = -(-sum(map(estimate_message, fitted.messages)) * factor // 1000)
    assert real <= fitted.estimate + 1 + factor // 1000 <= window.budget + 1 + factor // 1000
    kept, whole = _body(fitted.messages), _body(messages)
    assert fitted.left_out == len(whole) - len(kept)
    assert kept[0] is whole[0], "the first words of the person"
    assert UserMessage(content="request") in kept, "their newest words"
    newest = turns_of(messages)[-1].messages
    assert kept[len(kept) - len(_body(newest)) :] == _body(newest), "the newest turn"
    position = iter(whole)
    assert all(any(message is other for other in position) for message in kept), "in order, nothing invented"
    assert [m for m in whole if isinstance(m, ToolMessage) and m.tool == WRITE] == [
        m for m in kept if isinstance(m, ToolMessage) and m.tool == WRITE
    ], "what was written is never forgotten"
    asked = [call.id for m in kept if isinstance(m, AssistantMessage) for call in m.calls]
    assert asked == [m.call_id for m in kept if isinstance(m, ToolMessage)], "no call without its result"


@given(messages=transcripts())
def test_it_leaves_what_fits_as_it_is(messages: list[Message]) -> None:
    fitted = fit(messages, (), Window(tokens=1_000_000), is_kept=is_write)
    assert isinstance(fitted, Fitted)
    assert (fitted.messages, fitted.left_out) == (tuple(messages), 0)


@given(messages=transcripts())
def test_its_turns_are_the_transcript(messages: list[Message]) -> None:
    turns = turns_of(messages)
    assert [message for turn in turns for message in turn.messages] == messages
    assert turns[-1].is_protected


def test_it_leaves_out_the_oldest_first_and_says_so() -> None:
    messages: list[Message] = [SystemMessage(content="Rules."), UserMessage(content="request")]
    for number in range(4):
        messages += round_of(number, READ, 4_000)
    fitted = fit(messages, (), Window(tokens=5_700), is_kept=is_write)
    assert isinstance(fitted, Fitted)
    assert [m.call_id for m in fitted.messages if isinstance(m, ToolMessage)] == ["2-0", "3-0"]
    assert "left out" in fitted.messages[0].content
    assert fitted.messages[0].content.startswith("Rules.")
    assert fitted.left_out == 4


def test_it_counts_the_tools_on_offer() -> None:
    spec = ToolSpec(name="x", description="d" * 3_500, parameters={"type": "object"})
    messages = [UserMessage(content="request")]
    assert estimate_tool(spec) > 1_000
    assert isinstance(fit(messages, (), Window(tokens=2_200), is_kept=is_write), Fitted)
    assert isinstance(fit(messages, (spec,), Window(tokens=2_200), is_kept=is_write), TooLong)


@pytest.mark.parametrize(
    ("model", "configured", "tokens"),
    [
        ("openai:unheard-of", None, UNKNOWN_WINDOW),
        ("openai:unheard-of", 32_768, 32_768),
        ("anthropic:claude-x", None, 200_000),
        ("anthropic:claude-x", 1_000, 1_000),
    ],
)
def test_it_knows_what_a_model_takes(model: str, configured: int | None, tokens: int) -> None:
    assert window_of(model, configured).tokens == tokens


def test_it_only_grows_towards_what_the_provider_counts() -> None:
    assert grown_factor(1_150, 1_000, 900) == 1_150
    assert grown_factor(1_150, 1_000, 1_500) == 1_725
    assert grown_factor(1_150, 0, 10) == 1_150


def test_it_leaves_room_for_the_answer() -> None:
    window = Window(tokens=8_192)
    assert (window.reserve, window.budget) == (1_000, 6_946)
    assert window.room_for_answer(window.budget) == window.reserve
    assert window.room_for_answer(0) == 7_946
    assert Window(tokens=200_000).room_for_answer(0) == 8_192


@pytest.mark.behaviour("RT-17")
def test_it_asks_nobody_when_even_the_newest_part_is_too_long(scene: Scene, identity_of) -> None:  # type: ignore[no-untyped-def]
    with transaction() as connection:
        set_configuration(connection, 1, model="openai:m")
    scene.script(text_turn("never"), name="openai:m")
    uuid = scene.start(identity_of("anna"), words="x" * 30_000)
    scene.work()
    run = scene.run(uuid)
    assert (run.status, run.reason, run.rounds) == (RunStatus.COMPLETED, "context_truncated", 0)
    assert scene.model.seen == []
    assert scene.kinds(uuid) == ["started", "ended"]


def test_it_sends_less_than_it_keeps(scene: Scene, identity_of) -> None:  # type: ignore[no-untyped-def]
    with transaction() as connection:
        set_configuration(connection, 1, model="openai:m")
    scene.runtime = replace(
        scene.runtime,
        settings=replace(scene.runtime.settings, same_call_limit=20, model_windows='{"openai:m": 8000}'),
    )
    scene.script(*[call_turn(("get_page_tree", {}))] * 10, text_turn("That is all."), name="openai:m")
    uuid = scene.start(identity_of("anna"), words="Please " + "x" * 3_000)
    scene.work()
    assert scene.run(uuid).reason == "completed"
    sent, kept = scene.model.seen[-1].messages, scene.transcript(uuid)[:-1]
    told = offers(uuid)[-1]
    assert told["left_out"] == len(kept) + 1 - len(sent) > 0, "what is sent begins with the words about fences"
    assert (told["window"], told["messages"]) == (8_000, len(sent))
    assert len([m for m in kept if isinstance(m, ToolMessage)]) == 10


def test_the_built_in_assistant_reads_everything(scene: Scene, identity_of) -> None:  # type: ignore[no-untyped-def]
    scene.script(text_turn("Done."))
    uuid = scene.start(identity_of("anna"), words="x" * 60_000)
    scene.work()
    assert scene.run(uuid).reason == "completed"
    assert scene.model.seen[0].messages == scene.transcript(uuid)[:-1]
