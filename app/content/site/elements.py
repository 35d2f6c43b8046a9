"""What lies on a page of the site: elements, their files, contacts. Each is one statement, filtered by the database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, false, select, true
from sqlalchemy.engine import Connection, RowMapping

from app.content.access import file_condition
from app.content.schema import CONTACTS, CONTENT_ELEMENTS, FILE_METADATA, FILE_REFERENCES, FILES
from app.content.site.lines import visible_condition
from app.content.site.types import DEFAULT_LANGUAGE, EVERY_LANGUAGE, SiteContact, SiteElement, SiteFile, Stance
from app.content.store import overlay_condition, read_rows
from app.content.types import Row
from app.core.db import slices

Owner = tuple[str, int]
"""Table and public uid of a record that uses files."""


def read_elements(connection: Connection, stance: Stance, page_uid: int, language_id: int) -> list[Row]:
    """Elements of a page in a language and those for every language, in their order."""
    if stance.reader is not None and not stance.reader.may_select(CONTENT_ELEMENTS.name):
        return []
    elements = CONTENT_ELEMENTS.table
    statement = select(elements).where(
        elements.c.pid == page_uid,
        elements.c.language_id.in_([language_id, EVERY_LANGUAGE]),
        overlay_condition(CONTENT_ELEMENTS, stance.workspace_id),
        visible_condition(CONTENT_ELEMENTS, stance.now),
    )
    return read_rows(connection, CONTENT_ELEMENTS, statement.order_by(elements.c.sorting, elements.c.uid))


def element_of(row: Row, files: Mapping[Owner, tuple[SiteFile, ...]]) -> SiteElement:
    """A row with the files it uses."""
    found = files.get((CONTENT_ELEMENTS.name, row.live_uid), ())
    return SiteElement(uid=row.live_uid, header=row["header"], body=row["body"], files=found)


def read_contacts(connection: Connection, stance: Stance, page_uid: int) -> tuple[SiteContact, ...]:
    """Contacts of a page, in their order; they have no language."""
    if stance.reader is not None and not stance.reader.may_select(CONTACTS.name):
        return ()
    contacts = CONTACTS.table
    statement = select(contacts).where(
        contacts.c.pid == page_uid,
        overlay_condition(CONTACTS, stance.workspace_id),
        visible_condition(CONTACTS, stance.now),
    )
    rows = read_rows(connection, CONTACTS, statement.order_by(contacts.c.sorting, contacts.c.uid))
    return tuple(
        SiteContact(name=row["name"], role=row["role"], phone=row["phone"], email=row["email"]) for row in rows
    )


def usable_file(stance: Stance) -> ColumnElement[bool]:
    """Which rows of the files table may be shown at all: those with bytes, in a preview those the reader may read."""
    files = FILES.table
    allowed = true() if stance.reader is None else file_condition(stance.reader, files)
    return and_(files.c.missing == false(), allowed)


def read_files(
    connection: Connection, stance: Stance, owners: Mapping[str, Sequence[int]], language_id: int
) -> dict[Owner, tuple[SiteFile, ...]]:
    """Files used by records (``owners``: public uids by table), each with its words in a language.

    Two statements per 900 owners; the alternative text of the place wins over that of the file, the language over the
    default one.
    """
    found = [row for table, uids in owners.items() for row in _references(connection, stance, table, uids)]
    words = _words(connection, stance, {row["uid"] for row in found}, language_id)
    by_owner: defaultdict[Owner, dict[int, SiteFile]] = defaultdict(dict)
    for row in found:
        file = _file(row, words.get(row["uid"], {}))
        by_owner[row["owner_table"], row["owner_uid"]].setdefault(file.uid, file)
    return {owner: tuple(files.values()) for owner, files in by_owner.items()}


def _references(connection: Connection, stance: Stance, table: str, uids: Sequence[int]) -> list[RowMapping]:
    references, files = FILE_REFERENCES.table, FILES.table
    statement = (
        select(
            references.c.owner_table,
            references.c.owner_uid,
            references.c.alternative,
            references.c.title,
            *(files.c[name] for name in ("uid", "name", "mime", "size", "width", "height")),
        )
        .select_from(references.join(files, files.c.uid == references.c.file_uid))
        .where(
            references.c.owner_table == table,
            overlay_condition(FILE_REFERENCES, stance.workspace_id),
            visible_condition(FILE_REFERENCES, stance.now),
            usable_file(stance),
        )
        .order_by(references.c.sorting, references.c.uid)
    )
    found: list[RowMapping] = []
    for part in slices(uids):
        found += connection.execute(statement.where(references.c.owner_uid.in_(part))).mappings().all()
    return found


def _words(
    connection: Connection, stance: Stance, uids: Collection[int], language_id: int
) -> dict[int, dict[int, Mapping[str, Any]]]:
    metadata = FILE_METADATA.table
    statement = select(metadata.c.file_uid, metadata.c.language_id, metadata.c.alternative, metadata.c.title).where(
        metadata.c.language_id.in_([DEFAULT_LANGUAGE, language_id]),
        overlay_condition(FILE_METADATA, stance.workspace_id),
    )
    found: defaultdict[int, dict[int, Mapping[str, Any]]] = defaultdict(dict)
    for part in slices(sorted(uids)):
        for row in connection.execute(statement.where(metadata.c.file_uid.in_(part))).mappings():
            found[row["file_uid"]][row["language_id"]] = dict(row)
    return found


def _file(row: RowMapping, words: Mapping[int, Mapping[str, Any]]) -> SiteFile:
    sources: list[Mapping[str, Any]] = [dict(row), *(words[number] for number in sorted(words, reverse=True))]

    def first(name: str) -> str:
        return next((str(source[name]) for source in sources if str(source[name]).strip()), "")

    return SiteFile(
        uid=row["uid"],
        name=row["name"],
        mime=row["mime"],
        alternative=first("alternative"),
        title=first("title"),
        size=row["size"],
        width=row["width"],
        height=row["height"],
    )
