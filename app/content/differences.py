"""What a draft workspace holds that live does not, as one person may see it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.engine import Connection

from app.content.access import Readable, readable
from app.content.schema import REGISTRY
from app.content.types import RecordRef, VersionState
from app.policy.identity import LIVE, Identity

MOST_ROWS = 2_000
"""Rows of one table that are looked at."""
LISTED = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """One record a workspace holds."""

    record: Readable
    state: VersionState
    changed_at: int


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkspaceDifferences:
    """What the reader may see of it, newest first, and how much is left out."""

    records: tuple[Difference, ...] = ()
    withheld: int = 0
    unlisted: int = 0


def list_differences(connection: Connection, identity: Identity, workspace_id: int) -> WorkspaceDifferences:
    """Records new, changed, moved or marked for deletion in a draft workspace; filtered by rights first, then cut."""
    refs: list[RecordRef] = []
    for trait in REGISTRY.values():
        if not trait.versioned or workspace_id == LIVE:
            continue
        rows = trait.table
        query = select(rows.c.uid).where(rows.c.workspace_id == workspace_id).order_by(rows.c.uid).limit(MOST_ROWS)
        if trait.soft_delete:
            query = query.where(rows.c.deleted.is_(False))
        refs += [RecordRef(table=trait.name, uid=uid) for uid in connection.execute(query).scalars()]
    found = readable(connection, identity, refs)
    shown = sorted((_difference(found[ref]) for ref in refs if ref in found), key=_newest_first)
    return WorkspaceDifferences(
        records=tuple(shown[:LISTED]), withheld=len(refs) - len(found), unlisted=max(0, len(shown) - LISTED)
    )


def _difference(record: Readable) -> Difference:
    return Difference(
        record=record,
        state=VersionState(record.values["version_state"]),
        changed_at=int(record.values.get("changed_at") or 0),
    )


def _newest_first(item: Difference) -> tuple[int, str, int]:
    return (-item.changed_at, item.record.table, item.record.uid)
