"""The course of a run over the web."""

from __future__ import annotations

import pytest
from flask import Flask
from sqlalchemy import insert, update

from app.agent.models import RunEvent, ToolCall
from app.core.db import transaction
from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments
from tests.support.visitor import Visitor, one, tree


@pytest.fixture
def finished(assignments: Assignments, site: DemoSite) -> Assignments:
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["hours"]})], DONE, body="Secret wish")
    assignments.decide(reason="Secret reason")
    return assignments


def test_it_tells_what_happened_in_order_and_in_words(app: Flask, site: DemoSite, finished: Assignments) -> None:
    page = tree(Visitor(app, site, "anna").get(f"/runs/{finished.run_uuid}"))
    kinds = [str(entry["data-event"]) for entry in page.select("[data-event]")]
    assert kinds[0] == "started"
    assert kinds[-1] == "ended"
    assert {"request", "llm", "card", "approval", "tool", "tool_changes"} <= set(kinds)
    assert all(entry.select("time[datetime]") for entry in page.select("[data-event]"))
    assert "Approved by Anna" in page.get_text()
    assert one(page, "dl[data-status]")["data-status"] == "completed"
    assert page.select(f'a[href="/conversations/{finished.id}"]')


def test_it_holds_no_content(app: Flask, site: DemoSite, finished: Assignments) -> None:
    body = Visitor(app, site, "admin").get(f"/runs/{finished.run_uuid}").get_data(as_text=True)
    for secret in ("Secret wish", "Secret reason", "Opening hours", "Done, as reported"):
        assert secret not in body


def test_only_owner_administration_and_audit_may_read_it(app: Flask, site: DemoSite, finished: Assignments) -> None:
    found = {
        name: Visitor(app, site, name).get(f"/runs/{finished.run_uuid}").status_code
        for name in ("anna", "admin", "ben", "emil")
    }
    assert (found["anna"], found["admin"], found["emil"]) == (200, 200, 404)
    assert Visitor(app, site, "anna").get("/runs/00000000-0000-4000-8000-000000000000").status_code == 404


def test_an_entry_it_does_not_know_is_said_to_be_unreadable(app: Flask, site: DemoSite, finished: Assignments) -> None:
    table = RunEvent.__table__
    with transaction() as connection:
        row = {"run_uuid": finished.run_uuid, "seq": 900, "kind": "future", "version": 99, "payload": "{}boo", "at": 1}
        connection.execute(insert(table).values(row))
    page = tree(Visitor(app, site, "anna").get(f"/runs/{finished.run_uuid}"))
    assert "An entry that cannot be read." in page.get_text()
    assert "boo" not in page.get_text()


@pytest.fixture
def waiting(assignments: Assignments, site: DemoSite) -> Assignments:
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["hours"]})], DONE)
    return assignments


def unreadable(uuid: str) -> None:
    calls = ToolCall.__table__
    with transaction() as connection:
        connection.execute(update(calls).where(calls.c.run_uuid == uuid).values(arguments_sealed="v1.k1.broken"))


@pytest.mark.behaviour("RT-14")
@pytest.mark.parametrize("name", ["anna", "admin"])
def test_initiator_and_administrators_stop_a_waiting_run_without_script(
    app: Flask, site: DemoSite, waiting: Assignments, name: str
) -> None:
    visitor, url = Visitor(app, site, name), f"/runs/{waiting.run_uuid}/cancellation"
    digest = waiting.card().digest
    page = tree(visitor.get(f"/runs/{waiting.run_uuid}"))
    assert "Waiting for a decision" in one(page, "#state").get_text()
    assert page.select(f'a[href="{url}"]')
    assert one(tree(visitor.get(url)), "form#cancellation")["action"] == url
    assert waiting.page().view.status == "awaiting_approval"
    response = visitor.post(url)
    assert (response.status_code, response.location) == (303, f"/runs/{waiting.run_uuid}#state")
    after = tree(visitor.get(f"/runs/{waiting.run_uuid}"))
    assert "The assignment was stopped." in one(after, "#flash").get_text()
    assert "Stopped before a decision" in one(after, "#state").get_text()
    assert not after.select(f'a[href="{url}"]')
    late = visitor.post(f"/runs/{waiting.run_uuid}/approval?card=1", decision="approve", digest=digest, token="press")
    assert late.status_code == 409
    again = visitor.post(url)
    assert again.status_code == 303
    assert "had ended already" in one(tree(visitor.get(f"/runs/{waiting.run_uuid}")), "#flash").get_text()


@pytest.mark.behaviour("RT-14")
def test_nobody_else_may_stop_it(app: Flask, site: DemoSite, waiting: Assignments) -> None:
    url = f"/runs/{waiting.run_uuid}/cancellation"
    for name, expected in (("olga", 403), ("fay", 403), ("gus", 404), ("ben", 404)):
        visitor = Visitor(app, site, name)
        assert (visitor.get(url).status_code, visitor.post(url).status_code) == (expected, expected), name
    assert not tree(Visitor(app, site, "olga").get(f"/runs/{waiting.run_uuid}")).select(f'a[href="{url}"]')
    assert waiting.page().view.status == "awaiting_approval"


@pytest.mark.behaviour("RT-16")
def test_a_run_that_cannot_be_read_says_so_and_can_be_stopped(app: Flask, site: DemoSite, waiting: Assignments) -> None:
    unreadable(waiting.run_uuid)
    anna = Visitor(app, site, "anna")
    page = tree(anna.get(f"/runs/{waiting.run_uuid}"))
    assert "cannot be read" in one(page, ".notice--err").get_text()
    assert anna.post(f"/runs/{waiting.run_uuid}/cancellation").status_code == 303
    assert waiting.page().view.status == "idle"
