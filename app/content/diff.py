"""Old and new text side by side, as words that stayed, went and came."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_MOST_WORDS = 2000
"""Longer texts are shown as a whole before and after: comparing grows with the square."""


class Part(StrEnum):
    """What became of a piece of text."""

    KEPT = "kept"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, kw_only=True, slots=True)
class Segment:
    """A piece of text and what became of it."""

    part: Part
    words: str


def compare(old: str, new: str) -> tuple[Segment, ...]:
    """``old`` and ``new`` as segments in reading order: kept and removed ones give ``old``, kept and added ones ``new``."""
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    if len(before) + len(after) > _MOST_WORDS:
        return _segments([(Part.REMOVED, old), (Part.ADDED, new)]) if old != new else _segments([(Part.KEPT, old)])
    pieces: list[tuple[Part, str]] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            pieces.append((Part.KEPT, "".join(before[i1:i2])))
        else:
            pieces += [(Part.REMOVED, "".join(before[i1:i2])), (Part.ADDED, "".join(after[j1:j2]))]
    return _segments(pieces)


def _segments(pieces: list[tuple[Part, str]]) -> tuple[Segment, ...]:
    return tuple(Segment(part=part, words=words) for part, words in pieces if words)
