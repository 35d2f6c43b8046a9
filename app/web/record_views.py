"""The page of a record and of a new one, put together for one reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy.engine import Connection

from app.accounts import store as accounts
from app.chat.card_fields import value_words
from app.chat.facts import LANGUAGE_NAMES, WordsOf, workspace_words
from app.chat.links import edit_url, history_url
from app.chat.view_models import Words
from app.content.diff import compare
from app.content.editing import EditConflict
from app.content.permitted import Permitted, permitted
from app.content.reading import RecordSummary, RecordView
from app.content.schema import REGISTRY, TableTrait
from app.content.traits import FieldKind, FieldTrait
from app.content.types import FieldValue, RecordRef, Row
from app.core.i18n import Text, ptext, text
from app.policy.identity import LIVE, Identity
from app.web.content_values import ValueView
from app.web.content_views import UNTITLED, groups_in, record_link, words_of
from app.web.editing_values import ClashView, CommandView, ConflictView, EditPageView, RecordFormView
from app.web.forms.base import Form
from app.web.forms.records import (
    OPENED,
    SEEN,
    WORKSPACE,
    Entered,
    fingerprint,
    opened_mark,
    opened_values,
    read_value,
    record_form,
    seen_mark,
    typed,
)
from app.web.locale import time_zone
from app.web.record_forms import (
    NOT_BY_FORM,
    controls,
    editable_fields,
    fill_form,
    group_choices,
    seen_row,
    shown_values,
)

_LONG = frozenset({FieldKind.MARKDOWN, FieldKind.MULTILINE})
_TEXTS = frozenset({FieldKind.LINE, FieldKind.MULTILINE, FieldKind.MARKDOWN})
ALL_LANGUAGES = -1
READ_ONLY = text("You may read this record, but not change it.")


def is_translation(row: Row) -> bool:
    """Whether a row hangs on a record in the default language."""
    return REGISTRY[row.table].has_language and row["translation_parent"] > 0


def may_do(connection: Connection, identity: Identity, workspace_id: int, row: Row) -> Permitted:
    """What the person may do with a record they read."""
    found = permitted(connection, identity, workspace_id, [row])
    return found[RecordRef(table=row.table, uid=row.live_uid)]


def edit_page(
    connection: Connection,
    identity: Identity,
    workspace_id: int,
    found: RecordView,
    *,
    form: RecordFormView | None = None,
    conflict: ConflictView | None = None,
) -> EditPageView:
    """A record with its form, where the person may change it, and else with its values; ``form``: one that was sent."""
    words = words_of(connection, identity, groups_in([found, *found.translations]))
    allowed = may_do(connection, identity, workspace_id, found.row)
    why_not = _why_not(workspace_id, REGISTRY[found.table], allowed)
    if form is None and why_not is None:
        form = stored_form(connection, identity, workspace_id, found)
    shown = set() if form is None else {control.name for control in form.controls}
    return EditPageView(
        record=record_link(found, words),
        workspace=workspace_words(workspace_id, identity),
        page_url=f"/pages/{found.page_uid}" if found.page_uid else None,
        history_url=history_url(found.table, found.uid, workspace_id),
        commands=commands(found, allowed, _missing_languages(found, words)),
        translations=tuple(record_link(translation, words) for translation in found.translations),
        values=field_values(found, shown),
        form=form,
        previews=tuple(value for value in field_values(found, set()) if value.is_markdown and value.name in shown),
        why_not=why_not,
        conflict=conflict,
    )


def _why_not(workspace_id: int, trait: TableTrait, allowed: Permitted) -> Text | None:
    if trait.name in NOT_BY_FORM:
        return text("Files are changed in the folder they lie in.")
    if allowed.edit:
        return None
    if workspace_id != LIVE and not trait.versioned:
        return text(
            "Records of the kind “%(kind)s” cannot be changed in a draft workspace. Switch to live to change this one.",
            kind=trait.label,
        )
    return READ_ONLY


def field_values(found: RecordView, left_out: set[str]) -> tuple[ValueView, ...]:
    """The fields of a record in words, but for those in ``left_out`` and groups, which are facts."""
    return tuple(
        value_view(field, found.fields[field.name])
        for field in REGISTRY[found.table].fields
        if field.name in found.fields and field.name not in left_out and field.kind is not FieldKind.GROUPS
    )


def value_view(field: FieldTrait, value: FieldValue) -> ValueView:
    """One field in words."""
    return ValueView(
        name=field.name,
        label=field.label,
        value=value_words(field, value),
        is_markdown=field.kind is FieldKind.MARKDOWN and bool(value),
        is_long=field.kind in _LONG,
    )


def _missing_languages(found: RecordSummary, words: WordsOf) -> bool:
    """Whether there is a language of the site, open to the person, without a translation of the record."""
    there = {0, *(item.language_id for item in getattr(found, "translations", ()))}
    return any(number not in there and words.identity.may_use_language(number) for number in words.languages)


def commands(
    found: RecordSummary, allowed: Permitted, can_translate: bool, *, named: bool = False
) -> tuple[CommandView, ...]:
    """Links to what the person may do with a record; ``named``: with its title, in lists of several records."""
    base = edit_url(found.table, found.uid)
    hide = (
        ("show", ptext("command", "Show"), text("Show “%(title)s”"))
        if found.is_hidden
        else ("hide", ptext("command", "Hide"), text("Hide “%(title)s”"))
    )
    offered = (
        (allowed.hide, f"{base}/visibility", *hide),
        (
            allowed.translate and can_translate,
            f"{base}/translation",
            "translate",
            ptext("command", "Translate"),
            text("Translate “%(title)s”"),
        ),
        (allowed.move, f"{base}/move", "move", ptext("command", "Move"), text("Move “%(title)s”")),
        (allowed.copy, f"{base}/copy", "copy", ptext("command", "Copy"), text("Copy “%(title)s”")),
        (allowed.delete, f"{base}/deletion", "delete", ptext("command", "Delete"), text("Delete “%(title)s”")),
    )
    return tuple(
        CommandView(name=name, url=url, label=titled.with_params(title=found.title or UNTITLED) if named else short)
        for is_open, url, name, short, titled in offered
        if is_open and found.table not in NOT_BY_FORM
    )


def stored_form(connection: Connection, identity: Identity, workspace_id: int, found: RecordView) -> RecordFormView:
    """The form as it is opened."""
    fields = editable_fields(identity, REGISTRY[found.table], is_translation=is_translation(found.row))
    form = fill_form(connection, identity, fields, found.fields)
    return form_view(connection, identity, workspace_id, found, form, opened_hidden(workspace_id, found, fields))


def opened_hidden(workspace_id: int, found: RecordView, fields: Sequence[FieldTrait]) -> tuple[tuple[str, str], ...]:
    """Hidden values of a form that is opened now."""
    return (
        (SEEN, seen_mark(seen_row(found.row))),
        (OPENED, opened_mark(shown_values(fields, found.fields))),
        (WORKSPACE, str(workspace_id)),
    )


def form_view(
    connection: Connection,
    identity: Identity,
    workspace_id: int,
    found: RecordView,
    form: Form,
    hidden: tuple[tuple[str, str], ...],
    *,
    problems: Sequence[tuple[str, Text]] = (),
) -> RecordFormView:
    """A form of an existing record; ``problems`` stand before those of its fields."""
    fields = editable_fields(identity, REGISTRY[found.table], is_translation=is_translation(found.row))
    return RecordFormView(
        action=edit_url(found.table, found.uid),
        controls=controls(connection, identity, workspace_id, fields, form, found.fields),
        problems=(*problems, *form.problems()),
        hidden=hidden,
        language=found.language_code,
    )


def conflict_views(
    connection: Connection,
    identity: Identity,
    workspace_id: int,
    found: RecordView,
    sent: Form,
    mark: str,
    conflict: EditConflict,
) -> tuple[RecordFormView, ConflictView]:
    """The form with what was typed over what is saved now, and what differs.

    ``found`` is the record as it is saved now, ``mark`` says what the form showed when it was opened: a field the
    person did not touch takes what is saved now.
    """
    trait = REGISTRY[found.table]
    fields = editable_fields(identity, trait, is_translation=is_translation(found.row))
    saved, opened = shown_values(fields, found.fields), opened_values(mark)
    mine = {field.name: typed(sent, field) for field in fields}
    untouched = {name for name, value in mine.items() if opened.get(name) == fingerprint(value)}
    merged = {name: saved[name] if name in untouched else value for name, value in mine.items()}
    form = record_form(fields, merged, group_choices(connection, identity, fields, merged))
    clashes = [field for field in fields if merged[field.name] != saved[field.name]]
    theirs = [
        field for field in fields if field.name in untouched and opened[field.name] != fingerprint(saved[field.name])
    ]
    view = ConflictView(
        heading=_who(connection, identity, found, conflict),
        at=conflict.at,
        clashes=tuple(_clash(field, found.fields[field.name], merged[field.name]) for field in clashes),
        theirs=tuple(value_view(field, found.fields[field.name]) for field in theirs),
    )
    hidden = opened_hidden(workspace_id, found, fields)
    return form_view(connection, identity, workspace_id, found, form, hidden), view


def _who(connection: Connection, identity: Identity, found: RecordView, conflict: EditConflict) -> Text:
    title = found.title or UNTITLED
    by = conflict.by_user_id
    if by == identity.user_id:
        return text("You changed “%(title)s” elsewhere since you opened it", title=title)
    name = accounts.names_of(connection, [by]).get(by) if by is not None else None
    if name is None:
        return text("“%(title)s” was changed since you opened it", title=title)
    return text("“%(title)s” was changed by %(name)s since you opened it", title=title, name=name)


def _clash(field: FieldTrait, saved: FieldValue, mine: Entered) -> ClashView:
    value = read_value(field, mine, time_zone())
    is_text = field.kind in _TEXTS
    return ClashView(
        name=field.name,
        label=field.label,
        saved=value_words(field, saved),
        typed=value_words(field, value),
        segments=compare(str(saved or ""), str(value or "")) if is_text else (),
        has_saved=bool(saved),
        has_typed=bool(value),
    )


def language_words(language_id: int, languages: Mapping[int, tuple[str, str]]) -> Words:
    """The name of a language of the site."""
    if language_id == ALL_LANGUAGES:
        return text("any language")
    code, title = languages.get(language_id, ("", str(language_id)))
    return LANGUAGE_NAMES.get(code, title)


def saved_notice(title: str, workspace_id: int, identity: Identity, *, unchanged: bool) -> Text:
    """What a form did."""
    words = title or UNTITLED
    if unchanged:
        return text("Nothing was changed: “%(title)s” is saved like this already.", title=words)
    if workspace_id == LIVE:
        return text("“%(title)s” is saved live.", title=words)
    return text(
        "“%(title)s” is saved in the draft workspace “%(workspace)s”. Live stays as it is.",
        title=words,
        workspace=identity.workspaces.get(workspace_id, ""),
    )
