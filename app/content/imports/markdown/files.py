"""Finding and reading files below one directory, never outside of it."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from app.core.i18n import Text, text

MAX_TEXT_BYTES = 2_000_000
MAX_IMAGE_BYTES = 20_000_000
_STATIC = "static"


class BrokenFile(Exception):
    """A file that cannot be used; ``reason`` is for people. The reading of the tree goes on."""

    def __init__(self, reason: Text) -> None:
        super().__init__(reason.message)
        self.reason = reason


def iter_files(directory: Path, on_error: Callable[[OSError], None] | None = None) -> Iterator[Path]:
    """The Markdown files of the tree in a stable order, as ``read_tree`` visits them.

    ``on_error`` hears of folders the system refuses to list. Hidden folders, linked folders and the top folder
    ``static`` (files of the site, not pages) are left out.
    """
    for folder, names, files in os.walk(directory, onerror=on_error, followlinks=False):
        here = Path(folder)
        left_out = {_STATIC} if here == directory else set()
        names[:] = sorted(
            name
            for name in names
            if not name.startswith(".") and name not in left_out and not (here / name).is_symlink()
        )
        yield from (here / name for name in sorted(files) if name.lower().endswith(".md") and not name.startswith("."))


def relative_path(path: Path, directory: Path) -> str:
    """``path`` below ``directory`` with ``/``; bytes that are no text are shown as escapes."""
    words = PurePosixPath(path.relative_to(directory)).as_posix()
    return words.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def is_inside(path: Path, directory: Path) -> bool:
    """Whether ``path``, after following links, is below ``directory``."""
    try:
        return path.resolve().is_relative_to(directory.resolve())
    except (OSError, RuntimeError, ValueError):
        return False


def read_text(path: Path, directory: Path) -> str:
    """The text of ``path`` with ``\\n`` line ends, without a byte order mark.

    Raises ``BrokenFile``: outside of the directory, no regular file, over ``MAX_TEXT_BYTES``, not UTF-8, with NUL.
    """
    if _surrogates(str(path.relative_to(directory))):
        raise BrokenFile(text("Its name has characters that are not text."))
    content = read_bytes(path, directory, max_bytes=MAX_TEXT_BYTES)
    try:
        words = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BrokenFile(text("It is not valid UTF-8.")) from error
    if "\0" in words:
        raise BrokenFile(text("It has characters that are not text."))
    return words.replace("\r\n", "\n").replace("\r", "\n")


def read_bytes(path: Path, directory: Path, *, max_bytes: int) -> bytes:
    """The content of a regular file below ``directory``; raises ``BrokenFile``."""
    if not is_inside(path, directory):
        raise BrokenFile(text("It points outside of the folder."))
    try:
        # Asked before opening: to open a named pipe would wait for a writer.
        if not stat.S_ISREG(path.stat().st_mode):
            raise BrokenFile(text("It is not a regular file."))
        with path.open("rb") as source:
            content = source.read(max_bytes + 1)
    except OSError as error:
        raise BrokenFile(text("The system refused to read it.")) from error
    if len(content) > max_bytes:
        raise BrokenFile(text("It is larger than %(limit)s MB.", limit=max_bytes // 1_000_000))
    return content


def _surrogates(words: str) -> bool:
    return any("\ud800" <= sign <= "\udfff" for sign in words)
