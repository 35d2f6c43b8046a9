"""Refusals for auditors: who, which tool, which rule and reason code. Never arguments, results or explanations
(DW-08).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Table, insert, select
from sqlalchemy.engine import Connection

from app.agent.models import GovernanceEvent
from app.core import clock

_events: Table = GovernanceEvent.__table__
_LENGTHS = {"reason": 64, "rule": 64, "tool": 120}


class GovernanceDecision(StrEnum):
    """What was refused. The kinds are counted apart (runtime.md section 14)."""

    INVOCATION_DENIED = "invocation_denied"
    """A rule refused a call, or it was refused on its card."""
    TOOL_DENIED = "tool_denied"
    """The tool is not offered to this run."""
    WRITE_UNAPPROVED = "write_unapproved"
    """A write that waits for approval has none."""
    APPROVER_DENIED = "approver_denied"
    """The person who decided, or wanted to, may not release this call."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal:
    """One row of the log, newest facts last known."""

    id: int
    run_uuid: str
    decision: str
    reason: str
    rule: str
    tool: str
    configuration_id: int
    user_id: int
    at: int


def record_refusal(
    connection: Connection,
    *,
    run_uuid: str,
    decision: GovernanceDecision,
    reason: str,
    rule: str = "",
    tool: str = "",
    configuration_id: int = 0,
    user_id: int = 0,
) -> None:
    """Append one refusal. The name of an unknown tool comes from the model, so it is cut to what the column holds."""
    connection.execute(
        insert(_events).values(
            run_uuid=run_uuid,
            decision=decision.value,
            reason=reason[: _LENGTHS["reason"]],
            rule=rule[: _LENGTHS["rule"]],
            tool=tool[: _LENGTHS["tool"]],
            configuration_id=configuration_id,
            user_id=user_id,
            at=clock.now(),
        )
    )


def list_refusals(
    connection: Connection, *, limit: int = 100, before_id: int | None = None, run_uuids: Sequence[str] | None = None
) -> tuple[Refusal, ...]:
    """The newest refusals first, optionally older than ``before_id`` or of some runs only (an empty list matches
    nothing).
    """
    statement = select(_events).order_by(_events.c.id.desc()).limit(limit)
    if before_id is not None:
        statement = statement.where(_events.c.id < before_id)
    if run_uuids is not None:
        statement = statement.where(_events.c.run_uuid.in_(run_uuids))
    return tuple(Refusal(**row) for row in connection.execute(statement).mappings().all())
