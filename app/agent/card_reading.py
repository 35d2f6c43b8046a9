"""What the layer above reads of cards: every card of a run, and how its calls ended."""

from __future__ import annotations

from typing import cast

from sqlalchemy import Table, select
from sqlalchemy.engine import Connection

from app.agent import models
from app.agent.cards import CardRow
from app.agent.types import CallState, TurnState

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
