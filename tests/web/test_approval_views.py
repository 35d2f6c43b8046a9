"""The inbox over the web: what waits, for whom, why not, filters, and what was decided lately."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from sqlalchemy import update

from app.agent import models as tables
from app.agent.configurations import find_configuration_named, set_configuration
from app.core.db import transaction
from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments
from tests.support.clock import FakeClock
from tests.support.statements import count_statements
from tests.support.visitor import Visitor, one, tree

DAY = 86_400


@pytest.fixture
def waiting(assignments: Assignments, site: DemoSite, clock: FakeClock) -> Assignments:
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["hours"]})], DONE)
    return assignments


@pytest.fixture
def other(make_assignments: Callable[..., Assignments], site: DemoSite) -> Callable[[], Assignments]:
    """``other()``: one more assignment that waits, Ben's."""

    def make() -> Assignments:
        mine = make_assignments(owner="ben")
        mine.ask([("hide_record", {"table": "pages", "uid": site.pages["hours"]})], DONE)
        return mine

    return make


def states(app: Flask, site: DemoSite, name: str, query: str = "") -> dict[str, str]:
    page = tree(Visitor(app, site, name).get(f"/approvals{query}"))
    return {str(row["data-run"]): str(row["data-may-approve"]) for row in page.select("li[data-run]")}


def require_second_approver() -> None:
    with transaction() as connection:
        found = find_configuration_named(connection, "Editorial")
        assert found is not None
        set_configuration(connection, found.id, requires_second_approver=True)


def test_it_says_for_each_turn_whether_the_person_may_approve_it_and_why_not(
    app: Flask, site: DemoSite, waiting: Assignments
) -> None:
    assert states(app, site, "anna") == {waiting.run_uuid: "may"}
    require_second_approver()
    assert states(app, site, "anna") == {waiting.run_uuid: "second_approver"}
    assert states(app, site, "fay") == {waiting.run_uuid: "may"}
    row = one(tree(Visitor(app, site, "anna").get("/approvals")), "li[data-run]").get_text()
    assert "You may not approve this" in row
    assert "somebody else approves" in row
    assert "by a second person" in row


@pytest.mark.behaviour("RT-16")
def test_a_card_that_cannot_be_read_is_shown_as_such_and_can_be_declined(
    app: Flask, site: DemoSite, waiting: Assignments
) -> None:
    calls = tables.ToolCall.__table__
    with transaction() as connection:
        connection.execute(update(calls).values(arguments_sealed="v1.k1.broken"))
    anna = Visitor(app, site, "anna")
    row = one(tree(anna.get("/approvals")), "li[data-run]")
    assert row["data-may-approve"] == "unreadable"
    assert "Cannot be read" in row.get_text()
    links = [str(link["href"]) for link in row.select("a")]
    assert links == [f"/runs/{waiting.run_uuid}/card", f"/runs/{waiting.run_uuid}"]
    card = tree(anna.get(links[0]))
    assert card.select("button[value=decline]")
    assert not card.select("button[value=approve]")
    digest = str(one(card, "input[name=digest]")["value"])
    response = anna.post(f"/runs/{waiting.run_uuid}/approval", decision="decline", digest=digest, token="t")
    assert response.status_code == 303


def test_the_filters_are_a_form_that_works_without_script(
    app: Flask, site: DemoSite, waiting: Assignments, other: Callable[[], Assignments], clock: FakeClock
) -> None:
    clock.advance(3 * DAY)
    later = other()
    fay = Visitor(app, site, "fay")
    form = one(tree(fay.get("/approvals")), "form#inbox-filters")
    assert (form["method"], form["action"]) == ("get", "/approvals")
    assert [str(select["name"]) for select in form.select("select")] == ["configuration", "person", "days"]
    assert states(app, site, "fay") == {waiting.run_uuid: "may", later.run_uuid: "may"}
    assert set(states(app, site, "fay", "?days=3")) == {waiting.run_uuid}
    ben = site.people.users["ben"]
    assert set(states(app, site, "fay", f"?person={ben}")) == {later.run_uuid}
    page = tree(fay.get(f"/approvals?person={ben}"))
    assert one(page, "#filter-person option[selected]")["value"] == str(ben)
    assert "1 assignment waits" in one(page, "#inbox-count").get_text()
    nothing = tree(fay.get("/approvals?configuration=987"))
    assert "No waiting approval matches" in nothing.get_text()
    assert one(nothing, "#filter-configuration option[selected]")["value"] == "987"
    assert fay.get("/approvals?person=x").status_code == 422
    assert not tree(Visitor(app, site, "anna").get("/approvals")).select("#filter-person")


@pytest.mark.parametrize(("by", "second", "expected"), [("anna", False, "self"), ("fay", True, "second_person")])
def test_recent_decisions_carry_who_stands_behind_the_approval(
    app: Flask, site: DemoSite, waiting: Assignments, by: str, second: bool, expected: str
) -> None:
    if second:
        require_second_approver()
    waiting.decide(by=by)
    row = one(tree(Visitor(app, site, "anna").get("/approvals")), "li[data-ended]")
    assert (row["data-ended"], row["data-attribution"]) == (waiting.run_uuid, expected)
    assert "Approved by" in row.get_text()
    assert not tree(Visitor(app, site, "ben").get("/approvals")).select("li[data-ended]")


def test_an_approver_nobody_can_name_is_unresolved(app: Flask, site: DemoSite, waiting: Assignments) -> None:
    waiting.decide(by="fay")
    decisions = tables.ApprovalDecision.__table__
    with transaction() as connection:
        connection.execute(update(decisions).values(decided_by=0))
    row = one(tree(Visitor(app, site, "anna").get("/approvals")), "li[data-ended]")
    assert row["data-attribution"] == "unresolved"


def test_declines_and_expiry_carry_no_attribution(
    app: Flask, site: DemoSite, waiting: Assignments, other: Callable[[], Assignments], clock: FakeClock
) -> None:
    late = other()
    waiting.decide(approve=False, by="fay")
    clock.advance(14 * DAY)
    late.decide(approve=False, by="fay")
    rows = tree(Visitor(app, site, "admin").get("/approvals")).select("li[data-ended]")
    assert [str(row["data-ended"]) for row in rows] == [late.run_uuid, waiting.run_uuid]
    assert not [row for row in rows if "data-attribution" in row.attrs]
    assert "Expired without a decision." in rows[0].get_text()
    assert "Declined by" in rows[1].get_text()


def test_more_turns_take_no_more_statements(
    app: Flask, site: DemoSite, waiting: Assignments, other: Callable[[], Assignments]
) -> None:
    other()
    fay = Visitor(app, site, "fay")
    fay.get("/approvals")

    def asked() -> int:
        with count_statements() as seen:
            assert fay.get("/approvals").status_code == 200
        return len(seen)

    few = asked()
    other(), other(), other()
    assert asked() == few
