"""Who else may read a conversation: its owner gives people or groups read access and takes it back."""

from __future__ import annotations

from sqlalchemy import ColumnElement, delete, insert, select
from sqlalchemy.engine import Connection

from app.accounts import store as accounts
from app.chat import store
from app.core import clock
from app.core.errors import NotFound
from app.core.i18n import Text, text


def share_conversation(connection: Connection, conversation_id: int, name: str) -> Text:
    """Let the person or group called ``name`` read a conversation; returns what happened as a sentence.

    Raises ``NotFound`` for an unknown conversation or name.
    """
    user_id, group_id = _find(connection, conversation_id, name)
    query = select(store.READER.c.added_at).where(*_row(conversation_id, user_id, group_id))
    if connection.execute(query).first() is not None:
        return text("“%(name)s” already reads conversation no. %(id)s.", name=name, id=str(conversation_id))
    connection.execute(
        insert(store.READER).values(
            conversation_id=conversation_id, user_id=user_id, group_id=group_id, added_at=clock.now()
        )
    )
    return text("“%(name)s” may now read conversation no. %(id)s.", name=name, id=str(conversation_id))


def take_back(connection: Connection, conversation_id: int, name: str) -> Text:
    """End the read access of a person or group."""
    user_id, group_id = _find(connection, conversation_id, name)
    connection.execute(delete(store.READER).where(*_row(conversation_id, user_id, group_id)))
    return text("“%(name)s” does not read conversation no. %(id)s any more.", name=name, id=str(conversation_id))


def _row(conversation_id: int, user_id: int, group_id: int) -> tuple[ColumnElement[bool], ...]:
    columns = store.READER.c
    return (
        columns.conversation_id == conversation_id,
        columns.user_id == user_id,
        columns.group_id == group_id,
    )


def _find(connection: Connection, conversation_id: int, name: str) -> tuple[int, int]:
    if store.find_conversation(connection, conversation_id) is None:
        raise NotFound("conversation", text=text("There is no conversation no. %(id)s.", id=str(conversation_id)))
    user = accounts.find_user_by_name(connection, name)
    if user is not None:
        return int(user["id"]), 0
    group = accounts.find_group_by_title(connection, name)
    if group is not None:
        return 0, int(group["id"])
    raise NotFound("reader", text=text("There is no person or group called “%(name)s”.", name=name))
