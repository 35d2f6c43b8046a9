"""Sign-in names: what one may consist of, and which ones look alike (reliability.md B30)."""

from __future__ import annotations

import unicodedata
from typing import Final

from app.core.folding import fold

LONGEST: Final = 120
_SIGNS: Final = frozenset("._-@0123456789")
_WRITTEN_TOGETHER: Final = frozenset({"CJK", "HIRAGANA", "KATAKANA"})
_CYRILLIC: Final = (
    "\u0430\u0432\u0441\u0501\u0435\u04bb\u0456\u0458\u043a\u04cf\u043c\u043d"
    "\u043e\u0440\u051b\u0433\u0455\u0442\u0443\u0475\u051d\u0445\u04af",
    "abcdehijklmhopqrstyvwxy",
)
_GREEK: Final = ("\u03b1\u03b3\u03b7\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7", "aynikvoptux")
_OTHERS: Final = ("\u0131\u0237\u0251\u0261\u0269\u028b\u01c0\u01bd01", "ijagivlsol")
"""Latin letters that are drawn like others, and digits that are drawn like letters."""
_TWINS: Final = {
    ord(letter): twin
    for letters, twins in (_CYRILLIC, _GREEK, _OTHERS)
    for letter, twin in zip(letters, twins, strict=True)
}


def is_usable(name: str) -> bool:
    """Whether a new person can have this name: letters of one script, plain digits, dots, hyphens, underscores, at signs."""
    if not name or len(name) > LONGEST or unicodedata.normalize("NFKC", name) != name:
        return False
    return all(sign.isalpha() or sign in _SIGNS for sign in name) and not _mixes_scripts(name)


def skeleton(name: str) -> str:
    """What two names have in common that people cannot tell apart: case and letters of the same shape do not count."""
    return (fold(name) or "").translate(_TWINS)


def _mixes_scripts(name: str) -> bool:
    found = {unicodedata.name(sign, "?").split(" ", maxsplit=1)[0] for sign in name if sign.isalpha()}
    return len(found) > 1 and not found <= _WRITTEN_TOGETHER


def is_storable(name: str) -> bool:
    """Whether a database can be asked for this name at all: no NUL, no half of a character."""
    return "\x00" not in name and not any(0xD800 <= ord(sign) <= 0xDFFF for sign in name)
