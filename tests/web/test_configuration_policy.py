"""The effective policy of a configuration for a chosen person and workspace."""

from __future__ import annotations

from typing import Any

import pytest
from bs4 import Tag
from flask import Flask
from sqlalchemy import update

from app.accounts.models import Group, User
from app.agent.configurations import set_configuration
from app.agent.tools import built_in_tools
from app.core.db import transaction
from app.seed.demo import DemoSite
from tests.support.clock import FakeClock
from tests.support.visitor import Visitor, one, tree
from tests.web.test_census import checksums

PAGE = "/configurations/1/policy"


@pytest.fixture
def admin(clock: FakeClock, app: Flask, site: DemoSite) -> Visitor:
    return Visitor(app, site, "admin")


def configure(**values: Any) -> None:
    with transaction() as connection:
        set_configuration(connection, 1, **values)


def lines(admin: Visitor, query: str = "") -> dict[str, Tag]:
    page = tree(admin.get(PAGE + query))
    return {str(row["data-tool"]): row for row in page.select("tr[data-tool]")}


def standing(row: Tag) -> tuple[str, str, str]:
    return str(row["data-standing"]), str(row["data-rule"]), str(row["data-reason"])


def words(row: Tag) -> str:
    return row.get_text(" ", strip=True)


def test_it_says_for_each_tool_how_it_stands(admin: Visitor) -> None:
    found = lines(admin, "?person=anna&workspace=1")
    assert found.keys() == {tool.facts.name for tool in built_in_tools()}
    assert standing(found["read_record"]) == ("free", "", "")
    assert standing(found["hide_record"]) == ("approval", "", "")
    assert "The person who asked, or somebody with the right" in words(found["hide_record"])
    configure(requires_second_approver=True, tool_groups=["reading", "editing"], excluded_tools=["create_redirect"])
    found = lines(admin, "?person=anna&workspace=1")
    assert standing(found["hide_record"])[0] == "second_person"
    assert "Somebody else with the right" in words(found["hide_record"])
    assert standing(found["delete_record"]) == ("not_offered", "offer", "configuration_group")
    assert standing(found["create_redirect"]) == ("not_offered", "offer", "excluded")
    assert "The configuration excludes this tool." in words(found["create_redirect"])


def test_it_depends_on_the_workspace_and_who_may_use_it(admin: Visitor, site: DemoSite) -> None:
    configure(requires_draft_workspace=True)
    live = lines(admin, "?person=anna&workspace=0")["hide_record"]
    assert standing(live) == ("refused", "draft_workspace_required", "live_workspace")
    assert "refused by a rule" in words(live)
    assert "the assignment would work live" in words(live)
    assert standing(lines(admin, "?person=anna&workspace=1")["hide_record"])[0] == "approval"
    campaign = site.people.workspaces["Campaign"]
    found = lines(admin, f"?person=anna&workspace={campaign}")
    assert standing(found["hide_record"]) == ("refused", "draft_workspace_required", "workspace_unavailable")
    assert standing(found["read_record"]) == ("refused", "owner", "workspace_unavailable")
    assert "refused by a rule" not in words(found["read_record"])
    assert "This person cannot work in this workspace." in words(found["read_record"])


def test_it_names_conditions_instead_of_guessing(admin: Visitor, site: DemoSite) -> None:
    configure(branch_page=site.pages["visit"], requires_read_before_write=True)
    row = lines(admin, "?person=anna&workspace=1")["hide_record"]
    branch, read = (condition.get_text() for condition in row.select("[data-condition]"))
    assert branch.startswith(f"Only on Visit (no. {site.pages['visit']}) and below it.")
    assert read == "Only when the assignment has read or made the record before."
    assert lines(admin, "?person=anna&workspace=1")["read_record"].select("[data-condition]") == []


def test_it_says_when_nothing_would_start(admin: Visitor, site: DemoSite) -> None:
    def notice(query: str) -> str:
        return one(tree(admin.get(PAGE + query)), ".notice").get_text(strip=True)

    assert "This person may not use this configuration" in notice("?person=gus")
    with transaction() as connection:
        table = User.__table__
        connection.execute(update(table).where(table.c.username == "ben").values(disabled=True))
    assert "This person cannot act at the moment" in notice("?person=ben")
    assert {standing(row)[0] for row in lines(admin, "?person=ben").values()} <= {"refused", "not_offered"}
    configure(active=False)
    assert "The configuration is switched off" in notice("?person=anna")
    assert {standing(row) for row in lines(admin).values()} == {("not_offered", "offer", "configuration_gone")}


def test_it_says_who_may_approve_for_others(admin: Visitor) -> None:
    assert "“Approvers”" in admin.get(PAGE).get_data(as_text=True)
    with transaction() as connection:
        connection.execute(update(Group.__table__).values(grants='["tasks_use"]'))
    assert "No group has the right to approve steps of other people." in admin.get(PAGE).get_data(as_text=True)


def test_without_a_choice_it_is_about_oneself(admin: Visitor) -> None:
    page = tree(admin.get(PAGE))
    assert one(page, "#person")["value"] == "admin"
    assert one(page, "h2#h-policy").get_text().startswith("Tools for ")
    anna = tree(admin.get(f"{PAGE}?person=anna"))
    assert one(anna, "#policy-workspace option[selected]").get_text() == "Draft “Relaunch”", "where she stands"


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("?person=nobody-of-this-name", "person"),
        ("?workspace=999", "policy-workspace"),
        ("?workspace=x", "policy-workspace"),
        ("?workspace=-1", "policy-workspace"),
    ],
)
def test_it_says_what_cannot_be_answered(admin: Visitor, query: str, field: str) -> None:
    response = admin.get(PAGE + query)
    page = tree(response)
    assert response.status_code == 422
    assert one(page, ".error-summary a")["href"] == f"#{field}"
    assert one(page, f"[id='{field}']")["aria-invalid"] == "true"
    assert page.select("tr[data-tool]") == []


@pytest.mark.behaviour("DW-13")
def test_asking_records_nothing(admin: Visitor, site: DemoSite) -> None:
    configure(requires_draft_workspace=True, branch_page=site.pages["visit"], requires_read_before_write=True)
    assert admin.csrf
    before = checksums()
    for query in ("", "?person=anna&workspace=0", "?person=anna&workspace=1", "?person=gus", "?person=nobody"):
        admin.get(PAGE + query)
    assert checksums() == before
