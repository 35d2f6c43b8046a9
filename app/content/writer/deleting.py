"""Deletes records: for good or softly in live with everything that hangs on them, as marks in a draft (cms.md sections
8, 11).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.content import rights
from app.content.errors import WriteRefused
from app.content.schema import PAGES, REGISTRY, TableTrait
from app.content.types import RecordRef, Row, VersionState
from app.content.writer import branches, overlay
from app.content.writer.observe import RowValues, public_uid
from app.content.writer.rows import change_rows, remove_rows
from app.content.writer.versions import NOTHING, demand_versioned, held_by_draft, mark_deleted
from app.content.writer.work import Work, trait_of
from app.core.i18n import text


def delete_record(work: Work, table: str, uid: int, *, with_content: bool = True) -> RecordRef:
    """Delete a record with what hangs on it; returns the row that says so (in a draft the mark).

    Live: soft deletion (removal where the table knows none) of the record, its translations, for a page the whole
    branch with all records; drafts of all of these are discarded. Draft: the record and its live translations are
    marked, what is new in the draft is removed. Without content a translated page goes alone, because another takes its
    place. Raises ``WriteRefused``: ``not_found``, ``marked_deleted``, ``denied_below``, ``denied_language``,
    ``holds_moved``.
    """
    trait = trait_of(table)
    row = rights.require_delete(work.connection, work.actor, work.workspace_id, table, uid)
    work.ask_before(trait, row.live_uid, {})
    if not work.in_draft:
        delete_live(work, trait, row, with_content=with_content)
        return RecordRef(table=table, uid=row.uid)
    demand_versioned(trait)
    return RecordRef(table=table, uid=_delete_in_draft(work, trait, row)["uid"])


def delete_live(work: Work, trait: TableTrait, row: Row, *, with_content: bool = True) -> None:
    """Delete a live record with all consequences; rights on what goes along are asked here."""
    branch = branches.live_branch(work, trait, row.values, with_content=with_content)
    branches.demand_rights(work, branch)
    for found, rows in branch.live.items():
        _delete_rows(work, REGISTRY[found], rows)
    for found, rows in branches.drafts_of(work, branch).items():
        remove_rows(work, REGISTRY[found], rows)


def _delete_rows(work: Work, trait: TableTrait, rows: Sequence[RowValues]) -> None:
    if trait.soft_delete:
        change_rows(work, trait, rows, {"deleted": True})
    else:
        remove_rows(work, trait, rows)


def _delete_in_draft(work: Work, trait: TableTrait, row: Row) -> dict[str, Any]:
    translations = _translations(work, trait, row)
    is_new = held_by_draft(work, row.values) is VersionState.NEW
    marked = mark_deleted(work, trait, [row.values, *translations])
    if is_new and trait is PAGES and not row["translation_parent"]:
        _remove_new_branch(work, row.live_uid)
    gone = [old for old in (row.values, *translations) if held_by_draft(work, old) is VersionState.NEW]
    _remove_owned(work, trait, [public_uid(old) for old in gone])
    return marked[0]


def mark_rows(work: Work, trait: TableTrait, rows: Sequence[RowValues]) -> None:
    """Delete records in the draft, with the references of those that were new there."""
    new = [public_uid(row) for row in rows if held_by_draft(work, row) is VersionState.NEW]
    mark_deleted(work, trait, rows)
    _remove_owned(work, trait, new)


def _translations(work: Work, trait: TableTrait, row: Row) -> list[dict[str, Any]]:
    if not trait.has_language or row["translation_parent"]:
        return []
    return overlay.rows_by(work.connection, trait, work.workspace_id, "translation_parent", [row.live_uid])


def _remove_new_branch(work: Work, page_uid: int) -> None:
    """Remove what is new in the draft below and on a page that is new there; what was moved there from live is not
    lost.
    """
    below = overlay.subtree(work.connection, work.workspace_id, page_uid)
    subpages = [uid for uid in below if uid != page_uid]
    pages = overlay.rows_by(work.connection, PAGES, work.workspace_id, "uid", subpages)
    if len(pages) < len(subpages):
        raise _holds_moved()
    for trait in REGISTRY.values():
        if trait.on_pages and trait.versioned and trait is not PAGES:
            _remove_new(work, trait, overlay.rows_by(work.connection, trait, work.workspace_id, "pid", below))
    _remove_new(
        work,
        PAGES,
        [*pages, *overlay.rows_by(work.connection, PAGES, work.workspace_id, "translation_parent", subpages)],
    )


def _remove_new(work: Work, trait: TableTrait, rows: Sequence[RowValues]) -> None:
    if any(held_by_draft(work, row) is not VersionState.NEW for row in rows):
        raise _holds_moved()
    remove_rows(work, trait, rows)


def _remove_owned(work: Work, trait: TableTrait, owner_uids: Sequence[int]) -> None:
    """References to files of records that were removed from the draft."""
    if not owner_uids:
        return
    for other in REGISTRY.values():
        if "owner_uid" in other.table.c:
            found = overlay.rows_by(
                work.connection, other, work.workspace_id, "owner_uid", owner_uids, owner_table=trait.name
            )
            remove_rows(work, other, [row for row in found if held_by_draft(work, row) is not NOTHING])


def _holds_moved() -> WriteRefused:
    return WriteRefused(
        "holds_moved",
        text("Records were moved below this page in this workspace. Move them elsewhere before deleting it."),
    )
