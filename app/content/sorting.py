"""Fractional sorting keys: a new place between two neighbours without touching either, so a draft never renumbers live
rows.

Keys are ASCII and compared byte by byte: SQLite's default, and the collation "C" on PostgreSQL (rehearsal.md rule 8).
"""

from __future__ import annotations

from fractional_indexing import FIError, generate_n_keys_between
from sqlalchemy import Connection, func, or_, select
from sqlalchemy.sql.elements import ColumnElement

from app.content.errors import WriteRefused
from app.content.schema import TableTrait
from app.core.i18n import text

MAX_LENGTH = 120
"""Characters of the column; a key grows by about one for every six insertions at the very same place."""


def keys_between(before: str | None, after: str | None, count: int = 1) -> list[str]:
    """``count`` ascending keys between two keys; None stands for the beginning or the end.

    Raises ``WriteRefused("no_place")`` when the keys leave no room: they are equal, reversed, foreign, or would
    become too long.
    """
    try:
        keys: list[str] = generate_n_keys_between(before, after, count)
    except (FIError, ValueError, IndexError) as error:
        raise _no_place() from error
    if any(len(key) > MAX_LENGTH for key in keys):
        raise _no_place()
    return keys


def last_place(connection: Connection, trait: TableTrait, workspace_id: int, page_uid: int) -> str:
    """A key behind everything that lies on ``page_uid`` in live and in this workspace (deleted rows too: they may
    come back).
    """
    column = trait.table.c.sorting
    highest = connection.execute(select(func.max(column)).where(*_siblings(trait, workspace_id, page_uid))).scalar()
    return keys_between(highest, None)[0]


def first_place(connection: Connection, trait: TableTrait, workspace_id: int, page_uid: int) -> str:
    """A key before everything that lies on ``page_uid`` in live and in this workspace."""
    column = trait.table.c.sorting
    lowest = connection.execute(select(func.min(column)).where(*_siblings(trait, workspace_id, page_uid))).scalar()
    return keys_between(None, lowest)[0]


def place_after(connection: Connection, trait: TableTrait, workspace_id: int, page_uid: int, key: str) -> str:
    """A key right behind ``key`` and before the next greater one on ``page_uid``."""
    column = trait.table.c.sorting
    following = connection.execute(
        select(func.min(column)).where(*_siblings(trait, workspace_id, page_uid), column > key)
    ).scalar()
    return keys_between(key, following)[0]


def _siblings(trait: TableTrait, workspace_id: int, page_uid: int) -> list[ColumnElement[bool]]:
    columns = trait.table.c
    conditions: list[ColumnElement[bool]] = [columns.pid == page_uid]
    if trait.versioned:
        conditions.append(or_(columns.workspace_id == 0, columns.workspace_id == workspace_id))
    return conditions


def _no_place() -> WriteRefused:
    return WriteRefused(
        "no_place", text("There is no room left at this place. Choose another place, or sort the records there first.")
    )
