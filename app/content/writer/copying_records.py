"""Copies one record that lies on a page, with its translations and the references to files of all of them."""

from __future__ import annotations

from typing import Any

from app.content import rights
from app.content.access import files_readable
from app.content.errors import not_found
from app.content.schema import PAGES, TableTrait
from app.content.sorting import first_place, last_place, place_after
from app.content.store import find_row, list_translations
from app.content.types import RecordRef, Row
from app.content.writer.copying import Copy, CopyPlan, copied_values
from app.content.writer.moving import references_of
from app.content.writer.observe import public_uid
from app.content.writer.rows import duplicate
from app.content.writer.work import Work, trait_of


def copy_record(
    work: Work, table: str, uid: int, page_uid: int | None, *, after_uid: int | None, first: bool
) -> RecordRef:
    """Copy a record to a page; see ``Batch.copy_record`` (cms.md sections 4, 5 and 10).

    Translations follow where the page has that language too. Fields without a grant stay empty, files the acting
    person may not read are not attached again. Raises ``WriteRefused``: ``not_found``, ``is_translation``,
    ``moves_with_owner``, ``not_movable``, ``denied_language``.
    """
    trait = trait_of(table)
    source, target_uid = rights.require_copy(work.connection, work.actor, work.workspace_id, table, uid, page_uid)
    copy = Copy(work, CopyPlan(source=source, parent_uid=target_uid, pages=()))
    sources = [dict(source.values), *_translations(work, trait, source, target_uid)]
    copy.reserve(trait, sources)
    placed: dict[str, Any] = {"pid": target_uid}
    if trait.has_sorting:
        placed["sorting"] = _place(work, trait, target_uid, after_uid, first=first)
    copy.write(trait, [duplicate(work, trait, row, {**copied_values(copy, trait, row), **placed}) for row in sources])
    for other, rows in references_of(work, trait, [public_uid(row) for row in sources]):
        _copy_references(copy, other, rows, target_uid)
    return RecordRef(table=table, uid=copy.uids[table][source.live_uid])


def _translations(work: Work, trait: TableTrait, source: Row, target_uid: int) -> list[dict[str, Any]]:
    """Translations in languages the target page has; on the page it lies on, all of them."""
    if not trait.has_language:
        return []
    found = list_translations(work.connection, trait.name, source.live_uid, work.workspace_id)
    if found and target_uid != source["pid"]:
        pages = list_translations(work.connection, PAGES.name, target_uid, work.workspace_id)
        known = {page["language_id"] for page in pages}
        found = [row for row in found if row["language_id"] in known]
    return [dict(row.values) for row in found]


def _place(work: Work, trait: TableTrait, page_uid: int, after_uid: int | None, *, first: bool) -> str:
    if first:
        return first_place(work.connection, trait, work.workspace_id, page_uid)
    if after_uid is None:
        return last_place(work.connection, trait, work.workspace_id, page_uid)
    neighbour = find_row(work.connection, trait.name, after_uid, work.workspace_id)
    if neighbour is None or neighbour["pid"] != page_uid:
        raise not_found()
    return place_after(work.connection, trait, work.workspace_id, page_uid, neighbour["sorting"])


def _copy_references(copy: Copy, trait: TableTrait, rows: list[dict[str, Any]], page_uid: int) -> None:
    work = copy.work
    if not work.actor.may_modify(trait.name, admin_only=trait.admin_only):
        return
    files = files_readable(work.connection, work.actor, [row["file_uid"] for row in rows])
    kept = [row for row in rows if row["file_uid"] in files]
    defaults = {public_uid(row) for row in kept if not row["translation_parent"]}
    kept = [row for row in kept if not row["translation_parent"] or row["translation_parent"] in defaults]
    copy.reserve(trait, kept)
    copy.write(
        trait,
        [duplicate(work, trait, row, {**copied_values(copy, trait, row), "pid": page_uid}) for row in kept],
    )
