"""Fields of a record in words, before and after, for cards; fields the viewer has no grant for are withheld."""

from __future__ import annotations

from app.agent.types import RecordPreview
from app.chat.card_lookups import Titles
from app.chat.facts import WordsOf
from app.chat.view_models import FieldView, Words
from app.content.schema import REGISTRY, FieldKind, FieldTrait
from app.content.types import ChangeAction, FieldChange, FieldValue
from app.core.i18n import Text, ptext, text
from app.core.moments import Moment
from app.core.visible import exact
from app.policy.identity import Identity

EMPTY = text("(empty)")


def field_views(identity: Identity, record: RecordPreview, words: WordsOf, titles: Titles) -> tuple[FieldView, ...]:
    """The changed fields of a record, in the order of the registry; ``titles`` are those of other records it names."""
    traits = REGISTRY[record.table].field_by_name
    code = words.languages.get(record.language_id if record.language_id is not None else -2, (None, ""))[0]
    order = {name: number for number, name in enumerate(traits)}
    known = sorted((change for change in record.fields if change.name in traits), key=lambda change: order[change.name])
    return tuple(
        _field_view(identity, record, change, traits[change.name], code, titles)
        for change in known
        if _is_worth_a_line(record, change)
    )


def _is_worth_a_line(record: RecordPreview, change: FieldChange) -> bool:
    return record.action is not ChangeAction.CREATED or change.new not in ("", 0, None)


def _field_view(
    identity: Identity,
    record: RecordPreview,
    change: FieldChange,
    trait: FieldTrait,
    code: str | None,
    titles: Titles,
) -> FieldView:
    if trait.needs_grant and not identity.may_use_field(record.table, trait.name):
        return FieldView(name=trait.name, label=trait.label, old=None, new=None, is_withheld=True)
    is_new = record.action is ChangeAction.CREATED
    if trait.reference in REGISTRY:
        return _reference_view(record, change, trait, titles)
    return FieldView(
        name=trait.name,
        label=trait.label,
        old=None if is_new else value_words(trait, change.old),
        new=value_words(trait, change.new),
        language=code if trait.kind in (FieldKind.LINE, FieldKind.MULTILINE, FieldKind.MARKDOWN) else None,
    )


def _reference_view(record: RecordPreview, change: FieldChange, trait: FieldTrait, titles: Titles) -> FieldView:
    """A field that names another record: by title and number, withheld where the viewer may not read that record."""
    old, new = (_reference_words(record, value, trait, titles) for value in (change.old, change.new))
    if old is None or new is None:
        return FieldView(name=trait.name, label=trait.label, old=None, new=None, is_withheld=True)
    is_new = record.action is ChangeAction.CREATED
    return FieldView(name=trait.name, label=trait.label, old=None if is_new else old, new=new)


def _reference_words(record: RecordPreview, value: FieldValue, trait: FieldTrait, titles: Titles) -> Words | None:
    if not value:
        return EMPTY
    if not isinstance(value, int):
        return text("a record of an earlier step")
    title = titles.get((record.workspace_id, trait.reference or "", value))
    if title is None:
        return None
    return text("“%(title)s”, no. %(number)s", title=title or text("untitled"), number=str(value))


def value_words(trait: FieldTrait, value: FieldValue) -> Words:
    """A stored value for people."""
    if trait.kind is FieldKind.FLAG and trait.name == "hidden":
        return ptext("record", "hidden") if value else ptext("record", "not hidden")
    if trait.kind is FieldKind.FLAG:
        return text("yes") if value else text("no")
    if trait.kind is FieldKind.TIME:
        return _moment(value)
    if value in ("", None):
        return EMPTY
    return exact(str(value))


def _moment(value: FieldValue) -> Text:
    if not isinstance(value, int) or value == 0:
        return text("no limit")
    return text("%(moment)s", moment=Moment(seconds=value))
