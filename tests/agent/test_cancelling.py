"""Stopping a run in every state it can be in, what is listed of it, and that an ending is the end (RT-01, RT-12, RT-14)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from app.agent.approvals import decide
from app.agent.endings import CANCELLED, EXPIRED, end_run, failed
from app.agent.leases import beat, claim_run, hold_row, requeue_run
from app.agent.llm.base import RateLimited
from app.agent.llm.scripted import call_turn, text_turn
from app.agent.loop import carrying
from app.agent.loop.segment import Pace
from app.agent.reaping import expire_cards, reap, resume_waiting
from app.agent.run_rows import lock_run
from app.agent.runs import cancel_run
from app.agent.types import Reason, RunStatus
from app.agent.worker import execute_run
from app.core.db import transaction
from app.seed.demo import DemoSite
from tests.agent.scenes import Scene, no_rest
from tests.support.assignments import DONE, Assignments
from tests.support.clock import FakeClock

DAY = 86_400


def change(site: DemoSite, *names: str) -> Any:
    return call_turn(*[("update_page_metadata", {"page": site.pages[name], "title": f"New {name}"}) for name in names])


def queued(scene: Scene, owner: Any, _site: DemoSite) -> str:
    scene.script(text_turn("never"))
    return scene.start(owner)


def running(scene: Scene, owner: Any, _site: DemoSite) -> str:
    uuid = scene.start(owner)
    with transaction() as connection:
        assert claim_run(connection, uuid, lease_seconds=60)
    return uuid


def waiting(scene: Scene, owner: Any, site: DemoSite) -> str:
    scene.script(change(site, "hours"), text_turn("never"))
    uuid = scene.start(owner)
    scene.work()
    return uuid


def waiting_for_provider(scene: Scene, owner: Any, _site: DemoSite) -> str:
    scene.script(RateLimited("x", retry_after=600), text_turn("never"))
    uuid = scene.start(owner)
    scene.work()
    return uuid


STATES: dict[str, Callable[[Scene, Any, DemoSite], str]] = {
    "queued": queued,
    "waiting_for_approval": waiting,
    "waiting_for_provider": waiting_for_provider,
}


@pytest.mark.behaviour("RT-14")
@pytest.mark.parametrize("status", STATES)
def test_a_run_nobody_works_on_is_stopped_at_once(
    scene: Scene, identity_of: Any, site: DemoSite, clock: FakeClock, status: str
) -> None:
    dora = identity_of("dora")
    uuid = STATES[status](scene, dora, site)
    assert scene.run(uuid).status == status
    asked = len(scene.model.seen)
    assert cancel_run(dora, uuid, scene.runtime)
    run = scene.run(uuid)
    assert (run.status, run.reason, run.cancelled_by) == (RunStatus.CANCELLED, "cancelled", dora.user_id)
    clock.advance(30 * DAY)
    assert (resume_waiting(scene.runtime), reap(scene.runtime), expire_cards(scene.runtime)) == ((), (), ())
    scene.execute(uuid)
    scene.work()
    assert scene.run(uuid) == run, "nothing takes it up again"
    assert len(scene.model.seen) == asked, "the model is not asked again"
    assert [kind for kind in scene.kinds(uuid) if kind in {"cancel", "ended"}] == ["cancel", "ended"]


@pytest.mark.behaviour("RT-14")
def test_a_run_at_work_is_stopped_while_it_rests(scene: Scene, identity_of: Any, site: DemoSite) -> None:
    dora = identity_of("dora")
    scene.script(RateLimited("x", retry_after=60), text_turn("never"))
    uuid = scene.start(dora)
    execute_run(uuid, scene.runtime, pace=Pace(rest=lambda _seconds: cancel_run(dora, uuid, scene.runtime)))
    assert scene.run(uuid).status is RunStatus.CANCELLED
    assert len(scene.model.seen) == 1


@pytest.mark.behaviour("RT-14")
def test_a_stop_between_two_calls_lists_what_was_done_and_what_was_not(
    assignments: Assignments, site: DemoSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("hours", "press", "about")
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages[name]}) for name in names], DONE)
    digest, real = assignments.card().digest, carrying.execute_call

    def stopping_after_one(*args: Any, **options: Any) -> Any:
        if args[1].ordinal == 1:
            cancel_run(assignments.identity_of("anna"), assignments.run_uuid, assignments.runtime)
        return real(*args, **options)

    monkeypatch.setattr("app.agent.loop.carrying.execute_call", stopping_after_one)
    assignments.decide()
    listed = [(record.table, record.live_uid) for record in assignments.changes().records]
    assert listed == [("pages", site.pages["hours"])]
    said = [step.outcome and step.outcome.message for step in assignments.card().steps]
    assert said == ["Reported as done", "Stopped before it ran", "Stopped before it ran"]
    assert assignments.page().view.status == "idle"
    assert assignments.decide(digest=digest, token="later").kind in {"already_decided", "not_waiting"}
    assert [(r.table, r.live_uid) for r in assignments.changes().records] == listed


@pytest.mark.behaviour("RT-01")
@pytest.mark.parametrize("ending", [CANCELLED, EXPIRED, failed(Reason.INTERNAL, "X")], ids=lambda e: e.reason.value)
def test_an_ending_is_the_end_whoever_comes_later(
    scene: Scene, identity_of: Any, site: DemoSite, clock: FakeClock, ending: Any
) -> None:
    dora = identity_of("dora")
    uuid = waiting(scene, dora, site)
    digest = scene.card(uuid).digest
    with transaction() as connection:
        run = lock_run(connection, uuid)
        assert run is not None
        assert end_run(connection, run, ending, scene.runtime.cipher)
    before, kinds, outcomes = scene.run(uuid), scene.kinds(uuid), scene.outcomes(uuid)
    clock.advance(30 * DAY)
    with transaction() as connection:
        assert not end_run(connection, run, CANCELLED, scene.runtime.cipher)
        assert claim_run(connection, uuid, lease_seconds=60) is None
        assert hold_row(connection, uuid, run.fence, lease_seconds=60) is None
        assert not beat(connection, uuid, run.fence, lease_seconds=60)
        assert not requeue_run(connection, uuid, run.fence)
    assert not cancel_run(dora, uuid, scene.runtime)
    for approve in (True, False):
        assert scene.decide(dora, uuid, approve=approve, digest=digest).kind == "not_waiting"
    assert (resume_waiting(scene.runtime), reap(scene.runtime), expire_cards(scene.runtime)) == ((), (), ())
    scene.execute(uuid)
    assert (scene.run(uuid), scene.kinds(uuid), scene.outcomes(uuid)) == (before, kinds, outcomes)


@pytest.mark.behaviour("RT-01")
@pytest.mark.parametrize("status", ["queued", "waiting_for_provider"])
def test_only_a_waiting_card_can_be_decided(scene: Scene, identity_of: Any, site: DemoSite, status: str) -> None:
    dora = identity_of("dora")
    uuid = STATES[status](scene, dora, site)
    for approve in (True, False):
        result = decide(dora, uuid, approve=approve, digest="", token="", reason="", runtime=scene.runtime)
        assert (result.kind, scene.run(uuid).status) == ("not_waiting", status)


@pytest.mark.behaviour("RT-12")
def test_a_copy_that_was_made_before_a_crash_is_not_made_again(
    scene: Scene, identity_of: Any, site: DemoSite, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker dies after the commit of a copy and before anything else of the turn; another one takes over."""
    copies = [("copy_page", {"page": site.pages[name], "target": site.pages["about"]}) for name in ("hours", "press")]
    scene.script(call_turn(*copies), text_turn("Done."))
    dora = identity_of("dora")
    uuid = scene.start(dora)
    scene.work()
    assert scene.decide(dora, uuid).kind == "recorded"
    real = carrying.execute_call

    class Died(BaseException):
        """A process that is gone runs no handler."""

    def dying(*args: Any, **options: Any) -> Any:
        real(*args, **options)
        raise Died

    monkeypatch.setattr("app.agent.loop.carrying.execute_call", dying)
    with pytest.raises(Died):
        execute_run(uuid, scene.runtime, pace=Pace(rest=no_rest))
    assert scene.outcomes(uuid) == {0: ("done", "")}
    monkeypatch.setattr("app.agent.loop.carrying.execute_call", real)
    clock.advance(120)
    assert reap(scene.runtime) == (uuid,)
    scene.work()
    assert scene.run(uuid).status is RunStatus.COMPLETED
    assert scene.outcomes(uuid) == {0: ("done", ""), 1: ("done", "")}
    assert scene.kinds(uuid).count("tool_changes") == 2, "one copy each"
