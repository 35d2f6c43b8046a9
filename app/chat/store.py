"""Queries on conversations and their messages. Every function takes the connection of its caller."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

from sqlalchemy import ColumnElement, Table, and_, delete, func, insert, or_, select, update
from sqlalchemy.engine import Connection, RowMapping

from app.chat import models
from app.core import clock

CONVERSATION = cast(Table, models.Conversation.__table__)
MESSAGE = cast(Table, models.Message.__table__)
TOKEN = cast(Table, models.MessageToken.__table__)
READER = cast(Table, models.Reader.__table__)
READER_CHANGE = cast(Table, models.ReaderChange.__table__)
DRAFT = cast(Table, models.Draft.__table__)


def readable_by(user_id: int, group_ids: Sequence[int]) -> ColumnElement[bool]:
    """Condition for a conversation somebody may read: their own, or shared with them or one of their groups."""
    shared = select(READER.c.conversation_id).where(
        or_(
            and_(READER.c.user_id == user_id, READER.c.user_id > 0),
            READER.c.group_id.in_(list(group_ids) or [-1]),
        )
    )
    return and_(
        CONVERSATION.c.deleted.is_(False), or_(CONVERSATION.c.owner_id == user_id, CONVERSATION.c.id.in_(shared))
    )


def find_readable(
    connection: Connection, conversation_id: int, user_id: int, group_ids: Sequence[int]
) -> RowMapping | None:
    """A conversation this person may read."""
    condition = and_(CONVERSATION.c.id == conversation_id, readable_by(user_id, group_ids))
    return connection.execute(select(CONVERSATION).where(condition)).mappings().first()


def readable_among(
    connection: Connection, conversation_ids: Collection[int], user_id: int, group_ids: Sequence[int]
) -> frozenset[int]:
    """Which of a few conversations this person may read; one statement."""
    if not conversation_ids:
        return frozenset()
    condition = and_(CONVERSATION.c.id.in_(sorted(set(conversation_ids))), readable_by(user_id, group_ids))
    return frozenset(connection.execute(select(CONVERSATION.c.id).where(condition)).scalars())


def find_conversation(connection: Connection, conversation_id: int) -> RowMapping | None:
    """A conversation, whoever asks: for the runtime's news and for commands."""
    condition = and_(CONVERSATION.c.id == conversation_id, CONVERSATION.c.deleted.is_(False))
    return connection.execute(select(CONVERSATION).where(condition)).mappings().first()


def lock_own(connection: Connection, conversation_id: int, user_id: int) -> RowMapping | None:
    """The conversation of its owner, locked until the transaction ends."""
    condition = and_(
        CONVERSATION.c.id == conversation_id, CONVERSATION.c.owner_id == user_id, CONVERSATION.c.deleted.is_(False)
    )
    return connection.execute(select(CONVERSATION).where(condition).with_for_update()).mappings().first()


def list_readable(
    connection: Connection, user_id: int, group_ids: Sequence[int], limit: int = 50, *, archived: bool = False
) -> Sequence[RowMapping]:
    """Conversations somebody may read, in the list or in the archive: pinned first, then the newest."""
    query = (
        select(CONVERSATION)
        .where(readable_by(user_id, group_ids), CONVERSATION.c.archived.is_(archived))
        .order_by(CONVERSATION.c.pinned.desc(), CONVERSATION.c.touched_at.desc(), CONVERSATION.c.id.desc())
        .limit(limit)
    )
    return connection.execute(query).mappings().all()


def add_conversation(connection: Connection, owner_id: int, configuration_id: int) -> int:
    """A new, empty conversation; returns its number."""
    now = clock.now()
    connection.execute(
        insert(CONVERSATION).values(
            owner_id=owner_id, configuration_id=configuration_id, created_at=now, touched_at=now, status_since=now
        )
    )
    newest = select(func.max(CONVERSATION.c.id)).where(CONVERSATION.c.owner_id == owner_id)
    return int(connection.execute(newest).scalar_one())


def change_conversation(connection: Connection, conversation_id: int, values: Mapping[str, Any]) -> None:
    """Change columns and raise the version, so that a poll notices."""
    connection.execute(
        update(CONVERSATION)
        .where(CONVERSATION.c.id == conversation_id)
        .values(**values, version=CONVERSATION.c.version + 1)
    )


def add_message(connection: Connection, conversation_id: int, seq: int, values: Mapping[str, Any]) -> None:
    """Append one entry of the history."""
    row = {
        "body": "",
        "language": "",
        "run_uuid": None,
        "turn": 0,
        "revision": 0,
        "reported": "",
        "at": clock.now(),
        **values,
    }
    connection.execute(insert(MESSAGE).values(conversation_id=conversation_id, seq=seq, **row))


def list_messages(connection: Connection, conversation_id: int, after: int = 0) -> Sequence[RowMapping]:
    """Entries of the history after a number, in order."""
    query = (
        select(MESSAGE)
        .where(MESSAGE.c.conversation_id == conversation_id, MESSAGE.c.seq > after)
        .order_by(MESSAGE.c.seq)
    )
    return connection.execute(query).mappings().all()


def find_token(connection: Connection, conversation_id: int, token: str) -> int | None:
    """Number of the message already sent with this key."""
    query = select(TOKEN.c.seq).where(TOKEN.c.conversation_id == conversation_id, TOKEN.c.token == token)
    found = connection.execute(query).scalar()
    return None if found is None else int(found)


def add_token(connection: Connection, conversation_id: int, token: str, seq: int) -> None:
    """Remember the key of a sent message."""
    connection.execute(insert(TOKEN).values(conversation_id=conversation_id, token=token, seq=seq))


def find_draft(connection: Connection, conversation_id: int, user_id: int) -> str:
    """Text typed and not sent."""
    query = select(DRAFT.c.body).where(DRAFT.c.conversation_id == conversation_id, DRAFT.c.user_id == user_id)
    return str(connection.execute(query).scalar() or "")


def save_draft(connection: Connection, conversation_id: int, user_id: int, body: str) -> None:
    """Keep or, when empty, forget the text somebody has typed."""
    mine = and_(DRAFT.c.conversation_id == conversation_id, DRAFT.c.user_id == user_id)
    connection.execute(delete(DRAFT).where(mine))
    if body:
        connection.execute(
            insert(DRAFT).values(conversation_id=conversation_id, user_id=user_id, body=body, at=clock.now())
        )


def find_card_seq(connection: Connection, run_uuid: str, turn: int, revision: int) -> int:
    """Number of the entry of a card in its conversation; 0 when it has none."""
    query = select(MESSAGE.c.seq).where(
        MESSAGE.c.run_uuid == run_uuid, MESSAGE.c.turn == turn, MESSAGE.c.revision == revision, MESSAGE.c.role == "card"
    )
    return int(connection.execute(query).scalar() or 0)


def list_card_runs(connection: Connection, conversation_id: int, limit: int) -> list[str]:
    """The newest runs of a conversation that have cards, oldest first."""
    newest = func.max(MESSAGE.c.seq)
    query = (
        select(MESSAGE.c.run_uuid)
        .where(MESSAGE.c.conversation_id == conversation_id, MESSAGE.c.role == "card")
        .group_by(MESSAGE.c.run_uuid)
        .order_by(newest.desc())
        .limit(limit)
    )
    return list(reversed(connection.execute(query).scalars().all()))
