"""Commands on files: the only writes of the table ``files`` people have, with rights of their own (cms.md section 14).

The general commands refuse that table to everybody but administrators. Files are not versioned: a batch in a draft
refuses all three.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import select

from app.content import access
from app.content.access.files import folder_of
from app.content.errors import WriteRefused, not_found
from app.content.file_uses import owners_of
from app.content.hooks import Values
from app.content.schema import FILE_METADATA, FILES
from app.content.types import FieldValue, Origin, RecordRef
from app.content.writer.rows import change_row, insert_rows, new_row, remove_rows
from app.content.writer.values import IMPORTS, normalise
from app.content.writer.versions import demand_versioned
from app.content.writer.work import Work
from app.core.i18n import text


def add_file(work: Work, values: Values) -> RecordRef:
    """Make the record of a file whose bytes are stored already.

    ``values`` are ``storage_id``, ``path``, ``name`` and what was measured from the bytes. Raises ``WriteRefused``:
    ``not_found`` without the right to add files there, ``name_taken``.
    """
    plain = _plain(work, values, creating=True)
    path = str(plain["path"])
    _demand_live(work)
    if not access.may_add_file(work.actor, _number(plain, "storage_id"), folder_of(path)):
        raise not_found()
    _demand_free(work, _number(plain, "storage_id"), path)
    work.ask_before(FILES, 0, plain)
    row = new_row(work, FILES, plain)
    insert_rows(work, FILES, [row])
    return RecordRef(table=FILES.name, uid=row["uid"])


def change_file(work: Work, uid: int, values: Values) -> RecordRef | None:
    """Give a file another name, place or state; its number, bytes and references stay. None when nothing differs.

    Raises ``WriteRefused``: ``not_found`` without the right to change it or to add files at the new place, ``name_taken``.
    """
    row = _changeable(work, uid)
    plain = _plain(work, values, creating=False)
    changes = {name: value for name, value in plain.items() if row[name] != value}
    if not changes:
        return None
    if "path" in changes:
        path = str(changes["path"])
        folder = folder_of(path)
        if folder != folder_of(row["path"]) and not access.may_add_file(work.actor, row["storage_id"], folder):
            raise not_found()
        _demand_free(work, row["storage_id"], path)
    work.ask_before(FILES, uid, changes)
    change_row(work, FILES, row, changes)
    return RecordRef(table=FILES.name, uid=uid)


def remove_file(work: Work, uid: int) -> RecordRef:
    """Remove the record of a file with its descriptions in every language and workspace; the bytes are the caller's.

    Raises ``WriteRefused``: ``not_found`` without the right to change it, ``file_used`` while a record uses it, live or
    in any draft.
    """
    row = _changeable(work, uid)
    if owners_of(work.connection, uid):
        raise WriteRefused("file_used", text("This file is used. Remove it from every record that uses it first."))
    work.ask_before(FILES, uid, {})
    rows = FILE_METADATA.table
    described = work.connection.execute(select(rows).where(rows.c.file_uid == uid).order_by(rows.c.uid))
    remove_rows(work, FILE_METADATA, [dict(found) for found in described.mappings().all()])
    remove_rows(work, FILES, [row])
    return RecordRef(table=FILES.name, uid=uid)


def _demand_live(work: Work) -> None:
    if work.in_draft:
        demand_versioned(FILES)


def _plain(work: Work, values: Values, *, creating: bool) -> dict[str, FieldValue]:
    """Values in stored form. What was measured from the bytes is no field of a form: an upload may set it like an import."""
    context = work.context if work.context.origin in IMPORTS else replace(work.context, origin=Origin.IMPORT)
    return normalise(context, FILES, values, creating=creating)


def _number(values: Values, name: str) -> int:
    return int(values.get(name) or 0)


def _changeable(work: Work, uid: int) -> dict[str, Any]:
    _demand_live(work)
    rows = FILES.table
    found = work.connection.execute(select(rows).where(rows.c.uid == uid)).mappings().first()
    if found is None or not access.may_change_file(work.actor, _stored(found)):
        raise not_found()
    return dict(found)


def _stored(row: Any) -> access.StoredFile:
    return access.StoredFile(uid=row["uid"], storage_id=row["storage_id"], path=row["path"], name=row["name"])


def _demand_free(work: Work, storage_id: int, path: str) -> None:
    rows = FILES.table.c
    statement = select(rows.uid).where(rows.storage_id == storage_id, rows.path == path)
    if work.connection.execute(statement).first() is not None:
        raise WriteRefused("name_taken", text("There is a file of this name in this folder already."))
