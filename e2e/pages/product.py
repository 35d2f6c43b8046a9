"""Every page of the product in the states people meet it in."""

from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import expect

from e2e.pages.journey import Journey

COPY = {
    "en": "Copy the page 'Visit' with its subpages below 'About us'",
    "de": "Kopiere die Seite „Visit“ mit ihren Unterseiten unter „About us“",
}
HIDE = {"en": "Hide the page 'Press'", "de": "Blende die Seite „Press“ aus"}


def all_pages(journey: Journey, locale: str) -> Iterator[str]:
    """Opens one page after the other and says which one is open; signed in as an editor, signed out at the end."""
    yield from conversation_states(journey, locale)
    yield from plain_pages(journey)
    yield from signed_out_pages(journey)


def conversation_states(journey: Journey, locale: str) -> Iterator[str]:
    """The list of conversations and a conversation from empty to its open list of changes."""
    page = journey.page
    page.goto("/conversations")
    yield "no conversation"
    journey.new_conversation()
    yield "empty conversation"
    journey.send("")
    expect(page.locator("#composer-errors a")).to_be_visible()
    yield "empty message"
    _run(journey, COPY[locale])
    page.reload()
    yield "waiting card"
    page.goto("/approvals")
    yield "approvals"
    page.go_back()
    run = journey.card.get_attribute("data-run")
    page.goto(f"/runs/{run}/card")
    yield "card as a page"
    page.go_back()
    journey.approve.click()
    journey.wait_for("idle")
    journey.open_changes()
    expect(journey.records).to_have_count(19)
    yield "open list"
    page.goto(f"/runs/{run}")
    yield "course of a run"
    page.goto(f"/conversations/{_last_conversation(journey)}/changes")
    yield "list as a page"
    journey.new_conversation()
    _run(journey, HIDE[locale])
    journey.decline.click()
    journey.wait_for("idle")
    yield "declined card"
    page.goto("/conversations")
    yield "conversations"


def _run(journey: Journey, request: str) -> None:
    journey.send(request)
    journey.wait_for("awaiting_approval")
    expect(journey.card).to_be_visible()


def _last_conversation(journey: Journey) -> int:
    journey.page.goto("/")
    return journey.conversation_id


def plain_pages(journey: Journey) -> Iterator[str]:
    """Content, workspaces, personal pages, help and errors."""
    pages, relaunch = journey.site.pages, journey.site.people.workspaces["Relaunch"]
    for address in (
        "/pages",
        "/pages?q=e",
        "/pages?q=nothing-has-this-title",
        f"/pages/{pages['visit']}",
        f"/pages/{pages['tickets']}",
        f"/records/pages/{pages['visit']}",
        "/records/content_elements/1",
        f"/records/pages/{pages['tickets']}/history",
        "/workspaces",
        f"/workspaces/{relaunch}",
        "/preferences",
        "/sessions",
        "/help",
        "/keyboard",
        "/accessibility",
        "/glossary",
        "/feedback",
        "/nowhere",
        "/pages?q=a&q=b",
    ):
        journey.page.goto(address)
        yield address


def signed_out_pages(journey: Journey) -> Iterator[str]:
    """What somebody sees who is not signed in."""
    journey.page.context.clear_cookies()
    for address in ("/sign-in", "/preferences", "/help", "/accessibility", "/nowhere"):
        journey.page.goto(address)
        yield f"signed out {address}"
    journey.page.goto("/sign-in")
    journey.page.locator("#sign-in button").click()
    expect(journey.page.locator(".error-summary").first).to_be_visible()
    yield "sign-in refused"
