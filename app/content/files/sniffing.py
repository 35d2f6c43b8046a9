"""What a file is, by its content alone: neither its name nor the type a browser claims decides (B69)."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Final

import filetype

from app.content.files.archives import examine_archive
from app.content.files.pictures import measure
from app.content.files.types import BY_MIME, CSV, MARKDOWN, PDF, PLAIN, FileKind, FileRefused, Measured
from app.core.i18n import text

_HEAD: Final = 8 * 1024
_TAIL: Final = 2 * 1024
_ARCHIVE: Final = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_MARKUP: Final = re.compile(
    r"(?:\s|<!--.*?-->)*+<(?:!doctype|\?xml|html|head|body|title|meta|link|svg|math|script|style|iframe|object|embed)\b",
    re.IGNORECASE | re.DOTALL,
)
_ACTIVE_IN_PDF: Final = re.compile(rb"/(?:JavaScript|JS|Launch)[\s/(<\[]")
_LOCKED_PDF: Final = re.compile(rb"/Encrypt[\s/<]")


def examine(path: Path, name: str) -> Measured:
    """What the bytes at ``path`` are; ``name`` only tells kinds of text apart. Raises ``FileRefused``."""
    with path.open("rb") as source:
        head = source.read(_HEAD)
    guessed = filetype.guess(head)
    mime = guessed.mime if guessed is not None else ""
    kind = BY_MIME.get(mime)
    if kind is not None and kind.is_picture:
        _check_alone(path)
        width, height = measure(path, mime)
        return Measured(kind=kind, width=width, height=height)
    if head.startswith(b"%PDF-"):
        return Measured(kind=_examine_pdf(path))
    if head.startswith(_ARCHIVE):
        return Measured(kind=examine_archive(path))
    return Measured(kind=_examine_text(path, name))


def _examine_pdf(path: Path) -> FileKind:
    content = path.read_bytes()
    if b"%%EOF" not in content[-_TAIL:]:
        raise FileRefused("broken", text("The PDF is damaged or not complete. Save it again."))
    if _LOCKED_PDF.search(content):
        raise FileRefused("encrypted", text("The file is protected by a password. Store it without the password."))
    if _ACTIVE_IN_PDF.search(content):
        raise FileRefused("active", text("The PDF holds a program or starts one. Print it into a new PDF."))
    _check_alone(path)
    return PDF


def _check_alone(path: Path) -> None:
    """Bytes that are a picture and an archive at once are read differently by every program."""
    if zipfile.is_zipfile(path):
        raise FileRefused("polyglot", text("The file is an archive as well, so it is not stored. Save it again."))


def _examine_text(path: Path, name: str) -> FileKind:
    try:
        words = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _foreign() from error
    if any(ord(sign) < 32 and sign not in "\t\n\r\f" for sign in words):
        raise _foreign()
    if words.startswith("#!") or _MARKUP.match(words[:_HEAD]):
        raise _foreign()
    return next((kind for kind in (MARKDOWN, CSV) if kind.fits(name)), PLAIN)


def _foreign() -> FileRefused:
    sentence = text(
        "Files of this kind cannot be stored. Store a PNG, JPEG, GIF or WebP picture, a PDF, a Word, Excel, PowerPoint "
        "or OpenDocument text file, or plain text in UTF-8."
    )
    return FileRefused("kind", sentence)
