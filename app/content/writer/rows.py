"""The only statements that insert, change or remove rows of records; each reports what it did.

Rows carry their own, reserved uids; every change raises ``rev``, so that what a card saw can be compared (I16).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

from sqlalchemy import bindparam, delete, update

from app.content.schema import REGISTRY, TableTrait
from app.content.types import VersionState
from app.content.uids import reserve_uids
from app.content.writer.bulk import insert_many
from app.content.writer.observe import RowValues
from app.content.writer.work import Work
from app.core.db import slices

IMPORT_MARKS: Mapping[str, str] = MappingProxyType({"import_key": "", "import_hash": ""})
"""A copy and a translation are records of their own: a later import must not take them for what it brought."""


@cache
def _blank(table: str) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    for column in REGISTRY[table].table.c:
        default = column.default.arg if column.default is not None and column.default.is_scalar else None  # type: ignore[attr-defined]
        found[column.name] = column.type.python_type() if default is None else default
    return MappingProxyType(found)


def new_row(work: Work, trait: TableTrait, values: Mapping[str, Any]) -> dict[str, Any]:
    """A row that stands alone: ``values`` over the defaults of the table, new in the workspace of the batch;
    without uid yet.
    """
    row = {**_blank(trait.name), "created_at": work.context.now, "changed_at": work.context.now}
    if trait.versioned and work.in_draft:
        row.update(workspace_id=work.workspace_id, version_state=VersionState.NEW.value)
    row.update(values)
    row.pop("uid", None)
    return row


def duplicate(work: Work, trait: TableTrait, source: RowValues, values: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of ``source`` as a record of its own, with ``values`` instead of what the source has; without uid yet."""
    row = {**source, **IMPORT_MARKS, "rev": 1, "created_at": work.context.now, "changed_at": work.context.now}
    if trait.versioned:
        state = VersionState.NEW if work.in_draft else VersionState.CHANGED
        row.update(workspace_id=work.workspace_id, live_uid=0, version_state=state.value, version_stage=0)
    del row["uid"]
    row.update(values)
    return row


def insert_rows(
    work: Work, trait: TableTrait, rows: Sequence[dict[str, Any]], *, before: Sequence[RowValues] | None = None
) -> None:
    """Write rows under fresh uids in one statement, filling in each row's ``uid``.

    ``before`` are, for version rows, the records they stand for. Rows that refer to each other get their uids from
    ``reserve_uids`` beforehand.
    """
    if not rows:
        return
    missing = [row for row in rows if "uid" not in row]
    for row, uid in zip(missing, reserve_uids(work.connection, trait.table, len(missing)), strict=True):
        row["uid"] = uid
    insert_many(work.connection, trait.table, rows)
    work.observed.inserted(trait, rows, before)


def change_row(work: Work, trait: TableTrait, row: RowValues, values: Mapping[str, Any]) -> dict[str, Any]:
    """Give one row new values and return it as it is now; a draft row goes back to the first stage."""
    return change_rows(work, trait, [row], values)[0]


def change_rows(
    work: Work, trait: TableTrait, rows: Sequence[RowValues], values: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Give several rows the same new values in one statement per 900 rows."""
    stamps: dict[str, Any] = {"changed_at": work.context.now}
    if trait.versioned:
        stamps["version_stage"] = 0
    table = trait.table
    for part in slices([row["uid"] for row in rows]):
        work.connection.execute(
            update(table).where(table.c.uid.in_(part)).values({**values, **stamps, "rev": table.c.rev + 1})
        )
    changed = [{**row, **values, **stamps, "rev": row["rev"] + 1} for row in rows]
    for before, after in zip(rows, changed, strict=True):
        work.observed.changed(trait, before, after)
    return changed


def change_each(
    work: Work, trait: TableTrait, changes: Sequence[tuple[RowValues, Mapping[str, Any]]]
) -> list[dict[str, Any]]:
    """Give each row values of its own; one statement for all rows that change the same columns."""
    stamps: dict[str, Any] = {"changed_at": work.context.now}
    if trait.versioned:
        stamps["version_stage"] = 0
    table = trait.table
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row, values in changes:
        given = {f"new_{name}": value for name, value in values.items()}
        groups.setdefault(tuple(sorted(values)), []).append({"uid_": row["uid"], **given})
    for names, parameters in groups.items():
        new = {name: bindparam(f"new_{name}", type_=table.c[name].type) for name in names}
        statement = update(table).where(table.c.uid == bindparam("uid_", type_=table.c.uid.type))
        work.connection.execute(statement.values({**new, **stamps, "rev": table.c.rev + 1}), parameters)
    changed = [{**row, **values, **stamps, "rev": row["rev"] + 1} for row, values in changes]
    for (before, _), after in zip(changes, changed, strict=True):
        work.observed.changed(trait, before, after)
    return changed


def remove_rows(work: Work, trait: TableTrait, rows: Sequence[RowValues], *, observe: bool = True) -> None:
    """Remove rows for good: draft rows that leave their workspace, and records of tables without a deletion mark.

    A draft row that was published is not observed: its live record is.
    """
    table = trait.table
    for part in slices([row["uid"] for row in rows]):
        work.connection.execute(delete(table).where(table.c.uid.in_(part)))
    for row in rows if observe else ():
        work.observed.removed(trait, row)
