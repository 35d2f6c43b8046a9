"""A dispatcher without a queue: for tests and for commands that want to see the end of what they start."""

from __future__ import annotations

from collections import deque

from app.agent.loop.segment import Pace
from app.agent.runtime import Runtime
from app.agent.worker import execute_run, queued_runs


class RecordingDispatcher:
    """Keeps wake-ups in order and runs them when told to."""

    def __init__(self) -> None:
        self.woken: deque[str] = deque()

    def wake(self, uuid: str) -> None:
        """See ``dispatch.Dispatcher``."""
        self.woken.append(uuid)

    def drain(self, runtime: Runtime) -> None:
        """Execute queued runs in the caller's thread until none is queued, without waiting between two attempts."""
        self.woken.clear()
        while uuids := queued_runs():
            for uuid in uuids:
                execute_run(uuid, runtime, pace=Pace(rest=lambda _seconds: None))
        self.woken.clear()
