"""Every page of the product in the states people meet it in."""

from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import expect

from e2e.conftest import PASSWORD
from e2e.pages.journey import Journey

COPY = {
    "en": "Copy the page 'Visit' with its subpages below 'About us'",
    "de": "Kopiere die Seite „Visit“ mit ihren Unterseiten unter „About us“",
}
HIDE = {"en": "Hide the page 'Press'", "de": "Blende die Seite „Press“ aus"}


def all_pages(journey: Journey, locale: str) -> Iterator[str]:
    """Opens one page after the other and says which one is open; signed in as an editor, signed out at the end."""
    yield from conversation_states(journey, locale)
    yield from workspace_pages(journey)
    yield from plain_pages(journey)
    yield from editing_states(journey)
    yield from file_pages(journey)
    yield from administrator_pages(journey, locale)
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
    journey.send(HIDE[locale])
    expect(page.locator("#decline-and-send")).to_be_visible()
    yield "message while a card waits"
    run, here = journey.card.get_attribute("data-run"), page.url
    for address, state in (
        ("/approvals", "approvals"),
        ("/approvals?days=7", "approvals that match no filter"),
        (f"/runs/{run}", "course of a waiting run"),
        (f"/runs/{run}/cancellation", "stopping a run"),
        (f"/runs/{run}/card", "card as a page"),
    ):
        page.goto(address)
        yield state
    page.goto(here)
    journey.approve.click()
    journey.wait_for("idle")
    journey.open_changes()
    expect(journey.records).to_have_count(19)
    yield "open list"
    page.goto(f"/runs/{run}")
    yield "course of a run"
    conversation = f"/conversations/{_last_conversation(journey)}"
    page.goto(f"{conversation}/changes")
    yield "list as a page"
    page.goto(f"{conversation}/changes?action=created&language=de")
    yield "filtered list"
    page.goto(f"{conversation}/readers")
    page.fill("#name", "nobody-is-called-this")
    page.locator("#share .button").click()
    expect(page.locator(".error-summary")).to_be_visible()
    yield "reader refused"
    page.fill("#name", "ben")
    page.locator("#share .button").click()
    expect(page.locator("[data-reader]")).to_be_visible()
    yield "readers of a conversation"
    journey.new_conversation()
    _run(journey, HIDE[locale])
    journey.decline.click()
    journey.wait_for("idle")
    yield "declined card"
    here = page.url
    page.goto("/approvals")
    yield "recent decisions"
    page.goto(here)
    page.goto("/conversations")
    yield "conversations"


def _run(journey: Journey, request: str) -> None:
    journey.send(request)
    journey.wait_for("awaiting_approval")
    expect(journey.card).to_be_visible()


def _last_conversation(journey: Journey) -> int:
    journey.page.goto("/")
    return journey.conversation_id


def workspace_pages(journey: Journey) -> Iterator[str]:
    """The drafts of the assistant: compared, and each act on them before it is done."""
    page, address = journey.page, f"/workspaces/{journey.site.people.workspaces['Relaunch']}"
    page.goto(address)
    record = page.locator("li.difference").first
    comparison = record.locator("details a").get_attribute("href")
    record.locator("details > summary").click()
    expect(record.locator("[data-comparison]")).to_be_visible()
    yield "drafts with an open comparison"
    key = record.locator("input[name=record]").get_attribute("value")
    for last in (
        "publication?all=yes",
        "discarding?all=yes",
        f"stage?record={key}&to=ready",
        "publication",
        "deletion",
    ):
        page.goto(f"{address}/{last}")
        yield f"workspace {last}"
    page.goto(str(comparison))
    yield "comparison as a page"
    page.locator("#workspace-here").click()
    expect(page.locator("#workspace")).to_be_visible()
    yield "open switch of workspaces"


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


