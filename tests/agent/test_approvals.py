"""Deciding a waiting turn: who may, what counts, and that exactly one decision stands."""

from __future__ import annotations

import threading

import pytest
from flask import Flask
from sqlalchemy import func, select, update

from app.agent import models as tables
from app.agent.approvals import DecisionKind, DecisionResult, decide
from app.agent.configurations import find_configuration_named, set_configuration
from app.agent.llm.scripted import call_turn, text_turn
from app.agent.types import RunStatus
from app.core import errors
from app.core.db import reading, transaction
from app.seed.demo import DemoSite
from tests.agent.scenes import Scene
from tests.support.clock import FakeClock

DECISION = tables.ApprovalDecision.__table__
CARD = tables.Turn.__table__
CALL = tables.ToolCall.__table__


@pytest.fixture
def waiting(scene: Scene, site: DemoSite, identity_of) -> str:
    """A run of Dora (live workspace) that waits for approval of one change."""
    scene.script(
        call_turn(("update_page_metadata", {"page": site.pages["hours"], "title": "Hours"})), text_turn("Understood.")
    )
    uuid = scene.start(identity_of("dora"))
    scene.work()
    return uuid


def _set(name: str = "Editorial", **values: object) -> None:
    with transaction() as connection:
        found = find_configuration_named(connection, name)
        assert found is not None
        set_configuration(connection, found.id, **values)  # type: ignore[arg-type]


def _decisions() -> int:
    with reading() as connection:
        return int(connection.execute(select(func.count()).select_from(DECISION)).scalar_one())


@pytest.mark.behaviour("RT-05")
def test_it_records_a_decision_and_executes_nothing_itself(
    scene: Scene, waiting: str, site: DemoSite, dispatcher, identity_of
) -> None:
    dora = identity_of("dora")
    result = scene.decide(dora, waiting, token="t1")
    assert (result.kind, result.by, result.approved) == (DecisionKind.RECORDED, dora.user_id, True)
    assert (result.turn, result.revision) == (1, 1)
    assert scene.run(waiting).status is RunStatus.QUEUED
    assert scene.card(waiting).state == "approved"
    assert scene.row("pages", site.pages["hours"])["title"] == "Opening hours"
    assert list(dispatcher.woken) == [waiting]
    scene.work()
    assert scene.row("pages", site.pages["hours"])["title"] == "Hours"
    assert scene.run(waiting).reason == "completed"


@pytest.mark.behaviour("CA-11")
def test_it_takes_the_same_press_as_the_same_decision(scene: Scene, waiting: str, identity_of) -> None:
    dora = identity_of("dora")
    digest = scene.card(waiting).digest
    first = scene.decide(dora, waiting, token="t1")
    again = scene.decide(dora, waiting, token="t1", digest=digest)
    scene.work()
    later = scene.decide(dora, waiting, token="t1", digest=digest)
    assert [first.kind, again.kind, later.kind] == ["recorded", "repeated", "repeated"]
    assert again.at == first.at
    assert _decisions() == 1


@pytest.mark.behaviour("CA-11")
def test_it_tells_a_later_decider_who_decided_and_when(
    scene: Scene, waiting: str, clock: FakeClock, identity_of
) -> None:
    digest = scene.card(waiting).digest
    scene.decide(identity_of("dora"), waiting)
    when = int(clock.now())
    clock.advance(60)
    late = scene.decide(identity_of("olga"), waiting, approve=False, digest=digest)
    assert (late.kind, late.by, late.at, late.approved) == ("already_decided", identity_of("dora").user_id, when, True)
    assert _decisions() == 1


@pytest.mark.behaviour("CA-12")
@pytest.mark.parametrize("digest", ["", "0" * 64, "\ud800", "é"])
def test_it_refuses_a_decision_without_the_digest_of_the_card(
    scene: Scene, waiting: str, identity_of, digest: str
) -> None:
    result = scene.decide(identity_of("dora"), waiting, digest=digest)
    assert (result.kind, result.turn, result.revision) == ("stale", 1, 1)
    assert scene.run(waiting).status is RunStatus.WAITING_FOR_APPROVAL
    assert _decisions() == 0


