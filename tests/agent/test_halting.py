"""The switch for all runs: nothing begins, nothing is taken up, nothing is written after it (I7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from app.agent.events import EventKind, decode, read_events
from app.agent.halting import RunsHalted, count_runs, find_halt, halt_runs, list_switches, resume_runs
from app.agent.leases import claim_run
from app.agent.llm.base import RateLimited
from app.agent.llm.scripted import call_turn, text_turn
from app.agent.loop import carrying
from app.agent.reaping import queued_runs, reap
from app.agent.runs import cancel_run
from app.agent.types import RunStatus
from app.agent.worker import execute_run
from app.core import errors
from app.core.db import reading, transaction
from app.seed.demo import DemoSite
from tests.agent.execution_world import World
from tests.agent.scenes import Scene
from tests.agent.test_races import _person, _press, _run, _start, _together, _waiting_again, arena  # noqa: F401
from tests.support.clock import FakeClock

READ = ("list_languages", {})


def change(site: DemoSite, *names: str) -> Any:
    """A turn that retitles pages."""
    return call_turn(*[("update_page_metadata", {"page": site.pages[name], "title": f"New {name}"}) for name in names])


def halted() -> bool:
    with reading() as connection:
        return find_halt(connection) is not None


def test_it_lets_no_run_begin(scene: Scene, identity_of: Any) -> None:
    halt_runs(identity_of("admin"), "  Odd \n answers ")
    with pytest.raises(RunsHalted):
        scene.start(identity_of("anna"))
    with reading() as connection:
        found = find_halt(connection)
    assert found is not None
    assert (found.reason, found.by_user_id) == ("Odd answers", identity_of("admin").user_id)


def test_it_leaves_queued_runs_queued_and_takes_them_up_afterwards(scene: Scene, identity_of: Any) -> None:
    scene.script(text_turn("Done."))
    uuid = scene.start(identity_of("anna"))
    halt_runs(None, "Maintenance")
    assert not queued_runs()
    scene.execute(uuid)
    scene.work()
    assert (scene.run(uuid).status, scene.run(uuid).attempts, scene.model.seen) == (RunStatus.QUEUED, 0, [])
    woken: list[str] = []
    assert resume_runs(None, replace(scene.runtime, wake=woken.append)) == 1
    assert woken == [uuid]
    scene.work()
    assert scene.run(uuid).status is RunStatus.COMPLETED


@pytest.mark.behaviour("RT-14")
def test_it_stops_a_turn_of_twenty_calls_before_its_next_one(
    scene: Scene, identity_of: Any, site: DemoSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["hours", "visit", "about", "press"]
    scene.script(change(site, *names), text_turn("never"))
    dora = identity_of("dora")
    uuid = scene.start(dora)
    scene.work()
    scene.decide(dora, uuid)
    real, done = carrying.execute_call, list[int]()

    def halting_after_two(*args: Any, **options: Any) -> Any:
        if len(done) == 2:
            assert halt_runs(identity_of("admin"), "Stop") == 1
        done.append(args[1].ordinal)
        return real(*args, **options)

    monkeypatch.setattr("app.agent.loop.carrying.execute_call", halting_after_two)
    scene.work()
    run = scene.run(uuid)
    assert (run.status, run.reason, run.cancelled_by) == (
        RunStatus.CANCELLED,
        "cancelled",
        identity_of("admin").user_id,
    )
    assert scene.outcomes(uuid) == {
        0: ("done", ""),
        1: ("done", ""),
        2: ("cancelled", "cancelled"),
        3: ("cancelled", "cancelled"),
    }
    titles = [scene.row("pages", site.pages[name])["title"] for name in names]
    assert titles[:2] == ["New hours", "New visit"]
    assert not any(title.startswith("New") for title in titles[2:])
    assert len(scene.model.seen) == 1


def test_it_keeps_waiting_cards_and_none_can_be_approved(scene: Scene, identity_of: Any, site: DemoSite) -> None:
    scene.script(change(site, "hours"), text_turn("Done."), text_turn("I see."))
    dora = identity_of("dora")
    first = scene.start(dora)
    scene.work()
    halt_runs(identity_of("admin"), "Stop")
    result = scene.decide(dora, first)
    assert (result.kind, result.reason) == ("not_allowed", "halted")
    assert result.text is not None
    assert scene.run(first).status is RunStatus.WAITING_FOR_APPROVAL
    assert scene.governance(first) == [], "nothing is wrong with the person or the step"
    resume_runs(identity_of("admin"), scene.runtime)
    assert scene.decide(dora, first).kind == "recorded"
    scene.work()
    assert scene.outcomes(first) == {0: ("done", "")}


def test_a_card_can_be_declined_and_a_run_stopped_meanwhile(scene: Scene, identity_of: Any, site: DemoSite) -> None:
    scene.script(change(site, "hours"), change(site, "visit"), text_turn("I see."))
    dora = identity_of("dora")
    declined, stopped = scene.start(dora), scene.start(dora)
    scene.work()
    halt_runs(None, "Stop")
    assert scene.decide(dora, declined, approve=False).kind == "recorded"
    assert cancel_run(dora, stopped, scene.runtime)
    assert scene.run(stopped).status is RunStatus.CANCELLED
    scene.work()
    assert scene.run(declined).status is RunStatus.QUEUED
    resume_runs(None, scene.runtime)
    scene.work()
    assert scene.run(declined).status is RunStatus.COMPLETED


def test_a_run_that_lost_its_worker_ends_instead_of_coming_back(
    scene: Scene, identity_of: Any, clock: FakeClock
) -> None:
    uuid = scene.start(identity_of("anna"))
    with transaction() as connection:
        claim_run(connection, uuid, lease_seconds=60)
    assert halt_runs(None, "Stop") == 1
    clock.advance(120)
    assert reap(scene.runtime) == ()
    assert scene.run(uuid).status is RunStatus.CANCELLED


def test_a_run_that_waits_for_its_provider_stays(scene: Scene, identity_of: Any) -> None:
    scene.script(RateLimited("x", retry_after=600))
    uuid = scene.start(identity_of("anna"))
    scene.work()
    assert halt_runs(None, "Stop") == 0
    assert scene.run(uuid).status is RunStatus.WAITING_FOR_PROVIDER


def test_it_is_recorded_who_switched_and_why(scene: Scene, identity_of: Any, clock: FakeClock) -> None:
    admin = identity_of("admin")
    uuid = scene.start(identity_of("anna"))
    with transaction() as connection:
        claim_run(connection, uuid, lease_seconds=60)
    halt_runs(admin, "Odd answers")
    clock.advance(10)
    resume_runs(None, scene.runtime)
    with reading() as connection:
        entries = list_switches(connection)
        stopped = [decode(event) for event in read_events(connection, [uuid], [EventKind.CANCEL])]
    assert [(entry.is_halt, entry.user_id, entry.reason) for entry in entries] == [
        (False, 0, ""),
        (True, admin.user_id, "Odd answers"),
    ]
    assert stopped == [{"v": 1, "by": admin.user_id, "halt": True}]
    assert scene.governance("") == [
        ("runs_halted", "", "administrator"),
        ("runs_resumed", "", "command_line"),
    ]


@pytest.mark.parametrize("reason", ["", "  \n ", "x" * 201])
def test_it_wants_a_reason(scene: Scene, identity_of: Any, reason: str) -> None:
    with pytest.raises(errors.Invalid) as caught:
        halt_runs(identity_of("admin"), reason)
    assert "reason" in caught.value.fields
    assert not halted()


@pytest.mark.parametrize("name", ["anna", "olga"])
def test_only_administrators_switch(scene: Scene, identity_of: Any, name: str) -> None:
    with pytest.raises(errors.Forbidden):
        halt_runs(identity_of(name), "Mine")
    halt_runs(None, "Stop")
    with pytest.raises(errors.Forbidden):
        resume_runs(identity_of(name), scene.runtime)
    assert halted()


def test_twice_is_a_conflict(scene: Scene, identity_of: Any) -> None:
    with pytest.raises(errors.Conflict):
        resume_runs(None, scene.runtime)
    halt_runs(None, "Stop")
    with pytest.raises(errors.Conflict):
        halt_runs(identity_of("admin"), "Again")


def test_it_counts_runs_by_status(scene: Scene, identity_of: Any) -> None:
    scene.script(text_turn("Done."))
    scene.start(identity_of("anna"))
    scene.work()
    scene.start(identity_of("anna"))
    with reading() as connection:
        assert count_runs(connection) == {RunStatus.COMPLETED: 1, RunStatus.QUEUED: 1}


def test_nothing_is_written_after_the_switch(arena: World) -> None:  # noqa: F811
    """Whoever is first: a run is stopped with nothing written, or its write was committed before the switch."""
    for _ in range(3):
        uuid = _waiting_again(arena)
        _press(arena, uuid, _person(arena.approver))
        acts: list[Callable[[], object]] = [
            lambda uuid=uuid: execute_run(uuid, arena.runtime),  # type: ignore[misc]
            lambda: halt_runs(None, "Stop"),
        ]
        _together(2, lambda number, acts=acts: acts[number]())  # type: ignore[misc]
        title, run = arena.title_of(arena.hours), _run(uuid)
        assert run.status in {RunStatus.QUEUED, RunStatus.CANCELLED, RunStatus.COMPLETED}
        execute_run(uuid, arena.runtime)
        assert (arena.title_of(arena.hours), _run(uuid).status) == (title, run.status), "nothing moves any more"
        resume_runs(None, arena.runtime)


def test_a_start_and_the_switch_at_once_leave_nothing_at_work(arena: World) -> None:  # noqa: F811
    def act(number: int) -> Any:
        if number == 0:
            return halt_runs(None, "Stop")
        uuid = _start(arena)
        with transaction() as connection:
            return claim_run(connection, uuid, lease_seconds=60)

    _together(3, act)
    with reading() as connection:
        counts = count_runs(connection)
        events = counts.get(RunStatus.RUNNING, 0)
    assert events == arena.count("run_event", kind="cancel"), "what had been taken up was told to stop"
