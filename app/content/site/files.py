"""Files visitors may fetch: only those that something visible uses."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Select, Table, and_, or_, select, union
from sqlalchemy.engine import Connection

from app.content.access import may_read_file
from app.content.files import FileRecord, find_file
from app.content.schema import CONTENT_ELEMENTS, FILE_REFERENCES, PAGES
from app.content.site.lines import VisibleLine, read_visible_lines, visible_condition
from app.content.site.types import EVERY_LANGUAGE, Stance
from app.content.store import NONE, overlay_condition
from app.core.db import slices

Use = tuple[int, int]
"""Page (in the default language) and language of a record that uses the file."""


def find_site_file(connection: Connection, stance: Stance, uid: int) -> FileRecord | None:
    """A file by its number, None when it does not exist and when nothing visible uses it alike.

    Two statements and those of ``read_visible_lines`` per 900 pages that use it.
    """
    reader = stance.reader
    if reader is not None and not (
        reader.may_use_workspace(stance.workspace_id) and reader.may_select(FILE_REFERENCES.name)
    ):
        return None
    file = find_file(connection, uid)
    if file is None or file.missing or not (reader is None or may_read_file(reader, file.stored)):
        return None
    return file if _is_used(connection, stance, uid) else None


def _is_used(connection: Connection, stance: Stance, uid: int) -> bool:
    statement = union(_by_elements(stance, uid), _by_pages(stance, uid))
    uses: list[Use] = [(row["pid"], row["language_id"]) for row in connection.execute(statement).mappings()]
    for part in slices(uses):
        lines = read_visible_lines(connection, stance, {page_uid for page_uid, _ in part})
        if any(_is_visible(lines.get(page_uid), language_id) for page_uid, language_id in part):
            return True
    return False


def _is_visible(line: VisibleLine | None, language_id: int) -> bool:
    if line is None:
        return False
    return language_id == EVERY_LANGUAGE or line.text(language_id) is not None


def _is_owner(rows: Table) -> ColumnElement[bool]:
    """Rows a reference names as its owner by their public uid; in two parts, so that each finds its index."""
    owner_uid = FILE_REFERENCES.table.c.owner_uid
    return or_(rows.c.uid == owner_uid, and_(rows.c.live_uid > NONE, rows.c.live_uid == owner_uid))


def _by_elements(stance: Stance, uid: int) -> Select[tuple[int, int]]:
    references, elements = FILE_REFERENCES.table, CONTENT_ELEMENTS.table
    return (
        select(elements.c.pid, elements.c.language_id)
        .select_from(references.join(elements, _is_owner(elements)))
        .where(
            references.c.file_uid == uid,
            references.c.owner_table == CONTENT_ELEMENTS.name,
            overlay_condition(FILE_REFERENCES, stance.workspace_id),
            visible_condition(FILE_REFERENCES, stance.now),
            overlay_condition(CONTENT_ELEMENTS, stance.workspace_id),
            visible_condition(CONTENT_ELEMENTS, stance.now),
        )
    )


def _by_pages(stance: Stance, uid: int) -> Select[tuple[int, int]]:
    references, pages = FILE_REFERENCES.table, PAGES.table
    return (
        select(references.c.pid, pages.c.language_id)
        .select_from(references.join(pages, _is_owner(pages)))
        .where(
            references.c.file_uid == uid,
            references.c.owner_table == PAGES.name,
            overlay_condition(FILE_REFERENCES, stance.workspace_id),
            visible_condition(FILE_REFERENCES, stance.now),
            overlay_condition(PAGES, stance.workspace_id),
            visible_condition(PAGES, stance.now),
        )
    )
