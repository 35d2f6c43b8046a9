"""Which records use a file: by a reference, or by a ``file:UID`` link in a text. No rights are asked here."""

from __future__ import annotations

from sqlalchemy import false, or_, select
from sqlalchemy.engine import Connection

from app.content.schema import FILE_REFERENCES, REGISTRY
from app.content.store import public_uid
from app.content.types import VersionState


def owners_of(connection: Connection, file_uid: int) -> frozenset[tuple[str, int]]:
    """Table and public uid of every record that uses the file, live or in any draft; one statement per kind of text.

    What is deleted does not count; what is only marked to be deleted in a draft still does, by its live row.
    """
    return frozenset({*_referring(connection, file_uid), *_linking(connection, file_uid)})


def _referring(connection: Connection, file_uid: int) -> set[tuple[str, int]]:
    rows = FILE_REFERENCES.table.c
    statement = select(rows.owner_table, rows.owner_uid).where(
        rows.file_uid == file_uid, rows.deleted.is_(False), rows.version_state != VersionState.DELETED
    )
    return {(str(row[0]), int(row[1])) for row in connection.execute(statement).all() if row[0] in REGISTRY}


def _linking(connection: Connection, file_uid: int) -> set[tuple[str, int]]:
    found: set[tuple[str, int]] = set()
    for trait in REGISTRY.values():
        rows = trait.table.c
        texts = [rows[field.name] for field in trait.fields if field.has_links]
        if not texts:
            continue
        # As Markdown writes them: "(file:12)", "(file:12 "title")"; both databases search without the case of letters.
        links = [text.contains(f"(file:{file_uid}{end}") for text in texts for end in (")", " ")]
        statement = select(public_uid(trait)).where(or_(*links))
        if trait.soft_delete:
            statement = statement.where(rows.deleted == false())
        if trait.versioned:
            statement = statement.where(rows.version_state != VersionState.DELETED)
        found |= {(trait.name, int(uid)) for uid in connection.execute(statement).scalars().all()}
    return found
