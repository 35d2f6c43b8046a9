"""The row of a run as a value, and the two ways to read it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Table, bindparam, select
from sqlalchemy.engine import Connection

from app.agent.models import Run
from app.agent.types import RunStatus

_run: Table = Run.__table__


@dataclass(frozen=True, kw_only=True, slots=True)
class RunView:
    """A run as stored; nothing in it is encrypted, so it loads whatever became of its contents (RT-16)."""

    uuid: str
    subject: str
    owner_id: int
    configuration_id: int
    workspace_id: int | None
    language: str
    status: RunStatus
    reason: str
    error: str
    fence: int
    attempts: int
    cancel_at: int | None
    cancelled_by: int
    turn: int
    revision: int
    rounds: int
    prompt_tokens: int
    completion_tokens: int
    hooks_pending: str
    resume_at: int
    """When a run that waits for its provider goes on; 0 = it does not wait."""
    retry_of: str | None
    """The failed run this one tries again."""
    created_at: int
    started_at: int | None
    changed_at: int
    finished_at: int | None


COLUMNS = [_run.c[name] for name in RunView.__slots__]
_BY_UUID = select(*COLUMNS).where(_run.c.uuid == bindparam("run"))


def find_run(connection: Connection, uuid: str) -> RunView | None:
    """The run of that uuid."""
    row = connection.execute(_BY_UUID, {"run": uuid}).mappings().first()
    return None if row is None else view_of(row)


def find_runs(connection: Connection, uuids: Collection[str]) -> dict[str, RunView]:
    """The runs of those uuids that exist; for few of them, one statement."""
    if not uuids:
        return {}
    rows = connection.execute(select(*COLUMNS).where(_run.c.uuid.in_(sorted(uuids)))).mappings().all()
    return {view.uuid: view for view in map(view_of, rows)}


def lock_run(connection: Connection, uuid: str) -> RunView | None:
    """The run, locked until the end of the transaction (on SQLite the transaction itself is the lock)."""
    row = connection.execute(select(*COLUMNS).where(_run.c.uuid == uuid).with_for_update()).mappings().first()
    return None if row is None else view_of(row)


def view_of(row: Mapping[Any, Any]) -> RunView:
    """The view of a row of ``COLUMNS``."""
    return RunView(**{**row, "status": RunStatus(row["status"])})
