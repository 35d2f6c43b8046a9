"""The commit unit: one transaction per write call (reliability.md 3.2, RT-11).

Records, history, ``tool_changes``, outcome and the mark for hooks commit together or not at all. The order is fixed:
fence and cancel, stored outcome, decision and digest, refused tag, gates, savepoint, write, comparison, recording,
COMMIT.
"""

from __future__ import annotations

from sqlalchemy import Table, update
from sqlalchemy.engine import Connection
from sqlalchemy.exc import OperationalError

from app.agent.call_context import tool_context, write_context
from app.agent.effects import Names, find_places
from app.agent.execution.approval import Approval, find_approval
from app.agent.execution.gates import Passed, Stopped, pass_gates
from app.agent.execution.hooks import find_pending_hooks, finish_hooks, settle_interrupted_hooks
from app.agent.execution.names import rebuild_names
from app.agent.execution.reads import execute_read, stop
from app.agent.execution.recording import (
    Desk,
    count_reported,
    find_written,
    record_changes,
    record_outcome,
    record_write,
)
from app.agent.execution.results import (
    EffectDiffers,
    Executed,
    ExecutionResult,
    LeaseLost,
    RunCancelled,
    done_content,
    failed_outcome,
)
from app.agent.leases import Hold, hold_run
from app.agent.models import Run
from app.agent.rehearsal import Observed, shown_preview, tool_refusal_preview
from app.agent.retrying import retrying
from app.agent.runtime import Runtime
from app.agent.store import find_outcome
from app.agent.tools.base import WriteResult, WriteTool
from app.agent.types import Call, CallState, Outcome, Preview, RunFacts
from app.content.errors import WriteRefused
from app.content.hooks import HOOKS
from app.content.types import ChangeSet
from app.content.writer import Batch, raise_clock
from app.core.db import transaction
from app.policy.decisions import Refused

_run: Table = Run.__table__


class _Differs(Exception):
    """Rolls the transaction back: what the call does now is not what was approved."""

    def __init__(self, preview: Preview) -> None:
        super().__init__("effect_differs")
        self.preview = preview


def execute_call(facts: RunFacts, call: Call, runtime: Runtime, *, turn_revision: int) -> ExecutionResult:
    """Carry out one call of a turn, or record why not; repeating it returns the stored outcome (I4).

    ``turn_revision`` is the card that was approved, 0 for a turn that needed none. A call of a tool that only reads
    is handed to ``execute_read``. Raises ``core.crypto.Unreadable`` when the card cannot be opened,
    ``sqlalchemy.exc.OperationalError`` when the database cannot be used; nothing was committed then.
    """
    tool = runtime.registry.find(call.tool)
    if tool is not None and not tool.facts.is_write:
        return execute_read(facts, call, runtime, turn_revision=turn_revision)
    result, changes = retrying(lambda: _commit(facts, call, runtime, turn_revision))
    if isinstance(result, Executed) and changes:
        return finish_hooks(facts, call, runtime, result, changes)
    return result


def _commit(facts: RunFacts, call: Call, runtime: Runtime, revision: int) -> tuple[ExecutionResult, ChangeSet]:
    nothing = ChangeSet()
    try:
        with transaction() as connection:
            hold = hold_run(connection, facts.uuid, facts.fence, lease_seconds=runtime.settings.lease_seconds)
            if hold is not Hold.HELD:
                return LeaseLost() if hold is Hold.LOST else RunCancelled(), nothing
            desk = Desk(connection=connection, facts=facts, runtime=runtime)
            stored = find_outcome(connection, call.run_uuid, call.turn, call.ordinal, runtime.cipher)
            if stored is None:
                return _settle(desk, call, revision)
            repeated = _repeated(connection, call, stored)
            is_interrupted = find_pending_hooks(connection, facts.uuid) == (call.turn, call.ordinal)
    except _Differs as differs:
        return EffectDiffers(preview_now=differs.preview), nothing
    if is_interrupted:
        settle_interrupted_hooks(facts, runtime)
    return repeated, nothing


def _repeated(connection: Connection, call: Call, stored: Outcome) -> Executed:
    return Executed(
        outcome=stored,
        changes_reported=count_reported(connection, call),
        written=find_written(connection, call),
        is_repeated=True,
    )


def _settle(desk: Desk, call: Call, revision: int) -> tuple[ExecutionResult, ChangeSet]:
    raise_clock(desk.connection)  # after the run row, before anything is read (rehearsal.md rule 18)
    approval = find_approval(desk.connection, call, revision, desk.runtime)
    gate = pass_gates(desk, call, approval, on_card=revision > 0)
    if isinstance(gate, Stopped):
        return stop(desk, call, gate), ChangeSet()
    if not isinstance(gate.tool, WriteTool) or approval.preview is None:
        return stop(desk, call, Stopped(refused=Refused(rule="offer", reason="not_executable"))), ChangeSet()
    return _write(desk, call, gate, gate.tool, approval)


def _write(
    desk: Desk, call: Call, gate: Passed, tool: WriteTool, approval: Approval
) -> tuple[ExecutionResult, ChangeSet]:
    names = rebuild_names(desk.connection, call)
    savepoint = desk.connection.begin_nested()
    try:
        observed, result = _run_tool(desk, call, gate, tool)
    except OperationalError:
        raise  # the database, not the call: the whole unit is repeated or given up
    except WriteRefused as error:
        # Approved as working, refused now: the record or the right is gone. The approver gets to read that (F41,
        # RT-10).
        raise _Differs(tool_refusal_preview(desk.facts, call, tool, error, None)) from error
    except Exception as error:
        savepoint.rollback()
        outcome = failed_outcome(error)
        record_outcome(desk, call, outcome)
        return Executed(outcome=outcome), ChangeSet()
    _compare(desk.facts, call, observed, names, approval)
    savepoint.commit()
    return _record(desk, call, result, observed.changes), observed.changes


def _run_tool(desk: Desk, call: Call, gate: Passed, tool: WriteTool) -> tuple[Observed, WriteResult]:
    batch = Batch(desk.connection, write_context(desk.facts, call, gate.acting, rehearsal=False))
    context = tool_context(desk.connection, desk.facts, gate.acting)
    plan = tool.plan(context, call.arguments or {})
    result = tool.execute(context, plan, batch)
    changes = batch.finish()
    return Observed(plan=plan, changes=changes, places=find_places(desk.connection, changes)), result


def _compare(facts: RunFacts, call: Call, observed: Observed, names: Names, approval: Approval) -> None:
    """What was observed must equal what was approved, else nothing of it stays (D7)."""
    now = shown_preview(facts, call.ordinal, observed, names)
    if approval.preview is None or now.effect_hash != approval.preview.effect_hash:
        raise _Differs(now)


def _record(desk: Desk, call: Call, result: WriteResult, changes: ChangeSet) -> Executed:
    outcome = Outcome(state=_state(result, changes), content=done_content(result.content))
    record_outcome(desk, call, outcome)
    reported = record_changes(desk, call, changes)
    if not changes:
        return Executed(outcome=outcome)
    record_write(desk, call, result)
    if HOOKS.has_after_commit:
        mark = f"{call.turn}/{call.ordinal}"
        desk.connection.execute(update(_run).where(_run.c.uuid == call.run_uuid).values(hooks_pending=mark))
    target = result.target
    written = None if target is None else (target.table, target.uid, result.kind)
    return Executed(outcome=outcome, changes_reported=reported, written=written)


def _state(result: WriteResult, changes: ChangeSet) -> CallState:
    if not changes:
        return CallState.UNCHANGED
    return CallState.PARTIAL if result.completeness == "partial" else CallState.DONE
