"""Text as it was typed: cleaning, and masking of quoted passages and numbers.

A masked passage is data. It is replaced by a token before any rule looks at the message, so nothing inside quotes
can be taken for an instruction or for the end of a part.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import partial

MAX_MESSAGE = 40_000
TOKEN = "\ue000(?P<%s>\\d+)\ue001"  # noqa: S105 - a placeholder in text, not a secret
_ANY_TOKEN = re.compile("\ue000(\\d+)\ue001")

_CLOSERS = {
    "„": '“”"',
    "“": '”"“',
    '"': '"“”',
    "«": "»",
    "»": "«",
    "‚": "‘’'",  # noqa: RUF001 - the German opening mark
    "‘": "’'",
    "'": "'",
}
_NUMBER_WORD = re.compile(r"\b(?:no\.?|number|nr\.?|nummer|num\.)[ \t]*#?(\d{1,9})\b|#(\d{1,9})\b", re.IGNORECASE)
_NOUN_NUMBER = re.compile(
    r"\b((?:sub)?pages?|(?:unter)?seiten?|(?:inhalts)?elemente?n?s?|files?|datei(?:en)?)[ \t]+(\d{1,9})\b",
    re.IGNORECASE,
)
_SEPARATOR = r"(?:[ \t]*,[ \t]*|[ \t]+(?:and|und)[ \t]+)"
_LISTED_NUMBERS = re.compile(rf"\ue000\d+\ue001(?:{_SEPARATOR}\d{{1,9}}\b)+", re.IGNORECASE)
_LISTED_NUMBER = re.compile(rf"({_SEPARATOR})(\d{{1,9}})", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Masked:
    """A message whose quoted passages and record numbers are tokens; `values[i]` is what token i stands for."""

    text: str
    values: tuple[str | int, ...]


def clean(raw: str) -> str:
    """The message in composed form, without characters that cannot be stored or that the tokens need."""
    kept = "".join(c for c in raw[:MAX_MESSAGE] if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs", "Co"))
    return unicodedata.normalize("NFC", kept)


def one_line(text: str) -> str:
    """Text with runs of white space as one space."""
    return " ".join(text.split())


def short(text: str, limit: int = 200) -> str:
    """One line of at most `limit` characters; a cut is shown."""
    line = one_line(text)
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def plain(text: str, limit: int = 200) -> str:
    """Foreign text (a title, a reason) for an answer in Markdown: one line, bounded, and nothing in it is markup."""
    return re.sub(r"([\\`*_\[\]<>&~|])", r"\\\1", short(text, limit))


def mask(raw: str) -> Masked:
    """The cleaned message with every quoted passage, then every record number, replaced by a token."""
    values: list[str | int] = []
    text = _mask_quotes(clean(raw), values)

    def token(value: str | int) -> str:
        values.append(value)
        return f"\ue000{len(values) - 1}\ue001"

    text = _NUMBER_WORD.sub(lambda m: token(int(m[1] or m[2])), text)
    text = _NOUN_NUMBER.sub(lambda m: f"{m[1]} {token(int(m[2]))}", text)
    listed = partial(_LISTED_NUMBER.sub, lambda m: m[1] + token(int(m[2])))
    text = _LISTED_NUMBERS.sub(lambda m: listed(m[0]), text)
    return Masked(text=text, values=tuple(values))


def unmask(fragment: str, masked: Masked) -> str:
    """The fragment as a person would read it, quoted passages in double quotes."""

    def show(match: re.Match[str]) -> str:
        value = masked.values[int(match[1])]
        return str(value) if isinstance(value, int) else f'"{value}"'

    return _ANY_TOKEN.sub(show, fragment)


def holds_token(fragment: str) -> bool:
    """Whether the fragment has a quoted passage or a number in it."""
    return _ANY_TOKEN.search(fragment) is not None


def _mask_quotes(text: str, values: list[str | int]) -> str:
    parts: list[str] = []
    dead: set[str] = set()  # a mark that found no closing one will find none further on either
    position = 0
    while position < len(text):
        end = None if text[position] in dead else _closing(text, position, dead)
        if end is None:
            parts.append(text[position])
            position += 1
            continue
        values.append(text[position + 1 : end])
        parts.append(f"\ue000{len(values) - 1}\ue001")
        position = end + 1
    return "".join(parts)


def _closing(text: str, start: int, dead: set[str]) -> int | None:
    """Where the quote opened at `start` ends; None when nothing opens there or it stays open or is empty."""
    closers = _CLOSERS.get(text[start])
    if closers is None or (start > 0 and text[start - 1].isalnum()):
        return None
    for position in range(start + 1, len(text)):
        if text[position] not in closers:
            continue
        follows = text[position + 1 : position + 2]
        if not follows.isalnum() and text[start + 1 : position].strip():
            return position
    dead.add(text[start])
    return None
