"""Who stands behind the approvals of a run: the worst over them, and never more than is known."""

from __future__ import annotations

from itertools import permutations

import pytest

from app.agent.attribution import Attribution, attribute

PEOPLE = {1, 2, 3}


@pytest.mark.parametrize(
    ("initiator", "approvers", "expected"),
    [
        (1, [1], "self"),
        (1, [2], "second_person"),
        (1, [2, 3], "second_person"),
        (1, [2, 1], "self"),
        (1, [0], "unresolved"),
        (1, [99], "unresolved"),
        (0, [2], "initiator_unknown"),
        (99, [2], "initiator_unknown"),
        (0, [0], "unresolved"),
        (99, [99], "self"),
        (0, [0, 2], "unresolved"),
        (1, [2, 0], "unresolved"),
        (1, [1, 0], "self"),
        (1, [], None),
    ],
)
def test_it_names_the_worst_and_never_overstates(initiator: int, approvers: list[int], expected: str | None) -> None:
    assert attribute(initiator, approvers, PEOPLE) == expected


def test_it_ranks_self_over_unresolved_over_initiator_unknown_over_second_person() -> None:
    assert list(Attribution) == ["self", "unresolved", "initiator_unknown", "second_person"]


def test_the_order_of_the_approvals_does_not_matter() -> None:
    for order in permutations([1, 0, 2]):
        assert attribute(1, order, PEOPLE) is Attribution.SELF
    for order in permutations([0, 2, 3]):
        assert attribute(1, order, PEOPLE) is Attribution.UNRESOLVED
