"""Suspending a turn: the card with its previews, the waiting run and the news of both commit together or not at all (F5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from sqlalchemy import Table, update

from app.agent.digest import new_turn_key, turn_digest
from app.agent.events import EventKind, append_event
from app.agent.leases import RELEASED
from app.agent.loop.segment import RunEnded, Segment
from app.agent.loop.state import RunState
from app.agent.models import Run
from app.agent.news import announce
from app.agent.rehearsal import needs_card, rehearse_turn
from app.agent.store import save_card
from app.agent.types import Preview, RunNews, RunStatus
from app.core import clock

_run: Table = Run.__table__

TARGET_CHANGED = "target_changed"
EFFECT_DIFFERS = "effect_differs"
STOPPED = "stopped"


def propose_if_needed(segment: Segment, state: RunState) -> None:
    """Suspend a fresh turn when one of its calls waits for approval; the whole turn waits, reads included (RT-02).

    Raises ``RunEnded`` when it does. Returns when nothing waits: every call then runs or is refused on its own (DW-09).
    """
    registry = segment.runtime.registry
    known = [tool for call in state.calls if (tool := registry.find(call.tool)) is not None]
    if not any(tool.facts.waits_for_approval for tool in known):
        return
    previews = rehearse_turn(state.facts, state.calls, segment.runtime)
    if needs_card(state.calls, previews, segment.runtime):
        offer_card(segment, state, previews, cause="")


def offer_card(segment: Segment, state: RunState, previews: Sequence[Preview], *, cause: str) -> NoReturn:
    """Store the next revision of the turn's card and let the run wait; always raises ``RunEnded`` (or ``RunLost``).

    ``previews`` name the calls on it. ``cause`` says why a revision after the first exists.
    """
    key = new_turn_key()
    digest = turn_digest(key, state.calls, previews)
    with segment.step() as (connection, run):
        turn, revision = run.turn, run.revision + 1
        save_card(
            connection,
            state.facts,
            turn,
            revision,
            previews,
            key,
            digest,
            cause,
            cipher=segment.runtime.cipher,
        )
        connection.execute(
            update(_run)
            .where(_run.c.uuid == run.uuid)
            .values(
                status=RunStatus.WAITING_FOR_APPROVAL.value,
                revision=revision,
                attempts=0,  # the next segment starts anew: crashes before the card do not count against it
                changed_at=clock.now(),
                **RELEASED,
            )
        )
        append_event(connection, run.uuid, EventKind.CARD, {"turn": turn, "revision": revision, "cause": cause})
        announce(
            connection,
            RunNews(
                run_uuid=run.uuid,
                subject=run.subject,
                owner_id=run.owner_id,
                status=RunStatus.WAITING_FOR_APPROVAL,
                answer=_words_beside(state) if revision == 1 else None,
                card=(turn, revision),
                segment_ended=True,
            ),
        )
    raise RunEnded


def _words_beside(state: RunState) -> str | None:
    return (state.turn.content or None) if state.turn is not None else None
