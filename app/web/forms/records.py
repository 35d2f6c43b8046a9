"""The form of a record, made from what the registry says of its fields."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast
from zoneinfo import ZoneInfo

from werkzeug.datastructures import MultiDict
from wtforms import BooleanField, Field, SelectMultipleField, StringField, TextAreaField
from wtforms.widgets import CheckboxInput, DateTimeLocalInput

from app.content.editing import SeenRow
from app.content.schema import REGISTRY
from app.content.traits import FieldKind, FieldTrait
from app.content.types import FieldValue
from app.core.i18n import Text, text
from app.web.arguments import parse_number
from app.web.forms.base import Form, choices, lazy
from app.web.forms.moments import NotAMoment, entered_moment, parse_moment

SEEN, OPENED, WORKSPACE = "seen-row", "opened", "in-workspace"
"""Hidden fields; their hyphens keep them apart from fields of records."""
GROUP_FIELDS = tuple(
    sorted({field.name for trait in REGISTRY.values() for field in trait.fields if field.kind is FieldKind.GROUPS})
)
"""Fields a form sends several values of."""
NOT_A_NUMBER = text("Enter a whole number.")
_LONG = frozenset({FieldKind.MULTILINE, FieldKind.MARKDOWN})
_NUMBERS = frozenset({FieldKind.NUMBER, FieldKind.REFERENCE})
_ROWS = {FieldKind.MULTILINE: 3, FieldKind.MARKDOWN: 10}

Entered = str | bool | list[str]


class BoxesField(SelectMultipleField):
    """Several of some choices, as check boxes."""

    option_widget = CheckboxInput()


@dataclass(frozen=True, kw_only=True, slots=True)
class Given:
    """What a form gave: values to write (only those that differ from what is stored), and what is wrong by field."""

    values: Mapping[str, FieldValue]
    problems: Mapping[str, Text]


def entered(field: FieldTrait, value: FieldValue, zone: ZoneInfo) -> Entered:
    """A stored value as the form shows it, and as a browser sends it back untouched."""
    match field.kind:
        case FieldKind.FLAG:
            return bool(value)
        case FieldKind.GROUPS:
            return [part for part in str(value or "").split(",") if part]
        case FieldKind.TIME:
            return entered_moment(value if isinstance(value, int) else 0, zone)
        case FieldKind.REFERENCE:
            return str(value or "")
        case FieldKind.LINE:
            return str(value or "").replace("\r", "").replace("\n", "")
        case _:
            return one_line_end("" if value is None else str(value))


def one_line_end(words: str) -> str:
    """Line ends as the store has them."""
    return words.replace("\r\n", "\n").replace("\r", "\n")


def record_form(
    fields: Sequence[FieldTrait],
    shown: Mapping[str, Entered],
    groups: Sequence[tuple[str, Text | str]],
    sent: MultiDict[str, str] | None = None,
) -> Form:
    """A form of these fields holding ``shown``, or what was ``sent`` of them.

    A box that was not sent counts as empty only when the form that was opened had it.
    """
    made = type("RecordForm", (Form,), {f"field_{field.name}": _control(field) for field in fields})
    data = {f"field_{name}": value for name, value in shown.items()}
    if sent is None:
        return _with_groups(made(formdata=None, data=data), fields, groups)
    was_open = opened_values(sent.get(OPENED, ""))
    completed = MultiDict(sent)
    for field in fields:
        if field.kind in {FieldKind.FLAG, FieldKind.GROUPS} and field.name not in {*sent, *was_open}:
            value = shown[field.name]
            completed.setlist(field.name, value if isinstance(value, list) else ["1"] * bool(value))
    return _with_groups(made(formdata=completed, data=data), fields, groups)


def _with_groups(form: Any, fields: Sequence[FieldTrait], groups: Sequence[tuple[str, Text | str]]) -> Form:
    for field in fields:
        if field.kind is FieldKind.GROUPS:
            cast("BoxesField", control_of(form, field.name)).choices = choices(groups)
    return cast("Form", form)


def _control(field: FieldTrait) -> Any:
    named: dict[str, Any] = {"name": field.name, "id": f"field-{field.name}"}
    label = lazy(field.label)
    if field.kind is FieldKind.FLAG:
        return BooleanField(label, false_values=("", "0", "false"), **named)
    if field.kind is FieldKind.GROUPS:
        return BoxesField(label, validate_choice=False, **named)
    extra: dict[str, Any] = {"required": True} if field.required else {}
    if field.kind in _LONG:
        return TextAreaField(label, render_kw={**extra, "rows": _ROWS[field.kind]}, **named)
    if field.kind is FieldKind.TIME:
        return StringField(label, widget=DateTimeLocalInput(), render_kw={**extra, "step": "60"}, **named)
    if field.kind in _NUMBERS:
        extra["inputmode"] = "numeric"
    return StringField(label, render_kw={**extra, "autocomplete": "off"}, **named)


def control_of(form: Form, name: str) -> Field:
    """The control of a record's field."""
    return cast("Field", form[f"field_{name}"])


def typed(form: Form, field: FieldTrait) -> Entered:
    """What the form holds for a field, in the shape of ``entered``."""
    value = control_of(form, field.name).data
    if field.kind is FieldKind.FLAG:
        return bool(value)
    if field.kind is FieldKind.GROUPS:
        return [str(part) for part in value or ()]
    return one_line_end(str(value or ""))


def read_value(field: FieldTrait, given: Entered, zone: ZoneInfo) -> FieldValue:
    """What is to be stored for what was entered. Raises ``NotAMoment`` or ``ValueError`` when it is neither."""
    if isinstance(given, bool):
        return given
    if isinstance(given, list):
        return ",".join(given)
    if field.kind is FieldKind.TIME:
        return parse_moment(given, zone)
    if field.kind in _NUMBERS:
        return _number(given.strip())
    return given


def _number(words: str) -> int:
    if not words:
        return 0
    found = parse_number(words.removeprefix("-"))
    if found is None:
        raise ValueError(words)
    return -found if words.startswith("-") else found


def problem_of(field: FieldTrait, given: Entered, zone: ZoneInfo) -> Text | None:
    """Why what was entered cannot be read, as a sentence."""
    try:
        read_value(field, given, zone)
    except NotAMoment as error:
        return error.sentence
    except ValueError:
        return NOT_A_NUMBER
    return None


def fingerprint(value: Entered) -> str:
    """A short mark of what a field held when the form was opened, to tell later who changed it."""
    words = ",".join(value) if isinstance(value, list) else str(value)
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def opened_mark(shown: Mapping[str, Entered]) -> str:
    """The hidden value that says what the form showed, field by field."""
    return ",".join(f"{name}:{fingerprint(value)}" for name, value in shown.items())


def opened_values(mark: str) -> dict[str, str]:
    """Field -> fingerprint of ``opened_mark``; what cannot be read is left out."""
    parts = (part.partition(":") for part in mark.split(","))
    return {name: found for name, _, found in parts if name and found}


def seen_mark(seen: SeenRow) -> str:
    """The hidden value that names the row the form was filled from."""
    return f"{seen.row_uid}.{seen.rev}"


def read_seen(mark: str) -> SeenRow | None:
    """The row of ``seen_mark``; None for anything else, which no row equals."""
    uid, _, rev = mark.partition(".")
    row_uid, number = parse_number(uid), parse_number(rev)
    return None if row_uid is None or number is None else SeenRow(row_uid=row_uid, rev=number)
