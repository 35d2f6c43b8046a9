"""What deleting a group would bring about: who loses or gains what, by working out every affected person without it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.engine import Connection

from app.accounts import store
from app.accounts.directory import inclusions, read_group
from app.accounts.rights_summary import Right, RightKind, RightsSummary, reach, summarize_rights
from app.core.db import slices

MOST_PEOPLE = 50
"""People whose losses are worked out one by one; further ones are counted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Loss:
    """What one person would lose and gain."""

    user_id: int
    name: str
    lost: tuple[Right, ...]
    loses_language_limit: bool
    """Whether no group would limit their languages any more: they would gain every language."""
    main_group: str | None
    """Title of the group their new pages would belong to instead (empty = none); None = nothing changes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupConsequences:
    """What would follow."""

    included_by: tuple[str, ...]
    """Titles of groups that include it."""
    people: int
    """People who are in it, by themselves or through other groups; administrators too."""
    losses: tuple[Loss, ...]
    """Those for whom something changes, by name; administrators keep every right."""
    further: int
    """People beyond ``MOST_PEOPLE`` for whom it was not worked out."""


def plan_group_deletion(connection: Connection, group_id: int) -> GroupConsequences:
    """The consequences of deleting a group now. Raises ``NotFound``."""
    read_group(connection, group_id)
    titles = store.list_group_titles(connection)
    includers: dict[int, list[int]] = {}
    for outer, inside in inclusions(connection, titles).items():
        for inner in inside:
            includers.setdefault(inner, []).append(outer)
    people = _people_in(connection, reach(includers, [group_id]))
    losses = (_loss(connection, user_id, name, group_id) for user_id, name in people[:MOST_PEOPLE])
    return GroupConsequences(
        included_by=tuple(titles[number] for number in includers.get(group_id, ())),
        people=len(people),
        losses=tuple(loss for loss in losses if loss is not None),
        further=max(0, len(people) - MOST_PEOPLE),
    )


def _people_in(connection: Connection, group_ids: tuple[int, ...]) -> list[tuple[int, str]]:
    found: dict[int, str] = {}
    for some in slices(group_ids):
        query = (
            select(store.USER.c.id, store.USER.c.name, store.USER.c.username)
            .join(store.MEMBER, store.MEMBER.c.user_id == store.USER.c.id)
            .where(store.MEMBER.c.group_id.in_(some), store.USER.c.deleted.is_(False))
        )
        found.update({row.id: row.name or row.username for row in connection.execute(query)})
    return sorted(found.items(), key=lambda item: (item[1].casefold(), item[0]))


def _loss(connection: Connection, user_id: int, name: str, group_id: int) -> Loss | None:
    before = summarize_rights(connection, user_id)
    after = summarize_rights(connection, user_id, without=group_id)
    lost = () if before.is_admin else _lost(before, after)
    lifted = before.limits_languages and not after.limits_languages and not before.is_admin
    main = after.main_group if after.main_group != before.main_group else None
    if not lost and not lifted and main is None:
        return None
    return Loss(user_id=user_id, name=name, lost=lost, loses_language_limit=lifted, main_group=main)


def _lost(before: RightsSummary, after: RightsSummary) -> tuple[Right, ...]:
    kept = {(right.kind, right.value) for right in after.rights}
    return tuple(
        right
        for right in before.rights
        if (right.kind, right.value) not in kept and (right.kind is not RightKind.LANGUAGE or after.limits_languages)
    )
