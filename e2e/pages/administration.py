"""The pages of administrators and auditors, in the states people meet them in."""

from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import expect

from e2e.pages.journey import Journey

REFUSED = {"en": "Hide the page 'Press'", "de": "Blende die Seite „Press“ aus"}


def administration_pages(journey: Journey, locale: str) -> Iterator[str]:
    """Opens one page after the other and says which one is open; signed in as an administrator."""
    page, dora = journey.page, journey.site.people.users["dora"]
    page.goto("/governance")
    yield "no refusals"
    _be_refused(journey, locale)
    for address in (
        "/users",
        "/users?q=an",
        "/users/new",
        f"/users/{dora}",
        f"/users/{dora}/deletion",
        "/groups",
        "/groups/new",
        "/groups/1",
        "/groups/1/deletion",
        "/governance",
        "/governance?rule=draft_workspace_required&days=7",
        "/governance?tool=nothing",
        "/tools",
        "/configurations",
        "/configurations/new",
        "/configurations/2",
        "/configurations/2/policy?person=anna&workspace=0",
        "/configurations/2/policy?person=nobody-of-this-name",
        "/configurations/1/connection",
        "/configurations/1/prompt",
        "/configurations/1/prompt?person=nobody-of-this-name",
    ):
        page.goto(address)
        yield address


def _be_refused(journey: Journey, locale: str) -> None:
    """One refusal in the log: a live write under the configuration that wants drafts."""
    page = journey.page
    page.goto("/workspaces")
    page.locator("#workspace-selection select").first.select_option("0")
    page.locator("#workspace-selection button").first.click()
    journey.new_conversation("Editorial, drafts only")
    journey.send(REFUSED[locale])
    expect(page.locator("#log > li")).not_to_have_count(1)
    journey.wait_for("idle")
