"""Makes characters visible that show nothing or turn the direction of text, so that nobody is misled (I15, B45 to B47).

Only what is shown changes; stored text keeps every character.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_SUSPECTS = re.compile(
    "["
    "\u0000-\u0008\u000b-\u001f\u007f-\u009f"  # control characters other than tab and line feed
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"
    "\U000e0000-\U000e0fff"
    "]"
)
_JOINERS = frozenset("\u200c\u200d")
_LINE_ENDS = frozenset("\u000b\u000c\u000d\u0085\u2028\u2029")
_BLACK_FLAG = "\U0001f3f4"
_KEYCAP = "\u20e3"
_UNSEEN: Final = frozenset({"Cc", "Cf", "Co", "Cn", "Zl", "Zp"})
_JOINING: Final = frozenset(
    [
        *("ARABIC", "SYRIAC", "MONGOLIAN", "NKO", "MANDAIC", "DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI", "ORIYA"),
        *("TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA", "KHMER", "MYANMAR", "TIBETAN"),
    ]
)
"""Scripts in which joiners change how letters look."""


def visible(words: str) -> str:
    """``words`` with each invisible or direction-changing character written as ``⟨U+202E⟩``.

    Joiners and variation selectors stay where emoji and scripts need them; other line ends than ``\\n`` become spaces.
    """
    return _SUSPECTS.sub(_spell, words.replace("\r\n", "\n"))


def exact(words: str) -> str:
    """As ``visible``, for the values people decide on: two values that differ look different (I15).

    Line ends other than ``\\n`` and characters without a meaning are spelled too; a variation selector stays on emoji only.
    """
    if words.isprintable() and not _SUSPECTS.search(words):
        return words
    return "".join(_exact_sign(words, index, sign) for index, sign in enumerate(words))


def _spell(match: re.Match[str]) -> str:
    sign = match.group()
    if sign in _LINE_ENDS:
        return " "
    return sign if _is_needed(match.string, match.start(), sign) else _spelled(sign)


def _spelled(sign: str) -> str:
    return f"⟨U+{ord(sign):04X}⟩"


def _exact_sign(words: str, index: int, sign: str) -> str:
    if sign in "\n\t" or not (_SUSPECTS.match(sign) or unicodedata.category(sign) in _UNSEEN):
        return sign
    if "\ufe00" <= sign <= "\ufe0f":
        before, after = words[index - 1 : index], words[index + 1 : index + 2]
        return sign if _is_emoji(before) or after == _KEYCAP else _spelled(sign)
    return sign if sign not in _LINE_ENDS and _is_needed(words, index, sign) else _spelled(sign)


def _is_needed(words: str, index: int, sign: str) -> bool:
    before = words[index - 1] if index else ""
    after = words[index + 1] if index + 1 < len(words) else ""
    if sign in _JOINERS:
        is_between_emoji = _follows_emoji(words, index) and _is_emoji(after)
        return is_between_emoji or (_needs_joining(before) and _needs_joining(after))
    if "\ufe00" <= sign <= "\ufe0f":
        return bool(before) and (_is_emoji(before) or unicodedata.category(before) in {"Lo", "Nd", "Po", "Sm"})
    if "\U000e0020" <= sign <= "\U000e007f":
        return _is_in_flag(words, index)
    return False


def _is_emoji(sign: str) -> bool:
    return bool(sign) and unicodedata.category(sign) in {"So", "Sk"}


def _follows_emoji(words: str, index: int) -> bool:
    """Whether an emoji, with at most one variation selector, stands before ``index``."""
    before = index - 2 if index and words[index - 1] == "\ufe0f" else index - 1
    return before >= 0 and _is_emoji(words[before])


def _needs_joining(sign: str) -> bool:
    return bool(sign) and unicodedata.name(sign, "").partition(" ")[0] in _JOINING


def _is_in_flag(words: str, index: int) -> bool:
    while index and "\U000e0020" <= words[index] <= "\U000e007f":
        index -= 1
    return words[index] == _BLACK_FLAG
