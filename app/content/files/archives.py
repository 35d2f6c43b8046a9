"""Office documents are archives: checked by what they declare and by what really comes out, before anybody opens them (B67)."""

from __future__ import annotations

import stat
import zipfile
import zlib
from pathlib import Path
from typing import Final

from app.content.files.types import DOCX, ODT, PPTX, XLSX, FileKind, FileRefused
from app.core.i18n import text

MOST_ENTRIES: Final = 5_000
MOST_UNPACKED: Final = 200 * 1024 * 1024
MOST_RATIO: Final = 100
_SMALL: Final = 1024 * 1024
"""Below this an entry may be packed as tightly as it likes: empty sheets are."""
_CHUNK: Final = 64 * 1024
_MAIN_PARTS: Final = {"word/document.xml": DOCX, "xl/workbook.xml": XLSX, "ppt/presentation.xml": PPTX}
_CONTENT_TYPES: Final = "[Content_Types].xml"
_MACROS: Final = ("vbaproject.bin", "vbadata.xml")
_MACRO_FOLDERS: Final = ("basic/", "scripts/")
_EMBEDDED: Final = "/embeddings/"


def examine_archive(path: Path) -> FileKind:
    """The kind of an office document. Raises ``FileRefused``: no such document, broken, dangerous or with macros."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            _check_declared(entries, path.stat().st_size)
            kind = _kind_of(archive, {entry.filename for entry in entries})
            _count(archive, entries)
    # What reading a damaged archive raises: an unknown way of packing, a locked entry, and bytes that end too early.
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError) as error:
        raise FileRefused("broken", text("The file is damaged or not complete, so it cannot be checked.")) from error
    return kind


def _check_declared(entries: list[zipfile.ZipInfo], packed: int) -> None:
    declared = sum(entry.file_size for entry in entries)
    if len(entries) > MOST_ENTRIES or declared > MOST_UNPACKED or _is_bomb(declared, packed):
        raise _too_much()
    if len({entry.filename for entry in entries}) < len(entries):
        raise _dangerous()
    for entry in entries:
        if entry.flag_bits & 0x1:
            raise FileRefused("encrypted", text("The file is protected by a password. Store it without the password."))
        if _leads_elsewhere(entry):
            raise _dangerous()
        _check_macros(entry.filename.casefold())


def _is_bomb(unpacked: int, packed: int) -> bool:
    return unpacked > _SMALL and unpacked > packed * MOST_RATIO


def _leads_elsewhere(entry: zipfile.ZipInfo) -> bool:
    name = entry.orig_filename
    parts = name.replace("\\", "/").split("/")
    is_link = stat.S_ISLNK(entry.external_attr >> 16)
    return is_link or name.startswith(("/", "\\")) or ".." in parts or ":" in parts[0] or "\0" in name


def _check_macros(name: str) -> None:
    if name.endswith(_MACROS) or name.startswith(_MACRO_FOLDERS):
        raise _macros()


def _macros() -> FileRefused:
    return FileRefused("macros", text("The document holds macros (small programs). Save it without macros."))


def _kind_of(archive: zipfile.ZipFile, names: set[str]) -> FileKind:
    if _CONTENT_TYPES in names:
        for part, kind in _MAIN_PARTS.items():
            if part in names:
                if b"macroenabled" in _beginning(archive, _CONTENT_TYPES).lower():
                    raise _macros()
                return kind
    if "mimetype" in names and _beginning(archive, "mimetype").strip() == ODT.mime.encode():
        return ODT
    raise FileRefused("kind", text("Archives cannot be stored. Store the files in it one by one."))


def _beginning(archive: zipfile.ZipFile, name: str) -> bytes:
    with archive.open(name) as entry:
        return entry.read(_SMALL)


def _count(archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo]) -> None:
    """Unpack everything into nothing: a header that lies about a size is found here (``BadZipFile``)."""
    total = 0
    for info in entries:
        unpacked, beginning = 0, b""
        with archive.open(info) as entry:
            while chunk := entry.read(_CHUNK):
                beginning = beginning or chunk[:4]
                unpacked += len(chunk)
                total += len(chunk)
                if total > MOST_UNPACKED or unpacked > info.file_size:
                    raise _too_much()
        if _is_bomb(unpacked, info.compress_size):
            raise _too_much()
        if beginning == b"PK\x03\x04" and _EMBEDDED not in info.filename:
            raise FileRefused("nested", text("The file holds another archive. Store the files one by one."))


def _too_much() -> FileRefused:
    return FileRefused("bomb", text("The file unpacks to far more than it seems to hold, so it is not stored."))


def _dangerous() -> FileRefused:
    return FileRefused("entries", text("The file holds entries that lead to other places, so it is not stored."))
