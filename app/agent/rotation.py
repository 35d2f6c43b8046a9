"""Sealing again what earlier keys sealed (RT-16): row by row, while workers go on; one unreadable row harms only itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Table, and_, select, update
from sqlalchemy.engine import Connection

from app.agent import models
from app.agent.previews import purpose
from app.agent.transcript import message_purpose
from app.core.crypto import Cipher, Unreadable
from app.core.db import reading, transaction

Row = Mapping[Any, Any]
_BATCH = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class Sealed:
    """A column whose values are encrypted, and what they are authenticated with."""

    table: Table
    column: str
    purpose: Callable[[Row], str]


def _of_run(name: str) -> Callable[[Row], str]:
    return lambda row: purpose(name, row["run_uuid"])


COLUMNS = (
    Sealed(
        table=models.RunMessage.__table__,
        column="body_sealed",
        purpose=lambda row: message_purpose(row["run_uuid"], row["seq"]),
    ),
    Sealed(table=models.ToolCall.__table__, column="arguments_sealed", purpose=_of_run("tool_call.arguments")),
    Sealed(table=models.Turn.__table__, column="digest_key_sealed", purpose=_of_run("turn.digest_key")),
    Sealed(table=models.CallPreview.__table__, column="preview_sealed", purpose=_of_run("call_preview.preview")),
    Sealed(
        table=models.ApprovalDecision.__table__, column="reason_sealed", purpose=_of_run("approval_decision.reason")
    ),
    Sealed(table=models.CallOutcome.__table__, column="content_sealed", purpose=_of_run("call_outcome.content")),
)
"""Every encrypted column; a test compares this list with the tables."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rotation:
    """How many values were sealed again, and how many no key opens."""

    sealed: int
    unreadable: int


def seal_again(cipher: Cipher) -> Rotation:
    """Seal every value of an earlier key with the current one, 100 rows a transaction. Repeating it does nothing."""
    sealed = unreadable = 0
    for column in COLUMNS:
        last: tuple[Any, ...] | None = None
        while rows := _next_rows(column, last):
            last = tuple(rows[-1][key.name] for key in column.table.primary_key.columns)
            old = [row for row in rows if row[column.column] and not cipher.is_current(row[column.column])]
            done = _seal_rows(column, old, cipher) if old else 0
            sealed, unreadable = sealed + done, unreadable + len(old) - done
    return Rotation(sealed=sealed, unreadable=unreadable)


def _next_rows(sealed: Sealed, last: tuple[Any, ...] | None) -> list[Row]:
    keys = list(sealed.table.primary_key.columns)
    statement = select(*keys, sealed.table.c[sealed.column]).order_by(*keys).limit(_BATCH)
    if last is not None:
        statement = statement.where(_after(keys, last))
    with reading() as connection:
        return list(connection.execute(statement).mappings().all())


def _after(keys: list[Column[Any]], last: tuple[Any, ...]) -> Any:
    """Rows that follow ``last`` in the order of the key: (a, b) > (x, y), written out for both databases."""
    first, *rest = keys
    if not rest:
        return first > last[0]
    return (first > last[0]) | and_(first == last[0], _after(rest, last[1:]))


def _seal_rows(sealed: Sealed, rows: list[Row], cipher: Cipher) -> int:
    fresh: list[tuple[Row, str]] = []
    for row in rows:
        try:
            plain = cipher.open(row[sealed.column], sealed.purpose(row))
        except Unreadable:
            continue
        fresh.append((row, cipher.seal(plain, sealed.purpose(row))))
    with transaction() as connection:
        for row, value in fresh:
            _replace(connection, sealed, row, value)
    return len(fresh)


def _replace(connection: Connection, sealed: Sealed, row: Row, value: str) -> None:
    """Only where the old value still stands: a worker may have written a newer one, with the current key."""
    table = sealed.table
    same = [key == row[key.name] for key in table.primary_key.columns]
    old = table.c[sealed.column] == row[sealed.column]
    connection.execute(update(table).where(*same, old).values({sealed.column: value}))
