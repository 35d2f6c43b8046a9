"""The same assignment by keyboard alone, in German and dark, and on a narrow screen."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from e2e.conftest import PASSWORD, Server
from e2e.pages.journey import Journey
from e2e.pages.product import all_pages

pytestmark = pytest.mark.browser
KOPIERE = "Kopiere die Seite „Visit“ mit ihren Unterseiten unter „About us“"


def test_from_sign_in_to_the_list_without_a_mouse(open_journey: Callable[..., Journey]) -> None:
    anna = open_journey("anna")
    page = anna.page
    page.context.clear_cookies()
    page.goto("/sign-in")
    for selector, words in (("input[name=username]", "anna"), ("input[name=password]", PASSWORD)):
        anna.tab_to(selector)
        page.keyboard.type(words)
    page.keyboard.press("Enter")
    page.wait_for_url("**/conversations")
    anna.tab_to("#new-conversation button[type=submit]")
    page.keyboard.press("Enter")
    page.wait_for_url("**/conversations/*")
    anna.tab_to("#message")
    page.keyboard.type("Hide the page 'Getting here'")
    page.keyboard.press("Control+Enter")
    anna.wait_for("awaiting_approval")
    expect(anna.card).to_be_visible()
    assert anna.focused == "TEXTAREA"
    anna.tab_to("article button[value=approve]", back=True)
    page.keyboard.press("Space")
    anna.wait_for("idle")
    assert anna.focused == "H3"
    expect(page.locator("#changes-slot")).to_be_visible()
    anna.tab_to("#changes > summary")
    page.keyboard.press("Enter")
    expect(anna.records).to_have_count(1)
    assert anna.focused == "SUMMARY"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('[data-record]') !== null")
    page.keyboard.press("Enter")
    page.wait_for_url("**/records/pages/*")
    expect(page.locator("h1")).to_have_text("Getting here")


def test_the_same_in_german_and_dark(
    open_journey: Callable[..., Journey], failures: Callable[..., list[str]]
) -> None:
    anna = open_journey("anna", locale="de", theme="dark")
    complaints = failures(anna.page)
    anna.new_conversation()
    expect(anna.page.locator("html[lang=de][data-theme=dark]")).to_have_count(1)
    anna.send(KOPIERE)
    anna.wait_for("awaiting_approval")
    expect(anna.page.locator("#statusline")).to_have_text("Wartet auf Ihre Freigabe")
    expect(anna.approve).to_have_text("Freigeben: Seite „Visit“ mit ihren Unterseiten unter „About us“ kopieren")
    expect(anna.decline).to_have_text("Ablehnen")
    anna.approve.click()
    anna.wait_for("idle")
    expect(anna.page.locator("article.approval-card")).to_contain_text("Freigegeben von Anna Bergmann")
    anna.open_changes()
    expect(anna.records).to_have_count(19)
    expect(anna.records.first).to_contain_text("erstellt")
    expect(anna.page.locator("#changes-body [data-note=coverage]")).to_contain_text("Town Museum")
    assert complaints == []


@pytest.mark.parametrize("locale", ["en", "de"])
def test_a_narrow_screen_never_scrolls_sideways(
    open_journey: Callable[..., Journey], server: Server, locale: str
) -> None:
    anna = open_journey("anna", locale=locale, width=320)
    found = {}
    for name in all_pages(anna, locale):
        found[name] = anna.sideways
    assert {name: wide for name, wide in found.items() if wide} == {}
    assert len(found) > 20
