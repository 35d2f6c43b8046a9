"""Who else may read a conversation: its owner gives people or groups read access and takes it back.

What each reader sees of records is decided by their own rights, as everywhere; access counts from the next request on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlalchemy import ColumnElement, delete, func, insert, select
from sqlalchemy.engine import Connection, RowMapping

from app.accounts import limits
from app.accounts import store as accounts
from app.chat import store
from app.core import clock
from app.core.db import transaction
from app.core.errors import Invalid, NotFound
from app.core.i18n import Text, text
from app.policy.identity import Identity

MOST_NAME = 255
MOST_READERS = 100
SHARINGS_PER_MINUTE = 20
"""Names one person may try in a minute: the form must not become a directory of who exists (reliability.md section 5)."""
UNKNOWN = text("Nobody who can sign in and no group is called that. Check the spelling.")
"""One answer for names that do not exist and for people who cannot sign in."""
_OWN = text("This is your own conversation; you can read it already.")
_FULL = text("No more people or groups can be added. Take an access back first.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A person or a group somebody named; the other number is 0."""

    name: str
    user_id: int = 0
    group_id: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Access:
    """What giving or taking back did."""

    reader: Found
    has_changed: bool
    said: Text


def share_conversation(connection: Connection, conversation_id: int, name: str, by_user_id: int = 0) -> Text:
    """Let the person or group called ``name`` read a conversation; returns what happened as a sentence.

    For the command line (``by_user_id`` 0): nobody's rights are asked. Raises ``NotFound`` for an unknown conversation or name.
    """
    found = _find(connection, conversation_id, name)
    if not _give(connection, conversation_id, found, by_user_id):
        return text("“%(name)s” already reads conversation no. %(id)s.", name=name, id=str(conversation_id))
    return text("“%(name)s” may now read conversation no. %(id)s.", name=name, id=str(conversation_id))


def take_back(connection: Connection, conversation_id: int, name: str, by_user_id: int = 0) -> Text:
    """End the read access of a person or group."""
    _end(connection, conversation_id, _find(connection, conversation_id, name), by_user_id)
    return text("“%(name)s” does not read conversation no. %(id)s any more.", name=name, id=str(conversation_id))


def give_access(identity: Identity, conversation_id: int, name: str) -> Access:
    """The owner lets the person or group called ``name`` read the conversation: a sign-in name, a title or a full name.

    Raises ``NotFound`` for a conversation that is not the person's own, ``TooMany`` after many tries, and ``Invalid`` with the
    field ``name`` for a name nobody has who can sign in, which is one answer with a name that does not exist.
    """
    _count_try(identity, conversation_id)
    with transaction() as connection:
        _require_own(connection, identity, conversation_id)
        wanted = " ".join(name.split())
        if not wanted:
            raise Invalid("name", fields={"name": text("Enter the name of a person or of a group.")})
        found = _find_reader(connection, wanted) if len(wanted) <= MOST_NAME else None
        if found is None:
            raise Invalid("name", fields={"name": UNKNOWN})
        if found.user_id == identity.user_id:
            raise Invalid("name", fields={"name": _OWN})
        if _count_readers(connection, conversation_id) >= MOST_READERS:
            raise Invalid("name", fields={"name": _FULL})
        if _give(connection, conversation_id, found, identity.user_id):
            return Access(
                reader=found, has_changed=True, said=text("“%(name)s” may now read this conversation.", name=found.name)
            )
        said = text("“%(name)s” reads this conversation already.", name=found.name)
        return Access(reader=found, has_changed=False, said=said)


def end_access(identity: Identity, conversation_id: int, *, user_id: int = 0, group_id: int = 0) -> Access:
    """The owner takes the access of a person or a group back; a second press changes nothing.

    Raises ``NotFound`` for a conversation that is not the person's own.
    """
    with transaction() as connection:
        _require_own(connection, identity, conversation_id)
        unnamed = Found(name="", user_id=user_id, group_id=group_id)
        if not _is_reader(connection, conversation_id, unnamed):  # no name of somebody who was never given access
            return Access(reader=unnamed, has_changed=False, said=text("This access was taken back already."))
        reader = replace(unnamed, name=_name_of(connection, user_id, group_id))
        _end(connection, conversation_id, reader, identity.user_id)
        said = text("“%(name)s” does not read this conversation any more.", name=reader.name)
        return Access(reader=reader, has_changed=True, said=said)


