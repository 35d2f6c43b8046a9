"""What the database itself needs: the rows of one copy, written again by the driver alone, in the same file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from sqlalchemy import Connection, Table, func, select

from app.content.models import RecordHistory
from app.content.schema import CONTENT_ELEMENTS, PAGES
from app.core.db import db, reading, transaction

Rows = list[dict[str, Any]]
_HISTORY = cast(Table, RecordHistory.__table__)
_TABLES = (PAGES.table, CONTENT_ELEMENTS.table)


class RawInsert:
    """The rows ``write`` adds, captured once; ``insert`` is the floor, ``prepare`` gives them fresh uids beforehand.

    Same file, same indexes, same durability, one transaction, one ``executemany`` per table.
    """

    def __init__(self, write: Callable[[], object]) -> None:
        with reading() as connection:
            first = {table.name: _highest(connection, table) + 1 for table in (*_TABLES, _HISTORY)}
        write()
        with reading() as connection:
            self._rows = {table.name: _rows_from(connection, table, first[table.name]) for table in _TABLES}
            history = _rows_from(connection, _HISTORY, first[_HISTORY.name])
        self._first = first
        self._history = [{name: value for name, value in row.items() if name != "id"} for row in history]
        self._prepared: list[tuple[str, Rows]] = []

    @property
    def row_count(self) -> int:
        """Rows of one insert, history included."""
        return sum(map(len, self._rows.values())) + len(self._history)

    def prepare(self) -> None:
        """Give the rows uids nothing has; building tuples is no part of the floor."""
        with reading() as connection:
            shift = {table.name: _highest(connection, table) + 1 - self._first[table.name] for table in _TABLES}
        pages, first_page = shift[PAGES.name], self._first[PAGES.name]
        moved = [
            (
                name,
                [
                    {**row, "uid": row["uid"] + shift[name], "pid": row["pid"] + pages * (row["pid"] >= first_page)}
                    for row in rows
                ],
            )
            for name, rows in self._rows.items()
        ]
        if not _is_sqlite():
            _take_numbers({name: rows[-1]["uid"] for name, rows in moved if rows})
        self._prepared = [(name, rows) for name, rows in (*moved, (_HISTORY.name, self._history)) if rows]
        self._statements = [
            (_insert(name, rows), [tuple(row.values()) for row in rows]) for name, rows in self._prepared
        ]

    def insert(self) -> None:
        """Write the prepared rows."""
        raw = db.engine.raw_connection()
        try:
            cursor = raw.cursor()
            if _is_sqlite():
                cursor.execute("BEGIN IMMEDIATE")
            for statement, rows in self._statements:
                cursor.executemany(statement, rows)
            raw.commit()
        finally:
            raw.close()


def _take_numbers(highest: Mapping[str, int]) -> None:
    """Rows that bring their uids leave a sequence of PostgreSQL behind, whose next numbers would be theirs."""
    with transaction() as connection:
        for name, uid in highest.items():
            connection.execute(select(func.setval(func.pg_get_serial_sequence(name, "uid"), uid)))


def _highest(connection: Connection, table: Table) -> int:
    return int(connection.execute(select(func.max(_key(table)))).scalar() or 0)


def _key(table: Table) -> Any:
    return table.c["uid" if table is not _HISTORY else "id"]


def _rows_from(connection: Connection, table: Table, first: int) -> Rows:
    found = connection.execute(select(table).where(_key(table) >= first).order_by(_key(table)))
    return [dict(row) for row in found.mappings().all()]


def _insert(table: str, rows: Sequence[dict[str, Any]]) -> str:
    names = list(rows[0])
    marks = ", ".join(["?" if _is_sqlite() else "%s"] * len(names))
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})"  # noqa: S608  own names


def _is_sqlite() -> bool:
    return db.engine.dialect.name == "sqlite"
