"""The page about who reads a conversation, for its owner and for its readers."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.engine import Connection, RowMapping

from app.accounts import store as accounts
from app.chat import store
from app.chat.view_models import Words
from app.core.errors import NotFound
from app.core.i18n import Text, ntext, text
from app.policy.identity import Identity

MOST_ENTRIES = 50
"""Entries of the record of sharing a page shows, the newest."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReaderView:
    """A person or a group that reads a conversation."""

    kind: str
    """``person`` or ``group``: with ``id`` the machine words of the form."""
    id: int
    name: str
    since: int
    is_viewer: bool

    @property
    def dom_id(self) -> str:
        """Stable id of the row, the anchor after giving access."""
        return f"reader-{self.kind}-{self.id}"


@dataclass(frozen=True, kw_only=True, slots=True)
class SharingEntry:
    """One line of the record of sharing."""

    said: Text
    at: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ReaderList:
    """Who reads a conversation, as one person may know it."""

    conversation_id: int
    title: Words
    is_own: bool
    owner_name: str
    readers: tuple[ReaderView, ...]
    unnamed: Text | None
    """Groups this viewer does not belong to, as a number only."""
    entries: tuple[SharingEntry, ...]
    """For the owner: what was given and taken back, the newest first."""


def list_readers(connection: Connection, identity: Identity, conversation_id: int) -> ReaderList:
    """Who reads the conversation: for its owner with every title, for a reader with the groups they are in.

    Raises ``NotFound`` for everybody else. Five statements at most, however many readers.
    """
    row = store.find_readable(connection, conversation_id, identity.user_id, identity.group_ids)
    if row is None:
        raise NotFound(f"conversation {conversation_id}")
    is_own = row["owner_id"] == identity.user_id
    people, groups = _people(connection, conversation_id), _groups(connection, conversation_id)
    known = [
        group for group in groups if is_own or identity.is_admin or group["group_id"] in frozenset(identity.group_ids)
    ]
    hidden = len(groups) - len(known)
    readers = [
        *(_person_view(person, identity) for person in people),
        *(_group_view(group) for group in known),
    ]
    return ReaderList(
        conversation_id=conversation_id,
        title=row["title"] or text("New conversation"),
        is_own=is_own,
        owner_name=accounts.names_of(connection, [row["owner_id"]]).get(row["owner_id"], "?"),
        readers=tuple(sorted(readers, key=lambda reader: (reader.since, reader.kind, reader.id))),
        unnamed=_unnamed(hidden) if hidden else None,
        entries=_entries(connection, conversation_id) if is_own else (),
    )


def _people(connection: Connection, conversation_id: int) -> list[RowMapping]:
    """People who were given access and exist."""
    user, reader = accounts.USER, store.READER
    query = (
        select(reader.c.user_id, reader.c.added_at, user.c.name, user.c.username)
        .join(user, user.c.id == reader.c.user_id)
        .where(reader.c.conversation_id == conversation_id, user.c.deleted.is_(False))
    )
    return list(connection.execute(query).mappings())


def _groups(connection: Connection, conversation_id: int) -> list[RowMapping]:
    group, reader = accounts.GROUP, store.READER
    query = (
        select(reader.c.group_id, reader.c.added_at, group.c.title)
        .join(group, group.c.id == reader.c.group_id)
        .where(reader.c.conversation_id == conversation_id, group.c.deleted.is_(False))
    )
    return list(connection.execute(query).mappings())


def _person_view(row: RowMapping, identity: Identity) -> ReaderView:
    return ReaderView(
        kind="person",
        id=row["user_id"],
        name=row["name"] or row["username"],
        since=row["added_at"],
        is_viewer=row["user_id"] == identity.user_id,
    )


def _group_view(row: RowMapping) -> ReaderView:
    return ReaderView(kind="group", id=row["group_id"], name=row["title"], since=row["added_at"], is_viewer=False)


def _unnamed(count: int) -> Text:
    return ntext("%(n)s group you do not belong to.", "%(n)s groups you do not belong to.", count)


def _entries(connection: Connection, conversation_id: int) -> tuple[SharingEntry, ...]:
    columns = store.READER_CHANGE.c
    query = (
        select(columns.name, columns.is_given, columns.by_user_id, columns.at)
        .where(columns.conversation_id == conversation_id)
        .order_by(columns.id.desc())
        .limit(MOST_ENTRIES)
    )
    return tuple(SharingEntry(said=_said(row), at=row["at"]) for row in connection.execute(query).mappings())


def _said(row: RowMapping) -> Text:
    match bool(row["is_given"]), bool(row["by_user_id"]):
        case True, True:
            return text("Shared with “%(name)s”", name=row["name"])
        case True, False:
            return text("Shared with “%(name)s” on the command line", name=row["name"])
        case False, True:
            return text("Access of “%(name)s” taken back", name=row["name"])
        case _:
            return text("Access of “%(name)s” taken back on the command line", name=row["name"])
