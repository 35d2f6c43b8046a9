"""The way from pages up to the root, for many pages and workspaces in one recursive statement.

A page lies where its version row of the workspace says, also when it is moved or marked deleted there; its permission
columns are always those of the live (or new) row, so that a right withdrawn live is withdrawn in every draft. A uid of
a translation or of a version row stands for its page (cms.md sections 2, 4 and 16).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    CTE,
    ColumnElement,
    FromClause,
    Integer,
    Select,
    and_,
    bindparam,
    case,
    cast,
    func,
    or_,
    select,
    union_all,
)
from sqlalchemy.engine import Connection, RowMapping

from app.content.schema import PAGES
from app.content.store import NONE, valid_uids
from app.content.types import VersionState
from app.core.db import SLICE
from app.policy.identity import LIVE
from app.policy.permissions import PageRights

_PAGE, _VERSION = PAGES.table.alias("page"), PAGES.table.alias("version")
_WORKSPACE, _UIDS = "workspace_", "uids_"


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A row of the way: a page, or a row that only stands for one (``is_alias``)."""

    uid: int
    above: int
    """Public uid of the page above, 0 at the root; of the page itself for an alias."""
    rights: PageRights
    workspace_id: int
    """Where the row is stored."""
    is_alias: bool
    is_gone: bool
    """Soft-deleted, or marked deleted in the workspace."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """A page and the pages above it."""

    places: tuple[Place, ...]
    reaches_root: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Rootlines:
    """Places by workspace and uid."""

    places: Mapping[tuple[int, int], Place]

    def line(self, workspace_id: int, uid: int) -> Line:
        """The page meant by ``uid`` and those above it, as far as they exist in the workspace."""
        found: list[Place] = []
        seen: set[int] = set()
        while uid > 0 and uid not in seen:
            seen.add(uid)
            place = self.places.get((workspace_id, uid))
            if place is None or place.workspace_id not in {LIVE, workspace_id}:
                return Line(places=tuple(found), reaches_root=False)
            if not place.is_alias:
                found.append(place)
            uid = place.above
        return Line(places=tuple(found), reaches_root=uid == 0)


def read_rootlines(connection: Connection, starts: Collection[tuple[int, int]]) -> Rootlines:
    """Places of all pages on the ways up from ``starts`` (workspace, uid); one statement for up to 900 starts."""
    places: dict[tuple[int, int], Place] = {}
    for part in _parts(starts):
        asked: dict[str, Any] = {f"{_UIDS}{number}": uids for number, uids in enumerate(part.values())}
        asked |= {f"{_WORKSPACE}{number}": workspace_id for number, workspace_id in enumerate(part)}
        for row in connection.execute(_statement(len(part)), asked).mappings().all():
            places[row["ws"], row["uid"]] = _place(row)
    return Rootlines(places=places)


def _parts(starts: Collection[tuple[int, int]]) -> Iterator[dict[int, list[int]]]:
    ordered = sorted(set(starts))
    for first in range(0, len(ordered), SLICE):
        part: defaultdict[int, list[int]] = defaultdict(list)
        for workspace_id, uid in ordered[first : first + SLICE]:
            part[workspace_id].append(uid)
        valid = {workspace_id: valid_uids(uids) for workspace_id, uids in part.items()}
        if any(valid.values()):
            yield valid


@lru_cache(maxsize=16)
def _statement(workspaces: int) -> Select[Any]:
    """The statement for starts in that many workspaces; kept, because building it costs more than asking it."""
    pages = PAGES.table
    first = [
        select(
            cast(bindparam(f"{_WORKSPACE}{number}", type_=Integer), Integer).label("ws"), pages.c.uid.label("uid")
        ).where(pages.c.uid.in_(bindparam(f"{_UIDS}{number}", expanding=True)))
        for number in range(workspaces)
    ]
    start = union_all(*first).cte("start")
    way = select(start.c.ws, start.c.uid).cte("way", recursive=True)
    joined, above, _ = _joined(way)
    # UNION, not UNION ALL: shared ancestors once, and a circle ends.
    way = way.union(select(way.c.ws, above).select_from(joined).where(above > NONE))
    joined, above, gone = _joined(way)
    page = _PAGE
    return select(
        way.c.ws,
        page.c.uid,
        above.label("above"),
        page.c.workspace_id,
        or_(page.c.live_uid > NONE, page.c.translation_parent > NONE).label("is_alias"),
        gone.label("is_gone"),
        page.c.owner_id,
        page.c.group_id,
        page.c.owner_bits,
        page.c.group_bits,
        page.c.everybody_bits,
    ).select_from(joined)


def _joined(way: CTE) -> tuple[FromClause, ColumnElement[int], ColumnElement[bool]]:
    """The pages of ``way`` with their version rows; the uid above each; whether each is gone."""
    page, version = _PAGE, _VERSION
    joined = way.join(page, page.c.uid == way.c.uid).outerjoin(
        version,
        and_(version.c.live_uid == page.c.uid, version.c.live_uid > NONE, version.c.workspace_id == way.c.ws),
    )
    above: ColumnElement[int] = case(
        (page.c.live_uid > NONE, page.c.live_uid),
        (page.c.translation_parent > NONE, page.c.translation_parent),
        else_=func.coalesce(version.c.pid, page.c.pid),
    )
    gone = or_(page.c.deleted, func.coalesce(version.c.version_state, 0) == VersionState.DELETED)
    return joined, above, gone


def _place(row: RowMapping) -> Place:
    return Place(
        uid=row["uid"],
        above=row["above"],
        rights=PageRights(
            owner_id=row["owner_id"],
            group_id=row["group_id"],
            owner_bits=row["owner_bits"],
            group_bits=row["group_bits"],
            everybody_bits=row["everybody_bits"],
        ),
        workspace_id=row["workspace_id"],
        is_alias=bool(row["is_alias"]),
        is_gone=bool(row["is_gone"]),
    )
