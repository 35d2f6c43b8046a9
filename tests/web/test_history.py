"""The history of a record as a page: who did what, word by word, and the assignment behind it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import insert

from app.content import models
from app.content.editing import write_as_person
from app.content.store import list_elements
from app.core.db import reading, transaction
from app.seed.demo import DemoSite
from tests.conftest import IdentityOf
from tests.support.assignments import DONE, Assignments
from tests.support.page import PageClient
from tests.support.statements import count_statements
from tests.web.test_content_pages import change

Browsers = Callable[[str], PageClient]


@pytest.mark.behaviour("CM-06")
def test_it_links_the_assignment_for_those_who_may_read_it(
    browser_of: Browsers, assignments: Assignments, site: DemoSite
) -> None:
    uid, draft = site.pages["hours"], site.people.workspaces["Relaunch"]
    assignments.ask([("hide_record", {"table": "pages", "uid": uid})], DONE)
    assignments.decide()
    run, conversation = f"/runs/{assignments.run_uuid}", f"/conversations/{assignments.id}"
    seen = {}
    for name in ("anna", "olga", "ben"):
        found = browser_of(name).get(
            f"/records/pages/{uid}/history?workspace={draft}", headers={"Accept-Language": "en"}
        )
        entry = found.all(".timeline__entry")[0]
        seen[name] = [str(link["href"]) for link in entry.select("a")]
        assert len(entry.select(".facts li")) == 2
    assert seen == {"anna": [run, conversation], "olga": [run], "ben": []}
    ben = browser_of("ben").get(f"/records/pages/{uid}/history?workspace={draft}")
    assert "by an assignment" in ben.text
    assert assignments.run_uuid not in ben.html


def test_it_marks_and_says_what_went_and_what_came(anna: PageClient, identity_of: IdentityOf, site: DemoSite) -> None:
    draft = site.people.workspaces["Relaunch"]
    with reading() as connection:
        element = list_elements(connection, 0, site.pages["hours"], 0)[0]
    words = f"{element['body']} On holidays we are closed."
    write_as_person(
        identity_of("anna", draft), draft, lambda batch: batch.update("content_elements", element.uid, {"body": words})
    )
    field = anna.get(f"/records/content_elements/{element.uid}/history?workspace={draft}").all("[data-field=body]")[0]
    assert not field.select("del")
    added = field.select_one("ins")
    assert added is not None
    assert added.get_text() == "added:  On holidays we are closed."
    assert added.select_one(".vh").get_text() == "added: "  # type: ignore[union-attr]


@pytest.mark.behaviour("CM-06")
def test_it_goes_to_older_and_newer_changes(anna: PageClient, site: DemoSite) -> None:
    uid = site.pages["hours"]
    row = {
        "table_name": "pages",
        "uid": uid,
        "live_uid": uid,
        "workspace_id": 0,
        "action": "updated",
        "origin": "person",
    }
    rows = [{**row, "at": number, "user_id": 0, "correlation": "x", "changes": "{}"} for number in range(45)]
    with transaction() as connection:
        connection.execute(insert(models.RecordHistory.__table__), rows)
    newest = anna.get(f"/records/pages/{uid}/history?workspace=0")
    assert len(newest.all(".timeline__entry")) == 20
    assert not newest.all("a[rel=prev]")
    middle = anna.get(str(newest.one("a[rel=next]")["href"]))
    oldest = anna.get(str(middle.one("a[rel=next]")["href"]))
    assert not oldest.all("a[rel=next]")
    ids = [str(entry["id"]) for page in (newest, middle, oldest) for entry in page.all(".timeline__entry")]
    assert len(ids) == len(set(ids)) > 45
    assert [
        str(entry["id"]) for entry in anna.get(str(oldest.one("a[rel=prev]")["href"])).all(".timeline__entry")
    ] == ids[20:40]
    for query in ("before=x", "after=-1", "before=1&before=2"):
        assert anna.get(f"/records/pages/{uid}/history?workspace=0&{query}").status == 422


@pytest.mark.behaviour("CM-06")
def test_it_keeps_entries_of_a_draft_to_its_members(
    browser_of: Browsers, identity_of: IdentityOf, site: DemoSite
) -> None:
    uid, draft = site.pages["hours"], site.people.workspaces["Relaunch"]
    change(identity_of, "anna", draft, uid, title="Secret title")
    assert "Secret title" in browser_of("ben").get(f"/records/pages/{uid}/history?workspace={draft}").html
    for workspace in (draft, 0, site.people.workspaces["Campaign"]):
        assert "Secret title" not in browser_of("cem").get(f"/records/pages/{uid}/history?workspace={workspace}").html


def test_it_asks_a_constant_number_of_statements(anna: PageClient, site: DemoSite) -> None:
    counts = []
    history = models.RecordHistory.__table__
    for _ in range(2):
        with count_statements() as statements:
            anna.get(f"/records/pages/{site.pages['hours']}/history?workspace=0")
        counts.append(len(statements))
        with reading() as connection:
            first = connection.execute(history.select().limit(1)).mappings().one()
        values = {**first, "table_name": "pages", "live_uid": site.pages["hours"], "workspace_id": 0}
        del values["id"]
        with transaction() as connection:
            origins = [{"user_id": number, "origin": "run" if number > 20 else "person"} for number in range(30)]
            connection.execute(insert(history), [{**values, **origin} for origin in origins])
    assert counts[1] - counts[0] <= 2  # names of people and runs are asked for only when there are any


def test_it_lists_a_workspace_in_a_constant_number_of_statements(
    anna: PageClient, identity_of: IdentityOf, site: DemoSite
) -> None:
    draft, counts = site.people.workspaces["Relaunch"], []
    for number in range(2):
        for uid in list(site.pages.values())[1 + 3 * number : 4 + 3 * number]:
            change(identity_of, "admin", draft, uid, title=f"Another {uid}")
        with count_statements() as statements:
            anna.get(f"/workspaces/{draft}")
        counts.append(len(statements))
    assert counts[0] == counts[1]
