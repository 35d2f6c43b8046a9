"""Brings deleted live records back (cms.md section 11): children come back, translations do not.

Children are what the same deletion took along: pages below, records on the pages, references to files of all of these.
A translation is brought back by itself, once its default record is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from sqlalchemy import Table, func, select

from app.content import models, rights
from app.content.errors import WriteRefused
from app.content.schema import PAGES, REGISTRY, TableTrait
from app.content.store import list_translations
from app.content.types import ChangeAction, HistoryEvent, RecordRef, Row
from app.content.writer import overlay
from app.content.writer.rows import change_rows
from app.content.writer.work import Work, trait_of
from app.core.db import slices
from app.core.i18n import text
from app.policy.identity import LIVE

_HISTORY = cast(Table, models.RecordHistory.__table__)
Rows = list[dict[str, Any]]


def undelete_record(work: Work, table: str, uid: int) -> RecordRef:
    """Bring a record back with its children; see ``Batch.undelete``.

    Raises ``WriteRefused``: ``live_only`` in a draft, ``not_found``, ``not_deleted``, ``parent_deleted``,
    ``translation_exists``, ``denied_below``.
    """
    trait = trait_of(table)
    if work.in_draft:
        raise WriteRefused("live_only", text("Deleted records are restored in the live workspace only."))
    row = rights.require_undelete(work.connection, work.actor, table, uid)
    _demand_free_language(work, trait, row)
    work.ask_before(trait, row.uid, {})
    found = {trait.name: [dict(row.values)]}
    for other, rows in _children(work, trait, row):
        found.setdefault(other.name, []).extend(rows)
    _demand_tables(work, found)
    for name, rows in found.items():
        change_rows(work, REGISTRY[name], rows, {"deleted": False})
        work.observed.note(REGISTRY[name], rows, HistoryEvent.UNDELETED)
    return RecordRef(table=table, uid=row.uid)


def _demand_free_language(work: Work, trait: TableTrait, row: Row) -> None:
    if not trait.has_language or not row["translation_parent"]:
        return
    translations = list_translations(work.connection, trait.name, row["translation_parent"], LIVE)
    if any(found["language_id"] == row["language_id"] for found in translations):
        raise WriteRefused(
            "translation_exists", text("Meanwhile there is another translation in this language. Delete that first.")
        )


def _demand_tables(work: Work, found: dict[str, Rows]) -> None:
    """Every table and language of what comes back, as for its deletion."""
    tables = (REGISTRY[name] for name in found)
    rows = (row for part in found.values() for row in part)
    if all(work.actor.may_modify(trait.name, admin_only=trait.admin_only) for trait in tables) and all(
        work.actor.may_use_language(row.get("language_id")) for row in rows
    ):
        return
    raise WriteRefused("denied_below", text("You may not restore everything that was deleted along with this."))


def _children(work: Work, trait: TableTrait, row: Row) -> Iterable[tuple[TableTrait, Rows]]:
    if trait is PAGES and not row["translation_parent"]:
        pages = _pages_below(work, row)
        yield PAGES, pages
        page_uids = [row.uid, *(page["uid"] for page in pages)]
        owners = {PAGES.name: page_uids}
        for other in _on_pages():
            rows = _gone_with(work, other, row, "pid", page_uids)
            owners[other.name] = [found["uid"] for found in rows]
            yield other, rows
    else:
        owners = {trait.name: [row.uid]}
    for other in REGISTRY.values():
        if "owner_uid" in other.table.c and other.soft_delete:
            for name, uids in owners.items():
                yield other, _gone_with(work, other, row, "owner_uid", uids, owner_table=name)


def _on_pages() -> list[TableTrait]:
    """Tables with records on pages; references to files follow their owners."""
    traits = [trait for trait in REGISTRY.values() if trait.on_pages and trait.soft_delete and trait is not PAGES]
    return [trait for trait in traits if "owner_uid" not in trait.table.c]


def _pages_below(work: Work, row: Row) -> Rows:
    found: Rows = []
    level = [row.uid]
    while level:
        below = _gone_with(work, PAGES, row, "pid", level)
        found += below
        level = [page["uid"] for page in below]
    return found


def _gone_with(work: Work, trait: TableTrait, record: Row, column: str, uids: Sequence[int], **equal: Any) -> Rows:
    """Deleted live rows of ``trait`` that the deletion of ``record`` took along, translations left out."""
    if trait.versioned:
        equal["workspace_id"] = LIVE
    if trait.has_language and "owner_uid" not in trait.table.c:
        equal["translation_parent"] = 0
    rows = overlay.deleted_rows_by(work.connection, trait, column, uids, changed_at=record["changed_at"], **equal)
    # The second is not enough: another deletion may fall into it. History tells them apart (a rehearsal writes none).
    mine = _deletions(work, REGISTRY[record.table], [record.uid]).get(record.uid)
    theirs = _deletions(work, trait, [row["uid"] for row in rows])
    return [row for row in rows if theirs.get(row["uid"]) == mine]


def _deletions(work: Work, trait: TableTrait, uids: Sequence[int]) -> dict[int, str]:
    """The batch that deleted each record last, as far as history knows."""
    rows = _HISTORY.c
    found: dict[int, str] = {}
    for part in slices(sorted(uids)):
        newest = (
            select(func.max(rows.id))
            .where(
                rows.table_name == trait.name,
                rows.live_uid.in_(part),
                rows.uid == rows.live_uid,
                rows.action == ChangeAction.DELETED.value,
            )
            .group_by(rows.live_uid)
        )
        statement = select(rows.live_uid, rows.correlation).where(rows.id.in_(newest))
        found |= {int(uid): str(correlation) for uid, correlation in work.connection.execute(statement).all()}
    return found
