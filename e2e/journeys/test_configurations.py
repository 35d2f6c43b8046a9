"""An administrator restricts a configuration by keyboard; the next person reads it before typing and is refused by it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from e2e.conftest import Server
from e2e.pages.journey import Journey

pytestmark = pytest.mark.browser


def press(page: Page, selector: str, key: str = "Space") -> None:
    """Give a control the focus and press a key on it."""
    page.locator(selector).focus()
    page.keyboard.press(key)


@pytest.mark.parametrize("scripts", [True, False], ids=["script", "no script"])
def test_from_the_form_to_the_refusal(open_journey: Callable[..., Journey], server: Server, scripts: bool) -> None:
    visit = server.site.pages["visit"]
    admin = open_journey("admin", scripts=scripts)
    page = admin.page
    page.goto("/configurations/1")
    page.locator("#branch_search").fill(str(visit))
    page.locator("#approval_days").fill("x")
    press(page, "#configuration button[type=submit]:not([formaction])", "Enter")
    expect(page.locator(".error-summary").first).to_be_visible()
    expect(page.locator("#approval_days")).to_have_value("x")
    page.locator("#approval_days").fill("3")
    press(page, "#configuration button[formaction]", "Enter")
    expect(page.locator("#rehearsal")).to_be_visible()
    press(page, "#configuration button[type=submit]:not([formaction])", "Enter")
    expect(page).to_have_url(re.compile(r"/configurations/1(#[^/]*)?$"))
    page.goto("/configurations/1")
    expect(page.locator("#approval_days")).to_have_value("3")
    expect(page.locator("input[name=branch_page]:checked")).to_have_value(str(visit))
    page.goto("/configurations/1/policy?person=anna&workspace=1")
    expect(page.locator("main")).to_contain_text("Visit")
    _be_refused(open_journey("anna", scripts=scripts), scripts=scripts)


def _be_refused(anna: Journey, *, scripts: bool) -> None:
    page = anna.page
    anna.new_conversation("Editorial")
    expect(page.locator("#start-notes [data-start=branch]")).to_contain_text("Visit")
    anna.send("Hide the page 'Press'")
    if scripts:
        expect(page.locator("#log > li")).to_have_count(2)
        anna.wait_for("idle")
    else:
        anna.reload_until("idle")
    expect(anna.card).to_have_count(0)
    expect(page.locator("#log")).to_contain_text("only on the page “Visit”")