def _count_try(identity: Identity, conversation_id: int) -> None:
    """In a transaction of its own, so that a refused name counts; for owners only, others learn nothing and leave nothing."""
    with transaction() as connection:
        _require_own(connection, identity, conversation_id)
        limits.check_limit(connection, "share", str(identity.user_id), most=SHARINGS_PER_MINUTE, seconds=60)
        limits.count_attempt(connection, "share", str(identity.user_id))


def _require_own(connection: Connection, identity: Identity, conversation_id: int) -> RowMapping:
    row = store.lock_own(connection, conversation_id, identity.user_id)
    if row is None:
        raise NotFound(f"conversation {conversation_id}")
    return row


def _give(connection: Connection, conversation_id: int, found: Found, by_user_id: int) -> bool:
    if _is_reader(connection, conversation_id, found):
        return False
    ids = {"conversation_id": conversation_id, "user_id": found.user_id, "group_id": found.group_id}
    connection.execute(insert(store.READER).values(**ids, added_at=clock.now()))
    _record(connection, conversation_id, found, by_user_id, is_given=True)
    return True


def _is_reader(connection: Connection, conversation_id: int, found: Found) -> bool:
    there = select(store.READER.c.added_at).where(*_row(conversation_id, found))
    return connection.execute(there).first() is not None


def _end(connection: Connection, conversation_id: int, found: Found, by_user_id: int) -> bool:
    gone = connection.execute(delete(store.READER).where(*_row(conversation_id, found)))
    if not gone.rowcount:
        return False
    _record(connection, conversation_id, found, by_user_id, is_given=False)
    return True


def _record(connection: Connection, conversation_id: int, found: Found, by_user_id: int, *, is_given: bool) -> None:
    row = {
        "conversation_id": conversation_id,
        "user_id": found.user_id,
        "group_id": found.group_id,
        "name": found.name[:MOST_NAME],
        "is_given": is_given,
        "by_user_id": by_user_id,
        "at": clock.now(),
    }
    connection.execute(insert(store.READER_CHANGE).values(**row))


def _row(conversation_id: int, found: Found) -> tuple[ColumnElement[bool], ...]:
    columns = store.READER.c
    return (
        columns.conversation_id == conversation_id,
        columns.user_id == found.user_id,
        columns.group_id == found.group_id,
    )


def _count_readers(connection: Connection, conversation_id: int) -> int:
    counted = select(func.count()).where(store.READER.c.conversation_id == conversation_id)
    return int(connection.execute(counted).scalar_one())


def _name_of(connection: Connection, user_id: int, group_id: int) -> str:
    if user_id:
        return accounts.names_of(connection, [user_id]).get(user_id, "?")
    return accounts.group_titles(connection, [group_id]).get(group_id, "?")


def _find(connection: Connection, conversation_id: int, name: str) -> Found:
    if store.find_conversation(connection, conversation_id) is None:
        raise NotFound("conversation", text=text("There is no conversation no. %(id)s.", id=str(conversation_id)))
    user = accounts.find_user_by_name(connection, name)
    if user is not None:
        return _person(user)
    group = accounts.find_group_by_title(connection, name)
    if group is not None:
        return Found(name=str(group["title"]), group_id=int(group["id"]))
    raise NotFound("reader", text=text("There is no person or group called “%(name)s”.", name=name))


def _person(user: RowMapping) -> Found:
    return Found(name=str(user["name"] or user["username"]), user_id=int(user["id"]))


def _find_reader(connection: Connection, name: str) -> Found | None:
    """Who a form means: somebody who can sign in by sign-in name, a group by title, or the only person with this full name."""
    columns = accounts.USER.c
    can_sign_in = (accounts.usable(clock.now()), columns.password_hash.is_not(None))
    user = connection.execute(select(accounts.USER).where(columns.username == name, *can_sign_in)).mappings().first()
    if user is not None:
        return _person(user)
    group = accounts.find_group_by_title(connection, name)
    if group is not None:
        return Found(name=str(group["title"]), group_id=int(group["id"]))
    named = select(accounts.USER).where(columns.name == name, *can_sign_in).limit(2)
    people = connection.execute(named).mappings().all()
    return _person(people[0]) if len(people) == 1 else None
