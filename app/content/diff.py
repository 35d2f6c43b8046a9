"""Old and new side by side: which fields differ, and in texts which words stayed, went and came."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Any

from app.content.schema import FieldKind, TableTrait
from app.content.types import FieldValue
from app.core.i18n import Text
from app.policy.identity import Identity

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_MOST_WORDS = 2000
"""Longer texts are shown as a whole before and after: comparing grows with the square."""
_TEXTS = frozenset({FieldKind.LINE, FieldKind.MULTILINE, FieldKind.MARKDOWN})


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


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldComparison:
    """One field before and after."""

    name: str
    label: Text
    kind: FieldKind
    old: FieldValue
    """None = the record did not exist."""
    new: FieldValue

    @property
    def segments(self) -> tuple[Segment, ...]:
        """Text compared word by word; empty for values that are no text."""
        if self.kind not in _TEXTS:
            return ()
        return compare(str(self.old or ""), str(self.new or ""))


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedFields:
    """Which fields differ, as far as one reader may know."""

    fields: tuple[FieldComparison, ...] = ()
    withheld: int = 0
    """How many further ones differ that the reader has no grant for."""


def compared_fields(
    identity: Identity, trait: TableTrait, changes: Mapping[str, tuple[FieldValue, FieldValue]]
) -> ComparedFields:
    """``changes`` (field -> old and new) in the order of the registry, without those the reader has no grant for."""
    known = [field for field in trait.fields if field.name in changes]
    granted = [field for field in known if not field.needs_grant or identity.may_use_field(trait.name, field.name)]
    return ComparedFields(
        fields=tuple(
            FieldComparison(
                name=field.name,
                label=field.label,
                kind=field.kind,
                old=changes[field.name][0],
                new=changes[field.name][1],
            )
            for field in granted
        ),
        withheld=len(known) - len(granted),
    )


def differing(
    trait: TableTrait, old: Mapping[str, Any] | None, new: Mapping[str, Any]
) -> dict[str, tuple[FieldValue, FieldValue]]:
    """The fields in which two rows differ; without ``old`` every field of ``new`` that holds something."""
    if old is None:
        return {field.name: (None, new[field.name]) for field in trait.fields if new[field.name]}
    return {
        field.name: (old[field.name], new[field.name]) for field in trait.fields if old[field.name] != new[field.name]
    }


def compare(old: str, new: str) -> tuple[Segment, ...]:
    """``old`` and ``new`` as segments in reading order: kept and removed ones give ``old``, kept and added ones ``new``."""
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    if len(before) + len(after) > _MOST_WORDS:
        return _segments([(Part.REMOVED, old), (Part.ADDED, new)]) if old != new else _segments([(Part.KEPT, old)])
    pieces: list[tuple[Part, str]] = []
    gone, come = "", ""
    opcodes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    for number, (tag, i1, i2, j1, j2) in enumerate(opcodes):
        was, now = "".join(before[i1:i2]), "".join(after[j1:j2])
        if tag != "equal" or (gone and come and not was.strip() and number < len(opcodes) - 1):
            gone, come = gone + was, come + now  # a space between two changes belongs to them: one change to read
            continue
        pieces += [(Part.REMOVED, gone), (Part.ADDED, come), (Part.KEPT, was)]
        gone, come = "", ""
    return _segments([*pieces, (Part.REMOVED, gone), (Part.ADDED, come)])


def _segments(pieces: list[tuple[Part, str]]) -> tuple[Segment, ...]:
    return tuple(Segment(part=part, words=words) for part, words in pieces if words)
