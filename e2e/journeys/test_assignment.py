"""Send, card, yes or no, list: what happens to the content, and who gets to read what."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from app.chat.readers import share_conversation
from app.core.db import transaction
from e2e.conftest import Server
from e2e.journeys.content import content_of, decisions_of
from e2e.pages.journey import Journey

pytestmark = pytest.mark.browser
COPY = "Copy the page 'Visit' with its subpages below 'About us'"
TWO_STEPS = "Translate the page 'Opening hours' into German and hide the old one"
HIDE = "Hide the page 'Getting here'"


def waiting(journey: Journey, request: str) -> None:
    journey.new_conversation()
    journey.send(request)
    journey.wait_for("awaiting_approval")
    expect(journey.card).to_be_visible()


def test_two_steps_are_one_card_and_live_stays_as_it_is(
    open_journey: Callable[..., Journey], server: Server, failures: Callable[..., list[str]]
) -> None:
    anna = open_journey("anna")
    complaints = failures(anna.page)
    live = content_of(server, 0)
    waiting(anna, TWO_STEPS)
    assert content_of(server, 0) == live
    expect(anna.page.locator("article.approval-card")).to_have_count(1)
    expect(anna.card.locator("[data-call]")).to_have_count(2)
    assert anna.card.locator("[data-call]").evaluate_all("all => all.map(one => one.dataset.preview)") == [
        "shown",
        "shown",
    ]
    anna.approve.click()
    anna.wait_for("idle")
    assert content_of(server, 0) == live
    anna.open_changes()
    facts = anna.facts()
    assert {fact["workspace"] for fact in facts} == {str(server.site.people.workspaces["Relaunch"])}
    assert [fact["role"] for fact in facts].count("target") == 2
    assert {"created", "updated"} <= {fact["action"] for fact in facts}
    assert any(fact.get("language") == "de" for fact in facts)
    assert anna.notes()["coverage"] == 1
    assert complaints == []


def test_a_no_writes_nothing_and_the_assistant_hears_why(open_journey: Callable[..., Journey], server: Server) -> None:
    anna = open_journey("anna")
    before = content_of(server)
    waiting(anna, COPY)
    anna.card.locator("textarea").fill("The summer prices are not final.")
    anna.decline.click()
    anna.wait_for("idle")
    card = anna.page.locator("article.approval-card[data-state=declined]")
    expect(card).to_contain_text("The summer prices are not final.")
    expect(card.locator("button")).to_have_count(0)
    answer = anna.page.locator("#log > li[data-role=assistant]").last
    expect(answer).to_contain_text("The summer prices are not final.")
    expect(anna.page.locator("#changes-slot")).to_be_hidden()
    assert content_of(server) == before
    assert decisions_of(server) == 1


def test_every_reader_sees_what_their_rights_show(open_journey: Callable[..., Journey], server: Server) -> None:
    anna = open_journey("anna")
    waiting(anna, COPY)
    with server.app.app_context(), transaction() as connection:
        for name in ("dora", "emil", "fay"):
            share_conversation(connection, anna.conversation_id, name)
    _watch(open_journey("dora", locale="de"), anna.conversation_id, ["Visite", "Bienvenue"])
    _watch(open_journey("fay"), anna.conversation_id, ["Opening hours", "Tickets", "Visite", "Willkommen", "Preise"])
    anna.approve.click()
    anna.wait_for("idle")
    anna.open_changes()
    expect(anna.records).to_have_count(19)
    assert "withheld" not in anna.notes()
    everything = anna.records.locator(".record__title").all_text_contents()
    assert any("Visite" in title for title in everything)
    for username, listed, hidden in (
        ("dora", 17, ["Visite", "Bienvenue"]),
        ("emil", 0, ["Opening hours", "Tickets", "Visite", "Willkommen", "Preise"]),
        ("fay", 0, ["Opening hours", "Tickets", "Visite", "Willkommen", "Preise"]),
    ):
        reader = open_journey(username)
        reader.page.goto(f"/conversations/{anna.conversation_id}")
        reader.open_changes()
        expect(reader.records).to_have_count(listed)
        assert reader.notes()["withheld"] == 19 - listed
        _watch(reader, anna.conversation_id, hidden)


def _watch(reader: Journey, conversation_id: int, hidden: list[str]) -> None:
    """No page, part or card of the conversation holds a word of what is withheld."""
    reader.page.goto(f"/conversations/{conversation_id}?changes=1")
    own = f"/conversations/{conversation_id}"
    card = reader.page.locator("article.approval-card").get_attribute("data-run")
    bodies = {"page": reader.page.content()}
    for address in (own, f"{own}/changes", f"{own}/updates?after=0&rev=0", f"/runs/{card}/card"):
        answer = reader.page.request.get(address, headers={"HX-Request": "true"})
        assert answer.ok, address
        bodies[address] = answer.text() + str(answer.headers)
    for address, body in bodies.items():
        assert [word for word in hidden if word in body] == [], address


def test_a_card_survives_a_restart_and_works_once(open_journey: Callable[..., Journey], server: Server) -> None:
    anna = open_journey("anna")
    waiting(anna, HIDE)
    digest = anna.card.get_attribute("data-digest")
    server.restart()
    anna.page.reload()
    expect(anna.card).to_have_attribute("data-digest", str(digest))
    other = Journey(anna.page.context.new_page(), anna.url, anna.site)
    other.page.goto(anna.page.url)
    expect(other.approve).to_be_visible()
    anna.approve.dblclick()
    anna.wait_for("idle")
    decided = anna.page.locator("article.approval-card[data-state=approved]")
    expect(decided).to_be_visible()
    other.page.locator("button[name=decision][value=approve]").click()
    told = other.page.locator("article.approval-card[data-state=approved]")
    expect(told).to_be_visible()
    expect(told).to_contain_text("This approval has already been decided.")
    expect(told).to_contain_text("Approved by Anna Bergmann")
    assert other.focused == "H3"
    assert decisions_of(server) == 1
    anna.open_changes()
    expect(anna.records).to_have_count(1)
    assert [fact["hidden"] for fact in anna.facts()] == ["true"]
