"""Pages level by level, for a tree that opens in parts: rows and statements stay bounded however large the site is."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Select, and_, exists, literal, or_, select
from sqlalchemy.engine import Connection

from app.content.access import has_page_bit, page_lines
from app.content.schema import PAGES
from app.content.store import NONE, list_children, opaque, overlay_condition, public_uid, title_of
from app.content.tree import TreeNode
from app.content.types import VersionState
from app.policy.identity import Identity
from app.policy.permissions import PageBit

PART = 200
"""Pages of one level that are listed at once."""
_COLUMNS = ("uid", "pid", "sorting", "title", "nav_title", "hidden", "starttime", "endtime", "groups")


@dataclass(frozen=True, kw_only=True, slots=True)
class PageList:
    """Pages of one level in their order, and whether there are more than asked for."""

    pages: tuple[TreeNode, ...] = ()
    more: bool = False


def topmost_pages(connection: Connection, identity: Identity, workspace_id: int) -> tuple[int, ...]:
    """Public uids of the pages a person's tree starts with: those at the root for administrators, else the mounts."""
    if identity.is_admin:
        if not identity.may_use_workspace(workspace_id):
            return ()
        return tuple(row.live_uid for row in list_children(connection, workspace_id, 0))
    lines = page_lines(connection, identity, workspace_id, identity.mounts_in(workspace_id))
    return tuple(sorted({line[0] for uid, line in lines.items() if line[0] == uid and len(line) == 1}))


def list_below(
    connection: Connection, identity: Identity, workspace_id: int, page_uid: int, *, part: int = 1
) -> PageList:
    """One part of the pages below a page already found to be shown; one statement. Parts count from 1."""
    return _listed(connection, identity, workspace_id, [page_uid], skip=(part - 1) * PART, most=PART, level=1)


def open_tree(
    connection: Connection, identity: Identity, workspace_id: int, *, most: int = 80, levels: int = 4
) -> PageList:
    """The topmost pages and, as long as at most ``most`` pages are listed, whole levels below them; parents first.

    A level that does not fit is left out, so that its parents stay closed. At most ``levels`` statements and two more.
    """
    tops = topmost_pages(connection, identity, workspace_id)
    found = _named(connection, identity, workspace_id, tops[:PART])
    last = found
    for level in range(2, levels + 1):
        parents = [node.uid for node in last if node.has_children]
        if not parents or len(found) >= most:
            break
        below = _listed(connection, identity, workspace_id, parents, skip=0, most=most - len(found), level=level)
        if below.more:
            break
        found, last = (*found, *below.pages), below.pages
    return PageList(pages=_depth_first(found), more=len(tops) > PART)


def _depth_first(nodes: Sequence[TreeNode]) -> tuple[TreeNode, ...]:
    """Each page before those below it; ``nodes`` come level by level, each in its order."""
    below: dict[int, list[TreeNode]] = {}
    for node in nodes:
        below.setdefault(node.parent_uid if node.level > 1 else 0, []).append(node)
    ordered: list[TreeNode] = []
    waiting = list(reversed(below.get(0, [])))
    while waiting:
        node = waiting.pop()
        ordered.append(node)
        waiting.extend(reversed(below.get(node.uid, [])))
    return tuple(ordered)


def _named(connection: Connection, identity: Identity, workspace_id: int, uids: Sequence[int]) -> tuple[TreeNode, ...]:
    """Pages by uid (shown, as the caller knows), in the order given."""
    if not uids:
        return ()
    row = PAGES.table.alias("row")
    named = or_(row.c.uid.in_(uids), and_(row.c.live_uid > NONE, row.c.live_uid.in_(uids)))
    statement = _statement(identity, workspace_id, row).where(named)
    nodes = {node.uid: node for node in _nodes(connection, statement, workspace_id, 1)}
    return tuple(nodes[uid] for uid in uids if uid in nodes)


def _listed(
    connection: Connection,
    identity: Identity,
    workspace_id: int,
    parents: Collection[int],
    *,
    skip: int,
    most: int,
    level: int,
) -> PageList:
    row, keeper = PAGES.table.alias("row"), PAGES.table.alias("keeper")
    statement = (
        _statement(identity, workspace_id, row)
        .select_from(row.join(keeper, keeper.c.uid == public_uid(PAGES, row)))
        .where(row.c.pid.in_(parents), has_page_bit(identity, keeper, PageBit.SHOW))
        .order_by(row.c.sorting, row.c.uid)
        .offset(skip)
        .limit(most + 1)
    )
    nodes = _nodes(connection, statement, workspace_id, level)
    return PageList(pages=nodes[:most], more=len(nodes) > most)


def _statement(identity: Identity, workspace_id: int, row: FromClause) -> Select[Any]:
    child, keeper = PAGES.table.alias("child"), PAGES.table.alias("child_keeper")
    below = (
        exists(literal(1))
        .select_from(child.join(keeper, keeper.c.uid == public_uid(PAGES, child)))
        .where(
            child.c.pid == public_uid(PAGES, row),
            _is_page(workspace_id, child),
            has_page_bit(identity, keeper, PageBit.SHOW),
        )
        .correlate(row)
    )
    return select(
        public_uid(PAGES, row).label("public"),
        *(row.c[name] for name in (*_COLUMNS, "workspace_id", "version_state")),
        below.label("has_children"),
    ).where(_is_page(workspace_id, row))


def _is_page(workspace_id: int, row: FromClause) -> ColumnElement[bool]:
    return opaque(and_(row.c.translation_parent == 0, overlay_condition(PAGES, workspace_id, row)))


def _nodes(connection: Connection, statement: Select[Any], workspace_id: int, level: int) -> tuple[TreeNode, ...]:
    return tuple(
        TreeNode(
            uid=row["public"],
            parent_uid=row["pid"],
            level=level,
            title=title_of(PAGES.name, dict(row)),
            is_hidden=bool(row["hidden"]),
            starttime=row["starttime"],
            endtime=row["endtime"],
            groups=row["groups"],
            version_state=VersionState(row["version_state"])
            if workspace_id > 0 and row["workspace_id"] == workspace_id
            else None,
            has_children=bool(row["has_children"]),
        )
        for row in connection.execute(statement).mappings().all()
    )
