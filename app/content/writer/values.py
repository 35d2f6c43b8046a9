"""Values are checked and brought to one form BEFORE they are written; the same objects are written, shown and hashed.

The database is no validator: PostgreSQL rounds 1.5 into a whole number and takes "12" for 12 (rehearsal.md rule 6).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from app.content.errors import WriteRefused
from app.content.schema import FieldKind, FieldTrait, TableTrait
from app.content.titles import is_blank
from app.content.types import FieldValue, Origin, WriteContext
from app.core.i18n import Text, text

SMALL = 2**31 - 1
"""Largest number of an INTEGER column of PostgreSQL."""
LARGE = 2**53 - 1
"""Largest number JSON keeps exactly; uids and times."""
IMPORTS = frozenset({Origin.IMPORT, Origin.SEED})

_KIND = FieldTrait(name="kind", label=text("Kind"), max_length=20, required=True)
_AT_CREATION: Mapping[str, tuple[FieldTrait, ...]] = MappingProxyType(
    {
        "pages": (_KIND,),
        "content_elements": (_KIND,),
        "file_references": (
            FieldTrait(name="owner_table", label=text("Table"), max_length=60, required=True),
            FieldTrait(name="owner_uid", label=text("Record"), kind=FieldKind.REFERENCE, required=True),
            FieldTrait(name="owner_field", label=text("Field"), max_length=60, required=True),
        ),
    }
)
"""Columns that are set once, when the record is made."""
_NUMBERS_OF_PAGES = ("owner_id", "group_id", "owner_bits", "group_bits", "everybody_bits")
_FOR_IMPORTS: Mapping[str, tuple[FieldTrait, ...]] = MappingProxyType(
    {
        "pages": tuple(
            FieldTrait(name=name, label=text("Permissions"), kind=FieldKind.NUMBER) for name in _NUMBERS_OF_PAGES
        ),
        "files": (
            FieldTrait(name="storage_id", label=text("Storage"), kind=FieldKind.NUMBER),
            FieldTrait(name="mime", label=text("Type"), max_length=120),
            FieldTrait(name="size", label=text("Size"), kind=FieldKind.REFERENCE),
            FieldTrait(name="sha256", label=text("Checksum"), max_length=64),
            FieldTrait(name="width", label=text("Width"), kind=FieldKind.NUMBER),
            FieldTrait(name="height", label=text("Height"), kind=FieldKind.NUMBER),
        ),
    }
)
_IMPORT_MARKS = (
    FieldTrait(name="import_key", label=text("Import key"), max_length=400),
    FieldTrait(name="import_hash", label=text("Import checksum"), max_length=64),
)


def normalise(
    context: WriteContext, trait: TableTrait, values: Mapping[str, Any], *, creating: bool, is_translation: bool = False
) -> dict[str, FieldValue]:
    """``values`` in the form in which they are stored, without what the acting person may not write.

    Fields without their grant and fields a translation takes from its default record are dropped silently (cms.md
    section 5): tools read back. Raises ``WriteRefused`` with ``unknown_field``, ``wrong_type``, ``out_of_range``,
    ``forbidden_character``, ``too_long`` or ``required``.
    """
    known = _known_fields(context, trait, creating=creating)
    found: dict[str, FieldValue] = {}
    for name, value in values.items():
        field = known.get(name)
        if field is None:
            raise WriteRefused(
                "unknown_field", text("“%(field)s” is not a field of this record that can be written.", field=name[:80])
            )
        plain = _checked(field, value)
        if _is_writable(context, trait, field, is_translation=is_translation):
            found[name] = plain
    if creating:
        _demand(trait.fields, found)
    return found


def _known_fields(context: WriteContext, trait: TableTrait, *, creating: bool) -> dict[str, FieldTrait]:
    known = dict(trait.field_by_name)
    if creating:
        known.update({field.name: field for field in _AT_CREATION.get(trait.name, ())})
    if context.origin in IMPORTS:
        known.update({field.name: field for field in (*_IMPORT_MARKS, *_FOR_IMPORTS.get(trait.name, ()))})
    return known


def _is_writable(context: WriteContext, trait: TableTrait, field: FieldTrait, *, is_translation: bool) -> bool:
    if is_translation and field.same_in_translations:
        return False
    return not field.needs_grant or context.actor.may_use_field(trait.name, field.name)


def _demand(fields: tuple[FieldTrait, ...], found: Mapping[str, FieldValue]) -> None:
    for field in fields:
        if field.required and not found.get(field.name):
            raise _required(field)


def _checked(field: FieldTrait, value: Any) -> FieldValue:
    match field.kind:
        case FieldKind.FLAG:
            return _flag(field, value)
        case FieldKind.TIME | FieldKind.REFERENCE:
            return _number(field, value, 0, LARGE)
        case FieldKind.NUMBER:
            return _number(field, value, -SMALL, SMALL)
        case FieldKind.GROUPS:
            return _groups(field, value)
        case FieldKind.LINE | FieldKind.MULTILINE | FieldKind.MARKDOWN:
            return _words(field, value)


def _flag(field: FieldTrait, value: Any) -> bool:
    if type(value) is not bool:
        raise _wrong_type(field)
    return value


def _number(field: FieldTrait, value: Any, least: int, most: int) -> int:
    if type(value) is not int:  # True is an int for isinstance
        raise _wrong_type(field)
    if not least <= value <= most:
        raise WriteRefused("out_of_range", text("The number for “%(field)s” is out of range.", field=field.label))
    return value


def _groups(field: FieldTrait, value: Any) -> str:
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple):
        raise _wrong_type(field)
    numbers: list[int] = []
    for part in parts:
        number = _group(field, part)
        if number and number not in numbers:
            numbers.append(number)
    return _limited(field, ",".join(map(str, numbers)))


def _group(field: FieldTrait, part: Any) -> int:
    if type(part) is int and abs(part) <= SMALL:
        return part
    if not isinstance(part, str):
        raise _wrong_type(field)
    word = part.strip()
    digits = word.removeprefix("-")
    if not word:
        return 0
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
        raise _wrong_type(field)
    return int(word)


def _words(field: FieldTrait, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong_type(field)
    words = str(value) if field.kind is FieldKind.LINE else value.replace("\r\n", "\n").replace("\r", "\n")
    allowed = "" if field.kind is FieldKind.LINE else "\n\t"
    if not words.isprintable() and any(_is_forbidden(sign, allowed) for sign in words):
        raise WriteRefused(
            "forbidden_character", text("“%(field)s” holds a character that cannot be stored here.", field=field.label)
        )
    if field.required and is_blank(words):
        raise _required(field)
    return _limited(field, words)


def _is_forbidden(sign: str, allowed: str) -> bool:
    code = ord(sign)
    return (code < 0x20 and sign not in allowed) or 0x7F <= code < 0xA0 or 0xD800 <= code <= 0xDFFF


def _limited(field: FieldTrait, words: str) -> str:
    if len(words) > field.max_length:
        sentence = text(
            "“%(field)s” is too long: at most %(most)s characters.", field=field.label, most=field.max_length
        )
        raise WriteRefused("too_long", sentence)
    return words


def _wrong_type(field: FieldTrait) -> WriteRefused:
    return WriteRefused("wrong_type", _about(text("The value for “%(field)s” is of the wrong kind."), field))


def _required(field: FieldTrait) -> WriteRefused:
    return WriteRefused("required", _about(text("“%(field)s” must not be empty."), field))


def _about(sentence: Text, field: FieldTrait) -> Text:
    return sentence.with_params(field=field.label)
