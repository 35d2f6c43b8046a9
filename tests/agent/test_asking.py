"""How long a provider is waited for (F26, F27)."""

from __future__ import annotations

import pytest

from app.agent import runs
from app.agent.llm.base import ModelError, ProviderFailed, ProviderUnreachable, RateLimited
from app.agent.llm.scripted import text_turn
from app.agent.loop.segment import Pace
from app.agent.types import RunStatus
from app.agent.worker import execute_run
from tests.agent.scenes import Scene


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


def test_it_does_not_wait_for_hours(scene: Scene, identity_of) -> None:
    scene.script(RateLimited("x", retry_after=86_400.0), text_turn("Never asked."))
    uuid = scene.start(identity_of("anna"))
    resting = Resting()
    execute_run(uuid, scene.runtime, pace=Pace(rest=resting.rest))
    run = scene.run(uuid)
    assert (run.status, run.error, resting.seconds) == (RunStatus.FAILED, "rate_limit", 0.0)


def test_it_stops_waiting_when_the_person_stops_the_run(scene: Scene, identity_of) -> None:
    scene.script(RateLimited("x", retry_after=100.0), text_turn("Never asked."))
    uuid = scene.start(identity_of("anna"))
    resting = Resting(on_rest=lambda: runs.cancel_run(identity_of("anna"), uuid, scene.runtime))
    execute_run(uuid, scene.runtime, pace=Pace(rest=resting.rest))
    assert scene.run(uuid).status is RunStatus.CANCELLED
    assert resting.seconds <= 5.0
