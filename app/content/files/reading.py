"""Files for one person: a folder's list, one file, its descriptions by language, and the way to its bytes (CH-17)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.engine import Connection

from app.content.access import StoredFile, may_read_file
from app.content.access.files import folder_of
from app.content.files.folders import Folder, is_directly_in
from app.content.files.pictures import is_picture
from app.content.files.storage import Storage, storage_of
from app.content.schema import FILE_METADATA, FILES
from app.content.store import NONE, overlay_condition, read_rows
from app.content.types import Row
from app.core.db import slices
from app.core.errors import NotFound
from app.policy.identity import Identity

PER_PAGE = 60


@dataclass(frozen=True, kw_only=True, slots=True)
class FileRecord:
    """A file as recorded."""

    uid: int
    storage_id: int
    path: str
    name: str
    mime: str
    size: int
    sha256: str
    missing: bool
    width: int
    height: int
    created_at: int
    changed_at: int

    @property
    def folder(self) -> Folder:
        """Where it lies."""
        return Folder(storage_id=self.storage_id, path=folder_of(self.path))

    @property
    def is_picture(self) -> bool:
        """Whether it can be shown as a picture."""
        return is_picture(self.mime)

    @property
    def stored(self) -> StoredFile:
        """What the file check asks for."""
        return StoredFile(uid=self.uid, storage_id=self.storage_id, path=self.path, name=self.name)


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenFile:
    """A file whose bytes are there."""

    file: FileRecord
    storage: Storage
    path: Path
    """On disk; for sending only, its name says nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FilePart:
    """One part of a folder's list."""

    files: tuple[FileRecord, ...]
    count: int
    """Files in the folder."""
    page: int
    """From 1."""

    @property
    def pages(self) -> int:
        """Number of parts, at least 1."""
        return max(1, -(-self.count // PER_PAGE))


_COLUMNS = tuple(FILES.table.c[name] for name in FileRecord.__dataclass_fields__)


def find_file(connection: Connection, uid: int) -> FileRecord | None:
    """A file by number, without any right asked; for callers that have their own (the public site)."""
    row = connection.execute(select(*_COLUMNS).where(FILES.table.c.uid == uid)).mappings().first()
    return None if row is None else FileRecord(**row)


def read_file(connection: Connection, identity: Identity, uid: int) -> FileRecord:
    """A file this person may read. Raises ``NotFound`` for an unknown and for a forbidden one alike."""
    found = find_file(connection, uid)
    if found is None or not identity.may_select(FILES.name) or not may_read_file(identity, found.stored):
        raise NotFound("file")
    return found


def open_file(connection: Connection, data_folder: Path, file: FileRecord) -> OpenFile:
    """The way to the bytes of a file whose right was asked before. Raises ``NotFound`` when they are not there."""
    storage = storage_of(connection, data_folder, file.storage_id)
    path = storage.place(file.sha256)
    if not file.sha256 or not path.is_file():
        raise NotFound("file")
    return OpenFile(file=file, storage=storage, path=path)


def list_files(connection: Connection, folder: Folder, page: int = 1) -> FilePart:
    """Files directly in a folder the person was found to see, by name; two statements. A page behind the last is the last."""
    rows = FILES.table
    inside = is_directly_in(connection, rows, folder)
    count = int(connection.execute(select(func.count()).select_from(rows).where(inside)).scalar() or 0)
    part = max(1, min(page, -(-count // PER_PAGE)))
    statement = select(*_COLUMNS).where(inside).order_by(func.lower(rows.c.name), rows.c.uid)
    found = connection.execute(statement.limit(PER_PAGE).offset((part - 1) * PER_PAGE)).mappings().all()
    return FilePart(files=tuple(FileRecord(**row) for row in found), count=count, page=part)


def descriptions_of(
    connection: Connection, identity: Identity, workspace_id: int, file_uids: Collection[int]
) -> Mapping[int, Mapping[int, Row]]:
    """Descriptions of files the person was found to read, as a workspace sees them: by file, then by language.

    Of two in one language the older counts. One statement per 900 files.
    """
    found: defaultdict[int, dict[int, Row]] = defaultdict(dict)
    if not identity.may_select(FILE_METADATA.name) or not identity.may_use_workspace(workspace_id):
        return found
    rows = FILE_METADATA.table
    for part in slices(sorted(file_uids)):
        condition = rows.c.file_uid.in_(part) & overlay_condition(FILE_METADATA, workspace_id)
        for row in read_rows(connection, FILE_METADATA, select(rows).where(condition).order_by(rows.c.uid)):
            if identity.may_use_language(row["language_id"]):
                found[row["file_uid"]].setdefault(row["language_id"], row)
    return found


def default_description(connection: Connection, workspace_id: int, file_uid: int) -> Row | None:
    """The description in the default language as a workspace sees it, or None."""
    rows: Any = FILE_METADATA.table
    condition = (rows.c.file_uid == file_uid) & (rows.c.language_id == 0) & (rows.c.translation_parent == NONE)
    statement = select(rows).where(condition & overlay_condition(FILE_METADATA, workspace_id)).order_by(rows.c.uid)
    found = read_rows(connection, FILE_METADATA, statement.limit(1))
    return found[0] if found else None
