"""Reading for one person: a record, a search, the page tree. Rights are part of every query; nothing is filtered late.

The reader stands in a workspace and sees its overlay; what is deleted, or lies below something deleted, is not there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sqlalchemy.engine import Connection

from app.content import store
from app.content.access import judge, judged_row, page_lines, shown_pages
from app.content.errors import not_found
from app.content.page_lists import topmost_pages
from app.content.schema import CONTENT_ELEMENTS, PAGES, REGISTRY, TableTrait
from app.content.search import FoundRecord, SearchResult, search_records
from app.content.tree import TreeNode, branches
from app.content.types import FieldValue, Row, VersionState
from app.policy.identity import Identity

__all__ = [
    "FoundRecord",
    "PathStep",
    "RecordSummary",
    "RecordView",
    "SearchResult",
    "TreeNode",
    "list_readable_records",
    "page_path",
    "page_tree",
    "read_record",
    "readable_rows",
    "search_records",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordSummary:
    """A record in a list. Facts its table does not have are None."""

    table: str
    uid: int
    """The uid people know it by."""
    row_uid: int
    title: str
    language_id: int | None
    language_code: str | None
    """None also for "every language" (-1)."""
    is_hidden: bool | None
    starttime: int | None
    endtime: int | None
    groups: str | None
    version_state: VersionState | None
    """What the workspace holds of it; None = nothing, the live record is read."""
    translation_parent: int = 0
    """Public uid of the record it translates; 0 = none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordView(RecordSummary):
    """A record with the fields the reader has a grant for; a page also with its content elements."""

    row: Row
    page_uid: int
    """The default page itself for pages, else the page it lies on; 0 = kept at the root."""
    fields: Mapping[str, FieldValue]
    may_modify: bool
    """Whether the reader may change records of this table at all; rights on the page are asked when writing."""
    elements: tuple[RecordSummary, ...] = ()
    translations: tuple[RecordSummary, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class PathStep:
    """One page of the way to a page."""

    uid: int
    title: str


def read_record(connection: Connection, identity: Identity, workspace_id: int, table: str, uid: int) -> RecordView:
    """One record (public uid, or a row uid of the workspace).

    Raises ``not_found`` for what does not exist and what this person may not read alike.
    """
    row = store.find_row(connection, table, uid, workspace_id)
    if row is None or not readable_rows(connection, identity, workspace_id, [row]):
        raise not_found()
    trait = REGISTRY[table]
    codes = {language.id: language.code for language in store.list_languages(connection)}
    record = judged_row(trait, row.values, workspace_id)
    return RecordView(
        **_summary(trait, row, workspace_id, codes),
        row=row,
        page_uid=record.page_uid,
        fields=MappingProxyType(_fields(identity, trait, row)),
        may_modify=identity.may_modify(table, admin_only=trait.admin_only),
        elements=_elements(connection, identity, workspace_id, row, codes),
        translations=_translations(connection, identity, workspace_id, row, codes),
    )


def readable_rows(
    connection: Connection, identity: Identity, workspace_id: int, rows: Sequence[Row]
) -> tuple[Row, ...]:
    """Those of ``rows``, as read in ``workspace_id``, this person may read; at most two statements."""
    records = [judged_row(REGISTRY[row.table], row.values, workspace_id) for row in rows]
    answers = judge(connection, identity, records, deleted_too=False)
    return tuple(row for row, shown in zip(rows, answers, strict=True) if shown)


def list_readable_records(
    connection: Connection,
    identity: Identity,
    workspace_id: int,
    table: str,
    page_uid: int,
    language_id: int | None = None,
) -> tuple[RecordSummary, ...]:
    """Records of a table on a page (0 = at the root) this person may read, in their order; at most four statements."""
    trait = REGISTRY.get(table)
    if trait is None or not identity.may_select(table, admin_only=trait.admin_only):
        return ()
    codes = {language.id: language.code for language in store.list_languages(connection)}
    rows = store.list_records(connection, table, workspace_id, page_uid, language_id)
    shown = readable_rows(connection, identity, workspace_id, rows)
    return tuple(RecordSummary(**_summary(trait, row, workspace_id, codes)) for row in shown)


def page_tree(
    connection: Connection, identity: Identity, workspace_id: int, root_uid: int | None = None, depth: int = 2
) -> tuple[TreeNode, ...]:
    """Pages shown to this person, each before the pages below it, in their order.

    With ``root_uid``: that page as level 0 and ``depth`` levels below it; raises ``not_found`` when it is not shown.
    Without: the topmost shown pages (for administrators those at the root) as level 1, down to level ``depth``.
    """
    if root_uid is None:
        tops, level = topmost_pages(connection, identity, workspace_id), 1
    else:
        if root_uid not in shown_pages(connection, identity, workspace_id, [root_uid]):
            raise not_found()
        line = page_lines(connection, identity, workspace_id, [root_uid])[root_uid]
        tops, level = (line[0],), 0
    return branches(connection, identity, workspace_id, tops, level=level, last_level=depth)


def page_path(connection: Connection, identity: Identity, workspace_id: int, page_uid: int) -> tuple[PathStep, ...]:
    """The pages from the topmost one shown to this person down to ``page_uid``; empty when that is not shown."""
    line = page_lines(connection, identity, workspace_id, [page_uid]).get(page_uid, ())
    rows = store.find_rows(connection, PAGES.name, line, workspace_id)
    return tuple(
        PathStep(uid=uid, title=store.title_of(PAGES.name, rows[uid].values)) for uid in reversed(line) if uid in rows
    )


def _summary(trait: TableTrait, row: Row, workspace_id: int, codes: Mapping[int, str]) -> dict[str, Any]:
    language_id = int(row["language_id"]) if trait.has_language else None
    in_draft = trait.versioned and workspace_id > 0 and row["workspace_id"] == workspace_id
    return {
        "table": trait.name,
        "uid": row.live_uid,
        "row_uid": row.uid,
        "title": store.title_of(trait.name, row.values),
        "language_id": language_id,
        "language_code": None if language_id is None else codes.get(language_id),
        "is_hidden": bool(row["hidden"]) if trait.can_hide else None,
        "starttime": row["starttime"] if trait.has_times else None,
        "endtime": row["endtime"] if trait.has_times else None,
        "groups": row["groups"] if trait.has_groups else None,
        "version_state": VersionState(row["version_state"]) if in_draft else None,
        "translation_parent": int(row["translation_parent"]) if trait.has_language else 0,
    }


def _fields(identity: Identity, trait: TableTrait, row: Row) -> dict[str, FieldValue]:
    return {
        field.name: row[field.name]
        for field in trait.fields
        if not field.needs_grant or identity.may_use_field(trait.name, field.name)
    }


def _elements(
    connection: Connection, identity: Identity, workspace_id: int, row: Row, codes: Mapping[int, str]
) -> tuple[RecordSummary, ...]:
    """Content elements of a page; of a translated page those in its language."""
    if row.table != PAGES.name or not identity.may_select(CONTENT_ELEMENTS.name):
        return ()
    language_id = row["language_id"] if row["translation_parent"] else None
    page_uid = row["translation_parent"] or row.live_uid
    elements = store.list_elements(connection, workspace_id, page_uid, language_id)
    return tuple(
        RecordSummary(**_summary(CONTENT_ELEMENTS, element, workspace_id, codes))
        for element in elements
        if identity.may_use_language(element["language_id"])  # its page was found to be shown
    )


def _translations(
    connection: Connection, identity: Identity, workspace_id: int, row: Row, codes: Mapping[int, str]
) -> tuple[RecordSummary, ...]:
    trait = REGISTRY[row.table]
    found = store.list_translations(connection, row.table, row.live_uid, workspace_id)
    return tuple(
        RecordSummary(**_summary(trait, translation, workspace_id, codes))
        for translation in found
        if identity.may_use_language(translation["language_id"])  # judged by the page or file of its default record
    )
