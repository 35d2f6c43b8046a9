"""Which draft rows are gone because they were published, as the history tells (CH-20, D9)."""

from __future__ import annotations

from collections.abc import Collection
from typing import cast

from sqlalchemy import String, Table, literal_column, or_, select
from sqlalchemy.engine import Connection

from app.content import models
from app.content.types import RecordRef
from app.core.db import slices

_HISTORY = cast(Table, models.RecordHistory.__table__)
_PUBLISHED = literal_column("'published'", String)
"""Written out: the index that leaves out everything else is taken only then."""


def find_published(connection: Connection, refs: Collection[RecordRef]) -> dict[RecordRef, int]:
    """The live uid of each of ``refs`` (row uids of drafts) that was published; one statement per 900."""
    rows = _HISTORY.c
    found: dict[RecordRef, int] = {}
    for part in slices(sorted((ref.table, ref.uid) for ref in refs)):
        tables = sorted({table for table, _ in part})
        named = (
            (rows.table_name == table) & rows.uid.in_([uid for of, uid in part if of == table]) for table in tables
        )
        statement = select(rows.table_name, rows.uid, rows.live_uid).where(rows.action == _PUBLISHED, or_(*named))
        for table, uid, live_uid in connection.execute(statement).all():
            found[RecordRef(table=table, uid=int(uid))] = int(live_uid)
    return found
