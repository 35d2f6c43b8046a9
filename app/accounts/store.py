"""Queries on people, groups and workspaces. Every function takes the connection of its caller."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any, cast

from sqlalchemy import ColumnElement, Select, Table, and_, bindparam, case, func, literal, or_, select
from sqlalchemy.engine import Connection, RowMapping

from app.accounts import models

USER = cast(Table, models.User.__table__)
GROUP = cast(Table, models.Group.__table__)
MEMBER = cast(Table, models.GroupMember.__table__)
INCLUSION = cast(Table, models.GroupInclusion.__table__)
WORKSPACE = cast(Table, models.Workspace.__table__)
WORKSPACE_MEMBER = cast(Table, models.WorkspaceMember.__table__)
SESSION = cast(Table, models.SignInSession.__table__)
LINK = cast(Table, models.OneTimeLink.__table__)
ATTEMPT = cast(Table, models.Attempt.__table__)

Found = RowMapping
DEEPEST_NESTING = 20
"""Levels of groups in groups that count; groups that include each other end here."""


def usable(now: int | ColumnElement[int]) -> ColumnElement[bool]:
    """Condition for a person who may act now: not deleted, not disabled, inside their times."""
    return and_(
        USER.c.deleted.is_(False),
        USER.c.disabled.is_(False),
        USER.c.starttime <= now,
        or_(USER.c.endtime == 0, USER.c.endtime > now),
    )


def find_user(connection: Connection, user_id: int, now: int) -> Found | None:
    """The row of a person who may act now."""
    return connection.execute(_USER_NOW, {"user": user_id, "now": now}).mappings().first()


def find_user_by_name(connection: Connection, username: str) -> Found | None:
    """The row of a person by sign-in name, deleted ones left out."""
    condition = and_(USER.c.username == username, USER.c.deleted.is_(False))
    return connection.execute(select(USER).where(condition)).mappings().first()


def list_users(connection: Connection) -> Sequence[Found]:
    """Everybody who is not deleted, by name."""
    return connection.execute(select(USER).where(USER.c.deleted.is_(False)).order_by(USER.c.username)).mappings().all()


def names_of(connection: Connection, user_ids: Sequence[int]) -> dict[int, str]:
    """Full names by id, also of people who are gone."""
    if not user_ids:
        return {}
    found = connection.execute(select(USER.c.id, USER.c.name, USER.c.username).where(USER.c.id.in_(set(user_ids))))
    return {row.id: row.name or row.username for row in found}


def is_group_title_taken(connection: Connection, title: str) -> bool:
    """Whether a group has this title, a deleted one too: titles are unique in the table."""
    return connection.execute(select(GROUP.c.id).where(GROUP.c.title == title)).first() is not None


def find_group_by_title(connection: Connection, title: str) -> Found | None:
    """The row of a group."""
    return (
        connection.execute(select(GROUP).where(GROUP.c.title == title, GROUP.c.deleted.is_(False))).mappings().first()
    )


def list_groups_of(connection: Connection, user_id: int) -> Sequence[Found]:
    """Resolved groups of a person, nested ones too: each once, a sub-group before the group that includes it.

    ``main_position`` is the place among the person's own groups, None for groups they are in through others only. Deleted groups
    bring nothing, neither their own rights nor those of groups they include.
    """
    return connection.execute(_GROUPS_OF, {"user": user_id}).mappings().all()


def _groups_of(user_id: ColumnElement[int]) -> Select[Any]:
    start = (
        select(MEMBER.c.group_id.label("id"), MEMBER.c.position.label("position"), literal(0).label("depth"))
        .join(GROUP, GROUP.c.id == MEMBER.c.group_id)
        .where(MEMBER.c.user_id == user_id, GROUP.c.deleted.is_(False))
    )
    reached = start.cte("reached", recursive=True)
    step = (
        select(INCLUSION.c.subgroup_id, reached.c.position, reached.c.depth + 1)
        .join(reached, INCLUSION.c.group_id == reached.c.id)
        .join(GROUP, GROUP.c.id == INCLUSION.c.subgroup_id)
        .where(reached.c.depth < DEEPEST_NESTING, GROUP.c.deleted.is_(False))
    )
    reached = reached.union(step)
    ranked = (
        select(
            reached.c.id,
            func.max(reached.c.depth).label("depth"),
            func.min(reached.c.position).label("position"),
            func.min(case((reached.c.depth == 0, reached.c.position))).label("main_position"),
        )
        .group_by(reached.c.id)
        .subquery()
    )
    return (
        select(GROUP, ranked.c.main_position)
        .join(ranked, ranked.c.id == GROUP.c.id)
        .order_by(ranked.c.depth.desc(), ranked.c.position, GROUP.c.id)
    )


def list_workspaces_for(
    connection: Connection, user_id: int, group_ids: Sequence[int], *, everyone: bool
) -> Sequence[Found]:
    """Existing workspaces somebody may use, each with ``is_owner``; ``everyone`` is for administrators."""
    if everyone:
        return connection.execute(_WORKSPACES).mappings().all()
    asked = {"user": user_id, "groups": list(group_ids) or [-1]}
    return connection.execute(_WORKSPACES_OF, asked).mappings().all()


def list_standing_in(connection: Connection, workspace_id: int) -> tuple[int, ...]:
    """Ids of people whose chosen workspace is this one."""
    query = select(USER.c.id).where(USER.c.workspace_id == workspace_id, USER.c.deleted.is_(False)).order_by(USER.c.id)
    return tuple(connection.execute(query).scalars())


def _workspaces_of(user_id: ColumnElement[int]) -> Select[Any]:
    mine = or_(
        and_(WORKSPACE_MEMBER.c.user_id == user_id, WORKSPACE_MEMBER.c.user_id > 0),
        WORKSPACE_MEMBER.c.group_id.in_(bindparam("groups", expanding=True)),
    )
    member = WORKSPACE_MEMBER.c
    standing = (
        select(member.workspace_id, func.max(case((member.is_owner, 1), else_=0)).label("is_owner"))
        .where(mine)
        .group_by(member.workspace_id)
        .subquery()
    )
    return (
        select(WORKSPACE, standing.c.is_owner)
        .join(standing, standing.c.workspace_id == WORKSPACE.c.id)
        .where(WORKSPACE.c.deleted.is_(False))
        .order_by(WORKSPACE.c.title, WORKSPACE.c.id)
    )


# Built once: they are asked with every page and several times in every step of a run, and building costs more than asking.
_USER_NOW = select(USER).where(
    USER.c.id == bindparam("user", type_=USER.c.id.type), usable(bindparam("now", type_=USER.c.starttime.type))
)
_GROUPS_OF = _groups_of(bindparam("user", type_=MEMBER.c.user_id.type))
_WORKSPACES = (
    select(WORKSPACE, literal(1).label("is_owner"))
    .where(WORKSPACE.c.deleted.is_(False))
    .order_by(WORKSPACE.c.title, WORKSPACE.c.id)
)
_WORKSPACES_OF = _workspaces_of(bindparam("user", type_=WORKSPACE_MEMBER.c.user_id.type))


def decode_list(words: str) -> list[Any]:
    """A stored JSON list; anything else reads as empty. Where an empty list means "no limit", ask ``is_limited`` too.

    Its values are shared between callers and not to be changed.
    """
    return list(_decoded(words))


@lru_cache(maxsize=1024)
def _decoded(words: str) -> tuple[Any, ...]:
    """By the stored text itself, so that it can never be old: rights are read several times in every step of a run."""
    try:
        value = json.loads(words)
    except ValueError:
        return ()
    return tuple(value) if isinstance(value, list) else ()


def decode_numbers(words: str) -> list[int]:
    """The whole numbers of a stored list; whatever else it holds is left out."""
    return [value for value in decode_list(words) if type(value) is int]


def is_limited(words: str) -> bool:
    """Whether a stored list limits to what it holds: a damaged one limits to nothing, so it takes rights and never gives them."""
    return words.strip() != "[]"


def group_titles(connection: Connection, group_ids: Collection[int]) -> dict[int, str]:
    """Titles of existing groups by id."""
    query = select(GROUP.c.id, GROUP.c.title).where(GROUP.c.id.in_(group_ids), GROUP.c.deleted.is_(False))
    return {row.id: row.title for row in connection.execute(query)}


def list_group_titles(connection: Connection) -> dict[int, str]:
    """Titles of every existing group by id, in the order of their titles."""
    query = select(GROUP.c.id, GROUP.c.title).where(GROUP.c.deleted.is_(False)).order_by(GROUP.c.title, GROUP.c.id)
    return {row.id: row.title for row in connection.execute(query)}
