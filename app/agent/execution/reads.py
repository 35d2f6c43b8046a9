"""Calls that only read: the same gates, no write lock while reading, then a short transaction for what is recorded."""

from __future__ import annotations

from app.agent.call_context import tool_context
from app.agent.execution.approval import Approval, find_approval
from app.agent.execution.gates import Passed, Stopped, pass_gates
from app.agent.execution.recording import Desk, log_refusal, record_outcome
from app.agent.execution.results import (
    Executed,
    ExecutionResult,
    LeaseLost,
    RunCancelled,
    done_content,
    failed_outcome,
    refused_outcome,
)
from app.agent.leases import Hold, hold_run
from app.agent.policy_gate import TOOL
from app.agent.retrying import retrying
from app.agent.runtime import Runtime
from app.agent.store import find_outcome
from app.agent.tools.base import ReadTool
from app.agent.types import Call, CallState, Outcome, RunFacts
from app.content.errors import WriteRefused
from app.core.db import reading, transaction
from app.policy.decisions import Refused


def execute_read(facts: RunFacts, call: Call, runtime: Runtime, *, turn_revision: int = 0) -> ExecutionResult:
    """Answer a call that only reads, or refuse one that nobody may run: unknown, not offered, unsuitable arguments.

    A write never runs here: without an approval it is refused as such. Repeating it returns the stored outcome.
    """
    with reading() as connection:
        desk = Desk(connection=connection, facts=facts, runtime=runtime)
        stored = find_outcome(connection, call.run_uuid, call.turn, call.ordinal, runtime.cipher)
        if stored is not None:
            return Executed(outcome=stored, is_repeated=True)
        approval = find_approval(connection, call, turn_revision, runtime)
        gate = pass_gates(desk, call, _without_decision(approval), on_card=turn_revision > 0)
        if isinstance(gate, Passed):
            answer: Outcome | Stopped = _read(desk, call, gate)
        else:
            answer = gate
    return retrying(lambda: _record(facts, call, runtime, answer))


def _without_decision(approval: Approval) -> Approval:
    return Approval(preview=approval.preview)


def _read(desk: Desk, call: Call, gate: Passed) -> Outcome:
    tool = gate.tool
    if not isinstance(tool, ReadTool):
        return failed_outcome(TypeError("not a reading tool"))
    try:
        found = tool.read(tool_context(desk.connection, desk.facts, gate.acting), call.arguments or {})
        return Outcome(state=CallState.DONE, content=done_content(found))
    except WriteRefused as error:
        return refused_outcome(Refused(rule=TOOL, reason=error.reason, explanation=error.text), desk.facts.language)
    except Exception as error:
        return failed_outcome(error)


def _record(facts: RunFacts, call: Call, runtime: Runtime, answer: Outcome | Stopped) -> ExecutionResult:
    with transaction() as connection:
        hold = hold_run(connection, facts.uuid, facts.fence, lease_seconds=runtime.settings.lease_seconds)
        if hold is not Hold.HELD:
            return LeaseLost() if hold is Hold.LOST else RunCancelled()
        desk = Desk(connection=connection, facts=facts, runtime=runtime)
        stored = find_outcome(connection, call.run_uuid, call.turn, call.ordinal, runtime.cipher)
        if stored is not None:
            return Executed(outcome=stored, is_repeated=True)
        if isinstance(answer, Outcome):
            record_outcome(desk, call, answer)
            return Executed(outcome=answer)
        return stop(desk, call, answer)


def stop(desk: Desk, call: Call, gate: Stopped) -> Executed:
    """Record a refusal: outcome, event and exactly one governance row."""
    outcome = refused_outcome(gate.refused, desk.facts.language)
    if gate.state is not CallState.REFUSED:
        outcome = Outcome(state=gate.state, code=gate.refused.reason, content=outcome.content)
    record_outcome(desk, call, outcome)
    log_refusal(desk, call, gate.refused, gate.decision)
    return Executed(outcome=outcome)
