"""The chain of rules, and what counts as a write."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.core.i18n import text
from app.policy.decisions import ALLOWED, Allowed, Decision, Refused
from app.policy.invocation import InvocationContext, InvocationPolicy, ToolFacts, UnsuitableRule
from app.policy.rules import built_in_policy
from tests.policy import people
from tests.policy.people import call


class Rule:
    """Answers what it was given and remembers being asked."""

    def __init__(self, name: str, decision: Decision | Exception, asked: list[str]) -> None:
        self.id = name
        self._decision = decision
        self._asked = asked

    def decide(self, _context: InvocationContext) -> Decision:
        self._asked.append(self.id)
        if isinstance(self._decision, Exception):
            raise self._decision
        return self._decision


class EarlyRule(Rule):
    """The same with the marker."""

    answers_before_approval = True


def no(name: str) -> Refused:
    """A refusal of rule ``name``."""
    return Refused(rule=name, reason="no")


def test_it_allows_when_nobody_objects() -> None:
    asked: list[str] = []
    policy = InvocationPolicy([Rule("a", ALLOWED, asked), Rule("b", Allowed(), asked)])
    assert policy.decide(call()) is ALLOWED
    assert asked == ["a", "b"]
    assert InvocationPolicy([]).decide(call()) is ALLOWED


def test_it_stops_at_the_first_refusal_in_order() -> None:
    asked: list[str] = []
    policy = InvocationPolicy([Rule("a", ALLOWED, asked), Rule("b", no("b"), asked), Rule("c", no("c"), asked)])
    assert policy.decide(call()) == no("b")
    assert asked == ["a", "b"]


@pytest.mark.behaviour("DW-17")
def test_it_asks_early_only_rules_with_the_marker() -> None:
    asked: list[str] = []
    policy = InvocationPolicy(
        [
            Rule("late", no("late"), asked),
            EarlyRule("early", ALLOWED, asked),
            EarlyRule("earlier", no("earlier"), asked),
        ]
    )
    assert policy.decide_before_approval(call()) == no("earlier")
    assert asked == ["early", "earlier"]
    asked.clear()
    assert policy.decide(call()) == no("late")
    assert asked == ["late"]


@pytest.mark.parametrize("error", [RuntimeError("secret words"), KeyError("x"), AssertionError()])
def test_it_denies_when_a_rule_raises_and_repeats_none_of_its_words(error: Exception) -> None:
    asked: list[str] = []
    policy = InvocationPolicy([EarlyRule("a", error, asked), EarlyRule("b", ALLOWED, asked)])
    for decision in (policy.decide(call()), policy.decide_before_approval(call())):
        assert decision == Refused(rule="a", reason="rule_failed")
        assert isinstance(decision, Refused)
        assert decision.is_failure
        assert "secret" not in repr(decision)
    assert asked == ["a", "a"], "a rule that failed is no consent for the next to be asked"


def test_it_lets_an_ending_process_end() -> None:
    class Interrupted(Rule):
        def decide(self, _context: InvocationContext) -> Decision:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        InvocationPolicy([Interrupted("a", ALLOWED, [])]).decide(call())


@pytest.mark.parametrize(
    ("reason", "failed"),
    [
        ("rule_failed", True),
        ("history_incomplete", True),
        ("policy_failed", True),
        ("live_workspace", False),
        ("", False),
    ],
)
def test_it_tells_a_failure_of_the_policy_from_a_refusal(reason: str, failed: bool) -> None:
    assert Refused(rule="r", reason=reason, explanation=text("x")).is_failure is failed


@pytest.mark.behaviour("DW-05", "DW-06")
@pytest.mark.parametrize(
    ("tool", "writes", "waits"),
    [
        (people.READ, False, False),
        (people.READ_APPROVAL, False, True),
        (people.IDEMPOTENT, True, True),
        (people.WRITE, True, True),
        (people.UNDECLARED, False, False),
        (people.UNDECLARED_APPROVAL, True, True),
        (people.REMOTE, True, False),
        (people.REMOTE_READ, True, False),
        (people.REMOTE_FREE, True, False),
        (ToolFacts(name="ra", group="g", is_remote=True, needs_approval=True), True, True),
    ],
    ids=lambda value: value.name if isinstance(value, ToolFacts) else None,
)
def test_it_knows_writes_and_what_waits_for_approval(tool: ToolFacts, writes: bool, waits: bool) -> None:
    assert (tool.is_write, tool.waits_for_approval) == (writes, waits)


@pytest.mark.behaviour("DW-24")
@pytest.mark.parametrize("name", ["", "Upper", "1st", "a b", "ä", "x" * 65, "a\n"])
def test_it_takes_no_rule_with_a_malformed_id(name: str) -> None:
    with pytest.raises(UnsuitableRule, match="no well-formed id"):
        InvocationPolicy([Rule(name, ALLOWED, [])])


@pytest.mark.behaviour("DW-24")
def test_it_takes_no_two_rules_with_one_id() -> None:
    with pytest.raises(UnsuitableRule, match="Two invocation rules have the id same"):
        InvocationPolicy([Rule("same", ALLOWED, []), EarlyRule("same", ALLOWED, [])])


@pytest.mark.behaviour("DW-25")
@pytest.mark.parametrize(("seconds", "passes"), [(0.9, True), (1.1, False)])
def test_a_rule_that_takes_too_long_has_failed(seconds: float, passes: bool) -> None:
    ticks = iter([10.0, 10.0 + seconds])
    policy = InvocationPolicy([Rule("slow", ALLOWED, [])], timer=lambda: next(ticks))
    assert policy.decide(call()) == (ALLOWED if passes else Refused(rule="slow", reason="rule_failed"))


@pytest.mark.parametrize("answer", [None, True, "allowed", Refused(rule="a", reason="Not a code!")])
def test_only_a_clear_answer_counts(answer: Any) -> None:
    policy = InvocationPolicy([Rule("a", answer, [])])
    assert policy.decide(call()) == Refused(rule="a", reason="rule_failed")


def test_a_refusal_carries_the_id_of_the_rule_that_gave_it() -> None:
    policy = InvocationPolicy([Rule("a", Refused(rule="another", reason="no", explanation=text("Why.")), [])])
    assert policy.decide(call()) == Refused(rule="a", reason="no", explanation=text("Why."))


def test_the_marker_must_be_set_and_not_only_be_there() -> None:
    rule = EarlyRule("a", no("a"), [])
    rule.answers_before_approval = False
    assert InvocationPolicy([rule]).decide_before_approval(call()) is ALLOWED


def test_it_looks_up_places_and_history_only_for_rules_that_ask() -> None:
    plain = InvocationPolicy([Rule("a", ALLOWED, [])])
    assert not plain.reads_places(call().configuration)
    assert not plain.reads_history(call().configuration)
    assert built_in_policy().reads_places(replace(call().configuration, branch_page=1))
