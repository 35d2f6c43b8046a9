"""How long a provider is waited for, with and without a worker; what is noted of it (F25 to F27)."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select, update

from app.agent import reaping, runs
from app.agent.configurations import set_configuration
from app.agent.events import EventKind, decode, read_events
from app.agent.llm.base import (
    ConfigurationMissing,
    KeyRefused,
    ModelError,
    ProviderFailed,
    ProviderUnreachable,
    RateLimited,
    RequestRefused,
)
from app.agent.llm.scripted import call_turn, text_turn
from app.agent.loop.segment import Pace
from app.agent.loop.waiting import MOST_WAITS
from app.agent.notices import Notice, NoticeKind, list_notices
from app.agent.reaping import reap, resume_waiting
from app.agent.run_rows import lock_run
from app.agent.types import RunStatus
from app.agent.worker import execute_run, start_workers
from app.core.clock import now as clock_now
from app.core.db import reading, transaction
from app.seed.demo import DemoSite
from tests.agent.scenes import RUN, Scene
from tests.support.clock import FakeClock


def _lease(uuid: str) -> tuple[str | None, int]:
    with reading() as connection:
        row = connection.execute(select(RUN.c.lease_token, RUN.c.lease_until).where(RUN.c.uuid == uuid)).one()
    return row.lease_token, row.lease_until


def notices() -> tuple[Notice, ...]:
    with reading() as connection:
        return list_notices(connection, NoticeKind.MODEL)


def offers(uuid: str) -> list[Mapping[str, Any]]:
    """The request events of a run."""
    with reading() as connection:
        found = [decode(event) for event in read_events(connection, [uuid], [EventKind.REQUEST])]
    return [payload for payload in found if isinstance(payload, Mapping)]


class Resting:
    """Remembers how long was waited; ``on_rest`` happens meanwhile."""

    def __init__(self, *, on_rest: object = None) -> None:
        self.seconds = 0.0
        self._on_rest = on_rest

    def rest(self, seconds: float) -> None:
        """Wait, without waiting."""
        self.seconds += seconds
        if callable(self._on_rest):
            self._on_rest()


@pytest.mark.parametrize(
    ("failure", "seconds"),
    [
        (ProviderUnreachable("x"), 2.0),
        (ProviderFailed("x", retry_after=30.0), 30.0),
        (RateLimited("x", retry_after=7.0), 7.0),
        (RateLimited("x", retry_after=120.0), 120.0),
        (RateLimited("x", retry_after=0.0), 2.0),
        (RateLimited("x"), 2.0),
    ],
)
def test_it_waits_as_long_as_the_provider_asks(scene: Scene, identity_of, failure: ModelError, seconds: float) -> None:
    scene.script(failure, text_turn("At last."))
    uuid = scene.start(identity_of("anna"))
    resting = Resting()
    execute_run(uuid, scene.runtime, pace=Pace(rest=resting.rest))
    assert (scene.run(uuid).status, resting.seconds) == (RunStatus.COMPLETED, seconds)


@pytest.mark.parametrize("retry_after", [121.0, 86_400.0, float("inf")])
def test_it_lies_down_when_the_provider_asks_for_longer(
    scene: Scene, clock: FakeClock, identity_of, retry_after: float
) -> None:
    model = scene.script(RateLimited("x", retry_after=retry_after), text_turn("At last."))
    uuid = scene.start(identity_of("anna"))
    resting = Resting()
    execute_run(uuid, scene.runtime, pace=Pace(rest=resting.rest))
    run, seconds = scene.run(uuid), int(min(retry_after, 86_400.0))
    assert (run.status, run.resume_at, resting.seconds) == (RunStatus.WAITING_FOR_PROVIDER, clock_now() + seconds, 0.0)
    assert (_lease(uuid), run.reason) == ((None, 0), "")
    scene.work()
    clock.advance(seconds - 1)
    assert (reap(scene.runtime), resume_waiting(scene.runtime)) == ((), ())
    assert len(model.seen) == 1, "nobody asks meanwhile"
    clock.advance(1)
    assert resume_waiting(scene.runtime) == (uuid,)
    assert resume_waiting(scene.runtime) == ()
    assert (scene.run(uuid).status, scene.run(uuid).resume_at) == (RunStatus.QUEUED, 0)
    scene.work()
    assert (scene.run(uuid).status, scene.run(uuid).reason) == (RunStatus.COMPLETED, "completed")
    assert scene.kinds(uuid) == ["started", "request", "wait", "request", "llm", "ended"]


def test_it_fails_at_once_when_a_failing_provider_asks_for_hours(scene: Scene, identity_of) -> None:
    scene.script(ProviderFailed("x", retry_after=86_400.0), text_turn("Never asked."))
    uuid = scene.start(identity_of("anna"))
    resting = Resting()
    execute_run(uuid, scene.runtime, pace=Pace(rest=resting.rest))
    run = scene.run(uuid)
    assert (run.status, run.error, resting.seconds) == (RunStatus.FAILED, "server", 0.0)


def test_it_does_not_lie_down_for_ever(scene: Scene, clock: FakeClock, identity_of) -> None:
    scene.script(*[RateLimited("x", retry_after=600.0)] * (MOST_WAITS + 1))
    uuid = scene.start(identity_of("anna"))
    for _ in range(MOST_WAITS):
        scene.execute(uuid)
        assert scene.run(uuid).status is RunStatus.WAITING_FOR_PROVIDER
        clock.advance(600)
        resume_waiting(scene.runtime)
    scene.execute(uuid)
    run = scene.run(uuid)
    assert (run.status, run.reason, run.error) == (RunStatus.FAILED, "provider_failed", "rate_limit")


def test_a_run_that_lies_down_is_stopped_at_once(scene: Scene, clock: FakeClock, identity_of) -> None:
    scene.script(RateLimited("x", retry_after=600.0), text_turn("Never asked."))
    uuid = scene.start(identity_of("anna"))
    scene.execute(uuid)
    assert runs.cancel_run(identity_of("anna"), uuid, scene.runtime)
    assert (scene.run(uuid).status, scene.run(uuid).resume_at) == (RunStatus.CANCELLED, 0)
    clock.advance(600)
    assert resume_waiting(scene.runtime) == ()


def test_it_asks_again_only_when_the_wait_is_over_by_now(
    scene: Scene, clock: FakeClock, identity_of, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.script(RateLimited("x", retry_after=600.0), text_turn("Never asked."))
    uuid = scene.start(identity_of("anna"))
    scene.execute(uuid)
    clock.advance(600)

    def stopped_meanwhile(connection, found):  # type: ignore[no-untyped-def]
        connection.execute(update(RUN).values(status=RunStatus.CANCELLED.value))
        return lock_run(connection, found)

    monkeypatch.setattr(reaping, "lock_run", stopped_meanwhile)
    assert resume_waiting(scene.runtime) == ()
    assert scene.run(uuid).status is RunStatus.CANCELLED


def test_workers_wake_a_run_whose_wait_is_over(app: Flask, scene: Scene, identity_of) -> None:
    scene.script(RateLimited("x", retry_after=600.0), text_turn("At last."))
    uuid = scene.start(identity_of("anna"))
    scene.execute(uuid)
    with transaction() as connection:
        connection.execute(update(RUN).values(resume_at=1))
    workers = start_workers(app, scene.runtime, 1)
    try:
        until = time.monotonic() + 15
        while scene.run(uuid).status is not RunStatus.COMPLETED and time.monotonic() < until:
            threading.Event().wait(0.02)
    finally:
        workers.stop()
    assert scene.run(uuid).status is RunStatus.COMPLETED


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (KeyRefused("x", code="key", detail="sk-secret"), "key"),
        (RequestRefused("x", code="not_found"), "not_found"),
        (RequestRefused("x", code="quota"), "quota"),
        (ConfigurationMissing("x", code="no_key", detail="IMPRIMATUR_OPENAI"), "no_key"),
    ],
)
def test_what_an_administrator_has_to_mend_leaves_a_notice_until_it_works(
    scene: Scene, identity_of, failure: ModelError, code: str
) -> None:
    with transaction() as connection:
        set_configuration(connection, 1, model="openai:m")
    for times in (1, 2):
        scene.script(failure, name="openai:m")
        scene.execute(scene.start(identity_of("anna")))
        assert [(found.subject, found.code, found.times) for found in notices()] == [("openai:m", code, times)]
    scene.script(text_turn("Here again."), name="openai:m")
    scene.execute(scene.start(identity_of("anna")))
    assert notices() == ()


def test_what_passes_by_itself_leaves_no_notice(scene: Scene, identity_of) -> None:
    for failure in (RequestRefused("x", code="too_long"), ProviderUnreachable("x", code="dns"), RateLimited("x")):
        scene.script(*[failure] * 3)
        uuid = scene.start(identity_of("anna"))
        scene.execute(uuid)
        assert scene.run(uuid).reason == "provider_failed"
    assert notices() == ()


def test_a_request_names_the_tools_only_when_others_are_offered(scene: Scene, site: DemoSite, identity_of) -> None:
    scene.script(call_turn(("list_languages", {})), call_turn(("list_languages", {})), text_turn("Two."))
    uuid = scene.start(identity_of("anna"))
    scene.execute(uuid)
    first, second, third = offers(uuid)
    assert len(first["tools"]) > 5
    assert "tools" not in second
    assert "tools" not in third
    assert first["offer"] == second["offer"] == third["offer"]

    def change(_messages):  # type: ignore[no-untyped-def]
        with transaction() as connection:
            set_configuration(connection, 1, excluded_tools=["delete_record"])
        return call_turn(("list_languages", {}))

    scene.script(change, text_turn("Two."))
    uuid = scene.start(identity_of("anna"))
    scene.execute(uuid)
    first, second = offers(uuid)
    assert set(first["tools"]) - set(second["tools"]) == {"delete_record"}


def test_it_stops_waiting_when_the_person_stops_the_run(scene: Scene, identity_of) -> None:
    scene.script(RateLimited("x", retry_after=100.0), text_turn("Never asked."))
    uuid = scene.start(identity_of("anna"))
    resting = Resting(on_rest=lambda: runs.cancel_run(identity_of("anna"), uuid, scene.runtime))
    execute_run(uuid, scene.runtime, pace=Pace(rest=resting.rest))
    assert scene.run(uuid).status is RunStatus.CANCELLED
    assert resting.seconds <= 5.0
