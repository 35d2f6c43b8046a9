"""What the layer above reads of cards: every card of a run, how its calls ended, and why somebody may not approve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from sqlalchemy import Table, select
from sqlalchemy.engine import Connection

from app.agent import models
from app.agent.cards import CardRow
from app.agent.configurations import ConfigurationView, facts_of
from app.agent.run_rows import RunView
from app.agent.runtime import Runtime
from app.agent.types import Call, CallState, Preview, PreviewKind, TurnState
from app.core.i18n import Text, text
from app.policy.identity import Identity

_cards = cast(Table, models.Turn.__table__)
_outcomes = cast(Table, models.CallOutcome.__table__)


def list_cards(connection: Connection, run_uuid: str) -> tuple[CardRow, ...]:
    """Every card of a run, oldest first: its place in this list is its number for good."""
    query = select(_cards).where(_cards.c.run_uuid == run_uuid).order_by(_cards.c.ordinal, _cards.c.revision)
    found = []
    for row in connection.execute(query).mappings().all():
        values = dict(row)
        found.append(CardRow(turn=values.pop("ordinal"), state=TurnState(values.pop("state")), **values))
    return tuple(found)


def find_outcome_states(connection: Connection, run_uuid: str, turn: int) -> dict[int, CallState]:
    """How the calls of a turn ended, by ordinal; opens nothing that is encrypted."""
    query = select(_outcomes.c.ordinal, _outcomes.c.state).where(
        _outcomes.c.run_uuid == run_uuid, _outcomes.c.turn == turn
    )
    return {row.ordinal: CallState(row.state) for row in connection.execute(query).all()}


def why_not_approvable(
    identity: Identity,
    run: RunView,
    configuration: ConfigurationView | None,
    calls: Sequence[Call],
    previews: Sequence[Preview],
    runtime: Runtime,
) -> Text | None:
    """Why this person may not approve a waiting card; None = nothing does. Deciding asks the same again (RT-06, RT-07)."""
    if configuration is None:
        return text("The configuration of this assignment does not exist any more.")
    facts = facts_of(configuration)
    if facts.requires_second_approver and identity.user_id == run.owner_id:
        return text("This configuration requires that somebody else approves. You can decline.")
    carried = {preview.ordinal for preview in previews if not preview.is_refused and preview.kind is not PreviewKind.READ}
    for call in calls:
        refused = runtime.registry.reason_not_offered(call.tool, facts, identity)
        if call.ordinal in carried and refused is not None:
            return text("You may not release every step of this card. Somebody else can.")
    return None
