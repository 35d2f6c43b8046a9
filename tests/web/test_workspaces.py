"""Workspaces: list, switching, what a draft holds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.content.editing import write_as_person
from app.content.store import find_row
from app.core.db import reading
from app.seed.demo import DemoSite
from tests.conftest import IdentityOf
from tests.support.assignments import DONE, Assignments
from tests.support.page import PageClient
from tests.web.test_content_pages import bare, change

Browsers = Callable[[str], PageClient]


def test_it_lists_what_a_person_may_use(anna: PageClient, browser_of: Browsers) -> None:
    options = [option.get_text() for option in anna.get("/workspaces").all("#workspace-selection option")]
    assert options == ["Workspace: Live", "Workspace: Draft “Old draft”", "Workspace: Draft “Relaunch”"]
    assert browser_of("gus").get("/workspaces").all("#workspace-selection") == []


def test_it_switches_and_returns_to_the_page_it_came_from(anna: PageClient) -> None:
    page = anna.get("/workspaces")
    assert page.values("#workspace-selection")["workspace"] != "0"
    done = anna.post("/workspaces/selection", {"workspace": "0"}, headers={"Referer": "http://localhost/pages?q=a"})
    assert (done.status, done.location) == (303, "/pages?q=a")
    assert anna.get("/workspaces").values("#workspace-selection")["workspace"] == "0"
    assert "Workspace: Live" in anna.get("/help").one("header").get_text()


@pytest.mark.parametrize("referer", ["https://evil.test/x", "http://localhost//evil.test", "", "x"])
def test_it_returns_to_own_pages_only(anna: PageClient, referer: str) -> None:
    done = anna.post("/workspaces/selection", {"workspace": "0"}, headers={"Referer": referer})
    assert done.location == "/workspaces"


def test_it_switches_without_script(anna: PageClient) -> None:
    done = anna.follow(anna.submit(anna.get("/workspaces"), "#workspace-selection", workspace="0"))
    assert "You stand in another workspace now." in done.text


def test_it_offers_the_switch_on_every_page(anna: PageClient, browser_of: Browsers, site: DemoSite) -> None:
    for address in ("/help", f"/pages/{site.pages['hours']}?q=1", "/conversations", "/workspaces"):
        page = anna.get(address)
        options = [option.get_text() for option in page.all("#workspace-selection option")]
        assert options == ["Workspace: Live", "Workspace: Draft “Old draft”", "Workspace: Draft “Relaunch”"]
        assert page.one("#workspace-here").get_text() == "Workspace: Draft “Relaunch”"
        assert page.values("#workspace-selection")["next"] == address
    assert browser_of("emil").get("/nowhere").all("header #workspace-selection")
    assert browser_of("gus").get("/help").all("#workspace-selection") == []


def test_it_stays_on_the_page_when_that_exists_in_the_other_workspace(anna: PageClient, site: DemoSite) -> None:
    """DW-23 belongs to runs; here only the person moves."""
    address = f"/pages/{site.pages['hours']}"
    done = anna.submit(anna.get(address), "#workspace-selection", workspace="0")
    assert done.location == address
    assert "You stand in another workspace now." in anna.follow(done).text


def test_it_leaves_the_page_when_its_record_is_new_in_the_draft(
    anna: PageClient, identity_of: IdentityOf, site: DemoSite
) -> None:
    draft = site.people.workspaces["Relaunch"]
    made, _ = write_as_person(
        identity_of("anna", draft), draft, lambda batch: batch.create("pages", site.pages["visit"], {"title": "Café"})
    )
    for address in (f"/pages/{made.uid}", f"/records/pages/{made.uid}", f"/records/pages/{made.uid}/history"):
        done = anna.submit(anna.get(address), "#workspace-selection", workspace="0")
        assert done.location == "/pages"
        assert "does not exist there" in anna.follow(done).text
        anna.post("/workspaces/selection", {"workspace": str(draft), "next": "/help"})


def test_it_says_in_which_workspace_the_next_assignment_writes(anna: PageClient) -> None:
    conversation = anna.post("/conversations", {}).location
    page = anna.get(conversation)
    hint = page.one("#message-workspace")
    assert "draft workspace “Relaunch”" in hint.get_text()
    assert "message-workspace" in str(page.one("#message")["aria-describedby"]).split()
    assert page.one("#message-workspace a")["href"] == "#workspace-here"
    assert page.one("#message-key").has_attr("hidden")
    anna.submit(page, "#workspace-selection", workspace="0")
    assert "for live" in anna.get(conversation).one("#message-workspace").get_text()


@pytest.mark.behaviour("DW-23")
def test_it_leaves_an_assignment_where_it_started(anna: PageClient, assignments: Assignments, site: DemoSite) -> None:
    uid, draft = site.pages["hours"], site.people.workspaces["Relaunch"]
    assignments.ask([("hide_record", {"table": "pages", "uid": uid})], DONE)
    anna.submit(anna.get("/help"), "#workspace-selection", workspace="0")
    assignments.decide()
    with reading() as connection:
        live, drafted = (find_row(connection, "pages", uid, number) for number in (0, draft))
    assert live is not None
    assert drafted is not None
    assert (live["hidden"], drafted["hidden"]) == (False, True)


def test_it_hides_workspaces_of_others(anna: PageClient, site: DemoSite) -> None:
    """I21"""
    other = site.people.workspaces["Campaign"]
    forbidden, missing = anna.get(f"/workspaces/{other}"), anna.get("/workspaces/9999")
    assert forbidden.status == missing.status == 404
    assert bare(forbidden, other) == bare(missing, 9999)
    assert anna.post("/workspaces/selection", {"workspace": str(other)}).status == 404
    assert anna.post("/workspaces/selection", {"workspace": "9999"}).status == 404


def test_it_lists_what_differs_from_live(
    anna: PageClient, browser_of: Browsers, identity_of: IdentityOf, site: DemoSite
) -> None:
    draft, uid = site.people.workspaces["Relaunch"], site.pages["hours"]
    assert "No record you may read differs" in anna.get(f"/workspaces/{draft}").text
    change(identity_of, "anna", draft, uid, title="When we are open")
    found = anna.get(f"/workspaces/{draft}")
    row = found.one(f"[data-record='pages:{uid}']")
    assert "When we are open" in row.get_text()
    assert "changed" in [fact.get_text() for fact in row.select(".facts li")]
    emil = browser_of("emil").get(f"/workspaces/{draft}")
    assert "When we are open" not in emil.html
    assert "1 further record is not shown." in emil.text


def test_it_refuses_other_methods_and_strangers(anonymous: PageClient, anna: PageClient) -> None:
    assert anonymous.get("/workspaces").location == "/sign-in?next=/workspaces"
    assert anna.get("/workspaces/selection").status == 405
    assert anna.post_raw("/workspaces/selection", data={"workspace": "0"}).status == 403
    assert anna.post("/workspaces/selection", {}).status == 422
