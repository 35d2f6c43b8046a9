"""Records and bytes compared: what is gone is marked, what nobody names is removed."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select, update

from app.content.files.checking import check_storages
from app.content.files.reading import FileRecord, find_file
from app.content.files.storage import Storage
from app.content.schema import FILES
from app.core.db import reading, transaction
from app.seed.installation import seed_actor
from tests.content.files.samples import png

FERRY = 1


@pytest.fixture
def data(app: Flask) -> Path:
    """The data folder."""
    folder: Path = app.extensions["imprimatur"].settings.data_folder
    return folder


def file(uid: int = FERRY) -> FileRecord:
    with reading() as connection:
        found = find_file(connection, uid)
    assert found is not None
    return found


def clock_of_content() -> list[Any]:
    with reading() as connection:
        return list(connection.execute(select(FILES.table.c.uid, FILES.table.c.missing, FILES.table.c.rev)).all())


def test_it_finds_nothing_in_a_whole_storage(data: Path) -> None:
    before = clock_of_content()
    found = check_storages(seed_actor(), data, repair=True)
    assert (found.files, found.gone, found.back, found.unused) == (4, (), (), 0)
    assert clock_of_content() == before


def test_it_marks_what_is_gone_and_takes_the_mark_back(data: Path) -> None:
    place = Storage(folder=data / "files").place(file().sha256)
    kept = place.read_bytes()
    place.unlink()
    assert check_storages(seed_actor(), data, repair=False).gone == ("/editorial/ferry.png",)
    assert not file().missing
    check_storages(seed_actor(), data, repair=True)
    assert file().missing
    place.write_bytes(kept)
    assert check_storages(seed_actor(), data, repair=True).back == ("/editorial/ferry.png",)
    assert not file().missing


def test_it_removes_bytes_no_record_names(data: Path) -> None:
    storage = Storage(folder=data / "files")
    with storage.incoming(io.BytesIO(png(99))) as incoming:
        storage.settle(incoming)
    assert check_storages(seed_actor(), data, repair=False).unused == 1
    assert storage.place(incoming.sha256).exists()
    check_storages(seed_actor(), data, repair=True)
    assert not storage.place(incoming.sha256).exists()
    assert storage.place(file().sha256).exists()


@pytest.mark.parametrize(("path", "is_adopted"), [("/old/ferry.png", True), ("/../outside.png", False)])
def test_it_brings_files_of_earlier_versions_to_their_place(data: Path, path: str, is_adopted: bool) -> None:
    place = Storage(folder=data / "files").place(file().sha256)
    old = data / "files" / path.lstrip("/")
    old.parent.mkdir(exist_ok=True)
    place.rename(old)
    with transaction() as connection:
        connection.execute(update(FILES.table).where(FILES.table.c.uid == FERRY).values(path=path))
    check_storages(seed_actor(), data, repair=True)
    assert place.is_file() is is_adopted
    assert old.exists() is not is_adopted
    assert file().missing is not is_adopted
