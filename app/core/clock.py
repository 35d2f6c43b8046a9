"""The only source of time (fakeable in tests).

Times in the database are whole seconds since the epoch in UTC; dates are worded in the reader's zone by the web layer.
"""

from __future__ import annotations

import time
from typing import Protocol


class TimeSource(Protocol):
    """What the product needs of a clock."""

    def now(self) -> float:
        """Seconds since the epoch, UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go backwards, for durations."""
        ...


class SystemTime:
    """The machine's own clock."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


_source: TimeSource = SystemTime()


def use_source(source: TimeSource) -> TimeSource:
    """Take time from ``source`` from now on; returns the one used before so that a test can put it back."""
    global _source
    before, _source = _source, source
    return before


def now() -> int:
    """Whole seconds since the epoch, UTC."""
    return int(_source.now())


def monotonic() -> float:
    """Seconds for measuring durations."""
    return _source.monotonic()
