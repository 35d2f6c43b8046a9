"""Workers: claim a run, execute it to its next pause or end, and keep everything moving (design section 6).

A process that works runs huey's consumer threads, one heartbeat and one reaper. Killing it at any moment loses nothing: what it
held is taken over when its lease is over, what it was told about is found by the sweep.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Protocol

from huey.consumer import Consumer
from sqlalchemy.exc import DBAPIError

from app.agent.dispatch import HueyDispatcher, make_dispatcher
from app.agent.endings import Ending, failed
from app.agent.leases import beat, claim_run, hold_run
from app.agent.loop.running import run_segment
from app.agent.loop.segment import Pace, RunEnded, RunLost, Segment
from app.agent.reaping import expire_cards, queued_runs, reap, resume_waiting, sweep
from app.agent.runtime import Runtime
from app.agent.types import Reason
from app.core import clock
from app.core.crypto import Unreadable
from app.core.db import transaction

__all__ = ["Workers", "execute_run", "queued_runs", "start_workers"]

LONGEST_SEGMENT = 3600
"""Seconds after which a step that never comes back is no longer kept alive by the heartbeat (RT-13)."""
_STOP_SECONDS = 60
_log = logging.getLogger(__name__)


class Application(Protocol):
    """What a worker needs of the application."""

    def app_context(self) -> AbstractContextManager[object]:
        """The context in which the database is known."""
        ...


class Heart:
    """The runs this process works on; one thread gives a sign of life for all of them."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._guard = threading.Lock()
        self._held: dict[str, tuple[int, float]] = {}

    @contextmanager
    def keeps(self, uuid: str, fence: int) -> Iterator[None]:
        """Keep the lease of this claim alive meanwhile."""
        with self._guard:
            self._held[uuid] = (fence, clock.monotonic())
        try:
            yield
        finally:
            with self._guard:
                self._held.pop(uuid, None)

    def beat(self) -> None:
        """One sign of life for every run that is held; each in a transaction of its own."""
        with self._guard:
            held = dict(self._held)
        for uuid, (fence, since) in held.items():
            if clock.monotonic() - since < LONGEST_SEGMENT:
                self._beat_one(uuid, fence)

    def _beat_one(self, uuid: str, fence: int) -> None:
        try:
            with transaction() as connection:
                beat(connection, uuid, fence, lease_seconds=self._runtime.settings.lease_seconds)
        except DBAPIError as error:  # a row that is locked is being worked on; the others must not wait for it
            _log.warning("no sign of life for run %s: %s", uuid, type(error).__name__)


def execute_run(uuid: str, runtime: Runtime, *, pace: Pace | None = None, heart: Heart | None = None) -> None:
    """Claim the queued run ``uuid`` and execute it to its next pause or its end; nothing happens when it is not queued.

    Never raises for what happens in a run: a failure ends that run alone, with the class name of the error (RT-15, RT-16).
    A failure of the database gives the run back to the queue.
    """
    fence = _claim(uuid, runtime)
    if fence is None:
        return
    segment = Segment(uuid=uuid, fence=fence, runtime=runtime, pace=pace or Pace())
    try:
        with heart.keeps(uuid, fence) if heart is not None else nullcontext():
            run_segment(segment)
    except (RunEnded, RunLost):
        return
    except Unreadable:
        _end_failed(segment, failed(Reason.UNREADABLE))
    except DBAPIError as error:
        _log.warning("run %s given back: %s", uuid, type(error).__name__)
        _give_back(segment)
    except Exception as error:
        _log.warning("run %s failed: %s", uuid, type(error).__name__)
        _end_failed(segment, failed(Reason.INTERNAL, type(error).__name__))


def _claim(uuid: str, runtime: Runtime) -> int | None:
    try:
        with transaction() as connection:
            return claim_run(connection, uuid, lease_seconds=runtime.settings.lease_seconds)
    except DBAPIError as error:
        _log.warning("run %s not claimed: %s", uuid, type(error).__name__)
        return None  # it stays queued and is found by the sweep


