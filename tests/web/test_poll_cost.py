"""What a poll costs that brings nothing, and that the list alone reads what an assignment did (a11y.md T49, perf.md P1)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments
from tests.support.statements import count_statements
from tests.support.visitor import Visitor, tree

MOST_HEADER_BYTES = 400
READS = ("SELECT", "BEGIN", "PRAGMA", "WITH")


@pytest.fixture
def changed(assignments: Assignments, site: DemoSite) -> Assignments:
    """A finished assignment with a change, and one that waits for a decision."""
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["hours"]})], DONE)
    assignments.decide()
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["directions"]})], DONE)
    return assignments


def unchanged(assignments: Assignments) -> str:
    """The address the page asks when it shows everything there is."""
    view = assignments.page().view
    return f"/conversations/{assignments.id}/updates?after={view.last_seq}&rev={view.version}"


def reading_of(statements: Sequence[str], table: str) -> list[str]:
    return [statement for statement in statements if f"FROM {table}" in statement or f"JOIN {table}" in statement]


def header_bytes(response: TestResponse) -> int:
    return sum(len(name) + len(value) + len(": \r\n") for name, value in response.headers.items())


@pytest.mark.behaviour("CH-24")
def test_an_unchanged_poll_is_two_reads_and_no_event(app: Flask, site: DemoSite, changed: Assignments) -> None:
    anna, address = Visitor(app, site, "anna"), unchanged(changed)
    anna.ask(address)
    with count_statements() as statements:
        response = anna.ask(address)
    assert (response.status_code, response.get_data()) == (204, b"")
    assert "HX-Trigger" not in response.headers
    selects = [statement for statement in statements if statement.startswith("SELECT")]
    assert len(selects) <= 2, selects
    assert [statement for statement in statements if not statement.startswith(READS)] == []
    assert [statement for statement in statements if "run_event" in statement or "record_history" in statement] == []


def test_an_unchanged_poll_is_small(app: Flask, site: DemoSite, changed: Assignments) -> None:
    response = Visitor(app, site, "anna").ask(unchanged(changed))
    assert response.status_code == 204
    assert header_bytes(response) <= MOST_HEADER_BYTES, response.headers


def test_polls_never_prolong_the_sign_in_nor_write(app: Flask, site: DemoSite, changed: Assignments) -> None:
    anna, address = Visitor(app, site, "anna"), f"/conversations/{changed.id}/updates?after=0&rev=0"
    for asked in (address, unchanged(changed)):
        with count_statements() as statements:
            assert anna.ask(asked).status_code in {200, 204}
        assert [statement for statement in statements if not statement.startswith(READS)] == []


@pytest.mark.behaviour("CH-24")
def test_the_events_are_read_when_the_list_is_opened(app: Flask, site: DemoSite, changed: Assignments) -> None:
    anna = Visitor(app, site, "anna")
    with count_statements() as polled:
        anna.ask(f"/conversations/{changed.id}/updates?after=0&rev=0")
    with count_statements() as closed:
        anna.get(f"/conversations/{changed.id}")
    with count_statements() as opened:
        response = anna.ask(f"/conversations/{changed.id}/changes")
    assert len(tree(response).select("[data-record]")) == 1
    assert reading_of(polled, "run_event") == []
    assert len(reading_of(opened, "run_event")) == 1, reading_of(opened, "run_event")
    assert reading_of(closed, "run_event") == []
