"""What speaks against approving a waiting card, asked on the locked row when somebody decides.

Asking writes nothing. Each objection has a code and a sentence; the card asks the same to know whether it has a button.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from sqlalchemy.engine import Connection

from app.agent import policy_gate
from app.agent.digest import is_same_digest, turn_digest
from app.agent.runs import RunView, facts_of_run
from app.agent.runtime import Runtime
from app.agent.store import CardRow, load_calls, load_previews
from app.agent.types import Call, Preview, PreviewKind, RunFacts
from app.core import clock
from app.core.crypto import Unreadable
from app.core.i18n import Text, text
from app.policy.identity import Identity

DAY = 86_400


class Ground(Enum):
    """What kind of objection it is."""

    EXPIRED = auto()
    NOT_ALLOWED = auto()
    NOTHING_TO_APPROVE = auto()
    """Every call on the card is refused (CA-06)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Objection:
    """Why somebody may not approve a card now."""

    ground: Ground
    reason: str
    text: Text
    tool: str = ""
    """The tool the approver may not release (RT-06)."""


def is_overdue(card: CardRow, runtime: Runtime) -> bool:
    """Whether a card has waited longer than the setting allows; 0 days = for ever."""
    days = runtime.settings.approval_days
    return bool(days) and clock.now() - card.created_at >= days * DAY


def find_objection(
    connection: Connection, actor: Identity, run: RunView, card: CardRow, runtime: Runtime
) -> Objection | None:
    """The first thing that speaks against ``actor`` approving ``card``; None = they may."""
    if is_overdue(card, runtime):
        return Objection(ground=Ground.EXPIRED, reason="expired", text=text("This approval has expired."))
    facts = facts_of_run(connection, run)
    if facts is None:
        return _refused("configuration", text("The configuration of this assignment does not exist any more."))
    if facts.configuration.requires_second_approver and actor.user_id == facts.owner_id:
        return _refused(
            "second_approver", text("This configuration requires that somebody else approves. You can decline.")
        )
    try:
        calls, previews = _open_card(connection, card, runtime)
    except Unreadable:
        return _refused("unreadable", text("This approval cannot be read any more. It can only be declined."))
    return _object_to_calls(actor, facts, calls, previews, runtime)


def _object_to_calls(
    actor: Identity, facts: RunFacts, calls: Sequence[Call], previews: Sequence[Preview], runtime: Runtime
) -> Objection | None:
    carried_out = {preview.ordinal for preview in previews if not preview.is_refused}
    writes = {preview.ordinal for preview in previews if preview.kind is not PreviewKind.READ} & carried_out
    if not writes:
        return Objection(
            ground=Ground.NOTHING_TO_APPROVE,
            reason="all_refused",
            text=text("Nothing can be approved: no step can be carried out."),
        )
    for call in calls:
        if call.ordinal not in writes:
            continue
        # RT-06: the approver must be offered the tool like the owner; rights on the record are the owner's alone.
        refused = policy_gate.refuse_offer(runtime, call.tool, facts.configuration, actor)
        if refused is not None:
            return Objection(
                ground=Ground.NOT_ALLOWED,
                reason=refused.reason,
                text=text("You may not approve every step of this card. Somebody else can."),
                tool=call.tool,
            )
    return None


def _open_card(connection: Connection, card: CardRow, runtime: Runtime) -> tuple[tuple[Call, ...], tuple[Preview, ...]]:
    """Calls and previews of a card, its digest computed again: what is decided is what is stored (I1, RT-04)."""
    calls = load_calls(connection, card.run_uuid, card.turn, runtime.cipher)
    previews = load_previews(connection, card.run_uuid, card.turn, card.revision, runtime.cipher)
    if not is_same_digest(card.digest, turn_digest(card.key(runtime.cipher), calls, previews)):
        raise Unreadable
    return calls, previews


def _refused(reason: str, sentence: Text) -> Objection:
    return Objection(ground=Ground.NOT_ALLOWED, reason=reason, text=sentence)
