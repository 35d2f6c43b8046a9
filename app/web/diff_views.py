"""Compared fields in words, for the history of a record and for the comparison with live."""

from __future__ import annotations

from collections.abc import Iterable

from app.chat.card_fields import value_words
from app.content.diff import FieldComparison, Part, Segment
from app.content.schema import REGISTRY, FieldKind
from app.core.i18n import Text, ntext
from app.core.visible import exact
from app.web.workspace_values import FieldDiffView

_WORD_BY_WORD = frozenset({FieldKind.MULTILINE, FieldKind.MARKDOWN})
_TEXTS = frozenset({FieldKind.LINE, *_WORD_BY_WORD})
_KEPT_AROUND = 160
"""Characters of unchanged text shown before and after a change; what lies between is left out with an ellipsis."""


def diff_views(table: str, fields: Iterable[FieldComparison], language: str | None = None) -> tuple[FieldDiffView, ...]:
    """Fields before and after; long texts word by word. ``language`` is the code of the record's language."""
    return tuple(_field(table, field, language) for field in fields)


def withheld_fields(count: int) -> Text | None:
    """How many fields are not shown, and why."""
    if not count:
        return None
    return ntext(
        "%(n)s field is not shown, because you have no right to it.",
        "%(n)s fields are not shown, because you have no right to them.",
        count,
    )


def _field(table: str, field: FieldComparison, language: str | None) -> FieldDiffView:
    trait = REGISTRY[table].field_by_name[field.name]
    by_words = field.kind in _WORD_BY_WORD and bool(field.old) and bool(field.new)
    return FieldDiffView(
        name=field.name,
        label=field.label,
        old=None if field.old is None else value_words(trait, field.old),
        new=None if field.new is None else value_words(trait, field.new),
        language=language if field.kind in _TEXTS else None,
        segments=tuple(shown_segment(segment) for segment in field.segments) if by_words else (),
    )


def shown_segment(segment: Segment) -> Segment:
    """A piece of a compared text as a page shows it: long unchanged ones lose their middle, unseen characters are spelled."""
    words = segment.words
    if segment.part is Part.KEPT and len(words) > 3 * _KEPT_AROUND:
        words = f"{words[:_KEPT_AROUND].rstrip()} … {words[-_KEPT_AROUND:].lstrip()}"
    return Segment(part=segment.part, words=exact(words))
