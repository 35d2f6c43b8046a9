"""Small files of every kind, made in memory."""

from __future__ import annotations

import io
import zipfile

from PIL import Image

DOCX_TYPES = (
    b'<Types><Override ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document"/></Types>'
)


def picture(form: str = "PNG", width: int = 8, height: int = 6, mode: str = "RGB", **options: object) -> bytes:
    """A picture in one colour."""
    target = io.BytesIO()
    Image.new(mode, (width, height)).save(target, format=form, **options)
    return target.getvalue()


def png(width: int = 8, height: int = 6) -> bytes:
    """A PNG."""
    return picture("PNG", width, height)


def pdf(inside: bytes = b"") -> bytes:
    """As much of a PDF as the check looks at."""
    return b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog " + inside + b" >>\nendobj\ntrailer << >>\n%%EOF\n"


def archive(entries: dict[str, bytes], *, compressed: bool = True) -> bytes:
    """A ZIP archive with these entries."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED) as found:
        for name, content in entries.items():
            found.writestr(name, content)
    return target.getvalue()


def docx(more: dict[str, bytes] | None = None, types: bytes = DOCX_TYPES) -> bytes:
    """A Word document with further entries."""
    return archive({"[Content_Types].xml": types, "word/document.xml": b"<w:document/>", **(more or {})})


def odt() -> bytes:
    """An OpenDocument text."""
    return archive(
        {"mimetype": b"application/vnd.oasis.opendocument.text", "content.xml": b"<office/>"}, compressed=False
    )
