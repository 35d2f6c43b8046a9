"""People and groups as administrators read and edit them; every function takes the connection of its caller."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.engine import Connection, RowMapping

from app.accounts import store
from app.accounts.identities import file_mounts_of
from app.accounts.values import (
    ACTIVE,
    ADMINISTRATORS,
    DISABLED,
    PART,
    GroupEntry,
    GroupRecord,
    GroupValues,
    PeoplePart,
    PersonEntry,
    PersonRecord,
    PersonValues,
)
from app.core import clock
from app.core.db import slices
from app.core.errors import NotFound
from app.core.folding import fold, folded


def list_people(connection: Connection, *, words: str = "", state: str = "", part: int = 1) -> PeoplePart:
    """People by name, with ``words`` in their name, sign-in name or e-mail address; ``state`` is one of ``STATES`` or empty."""
    user = store.USER.c
    wanted = _wanted(words, state)
    count = connection.execute(select(func.count()).select_from(store.USER).where(wanted)).scalar_one()
    query = select(store.USER).where(wanted).order_by(user.username, user.id)
    rows = connection.execute(query.limit(PART).offset((part - 1) * PART)).mappings().all()
    titles = _titles_by_person(connection, [row["id"] for row in rows])
    people = tuple(_entry(row, titles.get(row["id"], ())) for row in rows)
    return PeoplePart(people=people, count=count, part=part)


def _wanted(words: str, state: str) -> ColumnElement[bool]:
    user = store.USER.c
    found: list[ColumnElement[bool]] = [user.deleted.is_(False)]
    if words:
        part = fold(words) or ""
        found.append(
            or_(*(folded(column).contains(part, autoescape=True) for column in (user.username, user.name, user.email)))
        )
    if state == ACTIVE:
        found.append(store.usable(clock.now()))
    if state == DISABLED:
        found.append(user.disabled.is_(True))
    if state == ADMINISTRATORS:
        found.append(user.is_admin.is_(True))
    return and_(*found)


def _entry(row: RowMapping, titles: Sequence[str]) -> PersonEntry:
    return PersonEntry(
        id=row["id"],
        username=row["username"],
        name=row["name"] or row["username"],
        is_admin=bool(row["is_admin"]),
        disabled=bool(row["disabled"]),
        may_act=may_act(row),
        has_password=row["password_hash"] is not None,
        groups=tuple(titles),
    )


def may_act(row: RowMapping) -> bool:
    """Whether the person of a row may act now: the same condition as ``store.usable``, on a row already read."""
    now = clock.now()
    inside = row["starttime"] <= now and (row["endtime"] == 0 or row["endtime"] > now)
    return inside and not row["disabled"] and not row["deleted"]


def _titles_by_person(connection: Connection, user_ids: Sequence[int]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for some in slices(user_ids):
        query = (
            select(store.MEMBER.c.user_id, store.GROUP.c.title)
            .join(store.GROUP, store.GROUP.c.id == store.MEMBER.c.group_id)
            .where(store.MEMBER.c.user_id.in_(some), store.GROUP.c.deleted.is_(False))
            .order_by(store.MEMBER.c.position, store.GROUP.c.id)
        )
        for row in connection.execute(query):
            found.setdefault(row.user_id, []).append(row.title)
    return found


def find_person_row(connection: Connection, user_id: int) -> RowMapping | None:
    """The row of a person who is not deleted, whether they may act or not."""
    query = select(store.USER).where(store.USER.c.id == user_id, store.USER.c.deleted.is_(False))
    return connection.execute(query).mappings().first()


def read_person(connection: Connection, user_id: int) -> PersonRecord:
    """A person who is not deleted. Raises ``NotFound``."""
    row = find_person_row(connection, user_id)
    if row is None:
        raise NotFound(f"user {user_id}")
    values = PersonValues(
        username=row["username"],
        name=row["name"],
        email=row["email"],
        language=row["language"],
        is_admin=bool(row["is_admin"]),
        disabled=bool(row["disabled"]),
        starttime=row["starttime"],
        endtime=row["endtime"],
        uses_group_page_mounts=bool(row["uses_group_page_mounts"]),
        uses_group_file_mounts=bool(row["uses_group_file_mounts"]),
        page_mounts=tuple(dict.fromkeys(store.decode_numbers(row["page_mounts"]))),
        file_mounts=file_mounts_of(row["file_mounts"]),
        group_ids=list_own_groups(connection, user_id),
    )
    return PersonRecord(
        id=user_id,
        values=values,
        has_password=row["password_hash"] is not None,
        may_act=may_act(row),
        created_at=row["created_at"],
    )


def list_own_groups(connection: Connection, user_id: int) -> tuple[int, ...]:
    """Existing groups a person was put into, in order."""
    member = store.MEMBER.c
    query = (
        select(member.group_id)
        .join(store.GROUP, store.GROUP.c.id == member.group_id)
        .where(member.user_id == user_id, store.GROUP.c.deleted.is_(False))
        .order_by(member.position, member.group_id)
    )
    return tuple(connection.execute(query).scalars())


def list_groups(connection: Connection) -> tuple[GroupEntry, ...]:
    """Every group by title, with how many people were put into it and which groups it includes."""
    titles = store.list_group_titles(connection)
    member = store.MEMBER.c
    counted = (
        select(member.group_id, func.count().label("members"))
        .join(store.USER, store.USER.c.id == member.user_id)
        .where(store.USER.c.deleted.is_(False))
        .group_by(member.group_id)
    )
    counts: dict[int, int] = {row.group_id: row.members for row in connection.execute(counted)}
    inside = inclusions(connection, titles)
    return tuple(
        GroupEntry(
            id=number,
            title=title,
            members=counts.get(number, 0),
            includes=tuple(titles[other] for other in inside.get(number, ())),
        )
        for number, title in titles.items()
    )


def inclusions(connection: Connection, group_ids: Collection[int]) -> dict[int, tuple[int, ...]]:
    """Which of these groups include which of them, in the order of their numbers."""
    edge = store.INCLUSION.c
    found: dict[int, tuple[int, ...]] = {}
    for row in connection.execute(select(edge.group_id, edge.subgroup_id).order_by(edge.group_id, edge.subgroup_id)):
        if row.group_id in group_ids and row.subgroup_id in group_ids:
            found[row.group_id] = (*found.get(row.group_id, ()), row.subgroup_id)
    return found


def read_group(connection: Connection, group_id: int) -> GroupRecord:
    """A group that is not deleted. Raises ``NotFound``."""
    query = select(store.GROUP).where(store.GROUP.c.id == group_id, store.GROUP.c.deleted.is_(False))
    row = connection.execute(query).mappings().first()
    if row is None:
        raise NotFound(f"group {group_id}")
    values = GroupValues(
        title=row["title"],
        **{name: _words(row[name]) for name in ("grants", "tables_select", "tables_modify")},
        field_grants=_words(row["field_grants"]),
        languages=_numbers(row["languages"]) if store.is_limited(row["languages"]) else None,
        page_mounts=_numbers(row["page_mounts"]),
        file_mounts=file_mounts_of(row["file_mounts"]),
        file_permissions=_words(row["file_permissions"]),
        live=bool(row["live"]),
        includes=inclusions(connection, store.list_group_titles(connection)).get(group_id, ()),
    )
    return GroupRecord(id=group_id, values=values)


def list_members(connection: Connection, group_id: int) -> tuple[PersonEntry, ...]:
    """People who were put into a group, by name."""
    query = (
        select(store.USER)
        .join(store.MEMBER, store.MEMBER.c.user_id == store.USER.c.id)
        .where(store.MEMBER.c.group_id == group_id, store.USER.c.deleted.is_(False))
        .order_by(store.USER.c.username)
    )
    return tuple(_entry(row, ()) for row in connection.execute(query).mappings())


def _words(stored: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in store.decode_list(stored) if isinstance(value, str)))


def _numbers(stored: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(store.decode_numbers(stored)))
