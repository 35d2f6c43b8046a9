"""Turns refused whole: the same call over and over ends the run in its own reason (F33)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.agent.llm.base import AssistantMessage, ModelTurn, ToolCallRequest, ToolMessage, Usage
from app.agent.llm.scripted import call_turn, text_turn
from app.agent.loop.refusing import times_asked
from app.agent.types import RunStatus
from app.chat import store
from app.core.db import reading
from app.seed.demo import DemoSite
from tests.agent.scenes import Scene

READ = ("list_languages", {})


def last_answer(conversation_id: int) -> str | None:
    """The newest message of the conversation."""
    with reading() as connection:
        return [row["body"] for row in store.list_messages(connection, conversation_id)][-1]


def _turn(name: str, arguments: str) -> ModelTurn:
    call = ToolCallRequest(id="c", name=name, arguments=arguments)
    return ModelTurn(
        content="", calls=(call,), usage=Usage(requests=1, prompt_tokens=1, completion_tokens=1), finish="tool_calls"
    )


def _asked(*turns: ModelTurn, code: str = "") -> list[Any]:
    found: list[Any] = []
    for turn in turns:
        found.append(AssistantMessage(content="", calls=turn.calls))
        found += [ToolMessage(call_id=c.id, tool=c.name, content=code or "{}", is_error=bool(code)) for c in turn.calls]
    return found


def test_it_counts_a_call_whatever_the_order_of_its_arguments() -> None:
    first, second = _turn("get", '{"a": 1, "b": [2]}'), _turn("get", '{ "b":[2],"a":1 }')
    assert times_asked(_asked(first, first), second) == (2, 3)
    assert times_asked(_asked(first, _turn("get", '{"a": 2}')), second) == (1, 2)
    assert times_asked(_asked(_turn("other", '{"a": 1, "b": [2]}')), second) == (0, 1)


def test_it_counts_calls_that_are_no_json_by_their_text() -> None:
    broken = _turn("get", "[" * 5_000)
    assert times_asked(_asked(broken), broken) == (1, 2)


def test_it_does_not_hold_refusals_for_another_cause_against_a_call() -> None:
    turn = _turn("get", "{}")
    for code in ("too_many_calls\nFewer.", "cut_off\nShorter.", "already_carried_out\nDone."):
        assert times_asked(_asked(turn, turn, code=code), turn) == (0, 1)
    assert times_asked(_asked(turn, code="repeated_call\nAgain."), turn) == (1, 2)


@pytest.mark.behaviour("RT-17")
def test_it_ends_a_run_that_keeps_asking_for_the_same_step(scene: Scene, identity_of: Any) -> None:
    scene.script(*[call_turn(READ)] * 7)
    uuid = scene.start(identity_of("anna"))
    scene.work()
    run = scene.run(uuid)
    assert (run.status, run.reason, run.rounds) == (RunStatus.COMPLETED, "repeated_calls", 7)
    results = [m for m in scene.transcript(uuid) if isinstance(m, ToolMessage)]
    assert [m.content.split("\n")[0] for m in results if m.is_error] == ["repeated_call"] * 2
    assert len(results) == 7, "every call is answered"
    assert run.turn == 5, "what was refused is no turn"


@pytest.mark.behaviour("RT-17")
def test_it_refuses_thirty_times_the_same_and_takes_the_hint(scene: Scene, identity_of: Any) -> None:
    scene.runtime = replace(scene.runtime, settings=replace(scene.runtime.settings, calls_per_turn=30))
    scene.script(call_turn(*[READ] * 30), text_turn("I have seen enough."))
    uuid = scene.start(identity_of("anna"))
    scene.work()
    assert (scene.run(uuid).reason, scene.outcomes(uuid)) == ("completed", {})


@pytest.mark.behaviour("RT-17")
def test_a_read_loop_with_changing_arguments_ends_at_the_rounds(scene: Scene, identity_of: Any, site: DemoSite) -> None:
    scene.script(*[call_turn(("search_records", {"query": f"page {number}"})) for number in range(12)])
    uuid = scene.start(identity_of("anna"))
    scene.work()
    run = scene.run(uuid)
    assert (run.status, run.reason, run.rounds) == (RunStatus.COMPLETED, "max_rounds", 12)


@pytest.mark.behaviour("RT-17")
def test_what_was_changed_before_a_bound_is_listed(assignments: Any, site: DemoSite) -> None:
    hide = [("hide_record", {"table": "pages", "uid": site.pages["hours"]})]
    assignments.ask(hide, *[call_turn(READ)] * 7)
    assignments.decide()
    listed = assignments.changes()
    assert [(record.table, record.live_uid) for record in listed.records] == [("pages", site.pages["hours"])]
    assert "again and again" in (last_answer(assignments.id) or "")
