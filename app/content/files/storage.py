"""Bytes of files on disk, by their content: ``<data>/<storage folder>/ab/cd/<sha256>``.

No name given by people ever becomes a name on disk (B73 to B75). A file is written beside its place, synced and then
renamed, so it is there whole or not at all. Who writes bytes and the record that names them holds the storage
(``held``) until the commit; bytes without a record are removed only while nobody holds it.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, cast

from sqlalchemy import Table, select
from sqlalchemy.engine import Connection

from app.content.files.types import MOST_BYTES, FileRefused, StorageFull
from app.content.models import FileStorage
from app.core.errors import NotFound, Unavailable
from app.core.i18n import text

STORAGES = cast(Table, FileStorage.__table__)
_CHUNK: Final = 64 * 1024
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_LOCK: Final = ".lock"
_INCOMING: Final = ".incoming"


@dataclass(frozen=True, kw_only=True, slots=True)
class Incoming:
    """A file that has arrived beside its place and waits to be settled."""

    path: Path
    sha256: str
    size: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Storage:
    """One folder on disk; ``folder`` is absolute."""

    folder: Path

    def place(self, sha256: str) -> Path:
        """Where the bytes with this checksum lie, whether or not they are there."""
        return self.folder / sha256[:2] / sha256[2:4] / sha256

    @contextmanager
    def incoming(self, source: BinaryIO, most: int = MOST_BYTES) -> Iterator[Incoming]:
        """Take bytes in beside their place; what is not settled inside the block is gone after it.

        Raises ``FileRefused`` for no bytes or more than ``most``, ``StorageFull``, ``Unavailable``.
        """
        with _spoken():
            waiting = self.folder / _INCOMING
            waiting.mkdir(parents=True, exist_ok=True)
        path = waiting / secrets.token_hex(16)
        try:
            with _spoken():
                size, sha256 = _write(source, path, most)
            yield Incoming(path=path, sha256=sha256, size=size)
        finally:
            with suppress(OSError):
                path.unlink(missing_ok=True)

    def settle(self, incoming: Incoming) -> None:
        """Put bytes at their place; the same bytes again replace themselves. To be called while holding the storage."""
        place = self.place(incoming.sha256)
        with _spoken():
            place.parent.mkdir(parents=True, exist_ok=True)
            os.replace(incoming.path, place)
            _sync_folder(place.parent)

    @contextmanager
    def held(self) -> Iterator[None]:
        """While this lasts nobody removes bytes; any number may hold at once, in any process."""
        with self._locked(fcntl.LOCK_EX):
            yield

    def drop_unused(self, sha256: str, is_used: Callable[[], bool]) -> bool:
        """Remove bytes no record names; whether they are gone. Asks ``is_used`` when nobody can begin to use them."""
        with self._locked(fcntl.LOCK_SH):
            if is_used():
                return False
            with suppress(OSError):
                self.place(sha256).unlink(missing_ok=True)
        return True

    def checksums(self) -> Iterator[str]:
        """Checksums of everything stored, by the names on disk."""
        for path in sorted(self.folder.glob("[0-9a-f][0-9a-f]/[0-9a-f][0-9a-f]/*")):
            yield path.name

    @contextmanager
    def _locked(self, kind: int) -> Iterator[None]:
        with _spoken():
            self.folder.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, kind)
            yield
        finally:
            os.close(descriptor)


def storage_of(connection: Connection, data_folder: Path, storage_id: int) -> Storage:
    """The storage with this number. Raises ``NotFound``."""
    row = connection.execute(select(STORAGES.c.folder).where(STORAGES.c.id == storage_id)).first()
    if row is None:
        raise NotFound("storage")
    return Storage(folder=data_folder / str(row.folder))


def _write(source: BinaryIO, path: Path, most: int) -> tuple[int, str]:
    size, found = 0, hashlib.sha256()
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as target:
        while chunk := source.read(_CHUNK):
            size += len(chunk)
            if size > most:
                sentence = text("The file is larger than %(most)s MB. Choose a smaller one.", most=most // 1024**2)
                raise FileRefused("too_large", sentence)
            found.update(chunk)
            target.write(chunk)
        target.flush()
        os.fsync(target.fileno())
    if not size:
        raise FileRefused("empty", text("The file is empty (0 bytes). Check it and choose it again."))
    return size, found.hexdigest()


def _sync_folder(folder: Path) -> None:
    """A rename is on disk only when its folder is."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _spoken() -> Iterator[None]:
    """What the system refuses, as a sentence for people (B71)."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise StorageFull from error
        raise Unavailable(text=text("The file could not be stored. Nothing was changed. Try again later.")) from error
