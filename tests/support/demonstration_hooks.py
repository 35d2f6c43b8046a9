"""The four demonstration hooks of cms.md section 15, each to be switched on by a test."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection, insert, select

from app.content.errors import WriteRefused
from app.content.hooks import HOOKS, OpenBatch, Values
from app.content.models import Contact
from app.content.types import ChangeSet, WriteContext
from app.core.i18n import text

NOTE = "Written along by an extension"
UNSEEN = "Written past the writer"
_CONTACTS = Contact.__table__


def switch_on(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Let the named hooks run until the end of the test: ``extra``, ``raw``, ``failing``, ``vetoing``."""
    inside = {"extra": write_extra_record, "raw": write_raw}
    monkeypatch.setattr(HOOKS, "inside", [hook for name, hook in inside.items() if name in names])
    monkeypatch.setattr(HOOKS, "after_commit", [fail_afterwards] if "failing" in names else [])
    monkeypatch.setattr(HOOKS, "before", [veto] if "vetoing" in names else [])


def write_extra_record(batch: OpenBatch, changes: ChangeSet) -> None:
    """One more record through the writer: it is listed as changed along."""
    for page_uid in sorted({change.page_uid for change in changes.changes if change.table == "pages"}):
        batch.create("content_elements", page_uid, {"header": NOTE})


def write_raw(batch: OpenBatch, _changes: ChangeSet) -> None:
    """A row past the writer: nothing can report it, which is what the coverage note says."""
    connection = getattr(batch, "connection", None)
    assert isinstance(connection, Connection)
    if not raw_rows(connection):
        connection.execute(insert(_CONTACTS).values(pid=1, name=UNSEEN))


def raw_rows(connection: Connection) -> int:
    """How many rows ``write_raw`` left."""
    return len(connection.execute(select(_CONTACTS.c.uid).where(_CONTACTS.c.name == UNSEEN)).all())


def fail_afterwards(_context: WriteContext, _changes: ChangeSet) -> None:
    """Fails when the rows are committed."""
    msg = "the search index does not answer"
    raise RuntimeError(msg)


def veto(_context: WriteContext, _table: str, _uid: int, _values: Values) -> None:
    """Refuses every write before it begins."""
    raise WriteRefused("frozen", text("Nothing may be changed at the moment."))
