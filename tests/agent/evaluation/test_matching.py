"""Comparing calls made with calls expected."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.agent.evaluation.matching import MadeCall, Verdict, judge
from app.agent.evaluation.requests import EvaluationRequest, ExpectedCall, Made, Named

NUMBERS = {"Visit": 2, "Press": 7}


def expected(tool: str, **arguments: Any) -> ExpectedCall:
    return ExpectedCall(tool=tool, arguments=arguments, free=frozenset({"depth"}), defaults={"subpages": False})


def asking(*, writes: tuple[ExpectedCall, ...] = (), reads: tuple[ExpectedCall, ...] = ()) -> EvaluationRequest:
    return EvaluationRequest(
        id="x", language="en", is_documented=True, earlier=(), words="x", writes=writes, reads=reads
    )


def write(tool: str, *, made_uid: int | None = None, **arguments: Any) -> MadeCall:
    return MadeCall(tool=tool, arguments=arguments, is_write=True, made_uid=made_uid)


def read(tool: str, **arguments: Any) -> MadeCall:
    return replace(write(tool, **arguments), is_write=False)


def verdict(request: EvaluationRequest, *made: MadeCall) -> Verdict:
    return judge(request, made, lambda named: NUMBERS[named.title])


HIDE = expected("hide_record", table="pages", uid=Named(kind="page", title="Press"))
HIDDEN = write("hide_record", table="pages", uid=7)


def test_the_expected_write_passes_whatever_was_looked_up() -> None:
    assert verdict(asking(writes=(HIDE,)), read("search_records", query="press"), HIDDEN).is_passed


@pytest.mark.parametrize(
    ("made", "missing", "surplus"),
    [
        ((), 1, 0),
        ((HIDDEN, HIDDEN), 0, 1),
        ((HIDDEN, write("delete_record", table="pages", uid=7)), 0, 1),
        ((write("hide_record", table="pages", uid=8),), 1, 1),
        ((write("hide_record", table="pages", uid="7"),), 1, 1),
        ((write("hide_record", table="pages", uid=True),), 1, 1),
        ((write("hide_record", table="pages"),), 1, 1),
        ((write("hide_record", table="pages", uid=7, reason="x"),), 1, 1),
        ((replace(HIDDEN, arguments=None),), 1, 1),
    ],
)
def test_anything_else_does_not(made: tuple[MadeCall, ...], missing: int, surplus: int) -> None:
    found = verdict(asking(writes=(HIDE,)), *made)
    assert (len(found.missing), len(found.surplus)) == (missing, surplus)


def test_free_and_standard_arguments_may_be_given() -> None:
    request = asking(writes=(expected("copy_page", page=Named(kind="page", title="Visit")),))
    assert verdict(request, write("copy_page", page=2, subpages=False, depth=4)).is_passed
    assert not verdict(request, write("copy_page", page=2, subpages=True)).is_passed


def test_order_does_not_count_and_a_made_record_is_the_one_its_step_made() -> None:
    copy = expected("copy_page", page=Named(kind="page", title="Visit"))
    request = asking(writes=(copy, expected("hide_record", uid=Made(step=1))))
    assert verdict(request, write("hide_record", uid=90), write("copy_page", made_uid=90, page=2)).is_passed
    assert not verdict(request, write("copy_page", made_uid=90, page=2), write("hide_record", uid=2)).is_passed
    assert verdict(request, write("copy_page", page=2)).missing == ("hide_record(uid=the new record)",)


def test_words_are_taken_exactly_but_for_spaces_and_in_searches_capitals() -> None:
    rename = asking(writes=(expected("update", title="How to find us"),))
    assert verdict(rename, write("update", title="How to  find us\n")).is_passed
    assert not verdict(rename, write("update", title="How To Find Us")).is_passed
    assert verdict(asking(reads=(expected("search", query="hours"),)), read("search", query="Hours")).is_passed


def test_a_request_that_only_asks_counts_the_tools_that_answer_it() -> None:
    request = asking(reads=(expected("read_record", uid=Named(kind="page", title="Press")),))
    looked = read("search_records", query="press")
    assert verdict(request, looked, read("read_record", uid=7), read("read_record", uid=7)).is_passed
    assert verdict(request, looked).missing == ("read_record(uid=7)",)
    assert verdict(request, read("read_record", uid=7), read("read_record", uid=2)).surplus == ("read_record(uid=2)",)
    assert not verdict(request, read("read_record", uid=7), HIDDEN).is_passed


def test_nothing_expected_means_nothing_written() -> None:
    assert verdict(asking(), read("search_records", query="x")).is_passed
    assert verdict(asking(), HIDDEN).surplus == ("hide_record(table=“pages”, uid=7)",)
