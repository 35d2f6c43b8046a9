"""Starting, finding and stopping runs."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from app.agent.configurations import find_configuration_named, set_configuration
from app.agent.endings import CANCELLED, EXPIRED, Ending, end_run
from app.agent.inbox import list_waiting
from app.agent.leases import Hold, claim_run, hold_run
from app.agent.llm.base import SystemMessage, UserMessage
from app.agent.llm.scripted import call_turn, text_turn
from app.agent.news import subscribe, unsubscribe
from app.agent.runs import cancel_run, find_run, may_read_run
from app.agent.types import Reason, RunNews, RunStatus
from app.core import errors
from app.core.db import reading, transaction
from app.seed.demo import DemoSite
from tests.agent.scenes import RUN, Scene
from tests.support.clock import FakeClock


@pytest.fixture
def waiting(scene: Scene, site: DemoSite, identity_of) -> str:
    """A run of Anna that waits for approval of one change."""
    scene.script(
        call_turn(("update_page_metadata", {"page": site.pages["hours"], "title": "Hours"}), content="I propose this."),
        text_turn("Done."),
    )
    uuid = scene.start(identity_of("anna"))
    scene.work()
    return uuid


@pytest.mark.behaviour("DW-23")
def test_it_records_workspace_and_language_of_the_start(scene: Scene, site: DemoSite, identity_of) -> None:
    dora = identity_of("dora")
    uuid = scene.start(dora)
    run = scene.run(uuid)
    assert (run.status, run.workspace_id, run.language) == (RunStatus.QUEUED, 0, "de")
    assert scene.kinds(uuid) == ["started"]


def test_it_refuses_an_owner_who_stands_nowhere(scene: Scene, site: DemoSite, identity_of) -> None:
    nowhere = identity_of("gus", workspace_id=site.people.workspaces["Campaign"])
    anna = identity_of("anna", workspace_id=site.people.workspaces["Campaign"])
    assert anna.workspace_id is None
    with pytest.raises(errors.Invalid):
        scene.start(anna)
    with pytest.raises(errors.Forbidden):
        scene.start(nowhere)


def test_it_refuses_a_configuration_that_is_switched_off(scene: Scene, identity_of) -> None:
    with transaction() as connection:
        found = find_configuration_named(connection, "Editorial")
        assert found is not None
        set_configuration(connection, found.id, active=False)
    with pytest.raises(errors.Forbidden):
        scene.start(identity_of("anna"))


def test_it_limits_the_runs_of_one_person_but_not_waiting_ones(scene: Scene, waiting: str, identity_of) -> None:
    anna = identity_of("anna")
    for _ in range(3):
        scene.start(anna)
    with pytest.raises(errors.TooMany) as caught:
        scene.start(anna)
    assert caught.value.retry_after > 0
    scene.start(identity_of("dora"))


def test_it_puts_the_prompt_of_the_configuration_first(scene: Scene, identity_of) -> None:
    with transaction() as connection:
        found = find_configuration_named(connection, "Editorial")
        assert found is not None
        set_configuration(connection, found.id, prompt="Be brief.")
    uuid = scene.start(identity_of("anna"), words="Hello")
    assert scene.transcript(uuid) == (SystemMessage(content="Be brief."), UserMessage(content="Hello"))


def test_it_lets_owner_auditor_and_administrator_read_a_run(scene: Scene, waiting: str, identity_of) -> None:
    run = scene.run(waiting)
    assert [name for name in ("anna", "admin", "olga", "dora", "gus") if may_read_run(identity_of(name), run)] == [
        "anna",
        "admin",
        "olga",
    ]


def test_it_lists_ones_own_waiting_runs_or_everybodys_for_approvers(scene: Scene, waiting: str, identity_of) -> None:
    with reading() as connection:
        shown = {
            name: [run.uuid for run in list_waiting(connection, identity_of(name))]
            for name in ("anna", "olga", "admin", "dora")
        }
    assert shown == {"anna": [waiting], "olga": [waiting], "admin": [waiting], "dora": []}


@pytest.mark.behaviour("RT-14")
def test_it_cancels_a_waiting_run_at_once_and_a_later_approval_does_nothing(
    scene: Scene, waiting: str, identity_of
) -> None:
    digest = scene.card(waiting).digest
    assert cancel_run(identity_of("anna"), waiting, scene.runtime)
    run = scene.run(waiting)
    assert (run.status, run.reason, scene.card(waiting).state) == (RunStatus.CANCELLED, "cancelled", "cancelled")
    assert scene.outcomes(waiting) == {0: ("cancelled", "cancelled")}
    assert scene.decide(identity_of("anna"), waiting, digest=digest).kind == "not_waiting"
    assert scene.run(waiting).status is RunStatus.CANCELLED
    assert not cancel_run(identity_of("anna"), waiting, scene.runtime)


@pytest.mark.behaviour("RT-14")
def test_it_stops_a_running_run_before_its_next_step(scene: Scene, site: DemoSite, identity_of) -> None:
    uuid = scene.start(identity_of("anna"))
    with transaction() as connection:
        fence = claim_run(connection, uuid, lease_seconds=60)
    assert fence is not None
    assert cancel_run(identity_of("anna"), uuid, scene.runtime)
    assert scene.run(uuid).status is RunStatus.RUNNING
    with transaction() as connection:
        assert hold_run(connection, uuid, fence, lease_seconds=60) is Hold.CANCELLED


@pytest.mark.behaviour("RT-14")
def test_it_stops_between_two_rounds(scene: Scene, identity_of) -> None:
    anna = identity_of("anna")

    def cancelling(_messages):  # type: ignore[no-untyped-def]
        cancel_run(anna, uuid, scene.runtime)
        return call_turn(("list_languages", {}))

    scene.script(cancelling, text_turn("never"))
    uuid = scene.start(anna)
    scene.work()
    assert scene.run(uuid).status is RunStatus.CANCELLED
    assert len(scene.model.seen) == 1


def test_it_lets_only_initiator_and_administrator_cancel(scene: Scene, waiting: str, identity_of) -> None:
    with pytest.raises(errors.NotFound):
        cancel_run(identity_of("gus"), waiting, scene.runtime)
    with pytest.raises(errors.Forbidden):
        cancel_run(identity_of("olga"), waiting, scene.runtime)
    with pytest.raises(errors.NotFound):
        cancel_run(identity_of("admin"), "no-such-run", scene.runtime)
    assert cancel_run(identity_of("admin"), waiting, scene.runtime)


@pytest.mark.behaviour("RT-01")
def test_it_keeps_the_first_ending(scene: Scene, waiting: str, identity_of) -> None:
    with transaction() as connection:
        run = find_run(connection, waiting)
        assert run is not None
        assert end_run(connection, run, EXPIRED, scene.runtime.cipher)
        assert not end_run(connection, run, CANCELLED, scene.runtime.cipher)
        late = Ending(status=RunStatus.COMPLETED, reason=Reason.COMPLETED)
        assert not end_run(connection, run, late, scene.runtime.cipher)
    assert scene.run(waiting).reason == "approval_expired"


@pytest.mark.behaviour("RT-13")
def test_it_claims_a_run_once(scene: Scene, identity_of) -> None:
    uuid = scene.start(identity_of("anna"))
    with transaction() as connection:
        first = claim_run(connection, uuid, lease_seconds=60)
    with transaction() as connection:
        assert claim_run(connection, uuid, lease_seconds=60) is None
    assert first == 1


def test_it_does_not_hold_a_run_with_an_old_fence(scene: Scene, clock: FakeClock, identity_of) -> None:
    uuid = scene.start(identity_of("anna"))
    with transaction() as connection:
        old = claim_run(connection, uuid, lease_seconds=60)
        connection.execute(update(RUN).where(RUN.c.uuid == uuid).values(status="queued"))
        new = claim_run(connection, uuid, lease_seconds=60)
    assert old is not None
    assert new == old + 1
    with transaction() as connection:
        assert hold_run(connection, uuid, old, lease_seconds=60) is Hold.LOST


def test_it_tells_the_news_in_the_transaction_of_the_change(scene: Scene, site: DemoSite, identity_of) -> None:
    heard: list[RunNews] = []

    def hear(_connection, news):  # type: ignore[no-untyped-def]
        heard.append(news)

    subscribe(hear)
    subscribe(hear)
    try:
        scene.script(
            call_turn(("update_page_metadata", {"page": site.pages["hours"], "title": "Hours"}), content="My plan."),
            text_turn("Done."),
        )
        anna = identity_of("anna")
        uuid = scene.start(anna)
        scene.work()
        scene.decide(anna, uuid)
        scene.work()
    finally:
        unsubscribe(hear)
    told = [(news.status.value, news.answer, news.card, news.settled_cards, bool(news.writes)) for news in heard]
    assert told == [
        ("queued", None, None, (), False),
        ("waiting_for_approval", "My plan.", (1, 1), (), False),
        ("queued", None, None, ((1, 1),), False),
        ("running", None, None, (), True),
        ("completed", "Done.", None, (), False),
    ]
    assert [news.segment_ended for news in heard] == [False, True, False, False, True]
    assert heard[3].writes[0][0] == "pages"


def test_it_undoes_a_change_whose_news_cannot_be_told(scene: Scene, waiting: str, identity_of) -> None:
    def refuse(_connection, _news):  # type: ignore[no-untyped-def]
        raise RuntimeError("no")

    subscribe(refuse)
    try:
        with pytest.raises(RuntimeError):
            scene.decide(identity_of("anna"), waiting)
    finally:
        unsubscribe(refuse)
    assert scene.run(waiting).status is RunStatus.WAITING_FOR_APPROVAL
