"""The content decides what a file is, and what is refused (B67 to B70)."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from pathlib import Path

import pytest

from app.content.files import archives
from app.content.files.sniffing import examine
from app.content.files.types import FileRefused
from tests.content.files.samples import archive, docx, odt, pdf, picture, png


def kind_of(tmp_path: Path, content: bytes, name: str = "file") -> str:
    path = tmp_path / "bytes"
    path.write_bytes(content)
    return examine(path, name).kind.mime


def reason(tmp_path: Path, content: bytes, name: str = "file") -> str:
    with pytest.raises(FileRefused) as caught:
        kind_of(tmp_path, content, name)
    return caught.value.reason


@pytest.mark.parametrize(
    ("content", "name", "mime"),
    [
        (png(), "x.txt", "image/png"),
        (picture("JPEG"), "x", "image/jpeg"),
        (picture("GIF"), "x", "image/gif"),
        (picture("WEBP"), "x", "image/webp"),
        (pdf(), "x.html", "application/pdf"),
        (docx(), "x", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        (odt(), "x", "application/vnd.oasis.opendocument.text"),
        ("Grüße".encode(), "x", "text/plain"),
        (b"\xef\xbb\xbfa;b\r\n1;2\r\n", "x.CSV", "text/csv"),
        (b"BMW;Audi\n1;2\n", "cars.csv", "text/csv"),
        (b"# Title\n\n`<script>` is a tag\n", "x.md", "text/markdown"),
    ],
)
def test_it_knows_kinds_by_their_content(tmp_path: Path, content: bytes, name: str, mime: str) -> None:
    assert kind_of(tmp_path, content, name) == mime


@pytest.mark.parametrize("part", ["xl/workbook.xml", "ppt/presentation.xml"])
def test_it_knows_spreadsheets_and_presentations(tmp_path: Path, part: str) -> None:
    content = archive({"[Content_Types].xml": b"<Types/>", part: b"<x/>"})
    assert kind_of(tmp_path, content).endswith("sheet" if part.startswith("xl") else "presentation")


@pytest.mark.parametrize(
    "content",
    [
        b"<!DOCTYPE html><p>x",
        b"  <!-- hello --> <HTML>",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"<?xml version='1.0'?><svg/>",
        b"\xef\xbb\xbf<script>alert(1)</script>",
        b"MZ\x90\x00\x03\x00\x00\x00" + b"\x00" * 100,
        b"\x7fELF\x02\x01\x01" + b"\x00" * 100,
        b"#!/bin/sh\nrm -rf /\n",
        b"Rar!\x1a\x07\x00" + b"\x00" * 50,
        b"\x1f\x8b\x08\x00" + b"\x00" * 50,
        "Grüße".encode("latin-1"),
        b"a\x00b",
        picture("BMP"),
        picture("TIFF"),
    ],
)
def test_b69_it_refuses_whatever_is_not_on_the_list(tmp_path: Path, content: bytes) -> None:
    assert reason(tmp_path, content, "harmless.pdf") == "kind"


def test_b69_it_refuses_macros(tmp_path: Path) -> None:
    assert reason(tmp_path, docx({"word/vbaProject.bin": b"x"})) == "macros"
    assert (
        reason(tmp_path, docx(types=b"<x ContentType='application/vnd.ms-word.document.macroEnabled.main+xml'/>"))
        == "macros"
    )
    assert reason(tmp_path, archive({"mimetype": b"x", "Basic/Standard/Module1.xml": b"x"})) == "macros"


def test_b67_it_refuses_a_bomb_by_what_it_declares(tmp_path: Path) -> None:
    assert reason(tmp_path, docx({"word/media/bomb.bin": b"\x00" * 20_000_000})) == "bomb"


def test_b67_it_refuses_too_many_entries(tmp_path: Path) -> None:
    entries = {f"word/{number}": b"" for number in range(archives.MOST_ENTRIES)}
    assert reason(tmp_path, docx(entries)) == "bomb"


def test_b67_it_refuses_a_size_that_lies(tmp_path: Path) -> None:
    content = bytearray(docx({"word/long.xml": bytes(range(256)) * 400}))
    place = content.rfind(b"word/long.xml")  # in the directory at the end; the size stands 22 bytes before the name
    struct.pack_into("<I", content, place - 22, 10)
    assert reason(tmp_path, bytes(content)) == "broken"


@pytest.mark.parametrize("name", ["../../evil", "/etc/evil", "..\\evil", "C:/evil", "a/../../evil"])
def test_b67_it_refuses_entries_that_lead_elsewhere(tmp_path: Path, name: str) -> None:
    assert reason(tmp_path, docx({name: b"x"})) == "entries"


def test_b67_it_refuses_links_and_locked_entries(tmp_path: Path) -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as made:
        made.writestr("[Content_Types].xml", b"<Types/>")
        link = zipfile.ZipInfo("word/document.xml")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        made.writestr(link, "/etc/passwd")
    assert reason(tmp_path, target.getvalue()) == "entries"
    locked = bytearray(docx())
    struct.pack_into("<H", locked, locked.rfind(b"PK\x01\x02") + 8, 1)
    assert reason(tmp_path, bytes(locked)) == "encrypted"


def test_b67_it_refuses_an_archive_in_an_archive_but_not_an_embedded_table(tmp_path: Path) -> None:
    assert reason(tmp_path, docx({"word/inner.zip": archive({"a": b"b"})})) == "nested"
    assert kind_of(tmp_path, docx({"word/embeddings/table.xlsx": archive({"a": b"b"})}))


def test_it_refuses_plain_archives_and_broken_ones(tmp_path: Path) -> None:
    assert reason(tmp_path, archive({"a.txt": b"x"}), "a.docx") == "kind"
    assert reason(tmp_path, docx()[:-30], "a.docx") == "broken"
    assert reason(tmp_path, b"PK\x03\x04" + b"x" * 100) == "broken"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (pdf(b"/Encrypt 5 0 R"), "encrypted"),
        (pdf()[:40], "broken"),
        (pdf() + archive({"a": b"b"}), "polyglot"),
        (pdf(b"/OpenAction << /S /JavaScript /JS (x) >>"), "active"),
        (pdf(b"/A << /S /Launch /F (cmd) >>"), "active"),
    ],
)
def test_b68_it_refuses_a_pdf_nobody_should_open(tmp_path: Path, content: bytes, expected: str) -> None:
    assert reason(tmp_path, content) == expected


def test_b69_it_refuses_a_picture_that_is_an_archive_too(tmp_path: Path) -> None:
    assert reason(tmp_path, png() + archive({"a": b"b"})) == "polyglot"


def test_b70_it_measures_pictures_as_they_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "bytes"
    turned = picture(
        "JPEG",
        40,
        10,
        exif=b"Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00",
    )
    path.write_bytes(turned)
    measured = examine(path, "x")
    assert (measured.width, measured.height) == (10, 40)


def test_b70_it_refuses_too_many_pixels_without_unpacking_them(tmp_path: Path) -> None:
    def chunk(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    for side in (7_000, 40_000):
        header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
        content = (
            b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
        )
        assert reason(tmp_path, content) == "too_many_pixels"


@pytest.mark.parametrize(
    "content", [png(400, 300)[:-40], picture("JPEG", 400, 300)[:-60], picture("WEBP", 400, 300)[:-20]]
)
def test_b70_it_refuses_a_picture_that_is_cut_off(tmp_path: Path, content: bytes) -> None:
    assert reason(tmp_path, content) == "broken"
