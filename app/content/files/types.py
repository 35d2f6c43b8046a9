"""What the parts of the files package hand to each other: kinds of files, what was measured, and why a file is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from app.core.errors import Invalid, Unavailable
from app.core.i18n import Text, ptext, text

MOST_BYTES: Final = 20 * 1024 * 1024
"""Largest file (B71)."""
MOST_FILES: Final = 10
"""Most files of one upload (B71)."""
MOST_PIXELS: Final = 40_000_000
"""Largest picture, width times height (B70)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FileKind:
    """A kind of file that may be stored."""

    mime: str
    endings: tuple[str, ...]
    """Endings of names that fit, without dot; the first is added to names that have none of them."""
    label: Text
    is_picture: bool = False

    def fits(self, name: str) -> bool:
        """Whether a name ends like this kind."""
        return name.casefold().endswith(tuple(f".{ending}" for ending in self.endings))


PNG = FileKind(mime="image/png", endings=("png",), label=ptext("kind of file", "PNG picture"), is_picture=True)
JPEG = FileKind(
    mime="image/jpeg",
    endings=("jpg", "jpeg", "jpe", "jfif"),
    label=ptext("kind of file", "JPEG picture"),
    is_picture=True,
)
GIF = FileKind(mime="image/gif", endings=("gif",), label=ptext("kind of file", "GIF picture"), is_picture=True)
WEBP = FileKind(mime="image/webp", endings=("webp",), label=ptext("kind of file", "WebP picture"), is_picture=True)
PDF = FileKind(mime="application/pdf", endings=("pdf",), label=ptext("kind of file", "PDF document"))
_OFFICE: Final = "application/vnd.openxmlformats-officedocument."
DOCX = FileKind(
    mime=f"{_OFFICE}wordprocessingml.document", endings=("docx",), label=ptext("kind of file", "Word document")
)
XLSX = FileKind(
    mime=f"{_OFFICE}spreadsheetml.sheet", endings=("xlsx",), label=ptext("kind of file", "Excel spreadsheet")
)
PPTX = FileKind(
    mime=f"{_OFFICE}presentationml.presentation",
    endings=("pptx",),
    label=ptext("kind of file", "PowerPoint presentation"),
)
ODT = FileKind(
    mime="application/vnd.oasis.opendocument.text",
    endings=("odt",),
    label=ptext("kind of file", "OpenDocument text"),
)
MARKDOWN = FileKind(mime="text/markdown", endings=("md", "markdown"), label=ptext("kind of file", "text in Markdown"))
CSV = FileKind(mime="text/csv", endings=("csv",), label=ptext("kind of file", "table as text (CSV)"))
PLAIN = FileKind(mime="text/plain", endings=("txt",), label=ptext("kind of file", "plain text"))

KINDS: Final = (PNG, JPEG, GIF, WEBP, PDF, DOCX, XLSX, PPTX, ODT, MARKDOWN, CSV, PLAIN)
"""Closed list: nothing else is stored by an upload."""
BY_MIME: Final = {kind.mime: kind for kind in KINDS}
ENDINGS: Final = tuple(ending for kind in KINDS for ending in kind.endings)


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """What the bytes of a file say."""

    kind: FileKind
    width: int = 0
    """In pixels as shown (turned as the camera says); 0 for what is no picture."""
    height: int = 0


class FileRefused(Invalid):
    """A file that is not stored; ``text`` says why and what to do."""

    def __init__(self, reason: str, sentence: Text) -> None:
        super().__init__(reason, text=sentence)
        self.reason = reason


class StorageFull(Unavailable):
    """The disk takes no more bytes; nothing of the file was kept."""

    text = text("There is no space left for files. Nothing of this file was stored. Tell the administration.")
