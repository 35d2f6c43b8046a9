"""Keeps Python's search for reference cycles out of large writes.

A batch over thousands of rows makes hundreds of thousands of containers, none of them part of a cycle, and all are
needed until it ends. The collector walks them again and again for nothing: a third of the time of a large copy
(perf.md W1, W7), all of it while the write lock is held.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_guard = threading.Lock()
_pauses = 0
_was_enabled = False


@contextmanager
def collection_paused() -> Iterator[None]:
    """Inside, no thread of the process looks for cycles; at the end of the last pause it is as it was before the
    first. Only for work that is bounded.
    """
    _begin()
    try:
        yield
    finally:
        _end()


def _begin() -> None:
    global _pauses, _was_enabled
    with _guard:
        if not _pauses:
            _was_enabled = gc.isenabled()
            gc.disable()
        _pauses += 1


def _end() -> None:
    global _pauses
    with _guard:
        _pauses -= 1
        if not _pauses and _was_enabled:
            gc.enable()
