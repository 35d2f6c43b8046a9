"""Repeat a whole unit of work when the database asks for it; the rollback makes that safe (rehearsal.md rule 18, F17,
F23).
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy.exc import DBAPIError

_ATTEMPTS = 3
_PAUSE = 0.05  # seconds, doubled each time and jittered so that two losers do not meet again
_STATES = frozenset({"55P03", "40P01", "40001", "57P01", "57P02", "57P03"})
T = TypeVar("T")


def retrying(unit: Callable[[], T]) -> T:
    """The result of ``unit``, tried at most three times; what the database refuses for good is raised."""
    for attempt in range(1, _ATTEMPTS):
        try:
            return unit()
        except DBAPIError as error:
            if not is_temporary(error):
                raise
        threading.Event().wait(_PAUSE * 2**attempt * (0.5 + secrets.randbelow(1000) / 1000))
    return unit()


def is_temporary(error: DBAPIError) -> bool:
    """Whether the same unit may succeed a moment later: a lock timeout, a deadlock, a lost connection, or a busy
    SQLite file.

    A connection lost during COMMIT leaves open whether it took place; the unit looks its outcome up first, so
    repeating is safe (F22).
    """
    state = getattr(error.orig, "sqlstate", None)
    return error.connection_invalidated or state in _STATES or "database is locked" in str(error.orig)
