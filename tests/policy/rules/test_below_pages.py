"""A configuration can restrict writes to a part of the page tree."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.core.i18n import render
from app.policy.decisions import ALLOWED, Refused
from app.policy.invocation import ConfigurationFacts, InvocationContext, InvocationPolicy, ToolFacts
from app.policy.rules.below_pages import EXPLANATION, NAMED_EXPLANATION, OUTSIDE, RULE_ID, OnlyBelowPages
from tests.policy import people
from tests.policy.people import call, person

BRANCH = 10
INSIDE, ON_IT, OUTSIDE_OF_IT = frozenset({11, 10, 1}), frozenset({10, 1}), frozenset({20, 1})
Places = tuple[frozenset[int], ...] | None


def asked(
    places: Places, *, tool: ToolFacts = people.WRITE, branch: int = BRANCH, admin: bool = False
) -> InvocationContext:
    """A call that writes at ``places`` under a configuration restricted to ``branch``."""
    configuration = ConfigurationFacts(id=1, name="Editorial", branch_page=branch)
    return replace(call(tool, acting=person(is_admin=admin)), configuration=configuration, places=places)


@pytest.mark.parametrize("places", [(INSIDE,), (ON_IT,), (INSIDE, ON_IT)])
def test_it_lets_writes_below_the_page_pass(places: Places) -> None:
    assert OnlyBelowPages().decide(asked(places)) is ALLOWED


@pytest.mark.parametrize("places", [(OUTSIDE_OF_IT,), (INSIDE, OUTSIDE_OF_IT), (), None, (frozenset(),)])
@pytest.mark.parametrize("admin", [False, True])
def test_it_refuses_writes_elsewhere_and_at_unknown_places(places: Places, admin: bool) -> None:
    decision = OnlyBelowPages().decide(asked(places, admin=admin))
    assert decision == Refused(rule=RULE_ID, reason=OUTSIDE, explanation=EXPLANATION)


def test_it_lets_reads_pass_everywhere() -> None:
    assert OnlyBelowPages().decide(asked((OUTSIDE_OF_IT,), tool=people.READ)) is ALLOWED


def test_it_restricts_nothing_unless_a_page_is_set() -> None:
    rule = OnlyBelowPages()
    assert rule.decide(asked(None, branch=0)) is ALLOWED
    assert rule.reads_places(ConfigurationFacts(id=1, name="x", branch_page=3))
    assert not rule.reads_places(ConfigurationFacts(id=1, name="x"))


def test_it_is_asked_before_the_card() -> None:
    assert InvocationPolicy([OnlyBelowPages()]).decide_before_approval(asked(None)) is not ALLOWED


def test_it_names_the_page_only_in_the_sentence_meant_for_that() -> None:
    assert "“Press”" in render(NAMED_EXPLANATION.with_params(page="Press"), "en")
    assert "%" not in render(EXPLANATION, "en")
