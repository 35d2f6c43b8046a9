"""Titles of records for people: one line, no markup, never cut inside a character (reliability.md B45 to B51)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from app.content.schema import REGISTRY, FieldKind

TITLE_LENGTH = 80
_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters that show nothing
_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>", re.DOTALL)
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_LINE_MARK = re.compile(r"^\s{0,3}(?:#{1,6}\s+|>\s?|[-*+]\s+|\d{1,9}[.)]\s+|`{3,}.*$|~{3,}.*$)", re.MULTILINE)
_EMPHASIS = re.compile(r"(\*{1,3}|_{1,3}|~~|`+)(?=\S)(.+?)(?<=\S)\1")
_SOURCE_LENGTH = 2000  # a title needs no more of a long text


def title_of(table: str, values: Mapping[str, Any]) -> str:
    """The title of a record of ``table`` with the columns ``values``: its first label field that shows anything.

    One line of at most 80 characters; Markdown fields lose their markup, plain fields are kept as typed. Empty when no
    label field shows anything: the caller words that.
    """
    trait = REGISTRY[table]
    for name in trait.label_fields:
        words = str(values.get(name) or "")
        if trait.field_by_name[name].kind is FieldKind.MARKDOWN:
            words = without_markup(words)
        line = " ".join(words.split())
        if not is_blank(line):
            return crop(line)
    return ""


def without_markup(words: str) -> str:
    """Markdown text without tags, link targets and marks; only the beginning of a long text."""
    plain = _LINK.sub(r"\1", _TAG.sub(" ", words[:_SOURCE_LENGTH]))
    plain = _LINE_MARK.sub("", plain)
    return _EMPHASIS.sub(r"\2", plain)


def is_blank(words: str) -> bool:
    """Whether nothing of ``words`` can be seen: spaces, control and format characters, empty letters."""
    return all(
        sign.isspace() or sign in _BLANK_LETTERS or unicodedata.category(sign) in {"Cc", "Cf", "Mn", "Me"}
        for sign in words
    )


def crop(words: str, length: int = TITLE_LENGTH) -> str:
    """``words`` in at most ``length`` characters, cut between what people see as characters, with an ellipsis."""
    if len(words) <= length:
        return words
    end = length - 1
    while end and _continues(words, end):
        end -= 1
    return f"{words[: end or length - 1].rstrip()}…"


def _continues(words: str, index: int) -> bool:
    """Whether the character at ``index`` belongs to the one before it."""
    sign, before = words[index], words[index - 1]
    if "\u200d" in {sign, before} or unicodedata.category(sign) in {"Mn", "Mc", "Me"}:
        return True
    if _is_modifier(sign) or "\u1160" <= sign <= "\u11ff":
        return True
    if _is_flag_letter(sign) and _is_flag_letter(before):
        run = index
        while run and _is_flag_letter(words[run - 1]):
            run -= 1
        return (index - run) % 2 == 1
    return False


def _is_modifier(sign: str) -> bool:
    return "\U0001f3fb" <= sign <= "\U0001f3ff" or "\U000e0020" <= sign <= "\U000e007f"


def _is_flag_letter(sign: str) -> bool:
    return "\U0001f1e6" <= sign <= "\U0001f1ff"