def file_pages(journey: Journey) -> Iterator[str]:
    """Storages, a folder, a file, the pages that change it, and what a refused upload says."""
    page = journey.page
    for address in (
        "/files",
        "/files?storage=1&folder=/editorial/",
        "/files?storage=1&folder=/press/",
        "/files/1",
        "/files/2",
        "/files/1/place",
        "/files/1/deletion",
        "/files/4/deletion",
    ):
        page.goto(address)
        yield address
    page.goto("/files?storage=1&folder=/editorial/")
    page.locator("#upload button").click()
    expect(page.locator("#upload .field--invalid")).to_be_visible()
    yield "upload refused"
    page.goto("/files/4")
    page.locator("#title-en").fill("x" * 300)
    page.locator("#describe-en button").click()
    expect(page.locator("#errors-en")).to_be_visible()
    yield "description refused"


def administrator_pages(journey: Journey, locale: str) -> Iterator[str]:
    """What administrators have besides: configurations, the test of a connection, and the notice it leaves."""
    page = journey.page
    page.context.clear_cookies()
    journey.sign_in("admin", PASSWORD)
    page.goto(f"/configurations?language={locale}")
    yield "configurations"
    page.goto("/configurations/1/connection")
    page.locator("#model").fill("no model")
    page.locator("#model-choice button").click()
    expect(page.locator("#model-error")).to_be_visible()
    yield "model refused"
    page.locator("#model").fill("openai:small")
    page.locator("#model-choice button").click()
    page.locator("#connection-test button").click()
    expect(page.locator("#flash")).to_contain_text("openai:small")
    yield "connection tested"
    page.goto("/conversations")
    expect(page.locator("[data-notice]")).to_be_visible()
    yield "notice for administrators"
    page.goto("/runs")
    yield "all assignments"
    page.locator("#halt button").click()
    expect(page.locator("#sure-error")).to_be_visible()
    yield "switch refused"


def editing_states(journey: Journey) -> Iterator[str]:
    """The page tree and module, forms of records with a problem and a conflict, and the pages of commands."""
    pages, page = journey.site.pages, journey.page
    hours = f"/records/pages/{pages['hours']}"
    for address in (
        "/pages?q=3",
        f"/pages/{pages['visit']}/below",
        f"/pages/{pages['summer']}",
        f"/records/content_elements/new?page={pages['hours']}",
        "/records/files/1",
        *(f"{hours}/{command}" for command in ("deletion", "visibility", "translation", "copy", "move")),
        f"/records/pages/{pages['visit']}/deletion",
        hours,
    ):
        page.goto(address)
        yield address
    other = page.context.new_page()
    other.goto(f"{journey.url}{hours}")
    other.fill("#field-title", "Opening hours and days")
    other.locator("#record-form .button").first.click()
    expect(other.locator(".notice--ok")).to_be_visible()
    other.close()
    page.fill("#field-title", "Opening times")
    page.locator("#record-form .button").first.click()
    expect(page.locator(".clash")).to_be_visible()
    yield "conflict of a form"
    page.goto(hours)
    page.fill("#field-title", "")
    page.locator("#record-form .button").first.click()
    expect(page.locator(".error-summary").first).to_be_visible()
    yield "form with a problem"


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


def site_pages(journey: Journey) -> Iterator[str]:
    """The site as visitors see it, and a preview; signed in as a member of Relaunch, signed out at the end."""
    pages, relaunch = journey.site.pages, journey.site.people.workspaces["Relaunch"]
    for address in (
        "/site/",
        f"/site/en/{pages['hours']}-opening-hours",
        f"/site/en/{pages['tickets']}-tickets-and-tours",
        f"/site/de/{pages['summer']}-sommerausstellung",
        f"/site/fr/{pages['visit']}-visite",
        f"/site/en/{pages['about']}-about-us",
        f"/site/de/{pages['visit']}-besuch?workspace={relaunch}",
        "/site/nowhere",
        "/site/de/nowhere",
    ):
        journey.page.goto(address)
        yield address
    journey.page.context.clear_cookies()
    journey.page.goto("/site/")
    yield "signed out /site/"
