"""Everything works without script, and when the page's script library does not arrive (T64 of a11y.md section 9)."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from e2e.conftest import Server
from e2e.journeys.content import content_of
from e2e.pages.journey import Journey

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("scripts", [False, True], ids=["script off", "library missing"])
def test_t64_send_error_approve_decline_list_switch_and_leave(
    open_journey: Callable[..., Journey], server: Server, scripts: bool
) -> None:
    anna = open_journey("anna", scripts=scripts)
    anna.page.context.route("**/vendor/htmx*", lambda route: route.fulfill(status=404, body=""))
    before = content_of(server)
    anna.new_conversation()
    _refuse_an_empty_message(anna)
    _send(anna, "Hide the page 'Getting here'")
    _decline(anna)
    assert content_of(server) == before
    _send(anna, "Hide the page 'Tickets and tours'")
    anna.approve.click()
    expect(anna.page.locator("article.approval-card[data-state=approved]")).to_be_visible()
    anna.reload_until("idle")
    assert content_of(server, 0) == content_of_live(before)
    _read_the_list(anna)
    _stop(anna)
    _change_frame(anna)


def content_of_live(rows: dict[str, list[tuple[object, ...]]]) -> dict[str, list[tuple[object, ...]]]:
    """Nothing of the fresh demo is a draft, so all of it is live."""
    return rows


def _refuse_an_empty_message(anna: Journey) -> None:
    anna.send("")
    expect(anna.page).to_have_title(re.compile("^Error:"))
    expect(anna.page.locator("#composer-errors")).to_contain_text("Enter a message")
    expect(anna.page.locator("#message")).to_have_attribute("aria-invalid", "true")


def _send(anna: Journey, request: str) -> None:
    anna.send(request)
    expect(anna.page.locator("#log li[data-role=user]").last).to_contain_text(request)
    anna.reload_until("awaiting_approval")
    expect(anna.card).to_be_visible()


def _decline(anna: Journey) -> None:
    anna.card.locator("textarea").fill("Not yet.")
    anna.decline.click()
    expect(anna.page.locator("article.approval-card[data-state=declined]")).to_contain_text("Not yet.")
    assert "#card-" in anna.page.url
    anna.reload_until("idle")


def _read_the_list(anna: Journey) -> None:
    anna.reload_and_load_changes()
    expect(anna.records).to_have_count(1)
    assert anna.page.locator("#changes").get_attribute("open") is not None
    assert list(anna.notes()) == ["coverage"]
    anna.page.get_by_role("link", name="Check for updates").click()
    anna.page.wait_for_url("**/*#latest")
    expect(anna.page.locator("#statusline")).to_have_attribute("data-status", "idle")


def _stop(anna: Journey) -> None:
    _send(anna, "Hide the page 'Press'")
    anna.page.locator("#stop-form button").click()
    anna.reload_until("idle")
    expect(anna.page.locator("article.approval-card").last).to_have_attribute("data-state", "cancelled")


def _change_frame(anna: Journey) -> None:
    page = anna.page
    page.goto("/workspaces")
    page.locator("#workspace").select_option("0")
    page.locator("#workspace-selection button").click()
    expect(page.locator("header .badge").first).to_contain_text("Live")
    page.locator("footer input[name=theme][value=dark]").check()
    button = page.locator("footer form.appearance button")
    if button.is_visible():
        button.click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.locator("footer a[lang=de]").click()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.locator("header details.menu--person > summary").click()
    page.locator("header form[action='/sign-out'] button").click()
    page.wait_for_url("**/sign-in")
    page.goto("/conversations")
    page.wait_for_url("**/sign-in?next=**")
