"""Statements on calls and outcomes; those on cards and decisions are in ``cards`` and offered from here too.

What a run keeps of texts is encrypted for its place (RT-16).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Table, insert, select, update
from sqlalchemy.engine import Connection

from app.agent import models
from app.agent.cards import (
    CardRow,
    DecisionRow,
    find_card,
    find_decision,
    load_previews,
    save_card,
    save_decision,
    settle_card,
)
from app.agent.previews import purpose
from app.agent.types import Call, CallState, Outcome
from app.core import clock
from app.core.crypto import Cipher, Unreadable

_calls: Table = models.ToolCall.__table__
_outcomes: Table = models.CallOutcome.__table__

__all__ = [
    "CardRow",
    "DecisionRow",
    "call_of",
    "find_card",
    "find_decision",
    "find_outcome",
    "find_outcomes",
    "load_calls",
    "load_previews",
    "note_outcome",
    "purpose",
    "save_calls",
    "save_card",
    "save_decision",
    "save_outcome",
    "settle_card",
]


def save_calls(connection: Connection, cipher: Cipher, calls: Sequence[Call]) -> None:
    """Insert the calls of one turn. Arguments that were not acceptable are not kept, only why."""
    rows = [
        {
            "run_uuid": call.run_uuid,
            "turn": call.turn,
            "ordinal": call.ordinal,
            "provider_id": call.provider_id,
            "tool": call.tool,
            "arguments_valid": call.arguments is not None,
            "arguments_sealed": cipher.seal(call.kept_text, purpose("tool_call.arguments", call.run_uuid)),
        }
        for call in calls
    ]
    if rows:
        connection.execute(insert(_calls), rows)


def load_calls(connection: Connection, uuid: str, turn: int, cipher: Cipher) -> tuple[Call, ...]:
    """The calls of a turn in order. Raises ``core.crypto.Unreadable`` when one cannot be opened."""
    rows = connection.execute(
        select(_calls).where(_calls.c.run_uuid == uuid, _calls.c.turn == turn).order_by(_calls.c.ordinal)
    )
    return tuple(call_of(row, cipher) for row in rows.mappings().all())


def call_of(row: Mapping[Any, Any], cipher: Cipher) -> Call:
    """The call of a row of ``tool_call``. Raises ``core.crypto.Unreadable``."""
    words = cipher.open(row["arguments_sealed"], purpose("tool_call.arguments", row["run_uuid"]))
    try:
        arguments = json.loads(words)
    except ValueError as error:
        raise Unreadable from error
    valid = bool(row["arguments_valid"])
    return Call(
        run_uuid=row["run_uuid"],
        turn=row["turn"],
        ordinal=row["ordinal"],
        provider_id=row["provider_id"],
        tool=row["tool"],
        arguments=arguments if valid else None,
        arguments_text=words,
        invalid="" if valid else str(arguments.get("invalid", "invalid")),
    )


def save_outcome(connection: Connection, cipher: Cipher, call: Call, outcome: Outcome) -> None:
    """Insert how a call ended; a second one violates the primary key (I4)."""
    connection.execute(
        insert(_outcomes).values(
            run_uuid=call.run_uuid,
            turn=call.turn,
            ordinal=call.ordinal,
            state=outcome.state.value,
            code=outcome.code[:80],
            content_sealed=cipher.seal(outcome.content, purpose("call_outcome.content", call.run_uuid)),
            at=clock.now(),
        )
    )


def note_outcome(connection: Connection, cipher: Cipher, uuid: str, turn: int, ordinal: int, outcome: Outcome) -> None:
    """Replace code and text of a stored outcome: only for what is learnt after the commit (a failed hook). The state
    stays.
    """
    connection.execute(
        update(_outcomes)
        .where(_outcomes.c.run_uuid == uuid, _outcomes.c.turn == turn, _outcomes.c.ordinal == ordinal)
        .values(
            code=outcome.code[:80], content_sealed=cipher.seal(outcome.content, purpose("call_outcome.content", uuid))
        )
    )


def find_outcomes(connection: Connection, uuid: str, turn: int, cipher: Cipher) -> dict[int, Outcome]:
    """The outcomes of a turn by call ordinal. Raises ``core.crypto.Unreadable``."""
    rows = connection.execute(select(_outcomes).where(_outcomes.c.run_uuid == uuid, _outcomes.c.turn == turn))
    return {row["ordinal"]: _outcome(row, cipher) for row in rows.mappings().all()}


def find_outcome(connection: Connection, uuid: str, turn: int, ordinal: int, cipher: Cipher) -> Outcome | None:
    """The outcome of one call."""
    row = connection.execute(
        select(_outcomes).where(_outcomes.c.run_uuid == uuid, _outcomes.c.turn == turn, _outcomes.c.ordinal == ordinal)
    )
    found = row.mappings().first()
    return None if found is None else _outcome(found, cipher)


def _outcome(row: Mapping[Any, Any], cipher: Cipher) -> Outcome:
    return Outcome(
        state=CallState(row["state"]),
        code=row["code"],
        content=cipher.open(row["content_sealed"], purpose("call_outcome.content", row["run_uuid"])),
    )
