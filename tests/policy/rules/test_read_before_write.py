"""A configuration can demand that a record is read before it is changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from app.policy.decisions import ALLOWED, Refused
from app.policy.invocation import (
    ConfigurationFacts,
    EarlierCall,
    InvocationContext,
    InvocationPolicy,
    InvocationTarget,
    ToolFacts,
)
from app.policy.rules.read_before_write import EXPLANATION, NOT_READ, RULE_ID, ReadBeforeWrite
from tests.policy import people
from tests.policy.people import call, person

PAGE, OTHER = InvocationTarget(table="pages", uid=11), InvocationTarget(table="pages", uid=12)
READ = EarlierCall(tool="read_record", outcome="done", targets=(PAGE,))


def asked(
    history: Sequence[EarlierCall] | None, *targets: InvocationTarget, tool: ToolFacts = people.WRITE, on: bool = True
) -> InvocationContext:
    """A call on ``targets`` after ``history``."""
    configuration = ConfigurationFacts(id=1, name="Editorial", requires_read_before_write=on)
    return replace(call(tool, acting=person()), configuration=configuration, targets=targets, history=history)


def test_it_lets_a_write_pass_after_a_read_of_the_same_record() -> None:
    assert ReadBeforeWrite().decide(asked([READ], PAGE)) is ALLOWED


@pytest.mark.parametrize(
    "history",
    [
        [],
        [EarlierCall(tool="read_record", outcome="done", targets=(OTHER,))],
        [EarlierCall(tool="read_record", outcome="refused", targets=(PAGE,))],
        [EarlierCall(tool="read_record", outcome="failed", targets=(PAGE,))],
        [EarlierCall(tool="read_record", outcome="done", targets=(InvocationTarget(table="contacts", uid=11),))],
    ],
)
def test_it_refuses_a_write_to_what_was_not_read(history: Sequence[EarlierCall]) -> None:
    decision = ReadBeforeWrite().decide(asked(history, PAGE))
    assert decision == Refused(rule=RULE_ID, reason=NOT_READ, explanation=EXPLANATION)


def test_every_record_of_a_call_has_to_be_read() -> None:
    assert ReadBeforeWrite().decide(asked([READ], PAGE, OTHER)) != ALLOWED


def test_it_asks_nothing_of_reads_and_of_other_configurations() -> None:
    assert ReadBeforeWrite().decide(asked([], PAGE, tool=people.READ)) is ALLOWED
    assert ReadBeforeWrite().decide(asked([], PAGE, on=False)) is ALLOWED


@pytest.mark.behaviour("DW-17")
def test_it_is_never_asked_early() -> None:
    assert InvocationPolicy([ReadBeforeWrite()]).decide_before_approval(asked(None, PAGE)) is ALLOWED


def test_it_refuses_when_the_calls_before_are_not_known() -> None:
    policy = InvocationPolicy([ReadBeforeWrite()])
    assert policy.decide(asked(None, PAGE)) == Refused(rule=RULE_ID, reason="history_incomplete")
    assert policy.decide(asked(None, PAGE, on=False)) is ALLOWED
    assert not policy.reads_history(ConfigurationFacts(id=1, name="x"))
    assert policy.reads_history(ConfigurationFacts(id=1, name="x", requires_read_before_write=True))
