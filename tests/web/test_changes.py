"""The list of changes over the web: part, page and data say the same, by the rights of the moment."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from bs4 import BeautifulSoup
from flask import Flask
from sqlalchemy import insert

from app.agent.models import RunEvent
from app.core.canonical import dumps
from app.core.db import transaction
from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments
from tests.support.page import markup_problems
from tests.support.visitor import Visitor, one, tree

SCHEMA = Path(__file__).resolve().parents[2] / "docs/list-of-changes.schema.json"


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


def report(assignments: Assignments, call: int, **payload: object) -> None:
    """One more step of the newest run as the runtime records it."""
    event = {"v": 1, "turn": 9, "call": call, "status": "complete", "failed": False, "omitted": 0, **payload}
    row = {"run_uuid": assignments.run_uuid, "seq": 900 + call, "kind": "tool_changes", "version": 1, "at": 0}
    with transaction() as connection:
        connection.execute(insert(RunEvent).values(**row, payload=dumps(event)))


def change(uid: int, **facts: object) -> dict[str, object]:
    return {"t": "pages", "u": uid, "l": uid, "w": 0, "a": "updated", "h": False, "lang": 0, **facts}


@pytest.fixture
def varied(changed: Assignments, site: DemoSite) -> Assignments:
    """A list with every kind of fact that events can report, and a step that failed after writing."""
    timed = change(site.pages["tickets"], a="moved", s=1_900_000_000, e=1_950_000_000, g=[3], target=True)
    report(changed, 0, changes=[timed, change(site.pages["about"], a="created")], omitted=2)
    report(changed, 1, changes=[change(site.pages["directions"], a="deleted")], failed=True, status="not_captured")
    changed.share("olga", "dora", "fay")
    return changed


@pytest.mark.parametrize("viewer", ["anna", "olga", "dora", "fay"])
def test_every_answer_is_as_the_documented_schema_says(
    app: Flask, site: DemoSite, varied: Assignments, viewer: str
) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    visitor = Visitor(app, site, viewer)
    for asked in ("", "?check=1", "?action=created", "?language=en&workspace=0"):
        found = visitor.get(f"/conversations/{varied.id}/changes{asked}", Accept="application/json").get_json()
        jsonschema.validate(found, schema, cls=jsonschema.Draft202012Validator)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**found, "total": 5}, schema, cls=jsonschema.Draft202012Validator)


def test_the_documented_example_is_as_the_schema_says() -> None:
    words = SCHEMA.with_name("list-of-changes.md").read_text(encoding="utf-8")
    example = json.loads(words.split("```json")[1].split("```")[0])
    jsonschema.validate(example, json.loads(SCHEMA.read_text(encoding="utf-8")))


def test_filters_are_a_form_that_works_on_its_own(app: Flask, site: DemoSite, varied: Assignments) -> None:
    olga, url = Visitor(app, site, "olga"), f"/conversations/{varied.id}/changes"
    page = tree(olga.get(url))
    form = one(page, "form#changes-filter")
    assert (form["method"], form["action"]) == ("get", url)
    assert {control["name"] for control in form.select("[name]")} == {"action", "workspace", "check"}
    found = tree(olga.get(f"{url}?action=moved&workspace=&language="))
    assert [row["data-record"] for row in found.select("[data-record]")] == [f"pages:{site.pages['tickets']}"]
    assert one(found, "#filter-action option[selected]")["value"] == "moved"
    assert one(found, "#filter-none")["href"] == url


def test_part_page_and_data_filter_alike(app: Flask, site: DemoSite, varied: Assignments) -> None:
    olga, url = Visitor(app, site, "olga"), f"/conversations/{varied.id}/changes?check=1"
    part, page = tree(olga.ask(url)), tree(olga.get(url))
    data = olga.get(url, Accept="application/json").get_json()
    assert said(part) == said(page)
    assert [f"{record['table']}:{record['live_uid']}" for record in data["records"]] == [
        row["data-record"] for row in part.select("[data-record]")
    ]
    assert [record["facts"]["failed"] for record in data["records"]] == [True]


def test_it_says_above_the_records_what_is_listed_and_what_needs_a_check(
    app: Flask, site: DemoSite, varied: Assignments
) -> None:
    part = tree(Visitor(app, site, "olga").ask(f"/conversations/{varied.id}/changes"))
    totals = {item["data-total"]: item["data-count"] for item in part.select("[data-total]")}
    assert sum(int(str(number)) for number in totals.values()) == len(part.select("[data-record]"))
    assert one(part, "[data-check]")["data-check"] == "1"
    assert one(part, "[data-check] a")["href"].endswith("?check=1")  # type: ignore[union-attr]


@pytest.mark.behaviour("CH-18")
def test_nothing_is_counted_or_offered_of_what_is_withheld(app: Flask, site: DemoSite, varied: Assignments) -> None:
    fay = Visitor(app, site, "fay")
    for asked in ("", "?check=1", "?action=deleted"):
        part = tree(fay.ask(f"/conversations/{varied.id}/changes{asked}"))
        assert part.select("[data-total], [data-check], option:not([value=''])") == []
        assert [note["data-count"] for note in part.select("[data-note=withheld]")] == ["4"]


@pytest.mark.parametrize("asked", ["?action=nothing", "?language=" + "x" * 300, "?check=2", "?workspace=77"])
def test_odd_filters_are_answered_with_a_list(app: Flask, site: DemoSite, varied: Assignments, asked: str) -> None:
    response = Visitor(app, site, "olga").get(f"/conversations/{varied.id}/changes{asked}")
    assert response.status_code == 200
    assert markup_problems(response.get_data(as_text=True)) == []


@pytest.mark.behaviour("CH-02")
def test_the_line_under_an_answer_comes_with_it(app: Flask, site: DemoSite, changed: Assignments) -> None:
    anna = Visitor(app, site, "anna")
    poll, page = (
        anna.ask(f"/conversations/{changed.id}/updates?after=0&rev=0"),
        anna.get(f"/conversations/{changed.id}"),
    )
    for found in (tree(poll), tree(page)):
        line = one(found, "li[data-role=assistant] [data-statement]")
        assert (line["data-statement"], line.get_text()) == ("1", "1 record reported as changed.")
        assert line.find_parent("li").select_one(".prose").find("p", attrs={"data-statement": True}) is None  # type: ignore[union-attr]
