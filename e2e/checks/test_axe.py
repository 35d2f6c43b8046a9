"""axe on every page, in both languages and both appearances (T56 of a11y.md section 9)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from app.chat import store
from app.core import clock
from app.core.db import transaction
from e2e.conftest import Server
from e2e.pages.administration import administration_pages
from e2e.pages.journey import Journey
from e2e.pages.product import all_pages

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["en", "de"])
def test_t56_axe_finds_nothing_on_any_page(
    open_journey: Callable[..., Journey], server: Server, locale: str, theme: str
) -> None:
    anna = open_journey("anna", locale=locale, theme=theme, bypass_csp=True)
    if theme == "dark":
        anna.page.emulate_media(color_scheme="dark")
    found = {}
    for name in all_pages(anna, locale):
        found[name] = anna.violations(contrast=True)
    assert {name: problems for name, problems in found.items() if problems} == {}
    assert len(found) > 30


@pytest.mark.parametrize(("locale", "theme"), [("en", "dark"), ("de", "light")])
def test_t56_axe_finds_nothing_on_pages_of_administrators(
    open_journey: Callable[..., Journey], locale: str, theme: str
) -> None:
    admin = open_journey("admin", locale=locale, theme=theme, bypass_csp=True)
    if theme == "dark":
        admin.page.emulate_media(color_scheme="dark")
    found = {name: admin.violations(contrast=True) for name in administration_pages(admin, locale)}
    assert {name: problems for name, problems in found.items() if problems} == {}


@pytest.mark.parametrize(("locale", "theme"), [("en", "light"), ("de", "dark")])
def test_t56_axe_finds_nothing_in_rare_states(
    open_journey: Callable[..., Journey], server: Server, locale: str, theme: str
) -> None:
    anna = open_journey("anna", locale=locale, theme=theme, bypass_csp=True)
    page, found = anna.page, {}
    page.goto("/workspaces")
    page.locator("#workspace").select_option("0")
    page.locator("#workspace-selection button").click()
    anna.new_conversation("Editorial, drafts only")
    anna.send({"en": "Hide the page 'Press'", "de": "Blende die Seite „Press“ aus"}[locale])
    expect(page.locator("#log > li")).not_to_have_count(1)
    found["a rule refuses"] = anna.violations(contrast=True)
    for status in ("working", "awaiting_input", "failed"):
        put(server, anna.conversation_id, status)
        page.reload()
        expect(page.locator("#statusline")).to_have_attribute("data-status", status)
        found[status] = anna.violations(contrast=True)
    put(server, anna.conversation_id, "working")
    page.reload()
    page.locator("#poll-pause").click()
    found["paused"] = anna.violations(contrast=True)
    page.locator("#poll-pause").click()
    notices = ["connection-notice", "poll-retry", "auth-lost", "session-notice", "composer-failed", "new-messages"]
    page.evaluate("ids => ids.forEach(id => { document.getElementById(id).hidden = false; })", notices)
    found["every notice"] = anna.violations(contrast=True)
    for menu in page.locator("details > summary").all():
        if menu.is_visible():
            menu.click()
    found["menus open"] = anna.violations(contrast=True)
    assert {name: problems for name, problems in found.items() if problems} == {}


def put(server: Server, conversation_id: int, status: str) -> None:
    """Let a conversation stand where a run would have put it."""
    with server.app.app_context(), transaction() as connection:
        values = {"status": status, "status_since": clock.now()}
        store.change_conversation(connection, conversation_id, values)


def test_the_check_itself_finds_a_weak_contrast(open_journey: Callable[..., Journey]) -> None:
    anna = open_journey("anna", bypass_csp=True)
    anna.page.goto("/help")
    anna.page.evaluate(
        """() => { const weak = document.createElement('p'); weak.textContent = 'Grey on white';
        weak.style.cssText = 'color: #707070; background: #fff'; document.querySelector('main').append(weak); }"""
    )
    assert [problem.split(":")[0] for problem in anna.violations(contrast=True)] == ["color-contrast-enhanced"]
