"""Numbers for new rows, taken before the rows are written (rehearsal.md rule 2).

With its own numbers a batch inserts thousands of rows in one statement and knows every reference beforehand;
``RETURNING`` would fall back to one statement per row on SQLite.
"""

from __future__ import annotations

from sqlalchemy import Connection, Table, func, select
from sqlalchemy import text as sql  # texts are words for people elsewhere, and collected for translation


def reserve_uids(connection: Connection, table: Table, count: int) -> list[int]:
    """``count`` numbers of ``table`` in ascending order that no row has or ever had.

    SQLite: must run inside a writing transaction (the counter is a row, and a rollback gives the numbers back).
    PostgreSQL: the sequence keeps running after a rollback, so gaps are normal.
    """
    if count <= 0:
        return []
    if connection.dialect.name == "sqlite":
        last = _raise_counter(connection, table, count)
        return list(range(last - count + 1, last + 1))
    numbers = connection.execute(
        sql("SELECT nextval(pg_get_serial_sequence(:name, 'uid')) FROM generate_series(1, :count)"),
        {"name": table.name, "count": count},
    )
    return sorted(int(number) for number in numbers.scalars().all())


def _raise_counter(connection: Connection, table: Table, count: int) -> int:
    values = {"name": table.name, "count": count}
    raised = sql("UPDATE sqlite_sequence SET seq = seq + :count WHERE name = :name RETURNING seq")
    last = connection.execute(raised, values).scalar()
    if last is not None:
        return int(last)
    # SQLite makes the counter with the first row of a table; nobody has inserted one yet.
    highest = connection.execute(select(func.max(table.c.uid))).scalar() or 0
    start = sql("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :last)")
    connection.execute(start, {"name": table.name, "last": highest + count})
    return int(highest) + count