@pytest.mark.behaviour("CA-11")
def test_it_lets_one_of_six_racing_approvers_win(
    app: Flask, scene: Scene, waiting: str, site: DemoSite, identity_of
) -> None:
    digest = scene.card(waiting).digest
    actors = [identity_of(name) for name in ("dora", "olga", "admin") for _ in range(2)]
    gate = threading.Barrier(len(actors))
    results: list[DecisionResult] = []

    def press(number: int) -> None:
        with app.app_context():
            gate.wait()
            results.append(
                decide(
                    actors[number],
                    waiting,
                    approve=number % 2 == 0,
                    digest=digest,
                    token=f"t{number}",
                    reason="",
                    runtime=scene.runtime,
                )
            )

    threads = [threading.Thread(target=press, args=(number,)) for number in range(len(actors))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kinds = sorted(result.kind.value for result in results)
    assert kinds == ["already_decided"] * 5 + ["recorded"]
    assert len({(result.by, result.at, result.approved) for result in results}) == 1
    assert _decisions() == 1
    scene.work()
    assert scene.kinds(waiting).count("approval") == 1
    assert len(scene.outcomes(waiting)) == 1


def test_it_hides_a_run_from_people_who_may_not_act_on_it(scene: Scene, waiting: str, identity_of) -> None:
    for name in ("gus", "anna"):
        with pytest.raises(errors.NotFound):
            scene.decide(identity_of(name), waiting)
    with pytest.raises(errors.NotFound):
        decide(identity_of("admin"), "none", approve=True, digest="", token="", reason="", runtime=scene.runtime)


@pytest.mark.behaviour("RT-07")
def test_it_wants_a_second_person_where_the_configuration_says_so(scene: Scene, waiting: str, identity_of) -> None:
    _set(requires_second_approver=True)
    own = scene.decide(identity_of("dora"), waiting)
    assert (own.kind, own.reason) == ("not_allowed", "second_approver")
    assert own.text is not None
    assert scene.run(waiting).status is RunStatus.WAITING_FOR_APPROVAL
    assert scene.decide(identity_of("olga"), waiting).kind == "recorded"
    scene.work()
    assert scene.outcomes(waiting) == {0: ("done", "")}


@pytest.mark.behaviour("RT-07")
def test_it_knows_no_exception_for_administrators(scene: Scene, site: DemoSite, identity_of) -> None:
    _set(requires_second_approver=True)
    scene.script(call_turn(("update_page_metadata", {"page": site.pages["hours"], "title": "Hours"})))
    admin = identity_of("admin")
    uuid = scene.start(admin)
    scene.work()
    assert scene.decide(admin, uuid).reason == "second_approver"


@pytest.mark.behaviour("RT-07")
def test_it_lets_the_initiator_decline_in_any_case(scene: Scene, waiting: str, identity_of) -> None:
    _set(requires_second_approver=True)
    assert scene.decide(identity_of("dora"), waiting, approve=False).kind == "recorded"
    scene.work()
    assert scene.run(waiting).reason == "completed"


@pytest.mark.behaviour("RT-06")
def test_it_asks_the_offer_gate_for_the_approver(scene: Scene, waiting: str, identity_of) -> None:
    _set(tool_groups=["reading"])
    result = scene.decide(identity_of("olga"), waiting)
    assert (result.kind, result.reason) == ("not_allowed", "configuration_group")
    assert scene.run(waiting).status is RunStatus.WAITING_FOR_APPROVAL
    assert scene.governance(waiting) == [("approver_denied", "approver", "configuration_group")]
    _set(tool_groups=[])
    assert scene.decide(identity_of("olga"), waiting).kind == "recorded"


def test_it_decides_nothing_on_an_overdue_card(scene: Scene, waiting: str, clock: FakeClock, identity_of) -> None:
    clock.advance(14 * 86_400)
    result = scene.decide(identity_of("dora"), waiting)
    assert (result.kind, result.reason) == ("not_waiting", "expired")
    assert _decisions() == 0


@pytest.mark.behaviour("RT-04")
def test_it_does_not_approve_calls_that_were_exchanged(scene: Scene, waiting: str, identity_of) -> None:
    cipher = scene.runtime.cipher
    other = cipher.seal('{"page":1,"title":"Owned"}', f"tool_call.arguments/{waiting}")
    with transaction() as connection:
        connection.execute(update(CALL).where(CALL.c.run_uuid == waiting).values(arguments_sealed=other))
    result = scene.decide(identity_of("dora"), waiting)
    assert (result.kind, result.reason) == ("not_allowed", "unreadable")


@pytest.mark.behaviour("RT-16")
def test_it_lets_a_card_that_cannot_be_read_be_declined(scene: Scene, waiting: str, identity_of) -> None:
    with transaction() as connection:
        connection.execute(update(CALL).where(CALL.c.run_uuid == waiting).values(arguments_sealed="v1.k1.broken"))
    assert scene.decide(identity_of("dora"), waiting).reason == "unreadable"
    assert scene.decide(identity_of("dora"), waiting, approve=False).kind == "recorded"
    scene.work()
    assert (scene.run(waiting).status, scene.run(waiting).reason) == (RunStatus.FAILED, "unreadable")


def test_it_keeps_no_free_text_in_the_event_and_seals_the_reason(scene: Scene, waiting: str, identity_of) -> None:
    scene.decide(identity_of("dora"), waiting, approve=False, reason="Not before \x00 Monday \ud800")
    with reading() as connection:
        rows = connection.execute(
            select(tables.RunEvent.__table__.c.payload).where(tables.RunEvent.__table__.c.kind == "approval")
        )
        payload = str(rows.scalar_one())
        sealed = str(connection.execute(select(DECISION.c.reason_sealed)).scalar_one())
    assert "Monday" not in payload
    assert "Monday" not in sealed
    assert '"approved":false' in payload


@pytest.mark.behaviour("RT-19")
def test_it_decides_a_card_after_a_restart(
    scene: Scene, waiting: str, site: DemoSite, clock: FakeClock, identity_of
) -> None:
    from dataclasses import replace

    from app.core import crypto
    from app.core.db import READING, db

    db.engine.dispose()
    db.engines[READING].dispose()
    keys = crypto.load_keys(scene.runtime.settings.data_folder)
    scene.runtime = replace(scene.runtime, cipher=crypto.Cipher(keys))
    clock.advance(3 * 86_400)
    scene.script(text_turn("Done after the break."))
    assert scene.decide(identity_of("olga"), waiting).kind == "recorded"
    scene.work()
    assert scene.row("pages", site.pages["hours"])["title"] == "Hours"
    assert scene.run(waiting).reason == "completed"


def test_it_limits_how_often_one_person_decides(scene: Scene, waiting: str, identity_of) -> None:
    dora = identity_of("dora")
    for _ in range(scene.runtime.settings.decisions_per_minute):
        decide(dora, waiting, approve=True, digest="old", token="", reason="", runtime=scene.runtime)
    with pytest.raises(errors.TooMany):
        decide(dora, waiting, approve=True, digest="old", token="", reason="", runtime=scene.runtime)
    fay = decide(identity_of("fay"), waiting, approve=True, digest="old", token="", reason="", runtime=scene.runtime)
    assert fay.kind is DecisionKind.STALE


@pytest.mark.behaviour("RT-01")
@pytest.mark.parametrize("approve", [True, False])
def test_a_late_decision_is_answered_as_expired_and_reaches_the_model_as_no_refusal(
    scene: Scene, waiting: str, clock: FakeClock, identity_of, approve: bool
) -> None:
    digest = scene.card(waiting).digest
    clock.advance(14 * 86_400)
    late = scene.decide(identity_of("dora"), waiting, approve=approve, digest=digest)
    again = scene.decide(identity_of("olga"), waiting, approve=approve, digest=digest)
    for result in (late, again):
        assert (result.kind, result.reason) == ("not_waiting", "expired")
        assert result.text is not None
        assert "expired" in result.text.message
    run = scene.run(waiting)
    assert (run.status, run.reason, scene.card(waiting).state) == (RunStatus.CANCELLED, "approval_expired", "expired")
    assert scene.outcomes(waiting) == {0: ("cancelled", "approval_expired")}
    assert _decisions() == 0
    scene.work()
    assert not [message for message in scene.transcript(waiting) if "declined" in str(message)]


def test_an_expiry_of_zero_days_is_never(scene: Scene, waiting: str, clock: FakeClock, identity_of) -> None:
    from dataclasses import replace

    scene.runtime = replace(scene.runtime, settings=replace(scene.runtime.settings, approval_days=0))
    clock.advance(5_000 * 86_400)
    assert scene.decide(identity_of("olga"), waiting).kind == "recorded"
