"""What a call leaves besides its records: outcome, events, refusals; all in the caller's transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy.engine import Connection

from app.agent.events import EventKind, Unreadable, append_event, decode, read_events
from app.agent.governance import GovernanceDecision, record_refusal
from app.agent.news import announce_call
from app.agent.policy_gate import APPROVER, OFFER
from app.agent.runtime import Runtime
from app.agent.store import save_outcome
from app.agent.tools.base import WriteResult
from app.agent.types import Call, CallState, Outcome, RunFacts
from app.content.types import ChangeSet, ObservedChange
from app.policy.decisions import Refused

RECORDS_PER_EVENT = 50
"""Records one ``tool_changes`` event carries; the rest is counted, the history has them all (D20)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Desk:
    """What recording needs: the open transaction, the run and the parts of the runtime."""

    connection: Connection
    facts: RunFacts
    runtime: Runtime


def record_outcome(desk: Desk, call: Call, outcome: Outcome) -> None:
    """Store how the call ended and its ``tool`` event."""
    save_outcome(desk.connection, desk.runtime.cipher, call, outcome)
    append_event(
        desk.connection,
        call.run_uuid,
        EventKind.TOOL,
        {
            "turn": call.turn,
            "call": call.ordinal,
            "tool": call.tool,
            "ok": not outcome.is_error,
            "state": outcome.state.value,
            "code": outcome.code,
        },
    )
    if outcome.state is CallState.FAILED:
        announce_call(desk.connection, call.run_uuid, tool_failed=True)


def record_changes(desk: Desk, call: Call, changes: ChangeSet, *, failed: bool = False) -> int:
    """Store what the content service observed as a ``tool_changes`` event; returns how many records that were."""
    shown = changes.changes[:RECORDS_PER_EVENT]
    append_event(
        desk.connection,
        call.run_uuid,
        EventKind.TOOL_CHANGES,
        {
            "turn": call.turn,
            "call": call.ordinal,
            "tool": call.tool,
            "status": "complete",
            "failed": failed or changes.failed_after_write,
            "omitted": len(changes.changes) - len(shown),
            "changes": [_change(change) for change in shown],
        },
    )
    return len(changes.changes)


def _change(change: ObservedChange) -> dict[str, Any]:
    facts = {
        "t": change.table,
        "u": change.uid,
        "l": change.live_uid,
        "a": change.action.value,
        "w": change.workspace_id,
        "p": change.page_uid,
        "lang": change.language_id,
        "h": change.hidden,
        "s": change.starttime,
        "e": change.endtime,
        "g": None if change.groups is None else list(change.groups),
        "target": change.is_target,
    }
    return {name: value for name, value in facts.items() if value is not None}  # an absent trait is an absent fact


def record_write(desk: Desk, call: Call, result: WriteResult) -> None:
    """Store the record a write names as a ``tool_write`` event."""
    if result.target is None:
        return
    payload = {
        "t": result.target.table,
        "u": result.target.uid,
        "kind": result.kind,
        "completeness": result.completeness,
        "hook_failed": False,
    }
    append_event(
        desk.connection, call.run_uuid, EventKind.TOOL_WRITE, {"turn": call.turn, "call": call.ordinal, **payload}
    )
    announce_call(desk.connection, call.run_uuid, written=(result.target.table, result.target.uid, result.kind))


def record_failed_hook(connection: Connection, uuid: str, turn: int, ordinal: int) -> None:
    """Store that an extension failed after the write of a call: the same ``tool_write`` again, marked (CH-07)."""
    named = [event for event in _written(connection, uuid) if (event["turn"], event["call"]) == (turn, ordinal)]
    if named:
        fields = {name: value for name, value in named[-1].items() if name != "v"}
        append_event(connection, uuid, EventKind.TOOL_WRITE, {**fields, "hook_failed": True})
        announce_call(connection, uuid, tool_failed=True)


def _written(connection: Connection, uuid: str) -> list[dict[str, Any]]:
    payloads = [decode(event) for event in read_events(connection, [uuid], [EventKind.TOOL_WRITE])]
    return [dict(payload) for payload in payloads if not isinstance(payload, Unreadable)]


def count_reported(connection: Connection, call: Call) -> int:
    """How many records the stored ``tool_changes`` events of a call report."""
    total = 0
    for event in read_events(connection, [call.run_uuid], [EventKind.TOOL_CHANGES]):
        payload = decode(event)
        if isinstance(payload, Unreadable):
            continue
        if (payload.get("turn"), payload.get("call")) == (call.turn, call.ordinal):
            total += len(payload["changes"]) + int(payload["omitted"])
    return total


def find_written(connection: Connection, call: Call) -> tuple[str, int, str] | None:
    """(table, row uid, kind) of the record a stored call wrote."""
    for payload in _written(connection, call.run_uuid):
        if (payload["turn"], payload["call"]) == (call.turn, call.ordinal):
            return str(payload["t"]), int(payload["u"]), str(payload["kind"])
    return None


_DECISIONS = {OFFER: GovernanceDecision.TOOL_DENIED, APPROVER: GovernanceDecision.APPROVER_DENIED}


def log_refusal(desk: Desk, call: Call, refused: Refused, decision: GovernanceDecision | None = None) -> None:
    """Store one refusal for auditors: rule id and reason code only (DW-08)."""
    record_refusal(
        desk.connection,
        run_uuid=call.run_uuid,
        decision=decision or _DECISIONS.get(refused.rule, GovernanceDecision.INVOCATION_DENIED),
        reason=refused.reason,
        rule=refused.rule,
        tool=call.tool,
        configuration_id=desk.facts.configuration.id,
        user_id=desk.facts.owner_id,
    )
