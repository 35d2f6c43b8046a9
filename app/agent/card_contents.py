"""What many cards hold, opened with a bounded number of statements; one that cannot be opened harms only itself (RT-16)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Table, select, tuple_
from sqlalchemy.engine import Connection

from app.agent import models
from app.agent.cards import CardRow, card_of, preview_of
from app.agent.digest import is_same_digest, turn_digest
from app.agent.store import call_of
from app.agent.types import Call, Preview
from app.core.crypto import Cipher, Unreadable
from app.core.db import slices

_run: Table = models.Run.__table__
_cards: Table = models.Turn.__table__
_calls: Table = models.ToolCall.__table__
_previews: Table = models.CallPreview.__table__


@dataclass(frozen=True, kw_only=True, slots=True)
class CardContents:
    """The calls of a card and what it says of them, both in order."""

    calls: tuple[Call, ...]
    previews: tuple[Preview, ...]


def find_newest_cards(connection: Connection, run_uuids: Sequence[str]) -> dict[str, CardRow]:
    """The newest card of each of these runs, by run; a run without one is left out."""
    found: dict[str, CardRow] = {}
    for part in slices(run_uuids):
        rows = connection.execute(
            select(_cards)
            .join(
                _run,
                (_cards.c.run_uuid == _run.c.uuid)
                & (_cards.c.ordinal == _run.c.turn)
                & (_cards.c.revision == _run.c.revision),
            )
            .where(_run.c.uuid.in_(part))
        )
        found |= {row["run_uuid"]: card_of(row) for row in rows.mappings().all()}
    return found


def open_cards(connection: Connection, cards: Sequence[CardRow], cipher: Cipher) -> dict[str, CardContents | None]:
    """What each card holds, by run (at most one card of a run); None = it cannot be read any more.

    The digest of every card is computed again: what is decided is what is stored (I1, RT-04).
    """
    calls: defaultdict[str, list[Mapping[Any, Any]]] = defaultdict(list)
    previews: defaultdict[str, list[Mapping[Any, Any]]] = defaultdict(list)
    for part in slices(cards):
        wanted = [(card.run_uuid, card.turn) for card in part]
        query = select(_calls).where(tuple_(_calls.c.run_uuid, _calls.c.turn).in_(wanted)).order_by(_calls.c.ordinal)
        for row in connection.execute(query).mappings().all():
            calls[row["run_uuid"]].append(row)
        revisions = [(card.run_uuid, card.turn, card.revision) for card in part]
        shown = tuple_(_previews.c.run_uuid, _previews.c.turn, _previews.c.revision)
        query = select(_previews).where(shown.in_(revisions)).order_by(_previews.c.ordinal)
        for row in connection.execute(query).mappings().all():
            previews[row["run_uuid"]].append(row)
    return {card.run_uuid: _open(card, calls[card.run_uuid], previews[card.run_uuid], cipher) for card in cards}


def _open(
    card: CardRow, calls: Sequence[Mapping[Any, Any]], previews: Sequence[Mapping[Any, Any]], cipher: Cipher
) -> CardContents | None:
    try:
        contents = CardContents(
            calls=tuple(call_of(row, cipher) for row in calls),
            previews=tuple(preview_of(row, cipher) for row in previews),
        )
        digest = turn_digest(card.key(cipher), contents.calls, contents.previews)
    except Unreadable:
        return None
    return contents if is_same_digest(card.digest, digest) else None
