"""One claim of a run by one worker, and the transaction every step of it commits in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event
from typing import NoReturn

from sqlalchemy.engine import Connection

from app.agent.endings import CANCELLED, Ending, end_run
from app.agent.leases import hold_row
from app.agent.run_rows import RunView, find_run
from app.agent.runtime import Runtime
from app.agent.types import RunStatus
from app.core.db import transaction


class RunLost(Exception):
    """Somebody else holds the run now: this worker stops without writing anything."""


class RunEnded(Exception):
    """The run has come to its end, or its turn waits: this worker is done with it."""


def _never() -> bool:
    return False


def _rest(seconds: float) -> None:
    Event().wait(seconds)


@dataclass(frozen=True, kw_only=True, slots=True)
class Pace:
    """How a worker waits and when it should stop taking steps; tests do not wait."""

    is_stopping: Callable[[], bool] = field(default=_never)
    rest: Callable[[float], object] = field(default=_rest)
    """Waits for that many seconds, or until the worker is asked to stop."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Segment:
    """A claimed run, from the claim to the next pause or the end."""

    uuid: str
    fence: int
    runtime: Runtime
    pace: Pace

    @contextmanager
    def step(self) -> Iterator[tuple[Connection, RunView]]:
        """A transaction that holds the run (its first statement renews the lease) with the row as it is now.

        Raises ``RunLost`` when the run is held by somebody else. When somebody asked to stop, the run ends cancelled in
        this very transaction and ``RunEnded`` is raised instead of giving the step (RT-14).
        """
        with transaction() as connection:
            run = hold_row(connection, self.uuid, self.fence, lease_seconds=self.runtime.settings.lease_seconds)
            if run is None:
                raise RunLost
            if run.cancel_at is None:
                yield connection, run
            else:
                end_run(connection, run, CANCELLED, self.runtime.cipher)
        if run.cancel_at is not None:
            raise RunEnded

    def look(self, connection: Connection) -> RunView:
        """The row between two steps, without renewing the lease: the step that follows does. Raises ``RunLost``."""
        run = find_run(connection, self.uuid)
        if run is None or run.fence != self.fence or run.status is not RunStatus.RUNNING:
            raise RunLost
        return run

    def hold(self) -> RunView:
        """Renew the lease between two steps and return the row; raises as ``step`` does."""
        with self.step() as (_connection, run):
            return run

    def end(self, ending: Ending) -> NoReturn:
        """End the run; always raises ``RunEnded`` (or ``RunLost``)."""
        with self.step() as (connection, run):
            end_run(connection, run, ending, self.runtime.cipher)
        raise RunEnded
