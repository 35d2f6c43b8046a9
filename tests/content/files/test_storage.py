"""Bytes on disk: whole or not at all, and never without an owner (B71)."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from app.content.files.storage import Storage
from app.content.files.types import MOST_BYTES, FileRefused, StorageFull
from app.core.errors import Unavailable

WORDS = b"Opened in 1926"
SHA256 = hashlib.sha256(WORDS).hexdigest()


def stored(storage: Storage) -> list[str]:
    """Everything in the folder but its lock."""
    return sorted(path.name for path in storage.folder.rglob("*") if path.is_file() and path.name != ".lock")


@pytest.fixture
def storage(tmp_path: Path) -> Storage:
    return Storage(folder=tmp_path / "files")


def test_it_keeps_bytes_by_their_checksum(storage: Storage) -> None:
    with storage.incoming(io.BytesIO(WORDS)) as incoming, storage.held():
        storage.settle(incoming)
    assert (incoming.sha256, incoming.size) == (SHA256, len(WORDS))
    assert storage.place(SHA256).read_bytes() == WORDS
    assert storage.place(SHA256).relative_to(storage.folder).parts == (SHA256[:2], SHA256[2:4], SHA256)
    assert storage.place(SHA256).stat().st_mode & 0o777 == 0o600
    assert list(storage.checksums()) == stored(storage) == [SHA256]


def test_it_forgets_what_was_not_settled(storage: Storage) -> None:
    with storage.incoming(io.BytesIO(WORDS)):
        assert len(stored(storage)) == 1
    with pytest.raises(KeyError), storage.incoming(io.BytesIO(WORDS)):
        raise KeyError
    assert stored(storage) == []


@pytest.mark.parametrize(("content", "reason"), [(b"", "empty"), (b"x" * 11, "too_large")])
def test_b71_it_refuses_nothing_and_too_much(storage: Storage, content: bytes, reason: str) -> None:
    with pytest.raises(FileRefused) as caught, storage.incoming(io.BytesIO(content), most=10):
        pass
    assert caught.value.reason == reason
    assert stored(storage) == []
    assert MOST_BYTES == 20 * 1024 * 1024


@pytest.mark.parametrize(
    ("number", "expected"), [(errno.ENOSPC, StorageFull), (errno.EDQUOT, StorageFull), (errno.EIO, Unavailable)]
)
@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_b71_it_says_when_the_disk_is_full_and_leaves_nothing(
    storage: Storage, monkeypatch: pytest.MonkeyPatch, number: int, expected: type[Exception], call: str
) -> None:
    def refuse(*_arguments: Any) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(f"app.content.files.storage.os.{call}", refuse)
    with pytest.raises(expected), storage.incoming(io.BytesIO(WORDS)) as incoming:
        storage.settle(incoming)
    assert stored(storage) == []


def test_it_removes_only_what_nobody_uses(storage: Storage) -> None:
    with storage.incoming(io.BytesIO(WORDS)) as incoming:
        storage.settle(incoming)
    assert not storage.drop_unused(SHA256, lambda: True)
    assert stored(storage) == [SHA256]
    assert storage.drop_unused(SHA256, lambda: False)
    assert stored(storage) == []


def test_it_removes_nothing_while_somebody_writes_a_record(storage: Storage) -> None:
    """The answer to "is it used?" is asked for after the other commit, not before."""
    committed, asked = [], threading.Event()

    def is_used() -> bool:
        asked.set()
        return bool(committed)

    with storage.incoming(io.BytesIO(WORDS)) as incoming, storage.held():
        storage.settle(incoming)
        other = threading.Thread(target=storage.drop_unused, args=(SHA256, is_used))
        other.start()
        assert not asked.wait(0.05)
        committed.append(True)
    other.join(5)
    assert asked.is_set()
    assert stored(storage) == [SHA256]