def _end_failed(segment: Segment, ending: Ending) -> None:
    try:
        segment.end(ending)
    except (RunEnded, RunLost):
        return


def _give_back(segment: Segment) -> None:
    """Let the lease end now: the reaper queues the run again, and the attempt counts, so it is not repeated for ever."""
    try:
        with transaction() as connection:
            hold_run(connection, segment.uuid, segment.fence, lease_seconds=-1)
    except DBAPIError as error:
        _log.warning("run %s keeps its lease until it ends: %s", segment.uuid, type(error).__name__)


class _Consumer(Consumer):  # type: ignore[misc]  # huey publishes no types
    """Huey's consumer inside a process that has its own signal handlers."""

    def _set_signal_handlers(self) -> None:
        """Signals belong to the process, which calls ``Workers.stop``."""


class Workers:
    """The threads of one process that work on runs."""

    def __init__(self, app: Application, runtime: Runtime, dispatcher: HueyDispatcher, threads: int) -> None:
        self._app = app
        self._runtime = runtime
        self._dispatcher = dispatcher
        self._stopping = threading.Event()
        self._ended = threading.Event()
        self._heart = Heart(runtime)
        self._pace = Pace(is_stopping=self._stopping.is_set, rest=self._stopping.wait)
        huey = dispatcher.listen(self._execute)
        self._consumer = _Consumer(
            huey,
            workers=threads,
            worker_type="thread",
            periodic=False,
            initial_delay=0.05,
            max_delay=0.2,
            shutdown_timeout=_STOP_SECONDS,
        )
        lease = runtime.settings.lease_seconds
        self._threads = [
            threading.Thread(
                target=self._repeat, args=(max(0.2, lease / 3), self._beat), name="heartbeat", daemon=True
            ),
            threading.Thread(target=self._repeat, args=(1.0, self._look_after), name="reaper", daemon=True),
        ]

    def start(self) -> None:
        """Start every thread; returns at once."""
        self._consumer.start()
        for thread in self._threads:
            thread.start()

    def stop(self, *, graceful: bool = True) -> None:
        """Take no more work; with ``graceful`` wait until the running steps have ended, their runs are queued again."""
        self._stopping.set()
        self._consumer.stop(graceful=graceful)
        self._ended.set()
        for thread in self._threads:
            thread.join(timeout=_STOP_SECONDS)
        self._dispatcher.close()

    @property
    def is_stopping(self) -> bool:
        """Whether ``stop`` was called."""
        return self._stopping.is_set()

    def _execute(self, uuid: str) -> None:
        if self._stopping.is_set():
            return  # the row stays queued; the next start sweeps it up
        with self._app.app_context():
            execute_run(uuid, self._runtime, pace=self._pace, heart=self._heart)

    def _beat(self) -> None:
        self._heart.beat()

    def _look_after(self) -> None:
        if self._stopping.is_set():
            return
        for uuid in (*reap(self._runtime), *resume_waiting(self._runtime)):
            self._dispatcher.wake(uuid)
        expire_cards(self._runtime)
        sweep(self._dispatcher.wake, queue_is_empty=self._dispatcher.is_empty)

    def _repeat(self, seconds: float, act: Callable[[], None]) -> None:
        while not self._ended.wait(seconds):
            try:
                with self._app.app_context():
                    act()
            except Exception as error:  # a thread that looks after others must outlive every fault of the database
                _log.warning("%s failed: %s", threading.current_thread().name, type(error).__name__)


def start_workers(app: Application, runtime: Runtime, threads: int) -> Workers:
    """Start ``threads`` workers with their heartbeat and reaper in this process; end them with ``stop``."""
    workers = Workers(app, runtime, make_dispatcher(runtime.settings), threads)
    workers.start()
    return workers
