"""Local pictures: looked up next to the file, in the directory and in its ``static`` folder; known by their content."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

from app.content.imports.markdown.files import MAX_IMAGE_BYTES, BrokenFile, is_inside, read_bytes, relative_path
from app.content.imports.markdown.types import ImageRef

# Possessive, so that a file of nothing but comments is no trap for the matcher.
_SVG = re.compile(
    rb"\A(?:\xef\xbb\xbf)?(?>\s|<\?xml[^>]*\?>|<!--.*?-->|<!DOCTYPE[^>\[]*>)*+<svg[\s>/]", re.DOTALL | re.IGNORECASE
)
_SVG_HEAD_BYTES = 4_096
_REMOTE = re.compile(r"(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)


def is_remote(target: str) -> bool:
    """Whether a link or image target leaves the tree (has a scheme or a host)."""
    return _REMOTE.match(target) is not None


def local_path(target: str) -> str:
    """The path in a local target, without ``?classes=shadow`` and the like."""
    return unquote(re.split(r"[?#]", target, maxsplit=1)[0])


def sniff_mime(content: bytes) -> str | None:
    """The type of a picture from its first bytes: PNG, JPEG, GIF, WebP or SVG, else None."""
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if content.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if content.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return "image/svg+xml" if _SVG.match(content[:_SVG_HEAD_BYTES]) else None


class ImageFinder:
    """Finds the pictures below one directory; every file is read once."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._known: dict[Path, ImageRef | None] = {}

    def find(self, target: str, page_path: str, alt: str) -> ImageRef | None:
        """The picture ``target`` names in the file ``page_path``, or None (absent, outside, too large, no picture)."""
        path = local_path(target)
        if not path or "\0" in path:
            return None
        plain = path.lstrip("/")
        bases = [self._directory, self._directory / "static"]
        if not path.startswith("/"):
            bases.insert(0, (self._directory / page_path).parent)
        for base in bases:
            found = self._read(base / plain)
            if found is not None:
                return replace(found, alt=alt)
        return None

    def _read(self, path: Path) -> ImageRef | None:
        if path not in self._known:
            self._known[path] = self._read_file(path)
        return self._known[path]

    def _read_file(self, path: Path) -> ImageRef | None:
        try:
            if not is_inside(path, self._directory) or not path.is_file():
                return None
            content = read_bytes(path, self._directory, max_bytes=MAX_IMAGE_BYTES)
        except (BrokenFile, OSError, ValueError):
            return None
        mime = sniff_mime(content)
        if mime is None:
            return None
        # The real place, so that a/../b.png and b.png are one record.
        real = path.resolve()
        return ImageRef(
            path=relative_path(real, self._directory.resolve()),
            source=real,
            alt="",
            sha256=hashlib.sha256(content).hexdigest(),
            size=len(content),
            mime=mime,
        )
