"""Workers that die, hang or stop: no run stays running for ever, none is executed twice."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from flask import Flask
from sqlalchemy import update
from sqlalchemy.exc import OperationalError

from app.agent import models as tables
from app.agent import reaping
from app.agent.configurations import set_configuration
from app.agent.dispatch import make_dispatcher
from app.agent.inbox import list_waiting
from app.agent.leases import beat, claim_run
from app.agent.llm.scripted import call_turn, text_turn
from app.agent.reaping import expire_cards, queued_runs, reap, sweep
from app.agent.runs import cancel_run, lock_run
from app.agent.types import RunStatus
from app.agent.worker import LONGEST_SEGMENT, Heart, execute_run, start_workers
from app.core.db import reading, transaction
from app.seed.demo import DemoSite
from tests.agent.scenes import RUN, Scene
from tests.support.clock import FakeClock

MESSAGE = tables.RunMessage.__table__
LEASE = 60


def _claim(uuid: str) -> int:
    """A worker takes the run and is never heard of again."""
    with transaction() as connection:
        fence = claim_run(connection, uuid, lease_seconds=LEASE)
    assert fence is not None
    return fence


@pytest.fixture
def waiting(scene: Scene, site: DemoSite, identity_of) -> str:
    """A run of Dora that waits for approval."""
    scene.script(
        call_turn(("update_page_metadata", {"page": site.pages["hours"], "title": "Hours"})), text_turn("Done.")
    )
    uuid = scene.start(identity_of("dora"))
    scene.work()
    return uuid


@pytest.mark.behaviour("RT-13")
def test_it_takes_a_run_away_from_a_silent_worker(scene: Scene, clock: FakeClock, identity_of) -> None:
    scene.script(text_turn("Hello."))
    uuid = scene.start(identity_of("anna"))
    _claim(uuid)
    clock.advance(LEASE)
    assert reap(scene.runtime) == ()
    clock.advance(1)
    assert reap(scene.runtime) == (uuid,)
    assert reap(scene.runtime) == ()
    scene.work()
    assert scene.run(uuid).reason == "completed"
    assert scene.run(uuid).fence == 2


def test_it_leaves_a_run_alone_that_gave_a_sign_of_life_meanwhile(
    scene: Scene, clock: FakeClock, identity_of, monkeypatch: pytest.MonkeyPatch
) -> None:
    uuid = scene.start(identity_of("anna"))
    fence = _claim(uuid)
    clock.advance(LEASE + 1)

    def late_beat(connection, found):  # type: ignore[no-untyped-def]
        beat(connection, uuid, fence, lease_seconds=LEASE)
        return lock_run(connection, found)

    monkeypatch.setattr(reaping, "lock_run", late_beat)
    assert reap(scene.runtime) == ()
    assert scene.run(uuid).status is RunStatus.RUNNING


@pytest.mark.behaviour("RT-13")
def test_it_gives_a_run_up_after_four_lost_workers(scene: Scene, clock: FakeClock, identity_of) -> None:
    uuid = scene.start(identity_of("anna"))
    for _ in range(4):
        _claim(uuid)
        clock.advance(LEASE + 1)
        reap(scene.runtime)
    run = scene.run(uuid)
    assert (run.status, run.reason) == (RunStatus.FAILED, "retries_exhausted")


def test_it_ends_a_cancelled_run_whose_worker_is_gone(scene: Scene, clock: FakeClock, identity_of) -> None:
    uuid = scene.start(identity_of("anna"))
    _claim(uuid)
    cancel_run(identity_of("anna"), uuid, scene.runtime)
    clock.advance(LEASE + 1)
    assert reap(scene.runtime) == ()
    assert scene.run(uuid).status is RunStatus.CANCELLED


def test_it_keeps_a_run_alive_while_it_works_but_not_for_ever(scene: Scene, clock: FakeClock, identity_of) -> None:
    uuid = scene.start(identity_of("anna"))
    fence, heart = _claim(uuid), Heart(scene.runtime)
    with heart.keeps(uuid, fence):
        clock.advance(LEASE - 1)
        heart.beat()
        clock.advance(2)
        assert reap(scene.runtime) == ()
        clock.advance(LONGEST_SEGMENT)
        heart.beat()
        assert reap(scene.runtime) == (uuid,)
    heart.beat()
    assert scene.run(uuid).status is RunStatus.QUEUED


def test_it_writes_nothing_after_its_run_was_taken_over(
    scene: Scene, site: DemoSite, clock: FakeClock, identity_of
) -> None:
    def slow(_messages):  # type: ignore[no-untyped-def]
        clock.advance(LEASE + 1)
        reap(scene.runtime)
        return text_turn("Too late.")

    scene.script(slow, text_turn("In time."))
    uuid = scene.start(identity_of("anna"))
    scene.execute(uuid)
    assert scene.run(uuid).status is RunStatus.QUEUED
    assert scene.run(uuid).rounds == 0
    scene.work()
    assert scene.transcript(uuid)[-1].content == "In time."


def test_it_says_that_an_extension_may_have_been_lost(
    scene: Scene, waiting: str, clock: FakeClock, identity_of
) -> None:
    scene.decide(identity_of("dora"), waiting)
    scene.work()
    before = scene.kinds(waiting).count("tool_write")
    with transaction() as connection:
        connection.execute(
            update(RUN)
            .where(RUN.c.uuid == waiting)
            .values(status="running", hooks_pending="1/0", lease_until=1, attempts=4)
        )
    reap(scene.runtime)
    assert scene.run(waiting).reason == "retries_exhausted"
    assert scene.kinds(waiting).count("tool_write") == before + 1


@pytest.mark.behaviour("RT-01")
def test_it_ends_a_run_whose_card_nobody_decided(scene: Scene, waiting: str, clock: FakeClock) -> None:
    clock.advance(14 * 86_400 - 1)
    assert expire_cards(scene.runtime) == ()
    clock.advance(1)
    assert expire_cards(scene.runtime) == (waiting,)
    run = scene.run(waiting)
    assert (run.status, run.reason, scene.card(waiting).state) == ("cancelled", "approval_expired", "expired")


@pytest.mark.parametrize(("own", "setting", "day"), [(2, 14, 2), (2, 0, 2), (None, 3, 3)])
def test_a_configuration_may_let_its_cards_wait_for_other_days(
    scene: Scene, waiting: str, clock: FakeClock, own: int | None, setting: int, day: int
) -> None:
    with transaction() as connection:
        set_configuration(connection, 1, approval_days=own)
    scene.runtime = replace(scene.runtime, settings=replace(scene.runtime.settings, approval_days=setting))
    clock.advance(day * 86_400 - 1)
    assert expire_cards(scene.runtime) == ()
    clock.advance(1)
    assert expire_cards(scene.runtime) == (waiting,)


def test_a_configuration_may_let_its_cards_wait_for_ever(scene: Scene, waiting: str, clock: FakeClock) -> None:
    with transaction() as connection:
        set_configuration(connection, 1, approval_days=0)
    clock.advance(100 * 86_400)
    assert expire_cards(scene.runtime) == ()


def test_it_lets_cards_wait_for_ever_when_told_so(scene: Scene, waiting: str, clock: FakeClock) -> None:
    clock.advance(10 * 365 * 86_400)
    settings = replace(scene.runtime.settings, approval_days=0)
    assert expire_cards(replace(scene.runtime, settings=settings)) == ()


def test_it_sends_lost_messages_again_only_when_none_waits(scene: Scene, clock: FakeClock, identity_of) -> None:
    uuid = scene.start(identity_of("anna"))
    sent: list[str] = []
    sweep(sent.append, queue_is_empty=True)
    clock.advance(2)
    sweep(sent.append, queue_is_empty=False)
    assert sent == []
    sweep(sent.append, queue_is_empty=True)
    assert sent == [uuid]


def test_it_ignores_a_message_for_a_run_that_is_not_queued(scene: Scene, waiting: str) -> None:
    fence = scene.run(waiting).fence
    execute_run(waiting, scene.runtime)
    execute_run("no-such-run", scene.runtime)
    assert scene.run(waiting).fence == fence


@pytest.mark.behaviour("RT-16")
def test_it_fails_only_the_run_that_cannot_be_read(scene: Scene, waiting: str, identity_of) -> None:
    scene.script(text_turn("Fine."))
    broken, whole = scene.start(identity_of("anna")), scene.start(identity_of("anna"))
    with transaction() as connection:
        connection.execute(update(MESSAGE).where(MESSAGE.c.run_uuid == broken).values(body_sealed="v1.k1.AAAA"))
        connection.execute(update(MESSAGE).where(MESSAGE.c.run_uuid == waiting).values(body_sealed="?"))
    with reading() as connection:
        assert [run.uuid for run in list_waiting(connection, identity_of("admin"))] == [waiting]
    scene.work()
    assert (scene.run(broken).status, scene.run(broken).reason) == (RunStatus.FAILED, "unreadable")
    assert scene.run(whole).reason == "completed"


def test_it_gives_a_run_back_when_the_database_fails(scene: Scene, clock: FakeClock, identity_of) -> None:
    scene.script(OperationalError("secret", {}, Exception("disk I/O error")), text_turn("Hello."))
    uuid = scene.start(identity_of("anna"))
    scene.execute(uuid)
    assert scene.run(uuid).status is RunStatus.RUNNING
    assert reap(scene.runtime) == (uuid,)
    scene.work()
    assert scene.run(uuid).reason == "completed"


def test_it_works_through_the_queue_in_threads_and_stops_in_order(app: Flask, scene: Scene, identity_of) -> None:
    ended = threading.Event()

    def answer(_messages):  # type: ignore[no-untyped-def]
        ended.set()
        return text_turn("From a thread.")

    scene.script(answer)
    uuid = scene.start(identity_of("anna"))
    workers = start_workers(app, scene.runtime, 1)
    sender = make_dispatcher(scene.runtime.settings)
    sender.wake(uuid)
    sender.close()
    assert ended.wait(20)
    workers.stop(graceful=True)
    assert scene.run(uuid).reason == "completed"
    assert not queued_runs()


def test_it_queues_a_run_again_when_it_is_stopped_in_the_middle(app: Flask, scene: Scene, identity_of) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def slow(_messages):  # type: ignore[no-untyped-def]
        reached.set()
        go_on.wait(20)
        return call_turn(("list_languages", {}))

    scene.script(slow, text_turn("After the restart."))
    uuid = scene.start(identity_of("anna"))
    workers = start_workers(app, scene.runtime, 1)
    sender = make_dispatcher(scene.runtime.settings)
    sender.wake(uuid)
    sender.close()
    assert reached.wait(20)
    stopping = threading.Thread(target=workers.stop)
    stopping.start()
    while not workers.is_stopping:
        go_on.wait(0.01)
    go_on.set()
    stopping.join(20)
    run = scene.run(uuid)
    assert (run.status, run.rounds, run.attempts) == (RunStatus.QUEUED, 1, 0)
    scene.work()
    assert scene.transcript(uuid)[-1].content == "After the restart."
