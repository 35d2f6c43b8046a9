"""The switch for all runs: while it is on none begins, none is taken up, and those at work stop before their next step (I7).

Waiting runs stay as they are and cannot be approved; queued ones stay queued. One row of ``halt`` is the switch. Every transaction
that lets a run begin or be taken up reads it, so on PostgreSQL the switch is thrown under a lock that waits for them: what commits
afterwards has seen it. On SQLite there is one writer at a time anyway.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Table, delete, func, insert, select, update
from sqlalchemy.engine import Connection

from app.agent import models
from app.agent.events import EventKind, append_event
from app.agent.governance import GovernanceDecision, record_refusal
from app.agent.runtime import Runtime
from app.agent.transcript import storable
from app.agent.types import RunStatus
from app.core import clock, errors
from app.core.db import reading, transaction
from app.core.i18n import text
from app.policy.identity import Identity

_halt: Table = models.Halt.__table__
_run: Table = models.Run.__table__
_governance: Table = models.GovernanceEvent.__table__
REASON_LENGTH = 200
COMMAND_LINE = 0
"""Stands for somebody at the command line where a person is named."""
_THE_ROW = 1
_HISTORY = 20
_SWITCHED = (GovernanceDecision.RUNS_HALTED.value, GovernanceDecision.RUNS_RESUMED.value)
HALTED_CARD = text("The administration has halted every assignment. This one can be approved when they go on.")


class RunsHalted(errors.Conflict):
    """No run begins while all are halted; what was typed stays in its field."""

    text = text(
        "The administration has halted the AI assistant. Your message was not sent and stays in its field. "
        "Send it when assignments go on."
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class HaltView:
    """The switch while it is on."""

    since: int
    by_user_id: int
    """``COMMAND_LINE`` = somebody at the command line."""
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SwitchEntry:
    """One time somebody switched; ``reason`` is empty for letting runs go on."""

    is_halt: bool
    at: int
    user_id: int
    reason: str


def find_halt(connection: Connection) -> HaltView | None:
    """The switch; None = runs may begin and go on."""
    row = connection.execute(select(_halt.c.since, _halt.c.by_user_id, _halt.c.reason)).mappings().first()
    return None if row is None else HaltView(**row)


def halt_runs(actor: Identity | None, reason: str) -> int:
    """Halt every run and return how many were at work; None as actor = the command line.

    Those at work stop before their next step; no write of a run commits after this. Raises ``errors.Forbidden`` for anybody but
    administrators, ``errors.Invalid`` without a reason, ``errors.Conflict`` when they are halted already.
    """
    user_id = _require_administrator(actor)
    words = " ".join(storable(reason).split())
    if not words or len(words) > REASON_LENGTH:
        sentence = text("Enter why, in at most %(max)s characters.", max=REASON_LENGTH)
        raise errors.Invalid("halt", fields={"reason": sentence})
    with transaction() as connection:
        _lock_switch(connection)
        if find_halt(connection) is not None:
            raise errors.Conflict("halt", text=text("Every assignment is halted already."))
        now = clock.now()
        connection.execute(insert(_halt).values(id=_THE_ROW, since=now, by_user_id=user_id, reason=words))
        stopped = _stop_running(connection, user_id, now)
        _record(connection, GovernanceDecision.RUNS_HALTED, user_id, words)
    return stopped


def resume_runs(actor: Identity | None, runtime: Runtime) -> int:
    """Let runs begin and go on again, and return how many are queued; None as actor = the command line.

    Raises ``errors.Forbidden`` for anybody but administrators, ``errors.Conflict`` when they are not halted.
    """
    user_id = _require_administrator(actor)
    with transaction() as connection:
        _lock_switch(connection)
        if connection.execute(delete(_halt)).rowcount != 1:
            raise errors.Conflict("halt", text=text("Assignments are not halted."))
        _record(connection, GovernanceDecision.RUNS_RESUMED, user_id, "")
    with reading() as connection:
        queued = select(_run.c.uuid).where(_run.c.status == RunStatus.QUEUED.value).order_by(_run.c.changed_at)
        waiting = connection.execute(queued).scalars().all()
    for uuid in waiting:
        runtime.wake(uuid)
    return len(waiting)


def count_runs(connection: Connection) -> dict[RunStatus, int]:
    """How many runs stand where; statuses without a run are left out."""
    rows = connection.execute(select(_run.c.status, func.count()).group_by(_run.c.status)).all()
    return {RunStatus(status): int(count) for status, count in rows}


def list_switches(connection: Connection) -> tuple[SwitchEntry, ...]:
    """The last twenty times somebody switched, newest first, from the governance log."""
    columns = (_governance.c.decision, _governance.c.at, _governance.c.user_id, _governance.c.detail)
    wanted = select(*columns).where(_governance.c.decision.in_(_SWITCHED)).order_by(_governance.c.id.desc())
    return tuple(
        SwitchEntry(is_halt=row[0] == GovernanceDecision.RUNS_HALTED.value, at=row[1], user_id=row[2], reason=row[3])
        for row in connection.execute(wanted.limit(_HISTORY)).all()
    )


def _require_administrator(actor: Identity | None) -> int:
    if actor is None:
        return COMMAND_LINE
    if not actor.is_admin:
        raise errors.Forbidden("halt")
    return actor.user_id


def _lock_switch(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("LOCK TABLE halt IN ACCESS EXCLUSIVE MODE")


def _stop_running(connection: Connection, user_id: int, now: int) -> int:
    """Ask every run at work to stop; a worker in the middle of a step commits it before this, or ends its run instead."""
    running = select(_run.c.uuid).where(_run.c.status == RunStatus.RUNNING.value, _run.c.cancel_at.is_(None))
    stopped = 0
    for uuid in connection.execute(running.order_by(_run.c.uuid)).scalars().all():
        asked = connection.execute(
            update(_run)
            .where(_run.c.uuid == uuid, _run.c.status == RunStatus.RUNNING.value, _run.c.cancel_at.is_(None))
            .values(cancel_at=now, cancelled_by=user_id)
        )
        if asked.rowcount == 1:
            append_event(connection, uuid, EventKind.CANCEL, {"by": user_id, "halt": True})
            stopped += 1
    return stopped


def _record(connection: Connection, decision: GovernanceDecision, user_id: int, reason: str) -> None:
    source = "administrator" if user_id else "command_line"
    record_refusal(connection, run_uuid="", decision=decision, reason=source, user_id=user_id, detail=reason)
