"""What keeps runs moving when workers die, providers ask to wait and people do not decide: reaper, expiry, sweep (RT-13, F12).

Each run is its own transaction that checks again what the list said, so several processes may do this at the same time and any of
them may be killed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import Select, Table, func, select, update
from sqlalchemy.engine import Connection

from app.agent import models
from app.agent.endings import CANCELLED, EXPIRED, end_run, failed
from app.agent.leases import IS_HALTED, RELEASED
from app.agent.news import announce
from app.agent.run_rows import RunView, lock_run
from app.agent.runtime import Runtime
from app.agent.types import Reason, RunNews, RunStatus, TurnState
from app.core import clock
from app.core.db import reading, transaction

_run: Table = models.Run.__table__
_cards: Table = models.Turn.__table__
_configuration: Table = models.Configuration.__table__

ATTEMPTS = 4
"""Claims of one segment after which a run that keeps losing its worker is given up."""
SWEEP_AFTER = 2
"""Seconds a run is queued before its message counts as lost."""
_DAY = 86_400
_BATCH = 50


def reap(runtime: Runtime) -> tuple[str, ...]:
    """Take runs away from workers whose lease is over and return the uuids that are queued again; the rest has ended."""
    with reading() as connection:
        found = connection.execute(
            select(_run.c.uuid)
            .where(_run.c.status == RunStatus.RUNNING.value, _run.c.lease_until < clock.now())
            .order_by(_run.c.lease_until)
            .limit(_BATCH)
        )
        silent = found.scalars().all()
    return tuple(uuid for uuid in silent if _reap_one(uuid, runtime))


def _reap_one(uuid: str, runtime: Runtime) -> bool:
    with transaction() as connection:
        run = lock_run(connection, uuid)
        if run is None or run.status is not RunStatus.RUNNING or not _is_silent(connection, uuid):
            return False
        if run.cancel_at is not None:
            end_run(connection, run, CANCELLED, runtime.cipher)
            return False
        if run.attempts >= ATTEMPTS:
            end_run(connection, run, failed(Reason.RETRIES_EXHAUSTED), runtime.cipher)
            return False
        _queue_again(connection, run)
    return True


def _is_silent(connection: Connection, uuid: str) -> bool:
    until = connection.execute(select(_run.c.lease_until).where(_run.c.uuid == uuid)).scalar_one()
    return int(until) < clock.now()


def _queue_again(connection: Connection, run: RunView) -> None:
    connection.execute(
        update(_run)
        .where(_run.c.uuid == run.uuid)
        .values(status=RunStatus.QUEUED.value, changed_at=clock.now(), resume_at=0, **RELEASED)
    )


def resume_waiting(runtime: Runtime) -> tuple[str, ...]:
    """Queue runs again whose provider asked to wait until now or earlier (F26); returns their uuids."""
    with reading() as connection:
        over = connection.execute(_waited().order_by(_run.c.resume_at).limit(_BATCH)).scalars().all()
    return tuple(uuid for uuid in map(str, over) if _resume_one(uuid))


def _resume_one(uuid: str) -> bool:
    with transaction() as connection:
        run = lock_run(connection, uuid)
        if run is None or connection.execute(_waited().where(_run.c.uuid == uuid)).first() is None:
            return False
        _queue_again(connection, run)
        announce(
            connection,
            RunNews(run_uuid=uuid, subject=run.subject, owner_id=run.owner_id, status=RunStatus.QUEUED),
        )
    return True


def _waited() -> Select[str]:
    return select(_run.c.uuid).where(
        _run.c.status == RunStatus.WAITING_FOR_PROVIDER.value, _run.c.resume_at <= clock.now()
    )


def expire_cards(runtime: Runtime) -> tuple[str, ...]:
    """End runs whose card waited longer than its configuration or the setting allows (RT-01); returns their uuids."""
    days = runtime.settings.approval_days
    with reading() as connection:
        overdue = connection.execute(_overdue(days).limit(_BATCH)).scalars().all()
    return tuple(uuid for uuid in map(str, overdue) if _expire_one(uuid, days, runtime))


def _expire_one(uuid: str, days: int, runtime: Runtime) -> bool:
    with transaction() as connection:
        run = lock_run(connection, uuid)
        still = connection.execute(_overdue(days).where(_run.c.uuid == uuid)).first()
        return run is not None and still is not None and end_run(connection, run, EXPIRED, runtime.cipher)


def _overdue(days: int) -> Select[str]:
    """Runs whose card is overdue; ``days`` count where a configuration names none of its own, 0 = never."""
    allowed = func.coalesce(_configuration.c.approval_days, days)
    return (
        select(_run.c.uuid)
        .join(
            _cards,
            (_cards.c.run_uuid == _run.c.uuid)
            & (_cards.c.ordinal == _run.c.turn)
            & (_cards.c.revision == _run.c.revision),
        )
        .outerjoin(_configuration, _configuration.c.id == _run.c.configuration_id)
        .where(
            _run.c.status == RunStatus.WAITING_FOR_APPROVAL.value,
            _cards.c.state == TurnState.WAITING.value,
            allowed > 0,
            _cards.c.created_at + allowed * _DAY <= clock.now(),
        )
        .order_by(_cards.c.created_at)
    )


def queued_runs(*, older_than: int = 0) -> Sequence[str]:
    """Uuids of runs that wait for a worker for at least ``older_than`` seconds, oldest first; none while all are halted."""
    with reading() as connection:
        found = connection.execute(
            select(_run.c.uuid)
            .where(_run.c.status == RunStatus.QUEUED.value, _run.c.changed_at <= clock.now() - older_than, ~IS_HALTED)
            .order_by(_run.c.changed_at, _run.c.uuid)
        )
        return found.scalars().all()


def sweep(wake: Callable[[str], None], *, queue_is_empty: bool) -> None:
    """Send messages again that were lost between commit and claim; never while some wait, or a backlog multiplies them."""
    if queue_is_empty:
        for uuid in queued_runs(older_than=SWEEP_AFTER):
            wake(uuid)
