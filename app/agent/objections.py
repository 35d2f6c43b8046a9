"""What speaks against approving a waiting card, asked on the locked row when somebody decides.

Asking writes nothing. Each objection has a code and a sentence; the card asks the same to know whether it has a button.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from sqlalchemy.engine import Connection

from app.agent import policy_gate
from app.agent.card_contents import CardContents, open_cards
from app.agent.cards import CardRow
from app.agent.configurations import ConfigurationView, facts_of, list_configurations
from app.agent.halting import HALTED_CARD, find_halt
from app.agent.run_rows import RunView
from app.agent.runtime import Runtime
from app.agent.types import Call, Preview, PreviewKind
from app.core import clock
from app.core.i18n import Text, text
from app.policy.identity import Identity
from app.policy.invocation import ConfigurationFacts

DAY = 86_400
UNREADABLE = "unreadable"
"""Reason of an objection to a card that cannot be opened any more."""
EXPIRED_SENTENCE = text("This approval has expired. Nothing was decided.")


class Ground(Enum):
    """What kind of objection it is."""

    EXPIRED = auto()
    NOT_ALLOWED = auto()
    HALTED = auto()
    """Every assignment is halted; this one waits until they go on (I7)."""
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


def expires_at(card: CardRow, configuration: ConfigurationView | None, runtime: Runtime) -> int | None:
    """When a card stops waiting, in seconds since the epoch; None = never.

    The configuration's own days count, else those of the installation.
    """
    own = None if configuration is None else configuration.approval_days
    days = runtime.settings.approval_days if own is None else own
    return card.created_at + days * DAY if days else None


def is_overdue(card: CardRow, configuration: ConfigurationView | None, runtime: Runtime) -> bool:
    """Whether a card has waited longer than allowed."""
    until = expires_at(card, configuration, runtime)
    return until is not None and clock.now() >= until


def find_objection(
    connection: Connection, actor: Identity, run: RunView, card: CardRow, runtime: Runtime
) -> Objection | None:
    """The first thing that speaks against ``actor`` approving ``card``; None = they may."""
    return find_objections(connection, actor, [(run, card)], runtime)[run.uuid]


def find_objections(
    connection: Connection, actor: Identity, waiting: Sequence[tuple[RunView, CardRow]], runtime: Runtime
) -> dict[str, Objection | None]:
    """The same for the waiting cards of many runs, by run; the number of statements does not grow with them."""
    if find_halt(connection) is not None:
        halted = Objection(ground=Ground.HALTED, reason="halted", text=HALTED_CARD)
        return dict.fromkeys([run.uuid for run, _ in waiting], halted)
    known = {found.id: found for found in list_configurations(connection)}
    found: dict[str, Objection | None] = {
        run.uuid: _object_to_card(actor, run, card, known.get(run.configuration_id), runtime) for run, card in waiting
    }
    open_questions = [(run, card) for run, card in waiting if found[run.uuid] is None]
    contents = open_cards(connection, [card for _, card in open_questions], runtime.cipher)
    for run, _ in open_questions:
        found[run.uuid] = _object_to_contents(actor, facts_of(known[run.configuration_id]), contents[run.uuid], runtime)
    return found


def _object_to_card(
    actor: Identity, run: RunView, card: CardRow, configuration: ConfigurationView | None, runtime: Runtime
) -> Objection | None:
    if is_overdue(card, configuration, runtime):
        return Objection(ground=Ground.EXPIRED, reason="expired", text=EXPIRED_SENTENCE)
    if configuration is None:
        return _refused("configuration", text("The configuration of this assignment does not exist any more."))
    if configuration.requires_second_approver and actor.user_id == run.owner_id:
        return _refused(
            "second_approver", text("This configuration requires that somebody else approves. You can decline.")
        )
    return None


def _object_to_contents(
    actor: Identity, configuration: ConfigurationFacts, contents: CardContents | None, runtime: Runtime
) -> Objection | None:
    if contents is None:
        return _refused(UNREADABLE, text("This approval cannot be read any more. It can only be declined."))
    return _object_to_calls(actor, configuration, contents.calls, contents.previews, runtime)


def _object_to_calls(
    actor: Identity,
    configuration: ConfigurationFacts,
    calls: Sequence[Call],
    previews: Sequence[Preview],
    runtime: Runtime,
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
        refused = policy_gate.refuse_offer(runtime, call.tool, configuration, actor)
        if refused is not None:
            return Objection(
                ground=Ground.NOT_ALLOWED,
                reason=refused.reason,
                text=text("You may not approve every step of this card. Somebody else can."),
                tool=call.tool,
            )
    return None


def _refused(reason: str, sentence: Text) -> Objection:
    return Objection(ground=Ground.NOT_ALLOWED, reason=reason, text=sentence)
