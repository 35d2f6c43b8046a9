"""The descriptions of a file: one record per language, title and alternative text, judged by the file itself."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.engine import Connection

from app.content.reading import readable_rows
from app.content.schema import FILE_METADATA
from app.content.store import overlay_condition, row_of
from app.content.types import Row
from app.policy.identity import Identity


def list_descriptions(connection: Connection, workspace_id: int, file_uid: int) -> list[Row]:
    """The descriptions of a file as ``workspace_id`` sees them, the default language first; without rights."""
    rows = FILE_METADATA.table
    statement = select(rows).where(rows.c.file_uid == file_uid, overlay_condition(FILE_METADATA, workspace_id))
    order = (rows.c.language_id, rows.c.uid)
    return [row_of(FILE_METADATA, row) for row in connection.execute(statement.order_by(*order)).mappings().all()]


def list_readable_descriptions(
    connection: Connection, identity: Identity, workspace_id: int, file_uid: int
) -> tuple[Row, ...]:
    """Those of ``list_descriptions`` this person may read."""
    return readable_rows(connection, identity, workspace_id, list_descriptions(connection, workspace_id, file_uid))


def find_description(connection: Connection, workspace_id: int, file_uid: int, language_id: int = 0) -> Row | None:
    """The description in one language: for the default the first record that translates nothing, else its translation."""
    found = list_descriptions(connection, workspace_id, file_uid)
    default = next((row for row in found if row["language_id"] == 0 and not row["translation_parent"]), None)
    if language_id == 0 or default is None:
        return default if language_id == 0 else None
    return next(
        (row for row in found if row["language_id"] == language_id and row["translation_parent"] == default.live_uid),
        None,
    )
