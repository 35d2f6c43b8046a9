"""Fractional sorting keys."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.content.errors import WriteRefused
from app.content.schema import CONTENT_ELEMENTS
from app.content.sorting import first_place, keys_between, last_place, place_after
from tests.content.writer.fixtures import DRAFT, LIVE, Store


@given(places=st.lists(st.tuples(st.integers(0, 30), st.integers(1, 4)), max_size=20))
def test_it_keeps_keys_in_order_wherever_they_are_inserted(places: list[tuple[int, int]]) -> None:
    keys: list[str] = []
    for place, count in places:
        at = min(place, len(keys))
        before = keys[at - 1] if at else None
        after = keys[at] if at < len(keys) else None
        keys[at:at] = keys_between(before, after, count)
    as_bytes = [key.encode("ascii") for key in keys]
    assert as_bytes == sorted(set(as_bytes))


@pytest.mark.parametrize(("before", "after"), [("a1", "a1"), ("a2", "a1"), ("", "a1"), ("?", None)])
def test_it_refuses_a_place_that_does_not_exist(before: str, after: str | None) -> None:
    with pytest.raises(WriteRefused, match="no_place"):
        keys_between(before, after)


def test_it_refuses_keys_longer_than_their_column() -> None:
    with pytest.raises(WriteRefused, match="no_place"):
        keys_between("a0" + "1" * 119, "a0" + "1" * 118 + "2")


def test_it_finds_the_last_place_and_the_place_after_a_neighbour(store: Store) -> None:
    with store.engine.connect() as connection:
        assert last_place(connection, CONTENT_ELEMENTS, LIVE, 11) == "a2"
        assert first_place(connection, CONTENT_ELEMENTS, LIVE, 11) < "a0"
        assert "a0" < place_after(connection, CONTENT_ELEMENTS, DRAFT, 11, "a0") < "a1"
        assert place_after(connection, CONTENT_ELEMENTS, LIVE, 11, "a1") == "a2"
        assert last_place(connection, CONTENT_ELEMENTS, LIVE, 14) == "a0"
