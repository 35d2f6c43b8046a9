"""Searching records by the words people see of them; rights, overlay and matching are one query per table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, case, func, literal_column, or_, select
from sqlalchemy.engine import Connection, RowMapping

from app.content.access import default_page_uid, reading_condition, shown_pages, shown_pages_cte
from app.content.deleted import deleted_condition
from app.content.schema import FILES, PAGES, REGISTRY, FieldKind, TableTrait
from app.content.store import find_rows, list_languages, public_uid, title_of
from app.core.folding import fold, folded
from app.policy.identity import LIVE, Identity

LONGEST_QUERY = 500
"""No title is longer than a few hundred characters; a longer query finds nothing."""
_NOWHERE = re.compile("[\x00\ud800-\udfff]")
"""Characters no stored text can hold; the drivers refuse them, or cut the query there."""
_SNIPPET = 2000
_EXACT: ColumnElement[int] = literal_column("0")
_PART: ColumnElement[int] = literal_column("1")


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundRecord:
    """A hit."""

    table: str
    uid: int
    """The uid people know it by."""
    row_uid: int
    title: str
    language_id: int | None
    language_code: str | None
    is_hidden: bool | None
    page_uid: int
    """The default page itself for pages, else the page it lies on; 0 = kept at the root."""
    parent_title: str
    """Title of the page above a page, or of the page a record lies on; empty when that is not shown. Of a file its folder."""
    is_exact: bool
    """Whether the query is one of its titles as a whole."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchResult:
    """Hits, exact ones first, and whether there are more than asked for."""

    records: tuple[FoundRecord, ...] = ()
    more: bool = False


def search_records(
    connection: Connection,
    identity: Identity,
    workspace_id: int,
    query: str,
    *,
    table: str | None = None,
    language_id: int | None = None,
    deleted: bool = False,
    limit: int = 20,
) -> SearchResult:
    """Records this person may read with ``query`` in a label field, whatever its case (``core.folding``).

    Every character of ``query`` stands for itself. ``language_id`` leaves only records of that language or of every
    language. ``deleted`` finds records deleted live instead, whatever workspace the person stands in; their place is
    that of live. Exact titles first, then by table and uid. One statement per table and three more.
    """
    words = _forms(query)
    traits = _searched(identity, table, language_id)
    if not words or limit < 1 or not traits:
        return SearchResult()
    workspace_id = LIVE if deleted else workspace_id
    shown = shown_pages_cte(identity, workspace_id)
    hits: list[tuple[int, int, TableTrait, RowMapping]] = []
    for position, trait in enumerate(traits):
        found = (
            deleted_condition(trait, identity, shown)
            if deleted
            else reading_condition(trait, identity, workspace_id, shown)
        )
        statement = _statement(trait, found, words)
        if language_id is not None:
            statement = statement.where(trait.table.c.language_id.in_([language_id, -1]))
        for row in connection.execute(statement.limit(limit + 1)).mappings().all():
            hits.append((row["rank"], position, trait, row))
    hits.sort(key=lambda hit: (hit[0], hit[1]))
    titles = _parent_titles(connection, identity, workspace_id, [row for *_, row in hits[:limit]])
    codes = {language.id: language.code for language in list_languages(connection)}
    records = tuple(_hit(trait, row, titles, codes) for _, _, trait, row in hits[:limit])
    return SearchResult(records=records, more=len(hits) > limit)


def _forms(query: str) -> tuple[str, ...]:
    """``query`` as typed, and with its spaces and line ends brought to one form; none for what no title can hold."""
    forms = dict.fromkeys(fold(form) or "" for form in (query.strip(), " ".join(query.split())))
    return tuple(form for form in forms if form and len(form) <= LONGEST_QUERY and not _NOWHERE.search(form))


def _searched(identity: Identity, table: str | None, language_id: int | None) -> list[TableTrait]:
    return [
        trait
        for trait in REGISTRY.values()
        if table in {None, trait.name}
        and identity.may_select(trait.name, admin_only=trait.admin_only)
        and (language_id is None or trait.has_language)
    ]


def _statement(trait: TableTrait, may_find: ColumnElement[bool], words: tuple[str, ...]) -> Select[Any]:
    rows = trait.table
    labels = [rows.c[name] for name in trait.label_fields]
    exact = or_(*(folded(label).in_(words) for label in labels))
    contains = or_(*(folded(label).contains(form, autoescape=True) for label in labels for form in words))
    rank = case((exact, _EXACT), else_=_PART)
    columns = [
        # Only the beginning of a long text makes a title.
        func.substr(label, 1, _SNIPPET).label(label.name)
        if trait.field_by_name[label.name].kind is FieldKind.MARKDOWN
        else label
        for label in labels
    ]
    language = [rows.c.language_id] if trait.has_language else []
    hidden = [rows.c.hidden] if trait.can_hide else []
    path = [rows.c.path] if trait is FILES else []
    page = default_page_uid() if trait is PAGES else rows.c.pid
    return (
        select(
            rank.label("rank"),
            rows.c.uid,
            public_uid(trait).label("public"),
            rows.c.pid,
            page.label("page"),
            *columns,
            *language,
            *hidden,
            *path,
        )
        .where(may_find, contains)
        .order_by(rank, rows.c.uid)
    )


def _parent_titles(
    connection: Connection, identity: Identity, workspace_id: int, hits: list[RowMapping]
) -> dict[int, str]:
    parents = shown_pages(connection, identity, workspace_id, {row["pid"] for row in hits})
    rows = find_rows(connection, PAGES.name, parents, workspace_id)
    return {uid: title_of(PAGES.name, row.values) for uid, row in rows.items()}


def _hit(trait: TableTrait, row: RowMapping, titles: dict[int, str], codes: dict[int, str]) -> FoundRecord:
    language_id = row["language_id"] if trait.has_language else None
    return FoundRecord(
        table=trait.name,
        uid=row["public"],
        row_uid=row["uid"],
        title=title_of(trait.name, dict(row)),
        language_id=language_id,
        language_code=None if language_id is None else codes.get(language_id),
        is_hidden=bool(row["hidden"]) if trait.can_hide else None,
        page_uid=row["page"],
        parent_title=_folder(row["path"]) if trait is FILES else titles.get(row["pid"], ""),
        is_exact=row["rank"] == 0,
    )


def _folder(path: str) -> str:
    return path.rpartition("/")[0] + "/"
