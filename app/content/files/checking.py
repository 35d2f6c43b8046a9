"""Compares records and bytes of the storages: marks files whose bytes are gone, and finds bytes no record names."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.engine import Connection

from app.content.files.storage import STORAGES, Storage
from app.content.files.writing import drop_bytes
from app.content.schema import FILES
from app.content.types import Origin, WriteContext
from app.content.writer import Batch
from app.core import clock, ids
from app.core.db import reading, transaction
from app.policy.identity import LIVE, Identity


@dataclass(frozen=True, kw_only=True, slots=True)
class StorageCheck:
    """What a check found; ``repaired`` = it was put right too."""

    files: int
    """Records."""
    gone: tuple[str, ...]
    """Paths of files without bytes."""
    back: tuple[str, ...]
    """Paths of files marked missing whose bytes are there."""
    unused: int
    """Bytes no record names, as left by an import that was rolled back or a process that was killed."""
    repaired: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class _Known:
    uid: int
    storage_id: int
    path: str
    sha256: str
    missing: bool


def check_storages(actor: Identity, data_folder: Path, *, repair: bool) -> StorageCheck:
    """Compare every record with the disk. With ``repair`` write the marks and remove unused bytes.

    Files that an earlier version kept under their own path are brought to their place first. ``actor`` writes the marks
    and must be an administrator.
    """
    with reading() as connection:
        storages = _storages(connection, data_folder)
        known = _known(connection)
    if repair:
        for file in known:
            _adopt(storages[file.storage_id], file)
    there = {file.uid for file in known if storages[file.storage_id].place(file.sha256).is_file()}
    gone = [file for file in known if file.uid not in there]
    wrong = [file for file in known if file.missing == (file.uid in there)]
    unused = _unused(storages.values(), {file.sha256 for file in known})
    if repair:
        _mark(actor, wrong)
        for storage, sha256 in unused:
            drop_bytes(data_folder, storage, sha256)
    return StorageCheck(
        files=len(known),
        gone=tuple(file.path for file in gone),
        back=tuple(file.path for file in wrong if file.uid in there),
        unused=len(unused),
        repaired=repair,
    )


def _storages(connection: Connection, data_folder: Path) -> dict[int, Storage]:
    rows = connection.execute(select(STORAGES.c.id, STORAGES.c.folder)).all()
    return {int(row.id): Storage(folder=data_folder / str(row.folder)) for row in rows}


def _known(connection: Connection) -> list[_Known]:
    columns = [FILES.table.c[name] for name in _Known.__dataclass_fields__]
    statement = select(*columns).where(FILES.table.c.storage_id.in_(select(STORAGES.c.id))).order_by(columns[0])
    return [_Known(**row) for row in connection.execute(statement).mappings().all()]


def _adopt(storage: Storage, file: _Known) -> None:
    old = storage.folder / file.path.lstrip("/")
    if storage.place(file.sha256).is_file() or not _holds(storage, old, file.sha256):
        return
    with old.open("rb") as source, storage.incoming(source) as incoming, storage.held():
        storage.settle(incoming)
    old.unlink()


def _holds(storage: Storage, path: Path, sha256: str) -> bool:
    """Whether a path inside the storage is a file with this content."""
    if not path.resolve().is_relative_to(storage.folder.resolve()) or not path.is_file():
        return False
    with path.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest() == sha256


def _unused(storages: Iterable[Storage], named: set[str]) -> list[tuple[Storage, str]]:
    return [(storage, sha256) for storage in storages for sha256 in storage.checksums() if sha256 not in named]


def _mark(actor: Identity, wrong: list[_Known]) -> None:
    if not wrong:
        return
    context = WriteContext(
        actor=actor,
        workspace_id=LIVE,
        origin=Origin.IMPORT,
        correlation=f"files/{ids.new_uuid()}",
        now=clock.now(),
    )
    with transaction() as connection:
        batch = Batch(connection, context)
        for file in wrong:
            batch.change_file(file.uid, {"missing": not file.missing})
        batch.finish()
