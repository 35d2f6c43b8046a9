"""What execution answers, and the words the model reads: codes first, never exception bodies (RT-15)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.agent.policy_gate import explained
from app.agent.types import CallState, Outcome, Preview
from app.core import canonical
from app.core.i18n import render
from app.policy.decisions import Refused

RESULT_BYTES = 50_000
"""Longest result the model reads, in bytes of UTF-8, marker included (RT-17)."""
_CUT = "\n[cut: the result was longer]"


@dataclass(frozen=True, kw_only=True, slots=True)
class Executed:
    """The call ended, now or earlier; ``outcome`` is what is stored."""

    outcome: Outcome
    changes_reported: int = 0
    """Records its ``tool_changes`` events report, those left out included."""
    written: tuple[str, int, str] | None = None
    """(table, row uid, kind) of the record the call wrote, for the news of the run."""
    is_repeated: bool = False
    """Whether the outcome was stored by an earlier attempt; nothing was executed this time."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EffectDiffers:
    """The call would do something else than was approved; nothing was committed (D7)."""

    preview_now: Preview


@dataclass(frozen=True, kw_only=True, slots=True)
class LeaseLost:
    """Another worker holds the run, or it ended: stop without writing anything."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunCancelled:
    """Somebody asked to stop: no further call (RT-14)."""


ExecutionResult = Executed | EffectDiffers | LeaseLost | RunCancelled


def done_content(content: Mapping[str, Any]) -> str:
    """A result as the model reads it: JSON, cut at 50,000 bytes on a character boundary."""
    words = canonical.dumps(dict(content))
    encoded = words.encode()
    if len(encoded) <= RESULT_BYTES:
        return words
    return encoded[: RESULT_BYTES - len(_CUT)].decode(errors="ignore") + _CUT


def refused_outcome(refused: Refused, language: str) -> Outcome:
    """A refusal: rule and reason, then the explanation in the acting user's language (DW-07)."""
    code = f"{refused.rule}/{refused.reason}"
    return Outcome(
        state=CallState.REFUSED, code=code[:80], content=f"refused: {code}\n{render(explained(refused), language)}"
    )


def failed_outcome(error: Exception) -> Outcome:
    """A failure that left nothing behind: the class of what was raised, never its message."""
    code = type(error).__name__
    return Outcome(state=CallState.FAILED, code=code[:80], content=f"failed: {code}\nNothing was changed.")
