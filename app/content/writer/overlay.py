"""Reads many records at once as the workspace of the batch sees them; one statement per 900 numbers."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import BigInteger, Connection, Select, literal, select

from app.content.schema import PAGES, TableTrait
from app.content.store import NONE, overlay_condition, public_uid
from app.core.db import slices

_PARTLY_INDEXED = frozenset({"live_uid", "translation_parent"})
"""Columns whose index leaves out 0; a statement must say so to use it."""


def rows_by(
    connection: Connection, trait: TableTrait, workspace_id: int, column: str, values: Collection[int], **equal: Any
) -> list[dict[str, Any]]:
    """Rows seen in ``workspace_id`` whose ``column`` is one of ``values`` and whose other columns equal ``equal``,
    by uid.
    """
    return _read(
        connection, trait, select(trait.table).where(overlay_condition(trait, workspace_id)), column, values, equal
    )


def stored_rows_by(
    connection: Connection, trait: TableTrait, column: str, values: Collection[int], **equal: Any
) -> list[dict[str, Any]]:
    """The same among the rows of every workspace, leaving out deleted ones."""
    statement = select(trait.table)
    if trait.soft_delete:
        statement = statement.where(trait.table.c.deleted.is_(False))
    return _read(connection, trait, statement, column, values, equal)


def deleted_rows_by(
    connection: Connection, trait: TableTrait, column: str, values: Collection[int], **equal: Any
) -> list[dict[str, Any]]:
    """The same among deleted rows."""
    return _read(connection, trait, select(trait.table).where(trait.table.c.deleted.is_(True)), column, values, equal)


def _read(
    connection: Connection,
    trait: TableTrait,
    statement: Select[Any],
    column: str,
    values: Collection[int],
    equal: dict[str, Any],
) -> list[dict[str, Any]]:
    columns = trait.table.c
    statement = statement.where(*(columns[name] == value for name, value in equal.items())).order_by(columns.uid)
    if column in _PARTLY_INDEXED:
        statement = statement.where(columns[column] > NONE)
    found: list[dict[str, Any]] = []
    for part in slices(sorted(values)):
        result = connection.execute(statement.where(columns[column].in_(part)))
        names = tuple(result.keys())
        found += [dict(zip(names, row, strict=True)) for row in result.all()]
    return found


def subtree(connection: Connection, workspace_id: int, root_uid: int) -> dict[int, int]:
    """Public uids of ``root_uid`` and the pages below it in ``workspace_id``, each with its parent; the root first,
    then by uid.
    """
    page = PAGES.table.alias()
    start = select(literal(root_uid, BigInteger).label("uid"), literal(0, BigInteger).label("pid"))
    tree = start.cte("tree", recursive=True)
    below = select(public_uid(PAGES, page), page.c.pid).where(
        page.c.pid == tree.c.uid, page.c.language_id == 0, overlay_condition(PAGES, workspace_id, page)
    )
    tree = tree.union(below)
    found = {int(uid): int(pid) for uid, pid in sorted(map(tuple, connection.execute(select(tree)).all()))}
    return {root_uid: 0, **{uid: pid for uid, pid in found.items() if uid != root_uid}}
