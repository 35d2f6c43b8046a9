"""Editing by keyboard alone, and without script: a page from its creation to its restoration, with a conflict in two tabs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from e2e.pages.journey import Journey

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("scripts", [True, False], ids=["script", "no script"])
def test_a_page_from_creation_to_restoration(open_journey: Callable[..., Journey], scripts: bool) -> None:
    dora = open_journey("dora", locale="en", scripts=scripts)
    page, about = dora.page, dora.site.pages["about"]
    page.goto(f"/pages/{about}")
    press(page, page.locator("[data-command=new-page]"))
    fill(page, "#field-title", "Café")
    press(page, page.locator("#record-form .button").first)
    expect(page.locator("h1")).to_have_text("Café")
    address = page.url.split("#")[0]
    uid = int(address.rsplit("/", 1)[1])
    edit_in_two_tabs(dora, uid)
    move(page, uid, below=dora.site.pages["exhibitions"])
    page.goto(f"/records/pages/{uid}/deletion")
    press(page, page.locator("#command-form .button").first)
    expect(page.locator(".notice--ok")).to_contain_text("Tea room")
    expect(page).to_have_url(f"{dora.url}/pages/{dora.site.pages['exhibitions']}#h-content")
    assert page.goto(address).status == 404  # type: ignore[union-attr]
    page.goto(f"/pages/{dora.site.pages['exhibitions']}?deleted=1")
    press(page, page.locator(f"#deleted-pages-{uid} button"))
    expect(page.locator("h1")).to_have_text("Tea room")


def edit_in_two_tabs(dora: Journey, uid: int) -> None:
    """The second tab finds that the first one saved, and keeps its own words."""
    first, second = dora.page, dora.page.context.new_page()
    for tab in (first, second):
        tab.goto(f"{dora.url}/records/pages/{uid}")
    fill(first, "#field-title", "Coffee house")
    press(first, first.locator("#record-form .button").first)
    expect(first.locator("h1")).to_have_text("Coffee house")
    fill(second, "#field-title", "Tea room")
    press(second, second.locator("#record-form .button").first)
    expect(second.locator("[data-side=saved]")).to_contain_text("Coffee house")
    expect(second.locator("[data-side=typed]")).to_contain_text("Tea room")
    expect(second.locator("#field-title")).to_have_value("Tea room")
    press(second, second.locator("#record-form .button").first)
    expect(second.locator("h1")).to_have_text("Tea room")
    second.close()


def move(page: Page, uid: int, *, below: int) -> None:
    """To the first place below another page, found by search."""
    page.goto(f"/records/pages/{uid}/move")
    fill(page, "#q", "Exhibitions")
    page.keyboard.press("Enter")
    choose(page, page.locator(f"#target-form input[name=to][value='{below}']"))
    press(page, page.locator("#target-form .button").last)
    choose(page, page.locator("#command-form input[value=first]"))
    press(page, page.locator("#command-form .button").first)
    expect(page.locator(".path")).to_contain_text("Exhibitions")


def fill(page: Page, selector: str, words: str) -> None:
    """Type into a field over what it holds."""
    page.locator(selector).focus()
    page.keyboard.press("Control+A")
    page.keyboard.type(words)


def choose(page: Page, radio: Locator) -> None:
    """Choose a radio button with the space bar."""
    radio.focus()
    page.keyboard.press("Space")
    expect(radio).to_be_checked()


def press(page: Page, control: Locator) -> None:
    """Reach a control by keyboard and press Enter; the focus is never lost to the page's body before."""
    control.focus()
    expect(control).to_be_focused()
    page.keyboard.press("Enter")


def test_a_refused_form_focuses_what_is_wrong(open_journey: Callable[..., Journey]) -> None:
    anna = open_journey("anna", locale="en")
    page = anna.page
    page.goto(f"/records/pages/{anna.site.pages['hours']}")
    page.locator("#field-title").fill("")
    press(page, page.locator("#record-form .button").first)
    expect(page.locator("#error-summary")).to_be_focused()
    expect(page).to_have_title("Error: Opening hours – Page, no. 3 – Town Museum")
    press(page, page.locator("#error-summary a"))
    expect(page.locator("#field-title")).to_be_focused()
    expect(page.locator("#field-title")).to_have_attribute("aria-invalid", "true")


@pytest.mark.parametrize("scripts", [True, False], ids=["script", "no script"])
def test_the_tree_opens_by_keyboard(open_journey: Callable[..., Journey], scripts: bool) -> None:
    admin = open_journey("admin", locale="en", scripts=scripts)
    page, visit = admin.page, admin.site.pages["visit"]
    page.goto(f"/pages/{admin.site.pages['root']}")
    summary = page.locator(f"#below-{visit} > summary")
    summary.focus()
    page.keyboard.press("Enter")
    if scripts:
        expect(page.locator(f"#below-{visit} a[data-page]")).to_have_count(4)
        expect(summary).to_be_focused()
        page.keyboard.press("Tab")
        expect(page.locator(f"#below-{visit} a[data-page]").first).to_be_focused()
        return
    press(page, page.locator(f"#below-{visit} a").first)
    expect(page.locator("h1")).to_have_text("Pages below “Visit”")
    expect(page.locator("main a[data-page]")).to_have_count(4)
