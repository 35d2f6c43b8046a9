"""Canonical JSON: what is hashed, and what the parser refuses (reliability.md B57 to B62)."""

from __future__ import annotations

import json
import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.canonical import MAX_DEPTH, NotCanonical, dumps, parse_object, sha256

ROOM = 1_000_000


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ('{"a": NaN}', "not_a_number"),
        ('{"a": Infinity}', "not_a_number"),
        ('{"a": -Infinity}', "not_a_number"),
        ('{"a": 1e400}', "not_a_number"),
        ('{"a": [{"b": -1e400}]}', "not_a_number"),
        ('{"a": 1, "a": 2}', "duplicate_key"),
        ('{"a": 1, "\\u0061": 2}', "duplicate_key"),
        ('{"a": {"b": 1, "b": 1}}', "duplicate_key"),
        ('{"a": ' + "[" * 5000 + "]" * 5000 + "}", "too_deep"),
        ("{" + '"a":{' * MAX_DEPTH + "}" * MAX_DEPTH + "}", "too_deep"),
        ('{"a": ' + "9" * 5000 + "}", "number_too_large"),
        (f'{{"a": {2**53}}}', "number_too_large"),
        (f'{{"a": {2**53 + 1}}}', "number_too_large"),
        (f'{{"a": {-(2**53)}}}', "number_too_large"),
        (f'{{"a": {2**63}}}', "number_too_large"),
        ('{"a": "\\ud800"}', "forbidden_character"),
        ('{"\\udfff": 1}', "forbidden_character"),
        ('{"a": "\ud800"}', "forbidden_character"),
        ('{"a": ["\\u0000"]}', "forbidden_character"),
        ("\ufeff{}", "not_json"),
        ("{} {}", "not_json"),
        ("{}x", "not_json"),
        ("", "not_json"),
        ("{'a': 1}", "not_json"),
        ('{"a": 01}', "not_json"),
        ('"{}"', "not_an_object"),
        ("[]", "not_an_object"),
        ("null", "not_an_object"),
        ("true", "not_an_object"),
    ],
)
def test_it_refuses_json_that_can_be_read_in_two_ways(words: str, reason: str) -> None:
    with pytest.raises(NotCanonical) as caught:
        parse_object(words, max_bytes=ROOM)
    assert str(caught.value) == reason


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("{}", {}),
        ('{"a": -0}', {"a": 0}),
        ('{"a": true, "b": null}', {"a": True, "b": None}),
        (f'{{"a": {2**53 - 1}}}', {"a": 2**53 - 1}),
        (f'{{"a": {-(2**53) + 1}}}', {"a": -(2**53) + 1}),
        ('{"a": "[[[{{{ \\" [" }', {"a": '[[[{{{ " ['}),
        ('{"a ": "\\ud83d\\ude00"}', {"a ": "😀"}),
    ],
)
def test_it_takes_ordinary_objects(words: str, value: object) -> None:
    assert parse_object(words, max_bytes=ROOM) == value


def test_it_keeps_whole_numbers_and_fractions_apart() -> None:
    found = parse_object('{"whole": 1, "fraction": 1.0, "flag": true}', max_bytes=ROOM)
    assert [type(found[name]) for name in ("whole", "fraction", "flag")] == [int, float, bool]


def test_it_takes_the_deepest_nesting_allowed_and_no_deeper() -> None:
    deepest = "{" + '"a":{' * (MAX_DEPTH - 1) + "}" * MAX_DEPTH
    assert parse_object(deepest, max_bytes=ROOM)
    with pytest.raises(NotCanonical, match="too_deep"):
        parse_object('{"b":' + deepest + "}", max_bytes=ROOM)


def test_it_does_not_count_brackets_inside_strings() -> None:
    words = json.dumps({"a": "[" * 500 + '"' + "{" * 500 + "\\"})
    assert parse_object(words, max_bytes=ROOM)


def test_it_counts_bytes_not_characters() -> None:
    words = '{"a":"ü"}'
    assert parse_object(words, max_bytes=10) == {"a": "ü"}
    with pytest.raises(NotCanonical, match="too_large"):
        parse_object(words, max_bytes=9)


def test_it_reads_hostile_text_in_one_pass() -> None:
    words = '{"' + '\\"' * 100_000
    started = time.perf_counter()
    with pytest.raises(NotCanonical, match="not_json"):
        parse_object(words, max_bytes=ROOM)
    assert time.perf_counter() - started < 2  # reading every tail again took minutes


@pytest.mark.parametrize("value", [math.nan, math.inf, {"a": -math.inf}, "\ud800", {"\udfff": 1}])
def test_it_writes_nothing_without_a_canonical_form(value: object) -> None:
    with pytest.raises(NotCanonical):
        dumps(value)


def test_it_writes_one_form() -> None:
    assert dumps({"b": [1, 2.5, None, True], "a": "ü"}) == '{"a":"ü","b":[1,2.5,null,true]}'
    assert sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


_LETTERS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"))
_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _LETTERS
)
_VALUES = st.recursive(_SCALARS, lambda part: st.lists(part) | st.dictionaries(_LETTERS, part), max_leaves=10)


@given(st.dictionaries(_LETTERS, _VALUES))
def test_it_reads_back_what_it_wrote(value: dict[str, object]) -> None:
    words = dumps(value)
    assert parse_object(words, max_bytes=ROOM) == value
    assert dumps(parse_object(words, max_bytes=ROOM)) == words
    assert dumps(dict(reversed(value.items()))) == words
