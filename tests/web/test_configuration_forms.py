"""The form of a configuration: setting, checking, rehearsing, and the history of who changed what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from bs4 import BeautifulSoup
from flask import Flask
from werkzeug.test import TestResponse

from app.accounts.passwords import hash_password
from app.accounts.service import set_password
from app.agent.configuration_changes import list_changes
from app.agent.configurations import ConfigurationView, create_configuration, find_configuration, set_configuration
from app.core.db import reading, transaction
from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments
from tests.support.clock import FakeClock
from tests.support.visitor import Visitor, one, tree
from tests.web.test_census import checksums

PAGE = "/configurations/1"
REHEARSAL = f"{PAGE}/rehearsal"
PASSWORD = "a long enough pass phrase"


@pytest.fixture
def admin(clock: FakeClock, app: Flask, site: DemoSite) -> Visitor:
    return Visitor(app, site, "admin")


def stored(number: int = 1) -> ConfigurationView:
    with reading() as connection:
        found = find_configuration(connection, number)
    assert found is not None
    return found


def entered(page: BeautifulSoup) -> dict[str, Any]:
    """What a browser would send of the form on a page."""
    found: dict[str, Any] = {}
    for control in one(page, "form#configuration").select("input, textarea"):
        name, kind = str(control.get("name")), control.get("type")
        if kind in ("checkbox", "radio"):
            if control.has_attr("checked"):
                found.setdefault(name, []).append(str(control["value"]))
        else:
            value = control.get_text() if control.name == "textarea" else str(control.get("value", ""))
            found[name] = value.removeprefix("\n")
    return found


def send(admin: Visitor, *, path: str = PAGE, leave_out: tuple[str, ...] = (), **changes: Any) -> TestResponse:
    """Open the form, change some of it and send it."""
    opened = path.removesuffix("/rehearsal")
    form = {**entered(tree(admin.get(opened))), **changes}
    return admin.post(path, **{name: value for name, value in form.items() if name not in leave_out})


def errors(response: TestResponse) -> dict[str, str]:
    """Control id -> sentence of the error summary; every link leads to a control."""
    page = tree(response)
    found = {}
    for link in page.select(".error-summary a"):
        target = str(link["href"]).removeprefix("#")
        assert page.find(id=target) is not None, target
        found[target] = link.get_text(strip=True)
    return found


@pytest.mark.behaviour("DW-01")
def test_it_opens_a_new_one_with_every_demand_off_and_the_draft_beside_the_second_person(admin: Visitor) -> None:
    page = tree(admin.get("/configurations/new"))
    flags = ("requires_draft_workspace", "requires_second_approver", "requires_read_before_write")
    assert all(not one(page, f"input[name={name}]").has_attr("checked") for name in flags)
    access = one(page, "fieldset#access")
    order = [str(control.get("name")) for control in access.select("input[type=checkbox]")]
    assert order.index("requires_draft_workspace") == order.index("requires_second_approver") + 1
    response = admin.post("/configurations/new", **{**entered(page), "name": " Press  office "})
    assert (response.status_code, response.location) == (303, "/configurations/3")
    made = stored(3)
    assert (made.name, made.model, made.active, made.branch_page) == ("Press office", "builtin", True, 0)
    assert not made.requires_draft_workspace
    assert not made.requires_second_approver
    assert not made.tool_groups


@pytest.mark.behaviour("DW-26")
def test_its_help_says_what_follows(admin: Visitor) -> None:
    page = tree(admin.get(PAGE))
    access = " ".join(one(page, "fieldset#access").get_text(" ", strip=True).split())
    assert "Forms, imports and commands do not ask them." in access
    draft = one(page, "#requires_draft_workspace-hint").get_text()
    assert "Tools of remote servers cannot be used" in draft
    assert "Steps that write redirects never run" in draft
    assert one(page, "#requires_draft_workspace")["aria-describedby"] == "requires_draft_workspace-hint"


def test_it_saves_every_setting(admin: Visitor, site: DemoSite) -> None:
    groups = site.people.groups
    response = send(
        admin,
        name="Editorial desk",
        model="openai:small",
        prompt="Write short.\r\nNo jokes.",
        people_limit="some",
        allowed_groups=[str(groups["Editorial"]), str(groups["Live"])],
        requires_second_approver="y",
        requires_draft_workspace="y",
        requires_read_before_write="y",
        branch_page="0",
        branch_search=str(site.pages["visit"]),
        tool_limit="some",
        tool_groups=["reading", "editing"],
        excluded_tools=["create_redirect"],
    )
    assert (response.status_code, response.location) == (303, f"{PAGE}#changes")
    found = stored()
    assert (found.name, found.model, found.prompt) == ("Editorial desk", "openai:small", "Write short.\nNo jokes.")
    assert found.allowed_groups == tuple(sorted((groups["Editorial"], groups["Live"])))
    assert (found.tool_groups, found.excluded_tools) == (("editing", "reading"), ("create_redirect",))
    assert found.branch_page == site.pages["visit"]
    assert found.requires_second_approver
    assert found.requires_draft_workspace
    assert found.requires_read_before_write
    page = tree(admin.get(PAGE))
    assert "Only Visit (no. " in one(page, "fieldset#branch_page").get_text(), "the title stands beside the number"
    assert entered(page)["branch_page"] == [str(site.pages["visit"])]
    assert send(admin).status_code == 303
    assert stored() == found, "saving what the form shows changes nothing"


def test_a_limit_that_is_not_chosen_does_not_count(admin: Visitor) -> None:
    send(admin, tool_limit="none", tool_groups=["reading"])
    assert stored().tool_groups == ()


def test_it_shows_everything_that_is_wrong_and_keeps_what_was_typed(admin: Visitor) -> None:
    before = stored()
    response = send(
        admin,
        name="Editorial, drafts only",
        model="nonsense",
        prompt="x" * 20_001,
        people_limit="some",
        tool_limit="some",
        branch_search="987654",
        requires_draft_workspace="y",
    )
    assert response.status_code == 422
    assert errors(response) == {
        "name": "There is already a configuration with this name.",
        "model": "Enter builtin, openai:NAME or anthropic:NAME, at most 120 characters.",
        "prompt": "Enter at most 20,000 characters.",
        "allowed_groups": "Tick at least one group of people, or let everybody use it.",
        "branch_search": "There is no page no. 987654.",
        "tool_groups": "Tick at least one group of tools, or offer tools of every group.",
    }
    page = tree(response)
    kept = entered(page)
    assert (kept["name"], kept["model"], kept["branch_search"]) == ("Editorial, drafts only", "nonsense", "987654")
    assert kept["requires_draft_workspace"] == ["y"]
    assert one(page, "title").get_text().startswith("Error: ")
    assert one(page, "#model")["aria-invalid"] == "true"
    assert stored() == before


@pytest.mark.parametrize(
    "changes",
    [
        {"allowed_groups": ["987654"], "people_limit": "some"},
        {"allowed_groups": ["x"], "people_limit": "some"},
        {"tool_groups": ["nonsense"], "tool_limit": "some"},
        {"excluded_tools": ["nonsense"]},
        {"branch_page": "987654"},
        {"branch_page": "-1"},
        {"branch_page": "x"},
        {"tool_limit": "x"},
        {"people_limit": ""},
        {"name": " "},
        {"name": "x" * 81},
        {"branch_search": "no page is called like this"},
    ],
)
def test_it_takes_nothing_that_is_not_offered(admin: Visitor, changes: dict[str, Any]) -> None:
    before = stored()
    response = send(admin, **changes)
    assert response.status_code == 422
    assert len(errors(response)) == 1
    assert stored() == before


def test_words_of_a_title_find_the_page(admin: Visitor, site: DemoSite) -> None:
    assert send(admin, branch_search="opening HOURS").status_code == 303
    assert stored().branch_page == site.pages["hours"]


def test_words_that_mean_several_pages_are_offered_to_choose_from(admin: Visitor, site: DemoSite) -> None:
    response = send(admin, branch_search="e")
    assert response.status_code == 422
    assert "Choose the one you mean" in errors(response)["branch_page"]
    page = tree(response)
    offered = [str(option["value"]) for option in page.select("input[name=branch_page]")]
    assert str(site.pages["press"]) in offered
    again = {**entered(page), "branch_page": str(site.pages["press"])}
    assert admin.post(PAGE, **again).status_code == 303
    assert stored().branch_page == site.pages["press"]


def test_what_exists_no_more_does_not_hinder_saving(admin: Visitor) -> None:
    with transaction() as connection:
        set_configuration(connection, 1, excluded_tools=["gone_tool"], allowed_groups=[987_654], branch_page=987_654)
    page = tree(admin.get(PAGE))
    words = one(page, "form#configuration").get_text(" ", strip=True)
    assert "gone_tool, which is not installed any more" in words
    assert "Group no. 987654, which does not exist any more" in words
    assert "Page no. 987654, which does not exist any more" in words
    assert send(admin, prompt="New words").status_code == 303
    assert (stored().excluded_tools, stored().allowed_groups, stored().branch_page) == (
        ("gone_tool",),
        (987_654,),
        987_654,
    )


def test_of_two_who_save_at_once_the_second_is_told(admin: Visitor) -> None:
    form = entered(tree(admin.get(PAGE)))
    with transaction() as connection:
        set_configuration(connection, 1, requires_draft_workspace=True)
    late = admin.post(PAGE, **{**form, "prompt": "Mine"})
    assert late.status_code == 409
    page = tree(late)
    assert "Somebody else has changed this meanwhile" in one(page, ".error-summary").get_text()
    assert entered(page)["prompt"] == "Mine"
    assert stored().prompt == ""
    assert stored().requires_draft_workspace
    assert admin.post(PAGE, **entered(page)).status_code == 303
    assert (stored().prompt, stored().requires_draft_workspace) == ("Mine", False)


def test_it_keeps_who_changed_what_and_when(admin: Visitor, site: DemoSite, clock: FakeClock) -> None:
    send(admin, prompt="Write short sentences.", requires_second_approver="y")
    clock.advance(60)
    send(admin, prompt="Write very short sentences.", tool_limit="some", tool_groups=["reading"])
    assert send(admin).status_code == 303, "nothing changed, so nothing is recorded"
    with reading() as connection:
        newest, first, created = list_changes(connection, 1, limit=10)
    person = site.people.users["admin"]
    assert (newest.user_id, first.user_id, created.user_id) == (person, person, 0)
    assert newest.at == first.at + 60
    assert first.changes == {
        "prompt": ("", "Write short sentences."),
        "requires_second_approver": (False, True),
    }
    assert newest.changes["tool_groups"] == ([], ["reading"])
    shown = tree(admin.get(PAGE)).select("#changes li[data-change]")
    assert [int(str(entry["data-change"])) for entry in shown] == [newest.id, first.id, created.id]
    text = one(shown[0], "[data-field=prompt]")
    assert [mark.get_text() for mark in text.select("ins")] == ["added:  very"]
    groups = one(shown[0], "[data-field=tool_groups]")
    assert one(groups, "del").get_text() == "Tools of every group, also of groups that are added"
    assert one(groups, "ins").get_text() == "Reading"
    second = one(shown[1], "[data-field=requires_second_approver]")
    assert (one(second, "del").get_text(), one(second, "ins").get_text()) == ("no", "yes")
    assert "Command line or set-up" in one(shown[2], "h3").get_text()
    assert "Added with these settings:" in shown[2].get_text()


def test_a_long_history_comes_in_parts(admin: Visitor) -> None:
    with transaction() as connection:
        for number in range(25):
            set_configuration(connection, 1, prompt=f"Text {number}")
    page = tree(admin.get(PAGE))
    first = [int(str(entry["data-change"])) for entry in page.select("li[data-change]")]
    older = str(next(link["href"] for link in page.select("#changes a") if "before=" in str(link["href"])))
    rest = tree(admin.get(older.partition("#")[0]))
    later = [int(str(entry["data-change"])) for entry in rest.select("li[data-change]")]
    assert (len(first), len(later)) == (20, 6)
    assert sorted(first + later, reverse=True) == first + later


def test_it_wants_a_recent_proof_of_who_asks(app: Flask, site: DemoSite, clock: FakeClock) -> None:
    with transaction() as connection:
        set_password(connection, site.people.users["admin"], hash_password(PASSWORD))
    admin = Visitor(app, site, "admin")
    form = {**entered(tree(admin.get(PAGE))), "tool_limit": "some", "tool_groups": ["reading", "editing"]}
    clock.advance(700)
    asked = admin.post(PAGE, **form)
    assert asked.status_code == 403
    assert stored().tool_groups == ()
    hidden = one(tree(asked), "#confirmation").select("input[type=hidden]")
    again: dict[str, Any] = {}
    for field in hidden:
        again.setdefault(str(field["name"]), []).append(str(field["value"]))
    assert admin.post(PAGE, **again, confirm_password=PASSWORD).status_code == 303
    assert stored().tool_groups == ("editing", "reading"), "several values of a field go along"


@pytest.mark.parametrize("address", [PAGE, "/configurations/new", f"{PAGE}/policy"])
def test_only_administrators_see_and_change_it(app: Flask, site: DemoSite, address: str) -> None:
    for name in ("anna", "fay", "gus"):
        visitor = Visitor(app, site, name)
        assert visitor.get(address).status_code == 403
        if not address.endswith("policy"):
            assert visitor.post(address, name="Mine").status_code == 403
        assert visitor.post(REHEARSAL, name="Mine").status_code == 403


def test_an_unknown_configuration_is_not_found(admin: Visitor) -> None:
    for path in ("/configurations/99", "/configurations/99/rehearsal"):
        assert admin.post(path, name="x").status_code == 404
    assert admin.get("/configurations/99").status_code == 404
    assert admin.get("/configurations/99/policy").status_code == 404


@pytest.fixture
def history(assignments: Assignments, site: DemoSite) -> Assignments:
    """Two steps of Anna, on different branches."""
    for name in ("hours", "press"):
        assignments.ask([("hide_record", {"table": "pages", "uid": site.pages[name]})], DONE, workspace=1)
        assignments.decide()
    return assignments


def effects(response: TestResponse) -> dict[str, str]:
    block = one(tree(response), "#rehearsal")
    return {str(row["data-effect"]): row.get_text(" ", strip=True) for row in block.select("[data-effect]")}


def test_it_tells_what_the_unsaved_settings_would_have_done(
    admin: Visitor, history: Assignments, site: DemoSite
) -> None:
    opened = one(tree(admin.get(PAGE)), "button[formaction]")
    assert opened["formaction"] == f"{REHEARSAL}#rehearsal"
    assert opened.get_text() == "Check what this would have done"
    form = {"branch_search": str(site.pages["visit"]), "requires_second_approver": "y"}
    before = checksums()
    response = send(admin, path=REHEARSAL, **form)
    assert response.status_code == 200
    assert effects(response) == {
        "newly_refused": "Would be refused now 1 step",
        "newly_second_person": "Would need a second person now 1 step",
    }
    assert checksums() == before, "a rehearsal records nothing"
    page = tree(response)
    refused = next(item for item in page.select("#rehearsal li[data-run]") if "refused" in item.get_text())
    words = refused.get_text(" ", strip=True)
    assert "Anna Bergmann" in words
    assert "Only below one page" in words
    assert admin.get(str(one(refused, "a")["href"])).status_code == 200
    kept = entered(page)
    assert (kept["branch_page"], kept["branch_search"]) == ([str(site.pages["visit"])], "")
    assert admin.post(PAGE, **kept).status_code == 303
    assert (stored().branch_page, stored().requires_second_approver) == (site.pages["visit"], True)
    back = send(admin, path=REHEARSAL, branch_page="0", leave_out=("requires_second_approver",))
    assert effects(back) == {
        "newly_allowed": "Would not be refused any more 1 step",
        "no_second_person": "Would need no second person any more 1 step",
    }


def test_it_says_when_nothing_would_have_gone_another_way(admin: Visitor, history: Assignments) -> None:
    response = send(admin, path=REHEARSAL, prompt="Other words")
    assert list(effects(response)) == ["same"]
    assert "2 steps of the last 30 days were asked about again." in response.get_data(as_text=True)


def test_switching_off_would_have_refused_every_step(admin: Visitor, history: Assignments) -> None:
    assert effects(send(admin, path=REHEARSAL, leave_out=("active",)))["newly_refused"].endswith("2 steps")


def test_a_rehearsal_of_what_cannot_be_set_says_what_is_wrong(admin: Visitor, history: Assignments) -> None:
    response = send(admin, path=REHEARSAL, model="nonsense")
    assert response.status_code == 422
    assert "model" in errors(response)
    assert tree(response).select("#rehearsal") == []


def test_it_rehearses_without_steps_too(admin: Visitor) -> None:
    response = send(admin, path=REHEARSAL, requires_second_approver="y")
    assert "No step of this configuration was found in the last 30 days." in response.get_data(as_text=True)


def test_the_list_leads_to_each_and_says_what_it_demands(admin: Visitor) -> None:
    with transaction() as connection:
        create_configuration(connection, "Narrow", branch_page=2, excluded_tools=["hide_record", "move_page"])
    page = tree(admin.get("/configurations"))
    rows = {str(row["data-configuration"]): row for row in page.select("tr[data-configuration]")}
    assert "draft workspace required" in rows["2"].get_text()
    assert [badge.get_text() for badge in rows["3"].select(".badge")] == [
        "one part of the page tree only",
        "2 tools excluded",
    ]
    assert admin.get(str(one(rows["1"], "th a")["href"])).status_code == 200
    assert one(page, "a.button")["href"] == "/configurations/new"


def test_the_pages_hold_up_as_documents(browser_of: Callable[[str], Any]) -> None:
    browser = browser_of("admin")
    for address in ("/configurations", "/configurations/new", PAGE, f"{PAGE}/policy"):
        browser.get(address)
