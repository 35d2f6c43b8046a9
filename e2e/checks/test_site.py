"""The site for visitors in a browser: accessible in both appearances, at 320 pixels, on paper, and without script."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from e2e.pages.journey import Journey
from e2e.pages.product import site_pages

pytestmark = pytest.mark.browser

WIDER_THAN_THE_SCREEN = "() => document.documentElement.scrollWidth > document.documentElement.clientWidth"
TARGETS = """() => [...document.querySelectorAll('nav a, header a, footer a')]
  .filter(link => link.getBoundingClientRect().height < 44).map(link => link.textContent)"""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_axe_finds_nothing_on_the_site(open_journey: Callable[..., Journey], theme: str, width: int) -> None:
    anna = open_journey("anna", width=width, bypass_csp=True)
    anna.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    found, wide, small = {}, {}, {}
    for name in site_pages(anna):
        found[name] = anna.violations(contrast=True)
        wide[name] = anna.page.evaluate(WIDER_THAN_THE_SCREEN)
        small[name] = anna.page.evaluate(TARGETS)
    assert {name: problems for name, problems in found.items() if problems} == {}
    assert {name for name, is_wide in wide.items() if is_wide} == set()
    assert {name: links for name, links in small.items() if links} == {}
    assert len(found) == 10


def test_a_visitor_reads_the_site_without_script(open_journey: Callable[..., Journey]) -> None:
    page = open_journey("anna", scripts=False).page
    page.context.clear_cookies()
    page.goto("/site/")
    assert page.locator("script").count() == 0
    page.keyboard.press("Tab")
    expect(page.locator("a.skip")).to_be_focused()
    page.keyboard.press("Enter")
    assert page.url.endswith("#main")
    page.get_by_role("link", name="Visit", exact=True).click()
    expect(page.locator("h1")).to_have_text("Visit")
    page.get_by_role("link", name="Deutsch").click()
    expect(page.locator("h1")).to_have_text("Besuch")
    assert page.locator("html").get_attribute("lang") == "de"
    page.get_by_role("navigation").get_by_role("link", name="Anfahrt").click()
    expect(page.locator("h1")).to_have_text("Anfahrt")


def test_paper_has_the_text_and_nothing_to_press(open_journey: Callable[..., Journey]) -> None:
    page = open_journey("anna").page
    page.goto("/site/")
    page.emulate_media(media="print")
    expect(page.locator("main h1")).to_be_visible()
    for part in (".head__sections", ".head__languages", ".foot"):
        expect(page.locator(part)).to_be_hidden()


def test_a_member_walks_through_a_preview(open_journey: Callable[..., Journey]) -> None:
    journey = open_journey("anna")
    page, relaunch = journey.page, journey.site.people.workspaces["Relaunch"]
    page.goto(f"/site/?workspace={relaunch}")
    expect(page.locator("aside.preview")).to_contain_text("Relaunch")
    page.get_by_role("link", name="Exhibitions").click()
    expect(page.locator("aside.preview")).to_be_visible()
    expect(page.locator("h1")).to_have_text("Exhibitions")
    page.locator("aside.preview a").click()
    expect(page).to_have_url(f"{journey.url}/workspaces/{relaunch}")
