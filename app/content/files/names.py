"""Names of files and folders as data: what people called them, made safe to show, to list and to send (B73 to B75)."""

from __future__ import annotations

import re
import unicodedata
from typing import Final
from urllib.parse import quote

from app.content.files.types import FileKind
from app.core.errors import Invalid
from app.core.i18n import text

MOST_NAME: Final = 180
MOST_FOLDER: Final = 400
_UNNAMED: Final = "unnamed"
_FORBIDDEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_JOINERS: Final = frozenset({"\u200c", "\u200d"})
"""Joiners write Persian and Indic words and emoji; they turn no direction."""
_SPACES: Final = re.compile(r"\s+")
_LONGEST_ENDING: Final = 12


def clean_name(given: str) -> str:
    """The name a file was given, as one line without folder, control signs and marks that turn the reading direction.

    Names that are special elsewhere (``CON``, ``.htaccess``, ``-rf``) stay: here they are words, never names on disk.
    """
    last = re.split(r"[/\\]", given)[-1]
    kept = "".join(sign for sign in last if sign in _JOINERS or unicodedata.category(sign) not in _FORBIDDEN_CATEGORIES)
    words = _SPACES.sub(" ", unicodedata.normalize("NFC", kept)).strip()
    return _shortened(words) if words.strip(".") else _UNNAMED


def fitting_name(name: str, kind: FileKind) -> str:
    """``name`` with an ending that fits its content: a foreign ending is kept before the right one."""
    return name if kind.fits(name) else _shortened(f"{name}.{kind.endings[0]}")


def numbered(name: str, number: int) -> str:
    """ "photo.png" as "photo (2).png", for the next file of that name."""
    stem, ending = _split(name)
    mark = f" ({number})"
    return f"{stem[: MOST_NAME - len(mark) - len(ending)]}{mark}{ending}"


def clean_folder(given: str) -> str:
    """The name of one folder. Raises ``Invalid`` with the field ``name`` when nothing is left of it."""
    name = clean_name(given)
    if name == _UNNAMED and given.strip().casefold() != _UNNAMED:
        raise Invalid("folder", fields={"name": text("Enter a name for the folder, without slashes.")})
    return name


def disposition(name: str, kind: str = "attachment") -> str:
    """The header that names a download: UTF-8 as percent signs, so nothing in a name can end the header (B74)."""
    return f"{kind}; filename*=UTF-8''{quote(name, safe='')}"


def _split(name: str) -> tuple[str, str]:
    stem, dot, ending = name.rpartition(".")
    return (stem, dot + ending) if stem and len(ending) <= _LONGEST_ENDING else (name, "")


def _shortened(name: str) -> str:
    if len(name) <= MOST_NAME:
        return name
    stem, ending = _split(name)
    return stem[: MOST_NAME - len(ending)] + ending
