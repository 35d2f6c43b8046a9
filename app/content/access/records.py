"""``readable``: the filter of every list of changes and every card (CH-16 to CH-21, D7, D9, D10)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.engine import Connection

from app.content.access.judging import Judged, judge, judged_row, page_of
from app.content.access.publications import find_published
from app.content.schema import REGISTRY, TableTrait
from app.content.store import find_stored_rows
from app.content.titles import title_of
from app.content.types import PlannedRef, RecordRef, Row, VersionState
from app.policy.identity import LIVE, Identity


@dataclass(frozen=True, kw_only=True, slots=True)
class Readable:
    """A record this person may see, as it is stored now."""

    table: str
    uid: int
    """Its row."""
    live_uid: int
    """The uid people know it by."""
    values: Mapping[str, Any]
    title: str
    """Empty when no label field shows anything."""
    workspace_id: int
    """The workspace the row is stored in; 0 = live."""
    is_deleted: bool
    """Soft-deleted, or marked deleted in its workspace."""
    is_live: bool
    page_uid: int
    """The page whose rights decided; 0 = kept at the root."""
    published_since: bool = False
    """Asked for was a draft row that is gone because it was published: this is its live record (CH-20)."""


def readable(connection: Connection, identity: Identity, refs: Collection[RecordRef]) -> dict[RecordRef, Readable]:
    """Which of ``refs`` (row uids) this person may see; an absent key is withheld and nothing is known of it (CH-18).

    Judged in the workspace the row is stored in now, whose right is needed literally (live needs the live grant, D10);
    deletion is ignored on the row and above it (CH-19); a row that is gone is withheld, for administrators too. Only a
    draft row that was published is judged by its live row (D9); one that was discarded is gone.
    Statements: one per table named, one for all pages, one for all files (each per 900); when draft rows may be gone,
    one more for all of them and one per table in which some were published.
    """
    by_table: defaultdict[str, set[int]] = defaultdict(set)
    for ref in refs:
        trait = REGISTRY.get(ref.table)
        if trait is not None and identity.may_select(trait.name, admin_only=trait.admin_only):
            by_table[ref.table].add(ref.uid)
    rows = {
        RecordRef(table=table, uid=uid): row
        for table in sorted(by_table)
        for uid, row in find_stored_rows(connection, table, by_table[table]).items()
    }
    published = _published_rows(connection, by_table, rows)
    found = [*rows.items(), *published.items()]
    answers = judge(
        connection, identity, [judged_row(REGISTRY[row.table], row.values) for _, row in found], deleted_too=True
    )
    return {
        ref: _as_readable(REGISTRY[row.table], row, published_since=ref in published)
        for (ref, row), shown in zip(found, answers, strict=True)
        if shown
    }


def _published_rows(
    connection: Connection, by_table: Mapping[str, set[int]], rows: Mapping[RecordRef, Row]
) -> dict[RecordRef, Row]:
    """The live rows of draft rows that are gone because they were published."""
    gone = [
        RecordRef(table=table, uid=uid)
        for table, uids in by_table.items()
        if REGISTRY[table].versioned
        for uid in sorted(uids)
        if RecordRef(table=table, uid=uid) not in rows
    ]
    live_uids = find_published(connection, gone)
    found: dict[RecordRef, Row] = {}
    for table in sorted({ref.table for ref in live_uids}):
        stored = find_stored_rows(connection, table, [uid for ref, uid in live_uids.items() if ref.table == table])
        for ref, uid in live_uids.items():
            row = stored.get(uid) if ref.table == table else None
            if row is not None and row["workspace_id"] == LIVE:
                found[ref] = row
    return found


def judge_planned(connection: Connection, identity: Identity, refs: Sequence[PlannedRef]) -> tuple[bool, ...]:
    """Whether this person may see each of ``refs``, records that do not exist yet, in the same order (D7)."""
    known = [(index, ref) for index, ref in enumerate(refs) if ref.table in REGISTRY]
    answers = judge(connection, identity, [_as_judged(ref) for _, ref in known], deleted_too=True)
    shown = {index for (index, _), answer in zip(known, answers, strict=True) if answer}
    return tuple(index in shown for index in range(len(refs)))


def _as_judged(ref: PlannedRef) -> Judged:
    trait = REGISTRY[ref.table]
    return Judged(
        trait=trait,
        workspace_id=ref.workspace_id,
        language_id=ref.language_id if trait.has_language else None,
        page_uid=ref.page_uid,
        file_uid=ref.file_uid,
    )


def _as_readable(trait: TableTrait, row: Row, *, published_since: bool) -> Readable:
    workspace_id = int(row["workspace_id"]) if trait.versioned else LIVE
    marked = trait.versioned and row["version_state"] == VersionState.DELETED
    return Readable(
        table=row.table,
        uid=row.uid,
        live_uid=row.live_uid,
        values=row.values,
        title=title_of(row.table, row.values),
        workspace_id=workspace_id,
        is_deleted=bool(marked or (trait.soft_delete and row["deleted"])),
        is_live=workspace_id == LIVE,
        page_uid=page_of(trait, row.values),
        published_since=published_since,
    )
