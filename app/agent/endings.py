"""How a run ends: one transaction closes its row, its waiting card and its open calls, and tells the layer above (RT-01, RT-14).

Nothing is decrypted here, so a run whose contents cannot be read ends like any other (RT-16).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlalchemy import Table, exists, select, update
from sqlalchemy.engine import Connection

from app.agent import models
from app.agent.closing import OpenCall, close_call, refuse_on_card
from app.agent.events import EventKind, append_event
from app.agent.execution.recording import record_failed_hook
from app.agent.leases import RELEASED
from app.agent.news import announce
from app.agent.run_rows import RunView
from app.agent.store import settle_card
from app.agent.types import CallState, Reason, RunNews, RunStatus, TurnState
from app.core import clock
from app.core.crypto import Cipher

_run: Table = models.Run.__table__
_cards: Table = models.Turn.__table__
_calls: Table = models.ToolCall.__table__
_previews: Table = models.CallPreview.__table__
_outcomes: Table = models.CallOutcome.__table__


@dataclass(frozen=True, kw_only=True, slots=True)
class Ending:
    """How and why a run ends. ``error`` is a code or class name, never a message (RT-15)."""

    status: RunStatus
    reason: Reason
    error: str = ""
    answer: str | None = None
    """What the assistant says at the end."""
    tool_failed: bool = False


CANCELLED = Ending(status=RunStatus.CANCELLED, reason=Reason.CANCELLED)
EXPIRED = Ending(status=RunStatus.CANCELLED, reason=Reason.APPROVAL_EXPIRED)


def failed(reason: Reason, error: str = "") -> Ending:
    """A failure of the run; ``error`` is a code or the name of a class."""
    return Ending(status=RunStatus.FAILED, reason=reason, error=error[:80])


def end_run(connection: Connection, run: RunView, ending: Ending, cipher: Cipher) -> bool:
    """End ``run``, whose row the caller holds. False when it has ended before: the first ending stays (RT-01)."""
    now = clock.now()
    final = [status.value for status in RunStatus if status.is_final]
    ended = connection.execute(
        update(_run)
        .where(_run.c.uuid == run.uuid, _run.c.status.not_in(final))
        .values(
            status=ending.status.value,
            reason=ending.reason.value,
            error=ending.error,
            finished_at=now,
            changed_at=now,
            hooks_pending="",
            resume_at=0,
            **RELEASED,
        )
    )
    if ended.rowcount != 1:
        return False
    if run.hooks_pending:
        # A crash between a write and the extensions that follow it, and now nobody will run them (D7, CH-07).
        turn, _, ordinal = run.hooks_pending.partition("/")
        record_failed_hook(connection, run.uuid, int(turn), int(ordinal))
    cards = _close_card(connection, run, ending)
    _close_calls(connection, run, ending, cipher)
    append_event(connection, run.uuid, EventKind.ENDED, {"status": ending.status.value, "reason": ending.reason.value})
    announce(
        connection,
        RunNews(
            run_uuid=run.uuid,
            subject=run.subject,
            owner_id=run.owner_id,
            status=ending.status,
            reason=ending.reason.value,
            answer=ending.answer,
            settled_cards=cards,
            tool_failed=ending.tool_failed,
            segment_ended=True,
        ),
    )
    return True


def _close_card(connection: Connection, run: RunView, ending: Ending) -> tuple[tuple[int, int], ...]:
    state = TurnState.EXPIRED if ending.reason is Reason.APPROVAL_EXPIRED else TurnState.CANCELLED
    if settle_card(connection, run.uuid, run.turn, run.revision, state):
        return ((run.turn, run.revision),)
    return ()


def _close_calls(connection: Connection, run: RunView, ending: Ending, cipher: Cipher) -> None:
    """Every call of the newest turn without an outcome gets one: a call the card shows as refused keeps its refusal (DW-15)."""
    state = CallState.CANCELLED if ending.status is RunStatus.CANCELLED else CallState.NOT_CARRIED_OUT
    for call in open_calls(connection, run):
        if call.refused_rule:
            refuse_on_card(connection, cipher, run, call)
        else:
            close_call(connection, cipher, call, state, code=ending.reason.value)


def open_calls(connection: Connection, run: RunView) -> tuple[OpenCall, ...]:
    """Calls of the newest turn without an outcome, with the refused tag they carry on the newest card."""
    ended = exists().where(
        _outcomes.c.run_uuid == _calls.c.run_uuid,
        _outcomes.c.turn == _calls.c.turn,
        _outcomes.c.ordinal == _calls.c.ordinal,
    )
    rows = connection.execute(
        select(_calls.c.ordinal, _calls.c.tool)
        .where(_calls.c.run_uuid == run.uuid, _calls.c.turn == run.turn, ~ended)
        .order_by(_calls.c.ordinal)
    ).all()
    tags = connection.execute(
        select(_previews.c.ordinal, _previews.c.refused_rule).where(
            _previews.c.run_uuid == run.uuid, _previews.c.turn == run.turn, _previews.c.revision == run.revision
        )
    ).all()
    tagged = dict(iter(tags))
    plain = (OpenCall(run_uuid=run.uuid, turn=run.turn, ordinal=ordinal, tool=tool) for ordinal, tool in rows)
    return tuple(replace(call, refused_rule=tagged.get(call.ordinal, "")) for call in plain)
