"""What people do with files: store, rename, move, delete. Bytes are checked and written outside of any transaction.

The record and its history follow in one batch; when that fails, bytes nobody else uses are taken back (no orphan), and
bytes are there before any record names them (no record without bytes).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from sqlalchemy import select
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError

from app.content.access import may_add_file
from app.content.editing import write_as_person
from app.content.files.folders import Folder, folder_or_404
from app.content.files.names import clean_name, fitting_name, numbered
from app.content.files.pictures import forget_renditions
from app.content.files.reading import read_file
from app.content.files.sniffing import examine
from app.content.files.storage import Incoming, Storage, storage_of
from app.content.files.types import BY_MIME, MOST_FILES, Measured
from app.content.schema import FILES
from app.content.types import RecordRef
from app.content.writer import Batch
from app.core.db import reading
from app.core.errors import AppError, Invalid, NotFound, Unavailable
from app.core.i18n import Text, ntext, text
from app.policy.identity import LIVE, Identity


@dataclass(frozen=True, kw_only=True, slots=True)
class Upload:
    """A file as it arrives; ``name`` is what the person's computer calls it."""

    name: str
    source: BinaryIO


@dataclass(frozen=True, kw_only=True, slots=True)
class Uploaded:
    """What became of one file: stored with a number, or refused with a sentence."""

    given: str
    """The name it came with, made safe to show."""
    name: str = ""
    """The name it is stored under."""
    uid: int = 0
    problem: Text | None = None


def upload_files(
    identity: Identity, data_folder: Path, storage_id: int, path: str, uploads: Sequence[Upload]
) -> tuple[Uploaded, ...]:
    """Store files in a folder, each on its own: one that is refused does not hold the others up.

    Raises ``NotFound`` without the right to add files there, ``Invalid`` with the field ``files`` for none or too many,
    ``Unavailable`` when the system takes no more and nothing was stored.
    """
    with reading() as connection:
        folder = folder_or_404(connection, identity, storage_id, path)
        if not may_add_file(identity, storage_id, path):
            raise NotFound("folder")
        storage = storage_of(connection, data_folder, storage_id)
    _check_number(uploads)
    results: list[Uploaded] = []
    for upload in uploads:
        given = clean_name(upload.name)
        try:
            results.append(_store(identity, data_folder, storage, folder, given, upload.source))
        except NotFound:
            raise
        except (AppError, DBAPIError) as error:
            problem = error.text if isinstance(error, AppError) else Unavailable.text
            if isinstance(error, Unavailable | DBAPIError) and not any(done.uid for done in results):
                raise
            results.append(Uploaded(given=given, problem=problem))
    return tuple(results)


def rename_file(identity: Identity, uid: int, name: str, folder_path: str) -> None:
    """Give a file another name or folder in its storage. Raises ``NotFound``, ``Invalid`` with ``name`` or ``folder``."""

    def act(batch: Batch) -> None:
        file = read_file(batch.connection, identity, uid)
        folder = folder_path
        if folder != file.folder.path:
            folder = folder_or_404(batch.connection, identity, file.storage_id, folder_path).path
        kind = BY_MIME.get(file.mime)
        if not name.strip():
            raise Invalid("name", fields={"name": text("Enter a name for the file.")})
        wanted = clean_name(name)
        wanted = wanted if kind is None or wanted == file.name else fitting_name(wanted, kind)
        if folder + wanted != file.path and _is_taken(batch.connection, file.storage_id, folder + wanted):
            sentence = text("There is a file of this name in this folder already.")
            raise Invalid("name", fields={"name": sentence})
        changed = batch.change_file(uid, {"name": wanted, "path": folder + wanted})
        if changed is not None:
            batch.mark_target(changed)

    write_as_person(identity, LIVE, act)


def delete_file(identity: Identity, data_folder: Path, uid: int) -> str:
    """Remove an unused file with its descriptions, then its bytes; the name it had.

    Raises ``NotFound``, and ``WriteRefused("file_used")`` while a record uses it.
    """

    def act(batch: Batch) -> tuple[str, str, Storage]:
        file = read_file(batch.connection, identity, uid)
        batch.mark_target(batch.remove_file(uid))
        return file.name, file.sha256, storage_of(batch.connection, data_folder, file.storage_id)

    (name, sha256, storage), _ = write_as_person(identity, LIVE, act)
    drop_bytes(data_folder, storage, sha256)
    return name


def drop_bytes(data_folder: Path, storage: Storage, sha256: str) -> None:
    """Remove bytes, and the pictures made of them, unless a record names them."""

    def is_used() -> bool:
        with reading() as connection:
            rows = FILES.table.c
            return connection.execute(select(rows.uid).where(rows.sha256 == sha256).limit(1)).first() is not None

    if sha256 and storage.drop_unused(sha256, is_used):
        forget_renditions(data_folder, sha256)


def _check_number(uploads: Sequence[Upload]) -> None:
    if not uploads:
        raise Invalid("files", fields={"files": text("Choose at least one file.")})
    if len(uploads) > MOST_FILES:
        sentence = ntext(
            "Choose at most %(n)s file at a time. Nothing was stored.",
            "Choose at most %(n)s files at a time. Nothing was stored.",
            MOST_FILES,
        )
        raise Invalid("files", fields={"files": sentence})


def _store(
    identity: Identity, data_folder: Path, storage: Storage, folder: Folder, given: str, source: BinaryIO
) -> Uploaded:
    with storage.incoming(source) as incoming:
        measured = examine(incoming.path, given)
        name = fitting_name(given, measured.kind)
        try:
            with storage.held():
                storage.settle(incoming)
                (uid, stored_as), _ = write_as_person(
                    identity, LIVE, lambda batch: _add(batch, folder, name, incoming, measured)
                )
        except BaseException:
            drop_bytes(data_folder, storage, incoming.sha256)
            raise
    return Uploaded(given=given, name=stored_as, uid=uid)


def _add(batch: Batch, folder: Folder, name: str, incoming: Incoming, measured: Measured) -> tuple[int, str]:
    free = _free_name(batch.connection, folder, name)
    values: dict[str, Any] = {
        "storage_id": folder.storage_id,
        "path": folder.path + free,
        "name": free,
        "mime": measured.kind.mime,
        "size": incoming.size,
        "sha256": incoming.sha256,
        "width": measured.width,
        "height": measured.height,
    }
    made: RecordRef = batch.add_file(values)
    batch.mark_target(made)
    return made.uid, free


def _free_name(connection: Connection, folder: Folder, name: str) -> str:
    """``name``, or with the first number that makes it free: the second of a name is a file of its own (B75)."""
    rows = FILES.table.c
    stem = name.rpartition(".")[0][:1] or name[:1]
    inside = folder.path + stem
    statement = select(rows.path).where(
        rows.storage_id == folder.storage_id, rows.path.startswith(inside, autoescape=True)
    )
    taken = set(connection.execute(statement).scalars().all())
    number, free = 1, name
    while folder.path + free in taken:
        number += 1
        free = numbered(name, number)
    return free


def _is_taken(connection: Connection, storage_id: int, path: str) -> bool:
    rows = FILES.table.c
    statement = select(rows.uid).where(rows.storage_id == storage_id, rows.path == path)
    return connection.execute(statement).first() is not None
