"""What rights of groups can name in the content store: tables and fields (cms.md section 5), pages and folders that exist."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from sqlalchemy import select
from sqlalchemy.engine import Connection

from app.content.files.folders import Folder, exists
from app.content.files.storage import STORAGES
from app.content.schema import REGISTRY
from app.content.store import find_rows, title_of
from app.content.traits import FieldTrait
from app.policy.identity import LIVE

TABLES: Final = tuple(name for name, trait in REGISTRY.items() if not trait.admin_only)
"""Record tables a group can be given; the others are for administrators whatever a group says."""
FIELDS: Final[Mapping[str, FieldTrait]] = {
    f"{name}.{field.name}": field for name, trait in REGISTRY.items() for field in trait.fields if field.needs_grant
}
"""Fields that are written only with a grant, as ``table.field``."""


def titles_of_pages(connection: Connection, uids: Collection[int]) -> dict[int, str]:
    """Titles of existing live pages in the default language, by number; what can be no page mount is left out."""
    found = find_rows(connection, "pages", uids, LIVE)
    return {uid: title_of("pages", row.values) for uid, row in found.items() if not row.values.get("language_id")}


def titles_of_storages(connection: Connection) -> dict[int, str]:
    """Storages of files with their titles."""
    rows = connection.execute(select(STORAGES.c.id, STORAGES.c.title).order_by(STORAGES.c.id))
    return {int(row.id): str(row.title) for row in rows}


def is_folder(connection: Connection, storage_id: int, path: str) -> bool:
    """Whether a folder exists; a mount on one that does not grants nothing (cms.md section 14)."""
    return exists(connection, Folder(storage_id=storage_id, path=path))
