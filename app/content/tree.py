"""The page tree below given pages in one recursive statement."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Integer, Select, and_, cast, literal, or_, select
from sqlalchemy.engine import Connection, RowMapping

from app.content.access import has_page_bit
from app.content.schema import PAGES
from app.content.store import NONE, opaque, overlay_condition, public_uid, title_of
from app.content.types import VersionState
from app.policy.identity import Identity
from app.policy.permissions import PageBit


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeNode:
    """One page of the tree as it is listed."""

    uid: int
    """The uid people know it by."""
    parent_uid: int
    level: int
    title: str
    is_hidden: bool
    starttime: int
    endtime: int
    groups: str
    version_state: VersionState | None
    """What the workspace holds of it; None = the live page is read."""
    has_children: bool
    """Whether pages are shown below it, listed or not."""


def branches(
    connection: Connection,
    identity: Identity,
    workspace_id: int,
    tops: Sequence[int],
    *,
    level: int,
    last_level: int,
) -> tuple[TreeNode, ...]:
    """``tops`` (public uids of pages already found to be shown, at ``level``) and the shown pages below them.

    Depth first, in the order of the tree, down to ``last_level``. One statement: it reads one level more than it lists.
    """
    if not tops:
        return ()
    rows = connection.execute(_statement(identity, workspace_id, tops, level, last_level)).mappings().all()
    by_parent: defaultdict[int, list[RowMapping]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: (row["sorting"], row["uid"])):
        by_parent[0 if row["level"] == level else row["pid"]].append(row)
    listed: list[TreeNode] = []
    waiting = list(reversed(by_parent[0]))
    while waiting:
        row = waiting.pop()
        below = by_parent.get(row["public"], [])
        if row["level"] <= last_level:
            listed.append(_node(row, workspace_id, has_children=bool(below)))
            waiting.extend(reversed(below))
    return tuple(listed)


def _statement(identity: Identity, workspace_id: int, tops: Sequence[int], level: int, last_level: int) -> Select[Any]:
    row, keeper = PAGES.table.alias("row"), PAGES.table.alias("keeper")
    uid = public_uid(PAGES, row)
    present = opaque(and_(row.c.translation_parent == 0, overlay_condition(PAGES, workspace_id, row)))
    top = PAGES.table.alias("top")
    tree = (
        select(top.c.uid.label("public"), cast(literal(level), Integer).label("level"))
        .where(top.c.uid.in_(tops))
        .cte("tree", recursive=True)
    )
    below = row.join(tree, row.c.pid == tree.c.public).join(keeper, keeper.c.uid == uid)
    shows = has_page_bit(identity, keeper, PageBit.SHOW)
    tree = tree.union_all(
        select(uid, tree.c.level + 1).select_from(below).where(tree.c.level <= last_level, present, shows)
    )
    return (
        select(
            tree.c.public,
            tree.c.level,
            *(row.c[name] for name in ("uid", "pid", "sorting", "title", "nav_title", "hidden", "starttime")),
            *(row.c[name] for name in ("endtime", "groups", "workspace_id", "version_state")),
        )
        .select_from(
            tree.join(
                row, or_(row.c.uid == tree.c.public, and_(row.c.live_uid > NONE, row.c.live_uid == tree.c.public))
            )
        )
        .where(opaque(overlay_condition(PAGES, workspace_id, row)))
    )


def _node(row: RowMapping, workspace_id: int, *, has_children: bool) -> TreeNode:
    in_draft = workspace_id > 0 and row["workspace_id"] == workspace_id
    return TreeNode(
        uid=row["public"],
        parent_uid=row["pid"],
        level=row["level"],
        title=title_of(PAGES.name, dict(row)),
        is_hidden=bool(row["hidden"]),
        starttime=row["starttime"],
        endtime=row["endtime"],
        groups=row["groups"],
        version_state=VersionState(row["version_state"]) if in_draft else None,
        has_children=has_children,
    )
