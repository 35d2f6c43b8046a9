"""Inserts many rows in one statement, without the cost per row that SQLAlchemy's parameter processing has (W1).

Values were normalised before; all columns hold whole numbers, flags and text, which both drivers take as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Dialect, Table


def insert_many(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert ``rows``, which all have the same columns, at least two; never asks the database for anything back."""
    if not rows:
        return
    names = tuple(rows[0])
    pick = itemgetter(*names)
    connection.exec_driver_sql(_statement(connection.dialect, table, names), [pick(row) for row in rows])


@cache
def _statement(dialect: Dialect, table: Table, names: tuple[str, ...]) -> str:
    preparer = dialect.identifier_preparer
    columns = ", ".join(preparer.quote(table.c[name].name) for name in names)
    mark = "?" if dialect.paramstyle == "qmark" else "%s"
    marks = ", ".join([mark] * len(names))
    return f"INSERT INTO {preparer.format_table(table)} ({columns}) VALUES ({marks})"  # noqa: S608  names of the schema
