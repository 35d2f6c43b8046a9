"""The page of all assignments: counts, the switch with its reason, and who may use it."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from app.agent.halting import find_halt, halt_runs
from app.core.db import reading
from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments
from tests.support.clock import FakeClock
from tests.support.visitor import Visitor, one, tree

FORM = {"reason": "Odd <b>answers</b>", "sure": "yes"}


@pytest.fixture
def admin(app: Flask, site: DemoSite, clock: FakeClock) -> Visitor:
    return Visitor(app, site, "admin")


def halted() -> bool:
    with reading() as connection:
        return find_halt(connection) is not None


def flashed(visitor: Visitor) -> str:
    return one(tree(visitor.get("/runs")), "#flash").get_text(" ", strip=True)


def test_it_counts_assignments_by_status(admin: Visitor, assignments: Assignments, site: DemoSite) -> None:
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["hours"]})], DONE)
    page = tree(admin.get("/runs"))
    counts = {row["data-run-status"]: row.select_one("td").get_text(strip=True) for row in page.select("tbody tr")}  # type: ignore[union-attr]
    assert counts["waiting_for_approval"] == "1"
    assert sum(map(int, counts.values())) == 1
    assert one(page, "#switch")["data-halted"] == "false"
    assert one(page, "nav a[aria-current=page]").get_text(strip=True) == "Assignments"
    assert "1 request to AI models" in page.get_text()


def test_the_course_of_one_belongs_to_the_approvals(admin: Visitor, assignments: Assignments, site: DemoSite) -> None:
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["hours"]})], DONE)
    page = tree(admin.get(f"/runs/{assignments.run_uuid}"))
    assert [link.get_text(" ", strip=True).split()[0] for link in page.select("nav a[aria-current=page]")] == [
        "Approvals"
    ]


def test_it_halts_and_lets_go_on(admin: Visitor, clock: FakeClock) -> None:
    answer = admin.post("/runs", **FORM)
    assert (answer.status_code, answer.location) == (303, "/runs#switch")
    assert halted()
    page = tree(admin.get("/runs"))
    assert one(page, "#flash").get_text(" ", strip=True).startswith("Every assignment is halted. 0 assignments")
    switch = one(page, "#switch")
    assert switch["data-halted"] == "true"
    assert "Odd <b>answers</b>" in switch.get_text()
    assert not page.select("#halt")
    answer = admin.post("/runs/resumption")
    assert (answer.status_code, answer.location) == (303, "/runs#switch")
    assert not halted()
    entries = tree(admin.get("/runs")).select("[data-switch]")
    assert [entry["data-switch"] for entry in entries] == ["resumed", "halted"]
    assert "Halted by Ada Min" in entries[1].get_text(" ", strip=True)


@pytest.mark.parametrize(
    ("form", "fields"),
    [
        ({}, ["reason", "sure"]),
        ({"reason": "Odd"}, ["sure"]),
        ({"sure": "yes"}, ["reason"]),
        ({"reason": "x" * 201, "sure": "yes"}, ["reason"]),
    ],
)
def test_it_wants_a_reason_and_the_box(admin: Visitor, form: dict[str, str], fields: list[str]) -> None:
    answer = admin.post("/runs", **form)
    page = tree(answer)
    assert answer.status_code == 422
    assert [link["href"] for link in page.select(".error-summary a")] == [f"#{name}" for name in fields]
    assert one(page, "#reason")["value"] == form.get("reason", "")
    assert all(one(page, f"#{name}")["aria-invalid"] == "true" for name in fields)
    assert one(page, "nav a[aria-current=page]").get_text(strip=True) == "Assignments"
    assert not halted()


def test_twice_says_so(admin: Visitor) -> None:
    assert admin.post("/runs/resumption").status_code == 409
    halt_runs(None, "Stop")
    answer = admin.post("/runs", **FORM)
    assert answer.status_code == 409
    assert "halted already" in one(tree(answer), ".error-summary").get_text()


@pytest.mark.parametrize("name", ["anna", "olga"])
def test_only_administrators_see_and_switch(app: Flask, site: DemoSite, name: str) -> None:
    visitor = Visitor(app, site, name)
    assert visitor.get("/runs").status_code == 403
    assert visitor.post("/runs", **FORM).status_code == 403
    assert visitor.post("/runs/resumption").status_code == 403
    assert not halted()
    assert not tree(visitor.get("/conversations")).select('nav a[href="/runs"]')


def test_it_asks_for_the_password_when_the_last_proof_is_old(admin: Visitor, clock: FakeClock) -> None:
    clock.advance(601)
    answer = admin.post("/runs", **FORM)
    assert answer.status_code == 403
    assert one(tree(answer), 'input[type="hidden"][name="reason"]')["value"] == FORM["reason"]
    assert not halted()


def test_a_message_is_answered_and_its_text_kept(app: Flask, site: DemoSite, assignments: Assignments) -> None:
    halt_runs(None, "Stop")
    anna = Visitor(app, site, "anna")
    answer = anna.post(f"/conversations/{assignments.id}/messages", body="Please help me", token="t1")
    page = tree(answer)
    assert answer.status_code == 409
    assert "has halted the AI assistant" in one(page, "#composer-errors").get_text()
    assert one(page, "#composer textarea").get_text() == "Please help me"
    assert one(page, "#statusline")["data-status"] == "idle"
    script = anna.post(f"/conversations/{assignments.id}/messages", script=True, body="Please", token="t2")
    assert (script.status_code, "has halted" in script.get_data(as_text=True)) == (409, True)


def test_a_waiting_card_says_why_it_cannot_be_approved(app: Flask, site: DemoSite, assignments: Assignments) -> None:
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["hours"]})], DONE)
    halt_runs(None, "Stop")
    anna, card = Visitor(app, site, "anna"), f"/runs/{assignments.run_uuid}/card"
    shown = one(tree(anna.get(card)), "article.approval-card")
    assert shown["data-state"] == "waiting"
    assert "has halted every assignment" in shown.get_text()
    assert not shown.select('button[value="approve"]')
    assert shown.select('button[value="decline"]')
    form: dict[str, Any] = {"decision": "approve", "digest": shown["data-digest"], "token": "t", "reason": ""}
    answer = anna.post(f"/runs/{assignments.run_uuid}/approval", **form)
    assert answer.status_code in {403, 409}
    assert "has halted every assignment" in tree(answer).get_text()
    assert assignments.page().view.status == "awaiting_approval"
