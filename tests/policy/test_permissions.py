"""Bits of a page: the OR of the parts that match (cms.md section 4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.policy.permissions import ALL_BITS, GROUP_BITS, OWNER_BITS, PageBit, PageRights, page_bits
from tests.policy.people import person

ME, MINE = 7, 4


def rights(owner: int = 1, group: int = 2, bits: tuple[int, int, int] = (1, 2, 4)) -> PageRights:
    """Rights of a page: ``bits`` of owner, group and everybody."""
    return PageRights(owner_id=owner, group_id=group, owner_bits=bits[0], group_bits=bits[1], everybody_bits=bits[2])


@pytest.mark.parametrize(
    ("owner", "group", "expected"),
    [
        (1, 2, 4),
        (ME, 2, 1 | 4),
        (1, MINE, 2 | 4),
        (ME, MINE, 1 | 2 | 4),
        (0, 0, 4),
    ],
)
def test_it_unites_the_parts_that_match(owner: int, group: int, expected: int) -> None:
    assert page_bits(person(group_ids=(3, MINE)), rights(owner, group)) == PageBit(expected)


def test_it_matches_nobody_by_zero() -> None:
    somebody = person(user_id=0, group_ids=(0,))
    assert page_bits(somebody, rights(0, 0, (31, 31, 0))) == PageBit(0)


def test_it_gives_an_owner_without_groups_their_bits() -> None:
    assert page_bits(person(group_ids=()), rights(ME, 0, (31, 0, 0))) == ALL_BITS


def test_it_gives_administrators_everything() -> None:
    assert page_bits(person(is_admin=True), rights(bits=(0, 0, 0))) == ALL_BITS


def test_it_gives_new_pages_everything_but_deleting_for_the_group() -> None:
    assert OWNER_BITS == ALL_BITS
    assert GROUP_BITS == ALL_BITS & ~PageBit.DELETE


@given(st.tuples(*[st.integers(0, 2**31)] * 3), st.integers(0, 9), st.integers(0, 9))
def test_it_knows_five_bits(bits: tuple[int, int, int], owner: int, group: int) -> None:
    found = page_bits(person(group_ids=(MINE,)), rights(owner, group, bits))
    assert 0 <= found <= 31
    assert found & (bits[2] & 31) == bits[2] & 31, "what everybody may, nobody loses"
