"""A draft workspace from the first change to live: looked at, sent on, published in part, contradicted, discarded."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.content.editing import write_as_person
from app.policy.identity import LIVE
from e2e.conftest import Server
from e2e.pages.journey import Journey
from tests.support.personas import IdentityOf

pytestmark = pytest.mark.browser


def edit(server: Server, who: str, workspace_id: int, key: str, title: str) -> int:
    """Somebody changes the title of a page elsewhere; returns its number."""
    uid = server.site.pages[key]
    with server.app.app_context():
        identity = IdentityOf(server.site)(who, workspace_id)
        write_as_person(identity, workspace_id, lambda batch: batch.update("pages", uid, {"title": title}))
    return uid


def row(page: Page, uid: int) -> str:
    return f"li[data-record='pages:{uid}']"


@pytest.mark.parametrize("scripts", [True, False], ids=["script", "no script"])
def test_from_draft_to_live(open_journey: Callable[..., Journey], server: Server, scripts: bool) -> None:
    draft = server.site.people.workspaces["Relaunch"]
    hours = edit(server, "anna", draft, "hours", "When we are open")
    directions = edit(server, "anna", draft, "directions", "How to find us")
    press = edit(server, "anna", draft, "press", "For the press")
    edit(server, "olga", LIVE, "directions", "Getting here by train")
    anna = open_journey("anna", scripts=scripts)
    page = anna.page
    page.goto(f"/workspaces/{draft}")
    expect(page.locator(row(page, directions))).to_have_attribute("data-conflict", "true")
    _compare(page, hours, scripts=scripts)
    _send_on(page, hours, draft)
    _publish_in_part(page, hours, draft)
    _contradict(page, directions, draft)
    _discard(page, press, draft)
    expect(page.locator("main")).to_contain_text("No record you may read differs from live")
    for uid, title in ((hours, "When we are open"), (directions, "How to find us"), (press, "Press")):
        page.goto(f"/records/pages/{uid}/history?workspace=0")
        expect(page.locator("h1")).to_contain_text(title)


def _compare(page: Page, uid: int, *, scripts: bool) -> None:
    record = page.locator(row(page, uid))
    record.locator("details > summary").click()
    if not scripts:
        record.locator("details a").click()
        page.wait_for_url(re.compile(r"/workspaces/\d+/records/pages/\d+"))
    comparison = page.locator(f"[data-comparison='pages:{uid}']")
    expect(comparison.locator("del")).to_have_text("Opening hours")
    expect(comparison.locator("ins")).to_have_text("When we are open")


def _choose(page: Page, draft: int, uid: int, button: str) -> None:
    page.goto(f"/workspaces/{draft}")
    page.locator(row(page, uid)).locator("input[name=record]").check()
    page.get_by_role("button", name=button).click()
    expect(page.locator("#confirmation")).to_be_visible()


def _send_on(page: Page, uid: int, draft: int) -> None:
    _choose(page, draft, uid, "Send on to publishing")
    page.get_by_role("button", name="Send on 1 record").click()
    expect(page.locator("#flash")).to_contain_text("Sent on to publishing: 1 record.")
    expect(page.locator(row(page, uid))).to_have_attribute("data-stage", "ready")


def _publish_in_part(page: Page, uid: int, draft: int) -> None:
    _choose(page, draft, uid, "Publish the chosen records")
    page.get_by_role("button", name="Publish 1 record").click()
    expect(page.locator("#flash")).to_contain_text("Published: 1 record.")
    expect(page.locator(row(page, uid))).to_have_count(0)


def _contradict(page: Page, uid: int, draft: int) -> None:
    _choose(page, draft, uid, "Publish the chosen records")
    panel = page.locator("#confirmation [data-conflict]")
    expect(panel).to_contain_text("Getting here by train")
    button = page.get_by_role("button", name="Publish what I chose to overwrite")
    button.click()
    expect(page.locator("#flash")).to_contain_text("Its draft is kept")
    _choose(page, draft, uid, "Publish the chosen records")
    panel.locator("input[name=overwrite]").check()
    button.click()
    expect(page.locator("#flash")).to_contain_text("Published: 1 record.")


def _discard(page: Page, uid: int, draft: int) -> None:
    _choose(page, draft, uid, "Discard the chosen records")
    page.get_by_role("button", name="Discard 1 draft").click()
    expect(page.locator("#flash")).to_contain_text("Discarded: 1 draft.")


def test_everything_by_keyboard(open_journey: Callable[..., Journey], server: Server) -> None:
    draft = server.site.people.workspaces["Relaunch"]
    uid = edit(server, "anna", draft, "hours", "When we are open")
    anna = open_journey("anna")
    page = anna.page
    page.goto(f"/workspaces/{draft}")
    anna.tab_to(f"{row(page, uid)} input[name=record]")
    page.keyboard.press("Space")
    anna.tab_to(f"{row(page, uid)} summary")
    page.keyboard.press("Enter")
    expect(page.locator("[data-comparison] ins")).to_have_text("When we are open")
    anna.tab_to("#workspace-records button[formaction$='/discarding']")
    page.keyboard.press("Enter")
    expect(page.locator("#confirmation")).to_be_visible()
    anna.tab_to("#confirmation button[type=submit]")
    page.keyboard.press("Enter")
    expect(page.locator("#flash")).to_contain_text("Discarded: 1 draft.")


@pytest.mark.parametrize("scripts", [True, False], ids=["script", "no script"])
@pytest.mark.parametrize("width", [320, 1280])
def test_switching_in_the_header(
    open_journey: Callable[..., Journey], server: Server, scripts: bool, width: int
) -> None:
    anna = open_journey("anna", scripts=scripts, width=width)
    page, address = anna.page, f"/pages/{server.site.pages['hours']}"
    page.goto(address)
    anna.tab_to("#workspace-here")
    page.keyboard.press("Enter")
    expect(page.locator("#workspace")).to_be_visible()
    assert anna.sideways == []
    page.locator("#workspace").select_option("0")
    page.locator("#workspace-selection button").click()
    expect(page.locator("#workspace-here")).to_have_text("Workspace: Live")
    expect(page.locator("#flash")).to_contain_text("You stand in another workspace now.")
    assert page.url.endswith(address)


@pytest.mark.parametrize("scripts", [True, False], ids=["script", "no script"])
def test_the_hint_of_the_message_field_is_true(open_journey: Callable[..., Journey], scripts: bool) -> None:
    anna = open_journey("anna", scripts=scripts)
    anna.new_conversation()
    assert anna.page.locator("#message-key").is_visible() is scripts
    expect(anna.page.locator("#message-workspace")).to_contain_text("Relaunch")
    anna.page.locator("#message-workspace a").click()
    assert anna.page.evaluate("document.activeElement.id") == "workspace-here"
