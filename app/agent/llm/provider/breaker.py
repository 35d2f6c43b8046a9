"""A circuit breaker per provider: after several failures in a row it is left alone for a while (F27)."""

from __future__ import annotations

import math
import threading
from collections.abc import Hashable

from app.agent.llm.base import ModelError, ProviderFailed
from app.core import clock

FAILURES = 6
"""Failures in a row that open the circuit: two runs that tried three times each."""
PAUSE = 30.0
"""Seconds without a call; then one call tries again, and its failure opens the circuit anew."""
_COUNTED = frozenset({"connection", "server"})


class Breaker:
    """Counts failures in a row per provider, for all runs of this process."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._failures: dict[Hashable, int] = {}
        self._closed_until: dict[Hashable, float] = {}

    def admit(self, provider: Hashable) -> None:
        """Raise ``ProviderFailed`` with the seconds left while ``provider`` is left alone."""
        with self._guard:
            left = self._closed_until.get(provider, 0.0) - clock.monotonic()
        if left > 0:
            raise ProviderFailed(
                "the provider failed several times in a row and is left alone for a while",
                code="left_alone",
                retry_after=float(math.ceil(left)),
            )

    def note(self, provider: Hashable, failure: ModelError | None) -> None:
        """Take note of how a call ended; any sign of life ends a row of failures."""
        with self._guard:
            if failure is None or failure.kind not in _COUNTED:
                self._failures.pop(provider, None)
                return
            self._failures[provider] = self._failures.get(provider, 0) + 1
            if self._failures[provider] >= FAILURES:
                self._closed_until[provider] = clock.monotonic() + PAUSE

    def reset(self) -> None:
        """Forget every failure."""
        with self._guard:
            self._failures.clear()
            self._closed_until.clear()


BREAKER = Breaker()
"""The breaker of this process."""
