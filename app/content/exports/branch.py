"""Everything of a branch that is exported, read in a number of statements that does not grow with its pages (per 900)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import ColumnElement, false, select, true
from sqlalchemy.engine import Connection

from app.content.access import file_condition, shown_pages, subtree_cte
from app.content.errors import not_found
from app.content.schema import CONTENT_ELEMENTS, FILE_METADATA, FILE_REFERENCES, FILES, PAGES, TableTrait
from app.content.store import NONE, find_rows, overlay_condition, read_rows
from app.content.types import Row
from app.core.db import slices
from app.core.errors import Invalid
from app.core.i18n import text
from app.policy.identity import Identity

DEFAULT: Final = 0
EVERY: Final = -1
MOST_PAGES: Final = 1_000
"""Pages of a branch somebody may fetch in one go; the command line has no limit."""


class TooLarge(Invalid):
    """A branch with more than ``MOST_PAGES`` pages."""

    text = text("This branch has more than %(most)s pages. Choose a page further down.", most=MOST_PAGES)


@dataclass(frozen=True, kw_only=True, slots=True)
class FileUse:
    """A file an element shows."""

    file_uid: int
    alternative: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Branch:
    """A page with the pages below it, as a workspace sees them."""

    top_uid: int
    pages: tuple[Row, ...]
    """In the default language, parents before children, siblings in their order."""
    translations: Mapping[int, Mapping[int, Row]]
    """By page and language."""
    elements: Mapping[tuple[int, int], Sequence[Row]]
    """By page and language, in their order; those for every language stand under -1."""
    uses: Mapping[int, Sequence[FileUse]]
    """By element."""
    files: Mapping[int, Row]
    words: Mapping[tuple[int, int], str]
    """Alternative texts by file and language."""
    below: Mapping[int, Sequence[Row]] = field(default_factory=dict)
    """Pages by the page above."""


def read_branch(
    connection: Connection,
    page_uid: int,
    workspace_id: int,
    languages: Collection[int],
    *,
    reader: Identity | None = None,
    most: int | None = None,
) -> Branch:
    """The branch below ``page_uid`` (public uid, default language) with its texts in ``languages``.

    For a ``reader`` only what they may read: pages shown to them, their languages and tables, files of their mounts.
    Raises ``not_found``, and ``TooLarge`` above ``most`` pages.
    """
    if reader is not None and not (reader.may_use_workspace(workspace_id) and reader.may_select(PAGES.name)):
        raise not_found()
    pages = _pages(connection, page_uid, workspace_id, reader)
    if page_uid not in {page.live_uid for page in pages}:
        raise not_found()
    if most is not None and len(pages) > most:
        raise TooLarge("branch")
    wanted = [number for number in languages if reader is None or reader.may_use_language(number)]
    uids = [page.live_uid for page in pages]
    translations = _rows(connection, PAGES, workspace_id, "translation_parent", uids, wanted, reader)
    elements = _rows(connection, CONTENT_ELEMENTS, workspace_id, "pid", uids, [*wanted, EVERY], reader)
    uses = _uses(connection, workspace_id, [row.live_uid for row in elements], reader)
    file_uids = {use.file_uid for found in uses.values() for use in found}
    below: defaultdict[int, list[Row]] = defaultdict(list)
    for page in pages:
        below[page["pid"]].append(page)
    return Branch(
        top_uid=page_uid,
        pages=pages,
        translations=_by_page(translations),
        elements=_by_language(elements),
        uses=uses,
        files=_files(connection, file_uids, reader),
        words=_words(connection, workspace_id, file_uids),
        below=below,
    )


def _pages(connection: Connection, page_uid: int, workspace_id: int, reader: Identity | None) -> tuple[Row, ...]:
    tree = subtree_cte(workspace_id, page_uid)
    uids = {int(uid) for uid in connection.execute(select(tree.c.uid)).scalars()}
    rows = find_rows(connection, PAGES.name, uids, workspace_id)
    found = {row.live_uid: row for row in rows.values() if not row["translation_parent"]}
    if reader is not None:
        shown = shown_pages(connection, reader, workspace_id, found)
        found = {uid: row for uid, row in found.items() if uid in shown}
    below: defaultdict[int, list[Row]] = defaultdict(list)
    for row in sorted(found.values(), key=lambda row: (row["sorting"], row.live_uid), reverse=True):
        below[row["pid"]].append(row)
    ordered, waiting = [], [found[page_uid]] if page_uid in found else []
    while waiting:
        row = waiting.pop()
        ordered.append(row)
        waiting.extend(below.get(row.live_uid, ()))
    return tuple(ordered)


def _rows(
    connection: Connection,
    trait: TableTrait,
    workspace_id: int,
    column: str,
    uids: Sequence[int],
    languages: Sequence[int],
    reader: Identity | None,
) -> list[Row]:
    if reader is not None and not reader.may_select(trait.name):
        return []
    table = trait.table
    statement = (
        select(table)
        .where(table.c.language_id.in_(languages), overlay_condition(trait, workspace_id))
        .order_by(table.c.sorting, table.c.uid)
    )
    if column == "translation_parent":
        statement = statement.where(table.c[column] > NONE)
    return [
        row for part in slices(uids) for row in read_rows(connection, trait, statement.where(table.c[column].in_(part)))
    ]


def _by_page(translations: Sequence[Row]) -> dict[int, dict[int, Row]]:
    found: defaultdict[int, dict[int, Row]] = defaultdict(dict)
    for row in translations:
        found[row["translation_parent"]][row["language_id"]] = row
    return found


def _by_language(elements: Sequence[Row]) -> dict[tuple[int, int], list[Row]]:
    found: defaultdict[tuple[int, int], list[Row]] = defaultdict(list)
    for row in elements:
        found[row["pid"], row["language_id"]].append(row)
    return found


def _uses(
    connection: Connection, workspace_id: int, owners: Sequence[int], reader: Identity | None
) -> dict[int, list[FileUse]]:
    if reader is not None and not reader.may_select(FILE_REFERENCES.name):
        return {}
    table = FILE_REFERENCES.table
    statement = (
        select(table)
        .where(
            table.c.owner_table == CONTENT_ELEMENTS.name,
            table.c.hidden == false(),
            overlay_condition(FILE_REFERENCES, workspace_id),
        )
        .order_by(table.c.sorting, table.c.uid)
    )
    found: defaultdict[int, list[FileUse]] = defaultdict(list)
    for part in slices(owners):
        for row in read_rows(connection, FILE_REFERENCES, statement.where(table.c.owner_uid.in_(part))):
            found[row["owner_uid"]].append(FileUse(file_uid=row["file_uid"], alternative=row["alternative"]))
    return found


def _files(connection: Connection, uids: Collection[int], reader: Identity | None) -> dict[int, Row]:
    table = FILES.table
    allowed: ColumnElement[bool] = true() if reader is None else file_condition(reader, table)
    found: dict[int, Row] = {}
    for part in slices(sorted(uids)):
        rows = read_rows(connection, FILES, select(table).where(table.c.uid.in_(part), allowed))
        found |= {row.uid: row for row in rows}
    return found


def _words(connection: Connection, workspace_id: int, uids: Collection[int]) -> dict[tuple[int, int], str]:
    table = FILE_METADATA.table
    condition = overlay_condition(FILE_METADATA, workspace_id)
    found: dict[tuple[int, int], str] = {}
    for part in slices(sorted(uids)):
        for row in read_rows(connection, FILE_METADATA, select(table).where(condition, table.c.file_uid.in_(part))):
            found.setdefault((row["file_uid"], row["language_id"]), row["alternative"])
    return found
