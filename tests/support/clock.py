"""A clock for tests."""

from __future__ import annotations

START = 1_795_000_000.0


class FakeClock:
    """Stands still until ``advance`` is called."""

    def __init__(self, start: float = START) -> None:
        self._now = start

    def now(self) -> float:
        return self._now

    def monotonic(self) -> float:
        return self._now

    def advance(self, seconds: float) -> None:
        """Move on by ``seconds``."""
        self._now += seconds
