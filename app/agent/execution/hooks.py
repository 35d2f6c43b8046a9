"""Extensions that run after a call's COMMIT: not rehearsed, each with its own event of the same call (D7, CH-07)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Table, select, update
from sqlalchemy.engine import Connection

from app.agent.call_context import write_context
from app.agent.execution.recording import Desk, record_changes, record_failed_hook
from app.agent.execution.results import Executed, ExecutionResult, LeaseLost
from app.agent.leases import Hold, hold_run
from app.agent.models import Run
from app.agent.policy_gate import find_acting
from app.agent.retrying import retrying
from app.agent.runtime import Runtime
from app.agent.store import find_outcome, note_outcome
from app.agent.types import Call, Outcome, RunFacts
from app.content.hooks import HOOKS, AfterCommitResult, run_after_commit
from app.content.types import ChangeSet
from app.core.crypto import Cipher, Unreadable
from app.core.db import reading, transaction

_run: Table = Run.__table__
HOOK_FAILED = "hook_failed"
_NOTE = "note: the records were written, but an extension failed afterwards; check this record\n"


def finish_hooks(facts: RunFacts, call: Call, runtime: Runtime, done: Executed, changes: ChangeSet) -> ExecutionResult:
    """Run the hooks that follow a committed call and record what each did; the call's own records stay in any case."""
    if not HOOKS.has_after_commit:
        return done
    with reading() as connection:
        acting = find_acting(connection, facts)
    if acting is None:
        return settle_interrupted_hooks(facts, runtime) or done
    results = run_after_commit(write_context(facts, call, acting, rehearsal=False), changes)
    return retrying(lambda: _record(facts, call, runtime, done, results))


def _record(
    facts: RunFacts, call: Call, runtime: Runtime, done: Executed, results: Sequence[AfterCommitResult]
) -> ExecutionResult:
    with transaction() as connection:
        if not _is_held(connection, facts, runtime):
            return LeaseLost()
        desk = Desk(connection=connection, facts=facts, runtime=runtime)
        reported = done.changes_reported
        for result in results:
            if result.changes or result.error is not None:
                reported += record_changes(desk, call, result.changes, failed=result.error is not None)
        outcome = done.outcome
        if any(result.error is not None for result in results):
            noted = _note_failure(connection, runtime.cipher, facts.uuid, (call.turn, call.ordinal))
            outcome = noted or outcome
        _clear(connection, facts.uuid)
        return replace(done, outcome=outcome, changes_reported=reported)


def settle_interrupted_hooks(facts: RunFacts, runtime: Runtime) -> LeaseLost | None:
    """Tell a crash between a call's COMMIT and the end of its hooks: "failed after writing". To be asked when a run
    is taken up.

    None = nothing is left to do.
    """
    with transaction() as connection:
        if not _is_held(connection, facts, runtime):
            return LeaseLost()
        mark = connection.execute(select(_run.c.hooks_pending).where(_run.c.uuid == facts.uuid)).scalar()
        if mark:
            note_hooks_lost(connection, facts.uuid, mark, runtime)
    return None


def note_hooks_lost(connection: Connection, uuid: str, pending: str, runtime: Runtime) -> None:
    """Mark the call named by ``pending`` (``turn/call``) as failed after writing; the caller holds the run."""
    _note_failure(connection, runtime.cipher, uuid, _place(pending))
    _clear(connection, uuid)


def _place(mark: str) -> tuple[int, int]:
    turn, _, ordinal = mark.partition("/")
    return int(turn), int(ordinal)


def find_pending_hooks(connection: Connection, uuid: str) -> tuple[int, int] | None:
    """(turn, call) whose hooks have not ended; None = none."""
    mark = connection.execute(select(_run.c.hooks_pending).where(_run.c.uuid == uuid)).scalar()
    return _place(mark) if mark else None


def _is_held(connection: Connection, facts: RunFacts, runtime: Runtime) -> bool:
    """Whether this worker still holds the run; a wish to stop does not undo what is committed."""
    return hold_run(connection, facts.uuid, facts.fence, lease_seconds=runtime.settings.lease_seconds) is not Hold.LOST


def _note_failure(connection: Connection, cipher: Cipher, uuid: str, place: tuple[int, int]) -> Outcome | None:
    """The outcome with the note in front; None when it cannot be opened: the event tells it all the same (RT-16)."""
    turn, ordinal = place
    record_failed_hook(connection, uuid, turn, ordinal)
    try:
        stored = find_outcome(connection, uuid, turn, ordinal, cipher)
    except Unreadable:
        return None
    if stored is None:
        return None
    noted = replace(stored, code=HOOK_FAILED, content=_NOTE + stored.content)
    note_outcome(connection, cipher, uuid, turn, ordinal, noted)
    return noted


def _clear(connection: Connection, uuid: str) -> None:
    connection.execute(update(_run).where(_run.c.uuid == uuid).values(hooks_pending=""))
