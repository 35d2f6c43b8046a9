"""Forms of records: which fields are in them for whom, and what they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy.engine import Connection
from werkzeug.datastructures import MultiDict

from app.accounts import store as accounts
from app.content.editing import SeenRow, find_objection
from app.content.errors import WriteRefused
from app.content.reading import read_record
from app.content.schema import REGISTRY, TableTrait
from app.content.traits import FieldKind, FieldTrait
from app.content.types import FieldValue, Row
from app.core.i18n import Param, Text, text
from app.policy.identity import Identity
from app.web.content_views import UNTITLED
from app.web.editing_values import ControlView
from app.web.forms.base import Form, lazy
from app.web.forms.records import (
    Entered,
    Given,
    control_of,
    entered,
    problem_of,
    read_value,
    record_form,
    typed,
)
from app.web.locale import time_zone

NOT_BY_FORM = frozenset({"files"})
"""Tables whose rows follow what lies in a storage; they are changed there."""
_LIMITED = frozenset({FieldKind.LINE, FieldKind.MULTILINE, FieldKind.MARKDOWN})
_SHORT = frozenset({FieldKind.TIME, FieldKind.NUMBER, FieldKind.REFERENCE})
_SPECIAL_GROUPS = (
    ("-1", text("Visitors who are not signed in")),
    ("-2", text("Every visitor who is signed in")),
)
MISSING_TARGET = text("There is no such record, or you have no access to it. Enter another number.")


def editable_fields(identity: Identity, trait: TableTrait, *, is_translation: bool = False) -> tuple[FieldTrait, ...]:
    """Fields this person may write; those a translation takes from its default record are left out."""
    return tuple(
        field
        for field in trait.fields
        if (not field.needs_grant or identity.may_use_field(trait.name, field.name))
        and not (is_translation and field.same_in_translations)
    )


def shown_values(fields: Sequence[FieldTrait], stored: Mapping[str, FieldValue]) -> dict[str, Entered]:
    """What a form shows of stored values; a field without one is empty."""
    return {field.name: entered(field, stored.get(field.name), time_zone()) for field in fields}


def fill_form(
    connection: Connection,
    identity: Identity,
    fields: Sequence[FieldTrait],
    stored: Mapping[str, FieldValue],
    sent: MultiDict[str, str] | None = None,
) -> Form:
    """The form of these fields with what is stored, or what was ``sent``."""
    shown = shown_values(fields, stored)
    given = {field.name: sent.getlist(field.name) for field in fields} if sent is not None else {}
    return record_form(fields, shown, group_choices(connection, identity, fields, shown, given), sent)


def group_choices(
    connection: Connection,
    identity: Identity,
    fields: Sequence[FieldTrait],
    *values: Mapping[str, Entered],
) -> list[tuple[str, Text | str]]:
    """Groups the person may know by title, and by number those the record is limited to in any of ``values``."""
    of_groups = [field.name for field in fields if field.kind is FieldKind.GROUPS]
    if not of_groups:
        return []
    named = {part for found in values for name in of_groups for part in _list(found.get(name))}
    own = identity.group_ids
    titles = accounts.list_group_titles(connection) if identity.is_admin else accounts.group_titles(connection, own)
    known: list[tuple[str, Text | str]] = [
        *_SPECIAL_GROUPS,
        *((str(number), title) for number, title in titles.items()),
    ]
    offered = {value for value, _ in known}
    unknown = sorted(named - offered, key=int)
    return [*known, *((value, text("Group no. %(id)s (title not visible to you)", id=value)) for value in unknown)]


def _list(value: Entered | None) -> list[str]:
    return [part for part in value if part.isascii() and part.isdigit()] if isinstance(value, list) else []


def read_form(
    identity: Identity,
    workspace_id: int,
    table: str,
    form: Form,
    fields: Sequence[FieldTrait],
    stored: Mapping[str, FieldValue],
) -> Given:
    """What the form changes of the stored values, and what is wrong with it; problems are shown at their fields too."""
    shown, zone = shown_values(fields, stored), time_zone()
    values: dict[str, FieldValue] = {}
    problems: dict[str, Text] = {}
    for field in fields:
        given = typed(form, field)
        if given == shown[field.name] and not (field.required and not given):
            continue
        problem = problem_of(field, given, zone)
        if problem is None:
            values[field.name] = read_value(field, given, zone)
            problem = find_objection(identity, workspace_id, table, field.name, values[field.name])
        if problem is not None:
            problems[field.name] = problem
            control = control_of(form, field.name)
            control.errors = [*control.errors, lazy(problem)]
    return Given(values=values, problems=problems)


def note_missing_targets(
    connection: Connection,
    identity: Identity,
    workspace_id: int,
    fields: Sequence[FieldTrait],
    form: Form,
    given: Given,
) -> Given:
    """A reference may only be led to a record this person reads; unknown and forbidden are one answer."""
    problems = dict(given.problems)
    for field in fields:
        value = given.values.get(field.name)
        if field.reference is None or not isinstance(value, int) or value == 0 or field.name in problems:
            continue
        try:
            read_record(connection, identity, workspace_id, field.reference, value)
        except WriteRefused:
            problems[field.name] = MISSING_TARGET
            control = control_of(form, field.name)
            control.errors = [*control.errors, lazy(MISSING_TARGET)]
    return Given(values=given.values, problems=problems)


def controls(
    connection: Connection,
    identity: Identity,
    workspace_id: int,
    fields: Sequence[FieldTrait],
    form: Form,
    stored: Mapping[str, FieldValue],
) -> tuple[ControlView, ...]:
    """The fields of the form with what to know before typing."""
    return tuple(
        ControlView(
            name=field.name,
            control=control_of(form, field.name),
            hint=_hint(connection, identity, workspace_id, field, stored.get(field.name)),
            is_short=field.kind in _SHORT,
            is_text=field.kind in _LIMITED,
        )
        for field in fields
    )


def _hint(
    connection: Connection, identity: Identity, workspace_id: int, field: FieldTrait, value: FieldValue
) -> Text | None:
    if field.kind is FieldKind.TIME:
        return text("In the time zone %(zone)s. Leave it empty for no limit.", zone=time_zone().key)
    if field.kind is FieldKind.GROUPS:
        return text("Without a choice there is no limit.")
    if field.kind is FieldKind.MARKDOWN:
        return text(
            "Markdown. A link to a page is written [words](page:12). At most %(most)s characters.",
            most=field.max_length,
        )
    if field.kind is FieldKind.REFERENCE and field.reference is not None:
        return _target(connection, identity, workspace_id, field.reference, value)
    if field.kind in _LIMITED and field.required:
        return text("Required. At most %(most)s characters.", most=field.max_length)
    if field.kind in _LIMITED:
        return text("At most %(most)s characters.", most=field.max_length)
    return None


def _target(connection: Connection, identity: Identity, workspace_id: int, table: str, value: FieldValue) -> Text:
    kind = REGISTRY[table].label
    if not isinstance(value, int) or value == 0:
        return text("Number of the record of the kind “%(kind)s”. Leave it empty for none.", kind=kind)
    try:
        found = read_record(connection, identity, workspace_id, table, value)
    except WriteRefused:
        return text("Number of the record of the kind “%(kind)s”. The present one is not visible to you.", kind=kind)
    title: Param = found.title or UNTITLED
    return text("Number of the record of the kind “%(kind)s”. At present: “%(title)s”.", kind=kind, title=title)


def seen_row(row: Row) -> SeenRow:
    """The row a form is filled from."""
    return SeenRow(row_uid=row.uid, rev=int(row["rev"]))
