"""The file check (CH-17): read permission, and the file's folder in one of the person's mounts of that very storage."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import ColumnElement, FromClause, and_, false, func, or_, select, true
from sqlalchemy.engine import Connection

from app.content.schema import FILES
from app.content.store import valid_uids
from app.core.db import slices
from app.policy.identity import LIVE, FileMount, Identity

READ = "read_file"
WRITE = "write_file"
ADD = "add_file"


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredFile:
    """Where a file lies."""

    uid: int
    storage_id: int
    path: str
    name: str

    @property
    def folder(self) -> str:
        """The folder it lies in, with a slash at both ends."""
        return folder_of(self.path)


def folder_of(path: str) -> str:
    """The folder part of a path inside a storage, with a slash at both ends."""
    return path[: path.rfind("/") + 1]


def read_files(connection: Connection, file_uids: Collection[int]) -> dict[int, StoredFile]:
    """Files by uid; one statement per 900."""
    files = FILES.table
    found: dict[int, StoredFile] = {}
    for part in slices(valid_uids(file_uids)):
        statement = select(files.c.uid, files.c.storage_id, files.c.path, files.c.name).where(files.c.uid.in_(part))
        for row in connection.execute(statement).mappings().all():
            found[row["uid"]] = StoredFile(**row)
    return found


def may_read_file(identity: Identity, file: StoredFile) -> bool:
    """Whether a person may read a file that exists; storage 0 serves nobody but administrators."""
    return identity.is_admin or (READ in identity.file_permissions and _in_mount(identity.file_mounts, file))


def may_write_file(identity: Identity, file: StoredFile) -> bool:
    """Whether a person may describe a file: readable, and in a mount that is not read-only (cms.md section 14)."""
    return identity.is_admin or (may_read_file(identity, file) and _in_mount(_writable(identity), file))


def may_add_file(identity: Identity, storage_id: int, folder: str) -> bool:
    """Whether a person may put a file into a folder: the right to add, in a mount that is not read-only."""
    place = StoredFile(uid=0, storage_id=storage_id, path=folder, name="")
    return identity.is_admin or (ADD in identity.file_permissions and _in_mount(_writable(identity), place))


def may_change_file(identity: Identity, file: StoredFile) -> bool:
    """Whether a person may rename, move or delete a file: the right to write, where they may describe it.

    Files are not versioned, so this changes the live site and needs the live grant, whatever workspace they stand in.
    """
    return identity.is_admin or (
        WRITE in identity.file_permissions and identity.may_use_workspace(LIVE) and may_write_file(identity, file)
    )


def may_see_folder(identity: Identity, storage_id: int, folder: str) -> bool:
    """Whether a person may list a folder: the right to read, and the folder inside one of their mounts."""
    place = StoredFile(uid=0, storage_id=storage_id, path=folder, name="")
    return identity.is_admin or (READ in identity.file_permissions and _in_mount(identity.file_mounts, place))


def _writable(identity: Identity) -> tuple[FileMount, ...]:
    return tuple(mount for mount in identity.file_mounts if not mount.read_only)


def _in_mount(mounts: Collection[FileMount], file: StoredFile) -> bool:
    return any(
        mount.storage_id == file.storage_id and mount.storage_id > 0 and mount.contains(file.path) for mount in mounts
    )


def readable_of(identity: Identity, files: Mapping[int, StoredFile]) -> frozenset[int]:
    """Which of these files a person may read."""
    return frozenset(uid for uid, file in files.items() if may_read_file(identity, file))


def files_readable(connection: Connection, identity: Identity, file_uids: Collection[int]) -> frozenset[int]:
    """Which of ``file_uids`` exist and may be read by this person; one statement per 900."""
    return readable_of(identity, read_files(connection, file_uids))


def files_writable(connection: Connection, identity: Identity, file_uids: Collection[int]) -> frozenset[int]:
    """Which of ``file_uids`` exist and may be described by this person; one statement per 900."""
    files = read_files(connection, file_uids)
    return frozenset(uid for uid, file in files.items() if may_write_file(identity, file))


def file_condition(identity: Identity, files: FromClause) -> ColumnElement[bool]:
    """The same rule as a condition on ``files`` (the table or an alias of it)."""
    if identity.is_admin:
        return true()
    if READ not in identity.file_permissions:
        return false()
    # substr instead of LIKE: SQLite's LIKE ignores the case of ASCII letters.
    return or_(
        false(),
        *(
            and_(
                files.c.storage_id == mount.storage_id,
                or_(
                    files.c.path == mount.folder.rstrip("/"),
                    func.substr(files.c.path, 1, len(mount.folder)) == mount.folder,
                ),
            )
            for mount in identity.file_mounts
            if mount.storage_id > 0
        ),
    )
