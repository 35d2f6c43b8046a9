"""The list of changes over the web: part, page and data say the same, by the rights of the moment."""

from __future__ import annotations

from typing import Any

import pytest
from bs4 import BeautifulSoup
from flask import Flask

from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments
from tests.support.visitor import Visitor, one, tree


def copy(site: DemoSite) -> tuple[str, dict[str, object]]:
    return ("hide_record", {"table": "pages", "uid": site.pages["hours"]})


@pytest.fixture
def changed(assignments: Assignments, site: DemoSite) -> Assignments:
    assignments.ask([copy(site)], DONE)
    assignments.decide()
    return assignments


def said(found: BeautifulSoup) -> list[Any]:
    rows = [
        [(fact["data-fact"], fact["data-value"], fact.get_text()) for fact in row.select("[data-fact]")]
        for row in found.select("[data-record]")
    ]
    notes = [(note["data-note"], note["data-count"], note.get_text()) for note in found.select("[data-note]")]
    return [*rows, notes]


def test_part_page_and_conversation_say_the_same(app: Flask, site: DemoSite, changed: Assignments) -> None:
    anna, url = Visitor(app, site, "anna"), f"/conversations/{changed.id}"
    part, page = tree(anna.ask(f"{url}/changes")), tree(anna.get(f"{url}/changes"))
    assert said(part) == said(page) == said(tree(anna.get(f"{url}?changes=1")))
    assert not part.select("h1, main > header")
    assert one(page, "h1").get_text() == "Changes of this assignment"
    assert len(part.select("[data-record]")) == 1


def test_it_is_data_for_those_who_ask_for_data(app: Flask, site: DemoSite, changed: Assignments) -> None:
    response = Visitor(app, site, "anna").get(f"/conversations/{changed.id}/changes", Accept="application/json")
    assert response.mimetype == "application/json"
    (record,) = response.get_json()["records"]
    assert record["table"] == "pages"
    assert record["facts"]["hidden"] is True
    assert isinstance(record["facts"]["workspace"], int)
    assert response.get_json()["notes"] == {"coverage": 1}


@pytest.mark.behaviour("CH-14")
def test_the_coverage_note_is_first_even_when_nothing_is_listed(
    app: Flask, site: DemoSite, assignments: Assignments
) -> None:
    assignments.ask(DONE)
    page = tree(Visitor(app, site, "anna").ask(f"/conversations/{assignments.id}/changes"))
    assert page.select("[data-note]")[0]["data-note"] == "coverage"
    assert "No change is listed." in page.get_text()


@pytest.mark.behaviour("CH-18")
def test_withheld_records_are_counted_and_nothing_else(app: Flask, site: DemoSite, changed: Assignments) -> None:
    changed.share("fay")
    for response in (
        Visitor(app, site, "fay").ask(f"/conversations/{changed.id}/changes"),
        Visitor(app, site, "fay").get(f"/conversations/{changed.id}/changes", Accept="application/json"),
    ):
        body = response.get_data(as_text=True)
        assert "Opening hours" not in body
        assert f'"uid": {site.pages["hours"]}' not in body
        assert "data-record" not in body
    assert response.get_json() == {"records": [], "notes": {"coverage": 1, "withheld": 1}}
