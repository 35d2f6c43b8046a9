"""Counting the statements a piece of code sends (perf.md: what is exact is an ordinary test)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event

from app.core.db import READING, db


@contextmanager
def count_statements() -> Iterator[list[str]]:
    """The statements of both engines while the block runs, in order."""
    seen: list[str] = []

    def remember(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        seen.append(statement)

    engines = [db.engine, db.engines[READING]]
    for engine in engines:
        event.listen(engine, "before_cursor_execute", remember)
    try:
        yield seen
    finally:
        for engine in engines:
            event.remove(engine, "before_cursor_execute", remember)
