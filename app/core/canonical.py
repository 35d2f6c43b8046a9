"""One canonical JSON form for everything that is hashed or compared: sorted keys, no spaces, no NaN (rehearsal.md rules 4, 5)."""

from __future__ import annotations

import hashlib
import json
import math
import re
from typing import Any

MAX_DEPTH = 32
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[{]|[\]}]', flags=re.DOTALL)
"""A string as a whole, ended or not, or a bracket outside of one; each sign is looked at once, whatever the text."""
MAX_SAFE_INTEGER = 2**53 - 1
_FORBIDDEN = re.compile("[\x00\ud800-\udfff]")
_LONG_NUMBER = re.compile(r"[0-9]{16}")
"""Fewer digits are always below ``MAX_SAFE_INTEGER``."""


class NotCanonical(ValueError):
    """The text or value has no canonical form; the message names the reason without the value."""


def dumps(value: Any) -> str:
    """``value`` as canonical JSON text; raises ``NotCanonical`` for NaN, infinities and lone surrogates."""
    try:
        words = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        words.encode()
    except (ValueError, UnicodeEncodeError) as error:
        msg = "not representable"
        raise NotCanonical(msg) from error
    return words


def sha256(words: str) -> str:
    """SHA-256 of a text as hex."""
    return hashlib.sha256(words.encode()).hexdigest()


def parse_object(words: str, *, max_bytes: int) -> dict[str, Any]:
    """The JSON object in ``words``, strictly: no duplicate keys, NaN, surrogates, NUL, deep nesting or huge numbers (B57 to B62).

    Raises ``NotCanonical`` with the reason.
    """
    encoded = words.encode("utf-8", "surrogatepass")
    if len(encoded) > max_bytes:
        raise NotCanonical("too_large")
    if words.count("[") + words.count("{") > MAX_DEPTH:
        _check_depth(words)
    decoder = _COUNTING if _LONG_NUMBER.search(words) else _DECODER
    try:
        value = decoder.decode(words)
    except NotCanonical:
        raise
    except (ValueError, RecursionError) as error:
        raise NotCanonical("not_json") from error
    if not isinstance(value, dict):
        raise NotCanonical("not_an_object")
    if "\\u" in words or b"\xed" in encoded:
        _check_values(
            value
        )  # without an escape and without a surrogate in the text itself no value can hold NUL or one
    return value


def _check_depth(words: str) -> None:
    depth = 0
    for found in _BRACKET.finditer(words):
        sign = found.group()
        if sign in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise NotCanonical("too_deep")
        elif sign in "]}":
            depth -= 1


def _refuse_constant(_name: str) -> Any:
    raise NotCanonical("not_a_number")


def _integer(digits: str) -> int:
    if len(digits) > 17 or abs(int(digits)) > MAX_SAFE_INTEGER:
        raise NotCanonical("number_too_large")
    return int(digits)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NotCanonical("duplicate_key")
    return found


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise NotCanonical("not_a_number")
    return value


# Made once: ``json.loads`` with hooks makes a decoder for every text.
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_unique, parse_float=_finite)
_COUNTING = json.JSONDecoder(
    parse_constant=_refuse_constant, object_pairs_hook=_unique, parse_float=_finite, parse_int=_integer
)


def _check_values(value: Any) -> None:
    if isinstance(value, str):
        if _FORBIDDEN.search(value):
            raise NotCanonical("forbidden_character")
    elif isinstance(value, dict):
        for name, part in value.items():
            _check_values(name)
            _check_values(part)
    elif isinstance(value, list):
        for part in value:
            _check_values(part)
