"""Deciding a card over the web, and the inbox."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from sqlalchemy import func, select
from werkzeug.test import TestResponse

from app.agent.models import ApprovalDecision
from app.core.db import reading
from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments
from tests.support.clock import FakeClock
from tests.support.visitor import Visitor, one, signals, tree


def hide(site: DemoSite) -> tuple[str, dict[str, object]]:
    return ("hide_record", {"table": "pages", "uid": site.pages["hours"]})


@pytest.fixture
def waiting(assignments: Assignments, site: DemoSite) -> Assignments:
    assignments.ask([hide(site)], DONE)
    return assignments


def decide(visitor: Visitor, assignments: Assignments, *, script: bool = False, **form: str) -> TestResponse:
    sent = {"decision": "approve", "digest": assignments.card().digest, "token": "press", **form}
    return visitor.post(f"/runs/{assignments.run_uuid}/approval?card=1", script=script, **sent)


def decisions() -> int:
    with reading() as connection:
        return int(connection.execute(select(func.count()).select_from(ApprovalDecision.__table__)).scalar_one())


def test_it_answers_the_script_with_the_card_itself(app: Flask, site: DemoSite, waiting: Assignments) -> None:
    response = decide(Visitor(app, site, "anna"), waiting, script=True)
    assert response.status_code == 200
    entry = one(tree(response), f"li#card-{waiting.run_uuid}")
    assert one(entry, "article")["data-state"] == "approved"
    assert one(entry, "h3").get_text() == "Approved: 1 step"
    assert not entry.select("form")
    assert signals(response) == {"poll-now": {}}


def test_it_leads_back_to_the_card_without_script(app: Flask, site: DemoSite, waiting: Assignments) -> None:
    response = decide(Visitor(app, site, "anna"), waiting)
    expected = f"/conversations/{waiting.id}#card-{waiting.run_uuid}-h"
    assert (response.status_code, response.location) == (303, expected)


def test_a_decider_who_may_not_read_the_conversation_goes_to_the_inbox(
    app: Flask, site: DemoSite, waiting: Assignments
) -> None:
    fay = Visitor(app, site, "fay")
    response = decide(fay, waiting, decision="decline", reason="No")
    assert (response.status_code, response.location) == (303, "/approvals")
    assert "Declined" in one(tree(fay.get("/approvals")), "#flash").get_text()


@pytest.mark.parametrize("word", ["", "false", "0", "APPROVE", "approve ", "yes", "true"])
def test_it_takes_the_two_words_only(app: Flask, site: DemoSite, waiting: Assignments, word: str) -> None:
    response = decide(Visitor(app, site, "anna"), waiting, decision=word, reason="because")
    assert response.status_code == 422
    page = tree(response)
    assert one(page, ".error-summary")
    assert one(page, "textarea[name=reason]").get_text() == "because"
    assert one(page, "title").get_text().startswith("Error: ")
    assert decisions() == 0


@pytest.mark.behaviour("CA-12")
@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize("digest", ["", "0" * 64])
def test_an_old_digest_changes_nothing_and_shows_the_card(
    app: Flask, site: DemoSite, waiting: Assignments, digest: str, script: bool
) -> None:
    response = decide(Visitor(app, site, "anna"), waiting, script=script, digest=digest, reason="kept")
    assert response.status_code == 409
    page = tree(response)
    assert one(page, "article")["data-state"] == "waiting"
    assert "Nothing was decided" in one(page, ".approval-card__note").get_text()
    assert one(page, "textarea[name=reason]").get_text() == "kept"
    assert decisions() == 0


@pytest.mark.behaviour("CA-11")
def test_later_attempts_are_told_and_repeats_are_the_same(app: Flask, site: DemoSite, waiting: Assignments) -> None:
    anna, fay = Visitor(app, site, "anna"), Visitor(app, site, "fay")
    digest = waiting.card().digest
    first = decide(anna, waiting, script=True, digest=digest)
    again = decide(anna, waiting, script=True, digest=digest)
    late = decide(fay, waiting, script=True, digest=digest, token="other")
    assert [first.status_code, again.status_code, late.status_code] == [200, 200, 409]
    assert "already been decided" in one(tree(late), ".approval-card__note").get_text()
    assert "Anna" in tree(late).get_text()
    assert decisions() == 1


@pytest.mark.behaviour("CA-06")
def test_nothing_can_be_approved_when_every_step_is_refused(
    app: Flask, site: DemoSite, waiting: Assignments, make_assignments: Callable[..., Assignments]
) -> None:
    mine = make_assignments(configuration="Editorial, drafts only")
    mine.ask([hide(site)], DONE, workspace=0)
    page = tree(Visitor(app, site, "anna").get(f"/conversations/{mine.id}"))
    for article in page.select("article.approval-card"):
        assert article["data-approve-blocked"] == "all_refused"
        assert not article.select("button[value=approve]")


def test_the_inbox_lists_the_longest_waiting_first(
    app: Flask, site: DemoSite, waiting: Assignments, make_assignments: Callable[..., Assignments]
) -> None:
    later = make_assignments(owner="ben")
    later.ask([hide(site)], DONE)
    page = tree(Visitor(app, site, "fay").get("/approvals"))
    rows = page.select("li[data-run]")
    assert {row["data-run"] for row in rows} == {waiting.run_uuid, later.run_uuid}
    asked = next(row for row in rows if row["data-run"] == waiting.run_uuid)
    assert "Anna" in asked.get_text()
    assert one(asked, "h3 a")["href"] == f"/runs/{waiting.run_uuid}/card"
    assert asked.select("time[datetime]")
    assert "Opening hours" not in page.get_text()


def test_the_inbox_of_somebody_without_a_part_in_it_is_empty(app: Flask, site: DemoSite, waiting: Assignments) -> None:
    page = tree(Visitor(app, site, "emil").get("/approvals"))
    assert not page.select("li[data-run]")
    assert "No approval is waiting" in page.get_text()


@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize("decision", ["approve", "decline"])
def test_a_late_decision_is_told_that_the_approval_has_expired(
    app: Flask, site: DemoSite, clock: FakeClock, waiting: Assignments, decision: str, script: bool
) -> None:
    digest = waiting.card().digest
    clock.advance(14 * 86_400)
    response = decide(Visitor(app, site, "fay"), waiting, script=script, decision=decision, digest=digest)
    assert response.status_code == 409
    page = tree(response)
    assert one(page, "article")["data-state"] == "expired"
    assert "has expired" in one(page, ".approval-card__note").get_text()
    assert decisions() == 0
