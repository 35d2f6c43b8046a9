"""Structure of the chat page: T01, T04, T07, T10, T14 of a11y.md section 9."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.core.i18n import render, text
from e2e.pages.journey import Journey

pytestmark = pytest.mark.browser
BOTH = pytest.mark.parametrize(("locale", "theme"), [("en", "light"), ("de", "dark")])
HIDE = {"en": "Hide the page 'Tickets and tours'", "de": "Blende die Seite „Tickets and tours“ aus"}
TWO = {
    "en": "Translate the page 'Opening hours' into German and hide the old one",
    "de": "Übersetze die Seite „Opening hours“ ins Deutsche und blende die alte aus",
}


def word(message: str, locale: str) -> str:
    return render(text(message), locale)


@BOTH
def test_t01_landmarks_and_regions_stand_in_order(
    open_journey: Callable[..., Journey], locale: str, theme: str
) -> None:
    anna = open_journey("anna", locale=locale, theme=theme)
    anna.new_conversation()
    page = anna.page
    for role in ("banner", "main", "contentinfo"):
        expect(page.get_by_role(role)).to_have_count(1)
    expect(page.get_by_role("navigation", name=word("Conversations", locale), exact=True)).to_have_count(1)
    names = page.locator("main section[aria-labelledby]").evaluate_all(
        "nodes => nodes.map(node => document.getElementById(node.getAttribute('aria-labelledby')).textContent.trim())"
    )
    assert names == [word(name, locale) for name in ("History", "Assignment", "Write a message")]
    assert page.evaluate("document.documentElement.lang") == locale


@BOTH
def test_t04_skip_links_come_first_and_lead_to_their_targets(
    open_journey: Callable[..., Journey], locale: str, theme: str
) -> None:
    anna = open_journey("anna", locale=locale, theme=theme)
    anna.new_conversation()
    approval = word("Go to the approval", locale)
    expect(anna.page.get_by_role("link", name=approval)).to_have_count(0)
    anna.send(HIDE[locale])
    anna.wait_for("awaiting_approval")
    expect(anna.card).to_be_visible()
    anna.page.reload()
    seen = []
    for _ in range(3):
        anna.page.keyboard.press("Tab")
        seen.append(anna.page.evaluate("document.activeElement.textContent.trim()"))
    assert seen == [
        word("Go to the newest message", locale),
        approval,
        word("Go to the message field", locale),
    ]
    anna.page.keyboard.press("Enter")
    assert anna.page.evaluate("document.activeElement.id") == "message"


@BOTH
def test_t07_the_disclosure_is_native_and_opens_by_key(
    open_journey: Callable[..., Journey], locale: str, theme: str
) -> None:
    anna = open_journey("anna", locale=locale, theme=theme)
    _approve(anna, HIDE[locale])
    summary = anna.page.locator("#changes > summary")
    expect(summary).to_have_text(word("Changes of this assignment", locale))
    assert summary.evaluate("node => getComputedStyle(node).display") == "list-item"
    assert summary.evaluate("node => [node.childNodes.length, node.firstChild.nodeType]") == [1, 3]
    summary.focus()
    for key, is_open in (("Enter", True), ("Enter", False), ("Space", True), ("Space", False)):
        anna.page.keyboard.press(key)
        assert anna.page.locator("#changes").evaluate("node => node.open") is is_open
        assert _expanded(anna.page) is is_open


def _expanded(page: Page) -> bool:
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    for node in nodes:
        if node.get("role", {}).get("value") == "DisclosureTriangle" and any(
            item["name"] == "expanded" for item in node.get("properties", [])
        ):
            name = node.get("name", {}).get("value", "")
            if name in {word("Changes of this assignment", "en"), word("Changes of this assignment", "de")}:
                return bool(next(item for item in node["properties"] if item["name"] == "expanded")["value"]["value"])
    pytest.fail("the disclosure has no expanded state in the accessibility tree")


@BOTH
def test_t10_the_coverage_note_is_there_and_first(
    open_journey: Callable[..., Journey], locale: str, theme: str
) -> None:
    anna = open_journey("anna", locale=locale, theme=theme)
    anna.new_conversation()
    anna.page.goto(f"/conversations/{anna.conversation_id}/changes")
    _notes_start_with_coverage(anna.page)
    _approve(anna, HIDE[locale])
    anna.open_changes()
    expect(anna.records).to_have_count(1)
    _notes_start_with_coverage(anna.page)


def _notes_start_with_coverage(page: Page) -> None:
    names = page.locator("[data-note]").evaluate_all("nodes => nodes.map(node => node.dataset.note)")
    assert names[0] == "coverage"


@BOTH
def test_t14_the_card_says_what_is_approved_and_what_is_not(
    open_journey: Callable[..., Journey], locale: str, theme: str
) -> None:
    anna = open_journey("anna", locale=locale, theme=theme)
    anna.new_conversation()
    anna.send(TWO[locale])
    anna.wait_for("awaiting_approval")
    steps = anna.card.locator("[data-call]")
    expect(steps).to_have_count(2)
    assert steps.evaluate_all("nodes => nodes.map(node => node.dataset.tool)") == [
        "create_translation_draft",
        "hide_record",
    ]
    expect(anna.card.locator("[data-call] h4")).to_have_count(2)
    sentence = render(text("Writes to the draft workspace “%(title)s”.", title="Relaunch"), locale)
    for number in range(2):
        expect(steps.nth(number)).to_contain_text(sentence)
    german = {"en": "Language: German", "de": "Sprache: Deutsch"}[locale]
    own = [steps.nth(number).locator(":scope > .badges") for number in range(2)]
    expect(own[0]).to_contain_text(german)
    expect(own[1]).not_to_contain_text({"en": "Language:", "de": "Sprache:"}[locale])
    expect(anna.approve).to_have_text({"en": "Approve 2 steps", "de": "2 Schritte freigeben"}[locale])
    described = anna.approve.get_attribute("aria-describedby")
    assert described is not None
    titles = [title.split(". ", 1)[1] for title in anna.card.locator("[data-call] h4").all_text_contents()]
    sentence = anna.page.locator(f"#{described}").inner_text()
    assert all(title.strip() in sentence for title in titles)


def _approve(anna: Journey, request: str) -> None:
    anna.new_conversation()
    anna.send(request)
    anna.wait_for("awaiting_approval")
    anna.approve.click()
    anna.wait_for("idle")
    expect(anna.page.locator("#changes-slot")).to_be_visible()
