"""Smaller pictures: bounded, without metadata, made once."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from app.content.files.pictures import THUMBNAIL, forget_renditions, rendition, rendition_place
from app.content.files.storage import Storage
from tests.content.files.samples import picture

GPS = b"Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x25\x88\x04\x00\x01\x00\x00\x00\x1a\x00\x00\x00\x00\x00\x00\x00\x00\x00"


def keep(storage: Storage, content: bytes) -> str:
    with storage.incoming(io.BytesIO(content)) as incoming:
        storage.settle(incoming)
    return incoming.sha256


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP"])
def test_it_makes_a_bounded_webp_of_every_kind(tmp_path: Path, form: str) -> None:
    storage = Storage(folder=tmp_path / "files")
    sha256 = keep(storage, picture(form, 2_000, 1_000))
    place = rendition(tmp_path, storage, sha256, f"image/{form.lower()}")
    assert place is not None
    with Image.open(place) as small:
        assert (small.format, small.size) == ("WEBP", (THUMBNAIL, THUMBNAIL // 2))


def test_b70_it_leaves_behind_what_a_camera_wrote(tmp_path: Path) -> None:
    storage = Storage(folder=tmp_path / "files")
    sha256 = keep(storage, picture("JPEG", 600, 400, exif=GPS, icc_profile=b"profile", comment=b"at home"))
    place = rendition(tmp_path, storage, sha256, "image/jpeg")
    assert place is not None
    with Image.open(place) as small:
        assert not small.getexif()
        assert not {"exif", "icc_profile", "comment", "xmp"} & small.info.keys()


def test_it_keeps_what_can_be_seen_through(tmp_path: Path) -> None:
    storage = Storage(folder=tmp_path / "files")
    place = rendition(tmp_path, storage, keep(storage, picture("PNG", 20, 20, "RGBA")), "image/png")
    assert place is not None
    with Image.open(place) as small:
        assert small.mode == "RGBA"


def test_it_makes_a_picture_once(tmp_path: Path) -> None:
    storage = Storage(folder=tmp_path / "files")
    sha256 = keep(storage, picture())
    first = rendition(tmp_path, storage, sha256, "image/png")
    assert first is not None
    first.write_bytes(b"made before")
    assert rendition(tmp_path, storage, sha256, "image/png") == first
    assert first.read_bytes() == b"made before"
    forget_renditions(tmp_path, sha256)
    assert not first.exists()


def test_it_has_no_picture_of_anything_else_and_leaves_no_parts(tmp_path: Path) -> None:
    storage = Storage(folder=tmp_path / "files")
    words = keep(storage, b"words")
    assert rendition(tmp_path, storage, words, "text/plain") is None
    assert rendition(tmp_path, storage, words, "image/svg+xml") is None
    assert rendition(tmp_path, storage, words, "image/png") is None
    assert rendition(tmp_path, storage, "0" * 64, "image/png") is None
    assert not list(rendition_place(tmp_path, words).parent.glob("*"))
