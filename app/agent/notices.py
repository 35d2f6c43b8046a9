"""What an administrator has to see to before the assistant works again: one row a matter, counted, no key, no text (F25)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Table, delete, insert, select, update
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from app.agent.models import OperatorNotice
from app.core import clock

_notices: Table = OperatorNotice.__table__
_SUBJECT_LENGTH = 120
_CODE_LENGTH = 80


class NoticeKind(StrEnum):
    """What a notice is about."""

    MODEL = "model"
    """A model that cannot be used; the subject is its name as configurations hold it, the code that of the failure."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Notice:
    """One matter; times are seconds since the epoch."""

    id: int
    kind: str
    subject: str
    code: str
    first_at: int
    last_at: int
    times: int


def leave_notice(connection: Connection, kind: NoticeKind, subject: str, code: str) -> None:
    """Leave a notice, or count the one there is; ``code`` is the newest one."""
    about = {"kind": kind.value, "subject": subject[:_SUBJECT_LENGTH]}
    if _count(connection, about, code):
        return
    now = clock.now()
    values = {**about, "code": code[:_CODE_LENGTH], "first_at": now, "last_at": now, "times": 1}
    try:
        with connection.begin_nested():
            connection.execute(insert(_notices).values(**values))
    except IntegrityError:  # another worker left it between the two statements
        _count(connection, about, code)


def _count(connection: Connection, about: dict[str, str], code: str) -> bool:
    counted = connection.execute(
        update(_notices)
        .where(_notices.c.kind == about["kind"], _notices.c.subject == about["subject"])
        .values(code=code[:_CODE_LENGTH], last_at=clock.now(), times=_notices.c.times + 1)
    )
    return counted.rowcount > 0


def remove_notice(connection: Connection, kind: NoticeKind, subject: str) -> None:
    """The matter is settled: its notice disappears, if there is one."""
    connection.execute(
        delete(_notices).where(_notices.c.kind == kind.value, _notices.c.subject == subject[:_SUBJECT_LENGTH])
    )


def list_notices(connection: Connection, kind: NoticeKind) -> tuple[Notice, ...]:
    """Every notice of a kind, the longest standing first."""
    rows = connection.execute(select(_notices).where(_notices.c.kind == kind.value).order_by(_notices.c.id))
    return tuple(Notice(**row) for row in rows.mappings().all())
