"""Storages and folders as the mounts of a person show them. A folder exists with a row, or because a file lies in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import ColumnElement, Table, func, insert, select
from sqlalchemy.engine import Connection

from app.content.access import may_add_file, may_see_folder
from app.content.files.names import MOST_FOLDER, clean_folder
from app.content.files.storage import STORAGES
from app.content.models import FileFolder
from app.content.schema import FILES
from app.core.db import transaction
from app.core.errors import Invalid, NotFound
from app.core.i18n import text
from app.policy.identity import Identity

FOLDERS = cast(Table, FileFolder.__table__)
ROOT = "/"


@dataclass(frozen=True, kw_only=True, slots=True)
class Folder:
    """A folder of a storage; ``path`` starts and ends with a slash."""

    storage_id: int
    path: str

    @property
    def name(self) -> str:
        """Its own name; empty for the root of a storage."""
        return self.path.rstrip("/").rpartition("/")[2]

    @property
    def above(self) -> Folder | None:
        """The folder it lies in; None for the root."""
        if self.path == ROOT:
            return None
        return Folder(storage_id=self.storage_id, path=self.path.rstrip("/").rpartition("/")[0] + "/")


@dataclass(frozen=True, kw_only=True, slots=True)
class Mounted:
    """A storage with the folders of it at which a person may begin."""

    storage_id: int
    title: str
    folders: tuple[Folder, ...]


def list_mounted(connection: Connection, identity: Identity) -> tuple[Mounted, ...]:
    """Storages and the topmost folders shown to a person; a mount on a folder that does not exist grants nothing."""
    found = []
    for row in connection.execute(select(STORAGES.c.id, STORAGES.c.title).order_by(STORAGES.c.id)).all():
        paths = [ROOT] if identity.is_admin else _topmost(identity, int(row.id))
        folders = [Folder(storage_id=int(row.id), path=path) for path in paths]
        shown = tuple(folder for folder in folders if _is_shown(connection, identity, folder))
        if shown:
            found.append(Mounted(storage_id=int(row.id), title=str(row.title), folders=shown))
    return tuple(found)


def folder_or_404(connection: Connection, identity: Identity, storage_id: int, path: str) -> Folder:
    """The folder, if the person may list it. Raises ``NotFound`` for one that is not there and for one not shown alike."""
    folder = Folder(storage_id=storage_id, path=path)
    is_path = path.startswith("/") and path.endswith("/") and "//" not in path and len(path) <= MOST_FOLDER
    if not is_path or not _is_shown(connection, identity, folder):
        raise NotFound("folder")
    return folder


def may_list(connection: Connection, identity: Identity, folder: Folder) -> bool:
    """Whether the folder exists and is shown to a person."""
    return _is_shown(connection, identity, folder)


def list_subfolders(connection: Connection, folder: Folder) -> tuple[Folder, ...]:
    """The folders directly below one, by name; two statements."""
    found = set()
    for table in (FILES.table, FOLDERS):
        below = func.substr(table.c.path, len(folder.path) + 1)
        end = _position(connection, below)
        statement = select(func.substr(below, 1, end)).distinct().where(is_below(table, folder), end > 0)
        found |= {str(name) for name in connection.execute(statement).scalars().all()}
    return tuple(Folder(storage_id=folder.storage_id, path=folder.path + name) for name in sorted(found, key=_by_name))


def list_writable(connection: Connection, identity: Identity, storage_id: int) -> tuple[Folder, ...]:
    """Folders of a storage into which the person may put files, by path; three statements."""
    paths = {ROOT}
    paths |= {
        str(path)
        for path in connection.execute(select(FOLDERS.c.path).where(FOLDERS.c.storage_id == storage_id)).scalars()
    }
    files = FILES.table.c
    for path in connection.execute(select(files.path).where(files.storage_id == storage_id)).scalars():
        paths |= _ancestors(str(path))
    return tuple(
        Folder(storage_id=storage_id, path=path) for path in sorted(paths) if may_add_file(identity, storage_id, path)
    )


def create_folder(identity: Identity, storage_id: int, path: str, name: str) -> Folder:
    """Make a folder below one the person may add files to. Raises ``NotFound``, ``Invalid`` with the field ``name``."""
    with transaction() as connection:
        above = folder_or_404(connection, identity, storage_id, path)
        if not may_add_file(identity, storage_id, path):
            raise NotFound("folder")
        made = Folder(storage_id=storage_id, path=f"{above.path}{clean_folder(name)}/")
        if len(made.path) > MOST_FOLDER:
            raise Invalid("folder", fields={"name": text("The name of the folder is too long here.")})
        if exists(connection, made):
            raise Invalid("folder", fields={"name": text("There is a folder of this name already.")})
        keep_folder(connection, made)
    return made


def keep_folder(connection: Connection, folder: Folder) -> None:
    """Give a folder a row of its own, so that it stays without files; an existing row stays."""
    known = select(FOLDERS.c.id).where(FOLDERS.c.storage_id == folder.storage_id, FOLDERS.c.path == folder.path)
    if folder.path != ROOT and connection.execute(known).first() is None:
        connection.execute(insert(FOLDERS).values(storage_id=folder.storage_id, path=folder.path))


def exists(connection: Connection, folder: Folder) -> bool:
    """Whether a folder is there: with a row at or below it, or a file in or below it."""
    if folder.path == ROOT:
        return connection.execute(select(STORAGES.c.id).where(STORAGES.c.id == folder.storage_id)).first() is not None
    return any(
        connection.execute(select(table.c.path).where(is_below(table, folder)).limit(1)).first() is not None
        for table in (FOLDERS, FILES.table)
    )


def is_below(table: Any, folder: Folder) -> ColumnElement[bool]:
    """Rows of ``table`` in or below a folder."""
    # substr instead of LIKE: names hold percent signs, and SQLite's LIKE ignores the case of ASCII letters.
    inside = func.substr(table.c.path, 1, len(folder.path)) == folder.path
    found: ColumnElement[bool] = (table.c.storage_id == folder.storage_id) & inside
    return found


def is_directly_in(connection: Connection, table: Any, folder: Folder) -> ColumnElement[bool]:
    """Rows of ``table`` in a folder and not below it."""
    rest = func.substr(table.c.path, len(folder.path) + 1)
    return is_below(table, folder) & (_position(connection, rest) == 0)


def _position(connection: Connection, words: Any) -> ColumnElement[int]:
    """Where the first slash is, from 1; 0 = nowhere. Each database has its own name for the question."""
    found: ColumnElement[int] = (
        func.instr(words, "/") if connection.dialect.name == "sqlite" else func.strpos(words, "/")
    )
    return found


def _is_shown(connection: Connection, identity: Identity, folder: Folder) -> bool:
    if not identity.may_select(FILES.name) or not may_see_folder(identity, folder.storage_id, folder.path):
        return False
    return exists(connection, folder)


def _by_name(part: str) -> tuple[str, str]:
    """Without the slash, which would put "2026-draft" before "2026"."""
    return part.rstrip("/").casefold(), part


def _topmost(identity: Identity, storage_id: int) -> list[str]:
    paths = sorted({mount.folder for mount in identity.file_mounts if mount.storage_id == storage_id})
    return [path for path in paths if not any(path != other and path.startswith(other) for other in paths)]


def _ancestors(path: str) -> set[str]:
    parts = path.split("/")[1:-1]
    return {"/" + "".join(f"{part}/" for part in parts[: count + 1]) for count in range(len(parts))}
