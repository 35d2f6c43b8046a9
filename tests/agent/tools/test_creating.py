from __future__ import annotations

import pytest

from app.core.i18n import render
from tests.agent.tools.bench import LIVE, Bench


@pytest.mark.parametrize("in_draft", [False, True])
def test_it_creates_a_hidden_page(bench: Bench, in_draft: bool) -> None:
    workspace, visit = bench.draft if in_draft else LIVE, bench.page("visit")
    live = bench.live()
    done = bench.write("create_page_draft", workspace=workspace, parent=visit, title="Café", description="Cake.")
    assert done.result.target is not None
    row = bench.row("pages", done.result.target.uid)
    assert (row["title"], row["description"], row["pid"], row["hidden"]) == ("Café", "Cake.", visit, True)
    assert (row["workspace_id"], row["language_id"]) == (workspace, 0)
    assert done.content == {"done": "create", "table": "pages", "uid": row["uid"], "hidden": True}
    assert done.heading == "Create the page “Café” below “Visit”"
    assert render(done.plan.generic_heading, "en") == "Create a page"
    assert (bench.live() == live) is in_draft


@pytest.mark.parametrize("in_draft", [False, True])
def test_it_adds_a_hidden_content_element(bench: Bench, in_draft: bool) -> None:
    workspace, hours = bench.draft if in_draft else LIVE, bench.page("hours")
    done = bench.write("create_content_element_draft", workspace=workspace, page=hours, header="Easter", body="Open.")
    assert done.result.target is not None
    row = bench.row("content_elements", done.result.target.uid)
    assert (row["header"], row["body"], row["pid"], row["hidden"]) == ("Easter", "Open.", hours, True)
    assert row["workspace_id"] == workspace
    assert done.heading == "Add the content element “Easter” to the page “Opening hours”"
    assert [(change.action.value, change.is_target) for change in done.changes.changes] == [("created", True)]


def test_it_adds_a_content_element_without_a_heading(bench: Bench) -> None:
    done = bench.write("create_content_element_draft", page=bench.page("hours"), body="One\r\ntwo")
    assert done.heading == "Add a content element to the page “Opening hours”"
    assert done.result.target is not None
    assert bench.row("content_elements", done.result.target.uid)["body"] == "One\ntwo"


def test_it_creates_what_others_can_build_on(bench: Bench) -> None:
    page = bench.write("create_page_draft", workspace=bench.draft, parent=bench.page("visit"), title="Café")
    uid = page.content["uid"]
    element = bench.write("create_content_element_draft", workspace=bench.draft, page=uid, body="Cake.")
    assert element.result.target is not None
    assert bench.row("content_elements", element.result.target.uid)["pid"] == uid
    assert bench.refused("create_content_element_draft", page=uid, body="x")[0] == "not_found", "the page is not live"


def test_it_inserts_after_a_neighbour(bench: Bench) -> None:
    hours, summer = bench.page("hours"), bench.one("content_elements", header="Summer")
    new = bench.write("create_content_element_draft", page=hours, header="Spring", body="x", after=summer)
    last = bench.write("create_content_element_draft", page=hours, header="Last", body="x")
    assert new.content["uid"] != last.content["uid"]
    rows = sorted(bench.rows("content_elements", pid=hours, language_id=0), key=lambda row: row["sorting"])
    assert [row["header"] for row in rows] == ["Summer", "Spring", "Winter", "Holidays", "Last"]


@pytest.mark.behaviour("RT-18")
def test_it_says_the_same_of_every_neighbour_that_cannot_be_one(bench: Bench) -> None:
    visit = bench.page("visit")
    answers = {
        bench.refused("create_page_draft", parent=visit, title="X", after=after)
        for after in (999_999, bench.page("collection"), bench.page("staff"), visit)
    }
    assert answers == {("anchor", "The record to insert after does not lie on that page.")}


@pytest.mark.behaviour("RT-18")
def test_it_says_the_same_of_a_missing_page_and_one_of_somebody_else(bench: Bench) -> None:
    answers = {
        bench.refused(tool, **{place: uid}, **texts)
        for uid in (999_999, bench.page("staff"))
        for tool, place, texts in (
            ("create_page_draft", "parent", {"title": "X"}),
            ("create_content_element_draft", "page", {"body": "X"}),
        )
    }
    assert answers == {("not_found", "There is no such record, or you have no access to it.")}


def test_it_refuses_a_title_of_spaces(bench: Bench) -> None:
    assert bench.refused("create_page_draft", parent=bench.page("visit"), title=" ")[0] == "required"


def test_it_does_not_create_what_cannot_be_kept_hidden(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from app.content.writer import Batch

    create = Batch.create

    def shown(self: Batch, *arguments: object, hidden: bool, **named: object) -> object:
        return create(self, *arguments, hidden=False, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Batch, "create", shown)
    assert bench.refused("create_page_draft", parent=bench.page("visit"), title="X")[0] == "not_hidden"
