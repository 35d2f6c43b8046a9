"""Whether a call has a recorded yes for exactly what would be done: card, decision and digest (I1, RT-04)."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.engine import Connection

from app.agent.digest import is_same_digest, turn_digest
from app.agent.runtime import Runtime
from app.agent.store import DecisionRow, find_card, find_decision, load_calls, load_previews
from app.agent.types import Call, Preview, TurnState


@dataclass(frozen=True, kw_only=True, slots=True)
class Approval:
    """What the card of a call says: its preview, and the decision when it stands for exactly this card."""

    preview: Preview | None = None
    """None = the call is on no card of this revision."""
    decision: DecisionRow | None = None
    """None = not approved: nobody decided, it was declined, or what is stored is not what was approved."""


def find_approval(connection: Connection, call: Call, revision: int, runtime: Runtime) -> Approval:
    """Card and approval of ``call`` in ``revision``; 0 = its turn has no card. Raises ``core.crypto.Unreadable``."""
    card = find_card(connection, call.run_uuid, call.turn, revision) if revision > 0 else None
    if card is None:
        return Approval()
    previews = load_previews(connection, call.run_uuid, call.turn, revision, runtime.cipher)
    preview = next((item for item in previews if item.ordinal == call.ordinal), None)
    decision = find_decision(connection, call.run_uuid, call.turn, revision)
    if decision is None or not decision.approved or card.state is not TurnState.APPROVED:
        return Approval(preview=preview)
    stored = load_calls(connection, call.run_uuid, call.turn, runtime.cipher)
    expected = turn_digest(card.key(runtime.cipher), stored, previews)
    is_whole = is_same_digest(decision.digest, expected) and is_same_digest(card.digest, expected)
    is_stored = any(_is_same(call, kept) for kept in stored)
    return Approval(preview=preview, decision=decision if is_whole and is_stored else None)


def _is_same(call: Call, kept: Call) -> bool:
    """Whether the call about to run is the one that is stored, not a changed copy of it."""
    return (call.ordinal, call.tool, call.kept_text) == (kept.ordinal, kept.tool, kept.kept_text)
