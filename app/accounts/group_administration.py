"""Use cases of administrators on groups: adding, changing, nesting, members, deleting.

Each opens its own transaction and asks in it whether the acting person administers (I27).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import delete, insert, select, update
from sqlalchemy.engine import Connection

from app.accounts import names, service, store
from app.accounts.administration import CHANGED_MEANWHILE, LONGEST_NAME, name_problem
from app.accounts.administrators import require_administrator
from app.accounts.directory import inclusions, read_group
from app.accounts.mounts import encode_mounts, encode_numbers
from app.accounts.values import GroupRecord, GroupValues
from app.core.db import slices, transaction
from app.core.errors import Conflict, Invalid
from app.core.i18n import Text, text
from app.policy.identity import GRANT_APPROVE, GRANT_AUDIT, GRANT_USE

GRANTS: Final = (GRANT_USE, GRANT_APPROVE, GRANT_AUDIT)
FILE_PERMISSIONS: Final = ("read_file", "write_file", "add_file")
TITLE_TAKEN = text("There is already a group with this title.")


def create_group(actor_id: int, values: GroupValues) -> int:
    """Add a group; returns the id. Raises ``Invalid`` with the fields that are wrong."""
    with transaction() as connection:
        require_administrator(connection, actor_id)
        _check(connection, values, None)
        group_id = service.create_group(connection, **_columns(values))
        set_inclusions(connection, group_id, values.includes)
    return group_id


def change_group(actor_id: int, group_id: int, values: GroupValues, *, seen: str) -> None:
    """Give a group these values. ``seen`` is the ``version`` the form was filled from.

    Raises ``NotFound``, ``Conflict`` when somebody else was faster, ``Invalid`` with the fields that are wrong.
    """
    with transaction() as connection:
        require_administrator(connection, actor_id)
        found = read_group(connection, group_id)
        if found.version != seen:
            raise Conflict(f"group {group_id}", text=CHANGED_MEANWHILE)
        _check(connection, values, found)
        service.update_group(connection, group_id, **_columns(values))
        if set(values.includes) != set(found.values.includes):
            set_inclusions(connection, group_id, values.includes)


def delete_group(actor_id: int, group_id: int) -> None:
    """Take a group out: it brings nothing any more, and its title is given to no other group."""
    with transaction() as connection:
        require_administrator(connection, actor_id)
        read_group(connection, group_id)
        connection.execute(update(store.GROUP).where(store.GROUP.c.id == group_id).values(deleted=True))


def add_member_named(actor_id: int, group_id: int, username: str) -> int:
    """Put the person with this sign-in name into a group, after the groups they are in; returns their id.

    Raises ``Invalid`` with the field ``username`` for somebody who does not exist or is in the group already.
    """
    with transaction() as connection:
        require_administrator(connection, actor_id)
        read_group(connection, group_id)
        found = store.find_user_by_name(connection, username) if names.is_storable(username) else None
        if found is None:
            raise _wrong("username", text("There is no person with this sign-in name."))
        if not join_group(connection, int(found["id"]), group_id):
            raise _wrong("username", text("This person is in the group already."))
        return int(found["id"])


def remove_members(actor_id: int, group_id: int, user_ids: Sequence[int]) -> int:
    """Take people out of a group; returns how many were in it."""
    member = store.MEMBER.c
    with transaction() as connection:
        require_administrator(connection, actor_id)
        read_group(connection, group_id)
        return sum(
            connection.execute(
                delete(store.MEMBER).where(member.group_id == group_id, member.user_id.in_(some))
            ).rowcount
            for some in slices(list(dict.fromkeys(user_ids)))
        )


def join_group(connection: Connection, user_id: int, group_id: int) -> bool:
    """Put a person into a group as their last one; False when they are in it already."""
    member = store.MEMBER.c
    rows = connection.execute(select(member.group_id, member.position).where(member.user_id == user_id)).all()
    if group_id in {row.group_id for row in rows}:
        return False
    service.add_member(connection, user_id, group_id, max((row.position for row in rows), default=-1) + 1)
    return True


def set_inclusions(connection: Connection, group_id: int, subgroup_ids: Sequence[int]) -> None:
    """Let a group include exactly these groups. Raises ``Invalid`` with the field ``includes`` when that closes a circle."""
    connection.execute(select(store.GROUP.c.id).order_by(store.GROUP.c.id).with_for_update(key_share=True)).all()
    problem = _circle(connection, group_id, subgroup_ids)
    if problem is not None:
        raise _wrong("includes", problem)
    kept, edge = store.list_group_titles(connection), store.INCLUSION.c
    for some in slices(list(kept)):
        connection.execute(delete(store.INCLUSION).where(edge.group_id == group_id, edge.subgroup_id.in_(some)))
    for subgroup_id in dict.fromkeys(subgroup_ids):
        connection.execute(insert(store.INCLUSION).values(group_id=group_id, subgroup_id=subgroup_id))


def _circle(connection: Connection, group_id: int, subgroup_ids: Sequence[int]) -> Text | None:
    titles = store.list_group_titles(connection)
    inside = inclusions(connection, titles)
    for subgroup_id in subgroup_ids:
        if subgroup_id not in titles:
            return text("A chosen group does not exist any more. Choose another one.")
        if subgroup_id == group_id:
            return text("A group cannot include itself.")
        way = _way(inside, subgroup_id, group_id)
        if way is not None:
            return _circle_words(titles[group_id], titles[subgroup_id], [titles[number] for number in way[1:-1]])
    return None


def _circle_words(outer: str, inner: str, between: Sequence[str]) -> Text:
    if not between:
        return text(
            "“%(outer)s” cannot include “%(inner)s”, because “%(inner)s” includes “%(outer)s”.",
            outer=outer,
            inner=inner,
        )
    return text(
        "“%(outer)s” cannot include “%(inner)s”, because “%(inner)s” includes “%(outer)s” through “%(between)s”.",
        outer=outer,
        inner=inner,
        between=", ".join(between),
    )


def _way(inside: Mapping[int, Sequence[int]], start: int, goal: int) -> tuple[int, ...] | None:
    """Groups from ``start`` down to ``goal``, each including the next; None when there is no way."""
    ways: list[tuple[int, ...]] = [(start,)]
    seen = {start}
    for way in ways:
        if way[-1] == goal:
            return way
        further = [number for number in inside.get(way[-1], ()) if number not in seen]
        seen.update(further)
        ways.extend((*way, number) for number in further)
    return None


def _columns(values: GroupValues) -> dict[str, Any]:
    return {
        **{name: value for name, value in asdict(values).items() if name != "includes"},
        "languages": encode_numbers(values.languages or ()),
        "page_mounts": encode_numbers(values.page_mounts),
        "file_mounts": encode_mounts(values.file_mounts),
    }


def _check(connection: Connection, values: GroupValues, before: GroupRecord | None) -> None:
    kept = before.values if before else GroupValues(title="")
    problems = {
        "title": title_problem(connection, values.title, but=before.id if before else 0),
        "languages": None if values.languages is None or values.languages else text("Choose at least one language."),
        "grants": _unknown(values.grants, (*GRANTS, *kept.grants)),
        "file_permissions": _unknown(values.file_permissions, (*FILE_PERMISSIONS, *kept.file_permissions)),
    }
    wrong = {field: sentence for field, sentence in problems.items() if sentence is not None}
    if wrong:
        raise Invalid("group", fields=wrong)


def title_problem(connection: Connection, title: str, *, but: int = 0) -> Text | None:
    """Why a group cannot have this title, as a sentence; the title of the group ``but`` is no obstacle.

    Titles that people cannot tell apart are one; deleted groups keep theirs.
    """
    if not title.strip():
        return text("Enter a title.")
    problem = name_problem(title, LONGEST_NAME)
    if problem is not None:
        return problem
    wanted = names.skeleton(title)
    others = connection.execute(select(store.GROUP.c.title).where(store.GROUP.c.id != but)).scalars().all()
    return TITLE_TAKEN if any(names.skeleton(other) == wanted for other in others) else None


def _unknown(values: Sequence[str], known: Sequence[str]) -> Text | None:
    return None if set(values) <= set(known) else text("Choose from what is offered.")


def _wrong(field: str, sentence: Text) -> Invalid:
    return Invalid(field, text=sentence, fields={field: sentence})
