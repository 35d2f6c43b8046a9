"""Arguments of a call, from the text the model wrote to values a tool may trust (B57 to B62, I24).

Everything is checked before a card exists: JSON without tricks, the tool's schema, no unknown argument, no type that only looks
right. A call is taken whole or refused whole; refusals name the argument, never its value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from app.core import canonical

MAX_BYTES = 256 * 1024
"""Bound of one call's arguments."""
_NAME = re.compile(r"[^A-Za-z0-9_]")
_SHOWN = 40


@dataclass(frozen=True, kw_only=True, slots=True)
class Accepted:
    """Arguments that follow the schema, with their canonical text."""

    arguments: Mapping[str, Any]
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class NotAccepted:
    """Why arguments were refused: a code, with the name of the argument where there is one (``unknown_argument:colour``)."""

    reason: str


def _is_integer(_checker: Any, value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)  # 5.0 is no integer here, nor is True


_Strict: Any = extend(  # type: ignore[no-untyped-call]  # jsonschema publishes no types for it
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_integer),
)


def read_arguments(words: str, schema: Mapping[str, Any] | None) -> Accepted | NotAccepted:
    """The arguments in ``words`` checked against ``schema``; None = the tool is unknown and only the form is checked.

    Empty text stands for no arguments.
    """
    try:
        arguments = canonical.parse_object(words or "{}", max_bytes=MAX_BYTES)
        text = canonical.dumps(arguments)
    except canonical.NotCanonical as error:
        return NotAccepted(reason=str(error))
    if schema is None:
        return Accepted(arguments=arguments, text=text)
    problem = _first_problem(arguments, schema)
    return Accepted(arguments=arguments, text=text) if problem is None else NotAccepted(reason=problem)


def _first_problem(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> str | None:
    known = schema.get("properties", {})
    for name in sorted(arguments):
        if name not in known:
            return f"unknown_argument:{_identifier(name)}"
    found = sorted(
        _Strict(schema).iter_errors(arguments), key=lambda error: [str(part) for part in error.absolute_path]
    )
    return _worded(found[0]) if found else None


def _worded(error: ValidationError) -> str:
    if error.validator == "required":
        required, given = cast("list[str]", error.validator_value), cast("dict[str, object]", error.instance)
        missing = next((name for name in required if name not in given), "")
        return f"missing_argument:{_identifier(missing)}"
    name = next((part for part in error.absolute_path if isinstance(part, str)), "")
    if error.validator == "additionalProperties":
        return f"unknown_argument:{_identifier(name)}"
    return f"invalid_argument:{_identifier(name)}"


def _identifier(name: str) -> str:
    """A name as it may be repeated to the model: identifier characters only."""
    return _NAME.sub("", name)[:_SHOWN]
