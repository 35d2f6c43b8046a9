"""Statements on cards and decisions: what waits, what each revision showed, what was decided. Texts are sealed (RT-16)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Table, insert, select, update
from sqlalchemy.engine import Connection

from app.agent import models
from app.agent.previews import decode_preview, encode_preview, purpose
from app.agent.types import Preview, RunFacts, TurnState
from app.core import clock
from app.core.crypto import Cipher, Unreadable

_cards: Table = models.Turn.__table__
_previews: Table = models.CallPreview.__table__
_decisions: Table = models.ApprovalDecision.__table__


@dataclass(frozen=True, kw_only=True, slots=True)
class CardRow:
    """One revision of a turn as stored; its key is still sealed."""

    run_uuid: str
    turn: int
    revision: int
    state: TurnState
    cause: str
    digest_key_sealed: str
    digest: str
    created_at: int

    def key(self, cipher: Cipher) -> str:
        """The key of the digest; raises ``core.crypto.Unreadable``."""
        return cipher.open(self.digest_key_sealed, purpose("turn.digest_key", self.run_uuid))


@dataclass(frozen=True, kw_only=True, slots=True)
class DecisionRow:
    """The recorded yes or no to one revision."""

    run_uuid: str
    turn: int
    revision: int
    approved: bool
    decided_by: int
    digest: str
    token: str
    reason_sealed: str
    decided_at: int

    def reason(self, cipher: Cipher) -> str:
        """The reason of the person, empty when none was given; raises ``core.crypto.Unreadable``."""
        sealed = self.reason_sealed
        return cipher.open(sealed, purpose("approval_decision.reason", self.run_uuid)) if sealed else ""


def save_card(
    connection: Connection,
    facts: RunFacts,
    turn: int,
    revision: int,
    previews: Sequence[Preview],
    key: str,
    digest: str,
    cause: str,
    *,
    cipher: Cipher,
) -> None:
    """Insert a card that waits, with one preview per call that is on it. The caller marks an older revision first."""
    identity = {"run_uuid": facts.uuid, "turn": turn, "revision": revision}
    connection.execute(
        insert(_cards).values(
            run_uuid=facts.uuid,
            ordinal=turn,
            revision=revision,
            state=TurnState.WAITING.value,
            cause=cause,
            digest_key_sealed=cipher.seal(key, purpose("turn.digest_key", facts.uuid)),
            digest=digest,
            created_at=clock.now(),
        )
    )
    rows = [
        {
            **identity,
            "ordinal": preview.ordinal,
            "kind": preview.kind.value,
            "refused_rule": preview.refused_rule,
            "refused_reason": preview.refused_reason,
            "effect_hash": preview.effect_hash,
            "preview_sealed": cipher.seal(encode_preview(preview), purpose("call_preview.preview", facts.uuid)),
        }
        for preview in previews
    ]
    if rows:
        connection.execute(insert(_previews), rows)


def load_previews(connection: Connection, uuid: str, turn: int, revision: int, cipher: Cipher) -> tuple[Preview, ...]:
    """The previews of one revision in order. Raises ``core.crypto.Unreadable`` when one cannot be opened or differs
    from its row.
    """
    rows = connection.execute(
        select(_previews)
        .where(_previews.c.run_uuid == uuid, _previews.c.turn == turn, _previews.c.revision == revision)
        .order_by(_previews.c.ordinal)
    )
    return tuple(preview_of(row, cipher) for row in rows.mappings().all())


def preview_of(row: Mapping[Any, Any], cipher: Cipher) -> Preview:
    """The preview of a row of ``call_preview``. Raises ``core.crypto.Unreadable``, also when row and content differ."""
    found = decode_preview(cipher.open(row["preview_sealed"], purpose("call_preview.preview", row["run_uuid"])))
    stored = (row["ordinal"], row["kind"], row["refused_rule"], row["effect_hash"])
    if stored != (found.ordinal, found.kind.value, found.refused_rule, found.effect_hash):
        raise Unreadable
    return found


def find_card(
    connection: Connection, uuid: str, turn: int | None = None, revision: int | None = None
) -> CardRow | None:
    """The card of a turn and revision; the newest of what is left open."""
    statement = select(_cards).where(_cards.c.run_uuid == uuid)
    if turn is not None:
        statement = statement.where(_cards.c.ordinal == turn)
    if revision is not None:
        statement = statement.where(_cards.c.revision == revision)
    row = (
        connection.execute(statement.order_by(_cards.c.ordinal.desc(), _cards.c.revision.desc()).limit(1))
        .mappings()
        .first()
    )
    if row is None:
        return None
    return card_of(row)


def card_of(row: Mapping[Any, Any]) -> CardRow:
    """The card of a row of ``turn``."""
    values = dict(row)
    return CardRow(turn=values.pop("ordinal"), state=TurnState(values.pop("state")), **values)


def settle_card(connection: Connection, uuid: str, turn: int, revision: int, state: TurnState) -> bool:
    """Move a waiting card to its final state; False when it does not wait any more (one winner, I4)."""
    settled = connection.execute(
        update(_cards)
        .where(
            _cards.c.run_uuid == uuid,
            _cards.c.ordinal == turn,
            _cards.c.revision == revision,
            _cards.c.state == TurnState.WAITING.value,
        )
        .values(state=state.value)
    )
    return settled.rowcount == 1


def save_decision(connection: Connection, cipher: Cipher, decision: DecisionRow, reason: str) -> None:
    """Insert the decision of one revision; ``reason`` is sealed here. A second one violates the primary key (I4)."""
    sealed = cipher.seal(reason, purpose("approval_decision.reason", decision.run_uuid)) if reason else ""
    connection.execute(
        insert(_decisions).values(
            run_uuid=decision.run_uuid,
            turn=decision.turn,
            revision=decision.revision,
            approved=decision.approved,
            decided_by=decision.decided_by,
            digest=decision.digest,
            token=decision.token,
            reason_sealed=sealed,
            decided_at=decision.decided_at,
        )
    )


def find_decision(connection: Connection, uuid: str, turn: int, revision: int) -> DecisionRow | None:
    """The decision of one revision."""
    row = connection.execute(
        select(_decisions).where(
            _decisions.c.run_uuid == uuid, _decisions.c.turn == turn, _decisions.c.revision == revision
        )
    )
    found = row.mappings().first()
    return None if found is None else DecisionRow(**found)
