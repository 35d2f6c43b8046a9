"""What is not kept for ever: contents of ended runs, refusals and counted attempts, each after its own number of days.

Only a command removes anything. Of a run the texts go: messages, arguments, previews and results. Its row, events, cards, decisions
with their reasons, outcomes and the list of changes stay, and a last event says that the contents were not kept. Nothing is opened
for it, so a value no key opens goes like any other (RT-16). Every run and every part of a table is a transaction of its own.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import ColumnElement, Select, Table, and_, delete, exists, or_, select, update

from app.accounts.limits import remove_attempts
from app.agent import models
from app.agent.events import EventKind, append_event
from app.agent.run_rows import lock_run
from app.agent.types import RunStatus
from app.core import clock
from app.core.db import reading, transaction

_run: Table = models.Run.__table__
_messages: Table = models.RunMessage.__table__
_governance: Table = models.GovernanceEvent.__table__
CONTENTS: Final[tuple[tuple[Table, str], ...]] = (
    (_messages, "body_sealed"),
    (models.ToolCall.__table__, "arguments_sealed"),
    (models.CallPreview.__table__, "preview_sealed"),
    (models.CallOutcome.__table__, "content_sealed"),
)
"""Columns that are emptied; a test compares them with every encrypted column."""
NOT_KEPT: Final = ""
"""What such a column holds afterwards; opening it raises ``core.crypto.NotKept``."""
_DAY = 86_400
_RUNS = 50
_ROWS = 500
_FINAL = [status.value for status in RunStatus if status.is_final]


def purge_contents(days: int) -> int:
    """Remove the contents of runs that ended more than ``days`` days ago; returns how many runs lost them now. 0 keeps all."""
    if days <= 0:
        return 0
    before = clock.now() - days * _DAY
    last: tuple[int, str] = (0, "")
    purged = 0
    while found := _ended_runs(before, last):
        last = found[-1]
        purged += sum(_purge_one(uuid, before) for _, uuid in found)
    return purged


def purge_governance(days: int) -> int:
    """Remove refusals recorded more than ``days`` days ago; returns how many. 0 keeps all."""
    if days <= 0:
        return 0
    before = clock.now() - days * _DAY
    old = select(_governance.c.id).where(_governance.c.at < before).order_by(_governance.c.id).limit(_ROWS)
    removed = 0
    while True:
        with transaction() as connection:
            ids = connection.execute(old).scalars().all()
            connection.execute(delete(_governance).where(_governance.c.id.in_(ids)))
        removed += len(ids)
        if len(ids) < _ROWS:
            return removed


def purge_attempts(days: int) -> int:
    """Remove attempts counted more than ``days`` days ago; returns how many. 0 keeps all."""
    if days <= 0:
        return 0
    before = clock.now() - days * _DAY
    removed = 0
    while True:
        with transaction() as connection:
            gone = remove_attempts(connection, before=before, most=_ROWS)
        removed += gone
        if gone < _ROWS:
            return removed


def _ended_runs(before: int, last: tuple[int, str]) -> list[tuple[int, str]]:
    """The next runs after ``last``, in the order in which they ended, that still have contents."""
    after = or_(_run.c.finished_at > last[0], and_(_run.c.finished_at == last[0], _run.c.uuid > last[1]))
    with reading() as connection:
        rows = connection.execute(_wanted(before, after).order_by(_run.c.finished_at, _run.c.uuid).limit(_RUNS)).all()
    return [(int(finished), str(uuid)) for finished, uuid in rows]


def _wanted(before: int, *conditions: ColumnElement[bool]) -> Select[Any]:
    has_contents = exists().where(_messages.c.run_uuid == _run.c.uuid, _messages.c.body_sealed != NOT_KEPT)
    ended = (_run.c.status.in_(_FINAL), _run.c.finished_at < before)
    return select(_run.c.finished_at, _run.c.uuid).where(*ended, has_contents, *conditions)


def _purge_one(uuid: str, before: int) -> bool:
    with transaction() as connection:
        run = lock_run(connection, uuid)
        if run is None or connection.execute(_wanted(before, _run.c.uuid == uuid)).first() is None:
            return False
        for table, column in CONTENTS:
            full = (table.c.run_uuid == uuid) & (table.c[column] != NOT_KEPT)
            connection.execute(update(table).where(full).values({column: NOT_KEPT}))
        append_event(connection, uuid, EventKind.PURGED, {})
    return True
