"""The course of a run over the web."""

from __future__ import annotations

import pytest
from flask import Flask
from sqlalchemy import insert

from app.agent.models import RunEvent
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
