"""Who executes a run: claim, fence and lease (reliability.md 3.2, deps.md section 3).

A claim raises the fence and is the only way to ``running``. Everything a worker commits afterwards is guarded by its fence, so a
worker that lost its lease cannot write any more, however late it wakes up. Leases are written in whole seconds of ``core.clock``.
"""

from __future__ import annotations

from enum import Enum, auto

from sqlalchemy import Table, bindparam, exists, select, update
from sqlalchemy.engine import Connection

from app.agent.models import Halt, Run
from app.agent.run_rows import COLUMNS, RunView, view_of
from app.agent.types import RunStatus
from app.core import clock, ids

_run: Table = Run.__table__
IS_HALTED = exists(select(Halt.__table__.c.id))
"""Whether the switch for all runs is on, as part of a statement (``halting``)."""


class Hold(Enum):
    """What a worker finds out at a step boundary."""

    HELD = auto()
    CANCELLED = auto()
    """Still held, but somebody asked to stop: no further step (RT-14)."""
    LOST = auto()
    """Another worker or nobody holds the run now: stop without writing anything."""


def claim_run(connection: Connection, uuid: str, *, lease_seconds: int) -> int | None:
    """Take a queued run and return its new fence; None when there is nothing to take, so duplicate messages are harmless.

    While every run is halted there is nothing to take (I7).
    """
    now = clock.now()
    taken = connection.execute(
        update(_run)
        .where(_run.c.uuid == uuid, _run.c.status == RunStatus.QUEUED.value, ~IS_HALTED)
        .values(
            status=RunStatus.RUNNING.value,
            fence=_run.c.fence + 1,
            attempts=_run.c.attempts + 1,
            lease_token=ids.new_token(),
            lease_until=now + lease_seconds,
            changed_at=now,
        )
    )
    if taken.rowcount != 1:
        return None
    connection.execute(update(_run).where(_run.c.uuid == uuid, _run.c.started_at.is_(None)).values(started_at=now))
    return int(connection.execute(select(_run.c.fence).where(_run.c.uuid == uuid)).scalar_one())


def hold_run(connection: Connection, uuid: str, fence: int, *, lease_seconds: int) -> Hold:
    """First statement of every step's transaction: renews the lease and locks the row until the commit."""
    held = hold_row(connection, uuid, fence, lease_seconds=lease_seconds)
    if held is None:
        return Hold.LOST
    return Hold.HELD if held.cancel_at is None else Hold.CANCELLED


def hold_row(connection: Connection, uuid: str, fence: int, *, lease_seconds: int) -> RunView | None:
    """``hold_run`` that gives the row as it is now; None = lost. One statement: every step of every run begins with it."""
    now = clock.now()
    asked = {"run": uuid, "held_fence": fence, "until": now + lease_seconds, "now": now}
    row = connection.execute(_HOLD, asked).mappings().first()
    return None if row is None else view_of(row)


def beat(connection: Connection, uuid: str, fence: int, *, lease_seconds: int) -> bool:
    """A sign of life between two steps; False when the run is held by somebody else now."""
    kept = connection.execute(
        update(_run)
        .where(_run.c.uuid == uuid, _run.c.fence == fence, _run.c.status == RunStatus.RUNNING.value)
        .values(lease_until=clock.now() + lease_seconds, heartbeat=_run.c.heartbeat + 1)
    )
    return kept.rowcount == 1


def requeue_run(connection: Connection, uuid: str, fence: int) -> bool:
    """Give a held run back untouched, for an orderly stop: it is taken up again and the attempt does not count."""
    given = connection.execute(
        update(_run)
        .where(_run.c.uuid == uuid, _run.c.fence == fence, _run.c.status == RunStatus.RUNNING.value)
        .values(status=RunStatus.QUEUED.value, attempts=_run.c.attempts - 1, **RELEASED)
    )
    return given.rowcount == 1


_HOLD = (
    update(_run)
    .where(
        _run.c.uuid == bindparam("run"),
        _run.c.fence == bindparam("held_fence"),
        _run.c.status == RunStatus.RUNNING.value,
    )
    .values(lease_until=bindparam("until"), changed_at=bindparam("now"))
    .returning(*COLUMNS)
)
RELEASED = {"lease_token": None, "lease_until": 0}
"""Column values of a run nobody executes."""
