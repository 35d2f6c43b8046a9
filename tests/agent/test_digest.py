from __future__ import annotations

from dataclasses import replace

import pytest

from app.agent.digest import is_same_digest, new_turn_key, turn_digest
from app.agent.types import Preview, PreviewKind
from app.core.i18n import text
from tests.agent.execution_world import make_call

CALLS = (make_call("u", 1, 0, "copy_page", {"page": 1}), make_call("u", 1, 1, "look", {}))
PREVIEWS = tuple(
    Preview(
        ordinal=number,
        kind=PreviewKind.SHOWN,
        heading=text("A"),
        generic_heading=text("A"),
        workspace_id=1,
        language_id=None,
        effect_hash="e",
    )
    for number in (0, 1)
)
KEY = "ab" * 32


@pytest.mark.behaviour("RT-04")
def test_it_changes_with_calls_previews_tags_and_key() -> None:
    before = turn_digest(KEY, CALLS, PREVIEWS)
    assert turn_digest(KEY, list(reversed(CALLS)), list(reversed(PREVIEWS))) == before
    first, second = PREVIEWS
    for other in (
        {"kind": PreviewKind.FAILED},
        {"refused_rule": "r"},
        {"refused_reason": "r"},
        {"effect_hash": "f"},
        {"workspace_id": 0},
        {"language_id": 0},
    ):
        assert turn_digest(KEY, CALLS, (replace(first, **other), second)) != before, other  # type: ignore[arg-type]
    for changed in (
        make_call("u", 1, 0, "copy_page", {"page": 2}),
        make_call("u", 1, 0, "copy_pages", {"page": 1}),
        make_call("u", 2, 0, "copy_page", {"page": 1}),
        make_call("v", 1, 0, "copy_page", {"page": 1}),
        replace(CALLS[0], arguments=None, invalid="not_json"),
    ):
        assert turn_digest(KEY, (changed, CALLS[1]), PREVIEWS) != before
    assert turn_digest(new_turn_key(), CALLS, PREVIEWS) != before
    assert turn_digest(KEY, CALLS, PREVIEWS[:1]) != before


def test_it_counts_only_calls_that_are_on_the_card() -> None:
    assert turn_digest(KEY, CALLS, PREVIEWS[1:]) == turn_digest(KEY, CALLS[1:], PREVIEWS[1:])


def test_it_keeps_numbers_as_they_were_written() -> None:
    one = replace(CALLS[0], arguments_text='{"n":1e22}')
    other = replace(CALLS[0], arguments_text='{"n":10000000000000000000000}')
    assert turn_digest(KEY, (one, CALLS[1]), PREVIEWS) != turn_digest(KEY, (other, CALLS[1]), PREVIEWS)


@pytest.mark.behaviour("CA-12")
@pytest.mark.parametrize("given", ["", "a", "ü", "\ud800", "0" * 64])
def test_it_takes_nothing_else_for_the_digest(given: str) -> None:
    expected = turn_digest(KEY, CALLS, PREVIEWS)
    assert not is_same_digest(given, expected)
    assert is_same_digest(str(expected), expected)
