"""Decisions are values: allowed, or refused with the rule, a reason code and an optional explanation."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.i18n import Text

FAILURE_REASONS = frozenset({"rule_failed", "history_incomplete", "policy_failed"})
"""Reasons that say the policy itself failed: before a card they are no refusal (DW-11)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Allowed:
    """Nothing speaks against it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Refused:
    """Something speaks against it.

    ``rule`` and ``reason`` are codes for logs; ``explanation`` is for people and never recorded (DW-08).
    """

    rule: str
    reason: str
    explanation: Text | None = None

    @property
    def is_failure(self) -> bool:
        """Whether the policy failed instead of refusing on purpose (DW-11)."""
        return self.reason in FAILURE_REASONS


Decision = Allowed | Refused
ALLOWED = Allowed()
