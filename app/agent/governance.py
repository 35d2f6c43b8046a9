"""Refusals for auditors: who, which tool, which rule and reason code. Never arguments, results or explanations
(DW-08).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import ColumnElement, Table, func, insert, select
from sqlalchemy.engine import Connection

from app.agent.models import GovernanceEvent
from app.core import clock

_events: Table = GovernanceEvent.__table__
_LENGTHS = {"reason": 64, "rule": 64, "tool": 120, "detail": 200}


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
    RUNS_HALTED = "runs_halted"
    """Somebody stopped every run and lets none begin (I7)."""
    RUNS_RESUMED = "runs_resumed"
    """Somebody lets runs begin and go on again."""


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


_COLUMNS = [_events.c[name] for name in Refusal.__slots__]


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
    detail: str = "",
) -> None:
    """Append one refusal. The name of an unknown tool comes from the model, so it is cut to what the column holds.

    ``detail`` is what a person said about their own act.
    """
    connection.execute(
        insert(_events).values(
            run_uuid=run_uuid,
            decision=decision.value,
            reason=reason[: _LENGTHS["reason"]],
            rule=rule[: _LENGTHS["rule"]],
            tool=tool[: _LENGTHS["tool"]],
            configuration_id=configuration_id,
            user_id=user_id,
            detail=detail[: _LENGTHS["detail"]],
            at=clock.now(),
        )
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class RefusalFilter:
    """Which refusals are wanted; what is empty restricts nothing."""

    run_uuid: str = ""
    decision: str = ""
    rule: str = ""
    reason: str = ""
    tool: str = ""
    configuration_id: int = 0
    since: int = 0
    """Seconds; refusals at this moment or after."""
    until: int = 0
    """Seconds; refusals before this moment."""


def list_refusals(
    connection: Connection, wanted: RefusalFilter, *, limit: int = 100, before_id: int | None = None
) -> tuple[Refusal, ...]:
    """The newest refusals first, optionally only those older than ``before_id``."""
    statement = select(*_COLUMNS).where(*_conditions(wanted)).order_by(_events.c.id.desc()).limit(limit)
    if before_id is not None:
        statement = statement.where(_events.c.id < before_id)
    return tuple(Refusal(**row) for row in connection.execute(statement).mappings().all())


def count_refusals(connection: Connection, wanted: RefusalFilter) -> tuple[tuple[str, str, str, int], ...]:
    """Decision, rule, reason and how often each was recorded, most frequent first; kinds are never added up."""
    kinds = (_events.c.decision, _events.c.rule, _events.c.reason)
    times = func.count().label("times")
    statement = select(*kinds, times).where(*_conditions(wanted)).group_by(*kinds).order_by(times.desc(), *kinds)
    return tuple((row[0], row[1], row[2], int(row[3])) for row in connection.execute(statement).all())


def known_values(connection: Connection) -> dict[str, tuple[str, ...]]:
    """The decisions, rules, reasons and tools there are refusals of, to choose from."""
    columns = (_events.c.decision, _events.c.rule, _events.c.reason, _events.c.tool)
    rows = connection.execute(select(*columns).distinct()).all()
    return {
        column.name: tuple(sorted({str(row[place]) for row in rows if row[place]}))
        for place, column in enumerate(columns)
    }


def _conditions(wanted: RefusalFilter) -> list[ColumnElement[bool]]:
    found = [
        _events.c[name] == getattr(wanted, name)
        for name in ("run_uuid", "decision", "rule", "reason", "tool", "configuration_id")
        if getattr(wanted, name)
    ]
    if wanted.since:
        found.append(_events.c.at >= wanted.since)
    if wanted.until:
        found.append(_events.c.at < wanted.until)
    return found
