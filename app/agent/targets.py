"""Which records a call names, and where in the page tree it would write: for rules that ask (runtime.md 16.1).

Told from the names of arguments, which all tools share (``tools/schemas.py``); identifiers only. Writes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy.engine import Connection

from app.content.access import page_ancestors, shown_pages
from app.content.store import find_rows, find_stored_rows
from app.content.types import Row
from app.policy.identity import Identity
from app.policy.invocation import InvocationTarget

_BY_ARGUMENT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "page": "pages",
        "parent": "pages",
        "target": "pages",
        "element": "content_elements",
        "file": "files",
    }
)
"""Argument -> the table its number belongs to; ``uid`` belongs to what ``table`` says."""
UNDELETE: Final = "undelete_record"
_ONLY_READ: Final[Mapping[str, frozenset[str]]] = MappingProxyType({"copy_page": frozenset({"page"})})
"""Arguments of a writing tool that name what is only read."""


def named_targets(arguments: Mapping[str, Any]) -> tuple[InvocationTarget, ...]:
    """The records ``arguments`` name, in the order of the arguments' names; none for what cannot be told."""
    return tuple(target for _, target in _named(arguments))


def _named(arguments: Mapping[str, Any]) -> list[tuple[str, InvocationTarget]]:
    found: list[tuple[str, InvocationTarget]] = []
    for name in sorted(arguments):
        table = arguments.get("table") if name == "uid" else _BY_ARGUMENT.get(name)
        uid = arguments[name]
        if isinstance(table, str) and type(uid) is int:
            found.append((name, InvocationTarget(table=table, uid=uid)))
    return found


def find_places(
    connection: Connection, acting: Identity | None, workspace_id: int, tool: str, arguments: Mapping[str, Any]
) -> tuple[frozenset[int], ...] | None:
    """For each place a call of ``tool`` would write to: its page and the pages above, by uid.

    None = unknown: nobody acts, a record is named that does not exist or that the acting person may not see (one
    answer, I21), or one that lies on no page. Three statements and one per table named.
    """
    if acting is None:
        return None
    read_only = _ONLY_READ.get(tool, frozenset())
    named = [target for name, target in _named(arguments) if name not in read_only]
    pages = _pages_of(connection, workspace_id, named) if tool != UNDELETE else _pages_below_which(connection, named)
    if not named and "page" in read_only and type(arguments.get("page")) is int:
        pages = _page_above(connection, workspace_id, arguments["page"])
    if not pages or shown_pages(connection, acting, workspace_id, pages) != pages:
        return None
    lines = page_ancestors(connection, workspace_id, pages)
    return tuple(frozenset(lines[uid]) for uid in sorted(pages))


def _pages_of(connection: Connection, workspace_id: int, named: list[InvocationTarget]) -> frozenset[int]:
    """The pages the named records are or lie on; empty when one of them cannot be told."""
    found: set[int] = set()
    for table in {target.table for target in named}:
        uids = {target.uid for target in named if target.table == table}
        rows = find_rows(connection, table, uids, workspace_id)
        if rows.keys() != uids:
            return frozenset()
        found |= {_page_of(row) for row in rows.values()}
    return frozenset() if 0 in found else frozenset(found)


def _pages_below_which(connection: Connection, named: list[InvocationTarget]) -> frozenset[int]:
    """The pages deleted records lay on, or lay below: those of a deleted page are deleted with it."""
    found: set[int] = set()
    for target in named:
        row = find_stored_rows(connection, target.table, [target.uid]).get(target.uid)
        if row is None or not row.values.get("pid"):
            return frozenset()
        found.add(int(row["pid"]))
    return frozenset(found)


def _page_of(row: Row) -> int:
    if row.table == "pages":
        return int(row["translation_parent"] or row.live_uid)
    return int(row.values.get("pid", 0))


def _page_above(connection: Connection, workspace_id: int, uid: int) -> frozenset[int]:
    row = find_rows(connection, "pages", [uid], workspace_id).get(uid)
    return frozenset() if row is None or not row["pid"] else frozenset({int(row["pid"])})
