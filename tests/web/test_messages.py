"""Sending a message with and without the page's script; nothing typed is lost."""

from __future__ import annotations

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments
from tests.support.visitor import Visitor, one, signals, tree

Call = tuple[str, dict[str, object]]


def hide(site: DemoSite) -> Call:
    return ("hide_record", {"table": "pages", "uid": site.pages["hours"]})


def send(visitor: Visitor, assignments: Assignments, *, script: bool = False, **form: str) -> TestResponse:
    return visitor.post(f"/conversations/{assignments.id}/messages", script=script, **form)


def test_it_answers_the_script_with_a_signal_only(app: Flask, site: DemoSite, assignments: Assignments) -> None:
    response = send(Visitor(app, site, "anna"), assignments, script=True, body="Hello", token="nonce-1")
    assert (response.status_code, response.get_data()) == (204, b"")
    found = signals(response)
    assert found["poll-now"] == {}
    assert found["chat-sent"] == {"nonce": "nonce-1", "declined": False}
    assert (found["chat-say"]["kind"], found["chat-say"]["text"]) == (
        "A1",
        "Message sent. The AI assistant is working.",
    )
    assert assignments.page().view.status == "working"


def test_it_leads_to_the_message_without_script(app: Flask, site: DemoSite, assignments: Assignments) -> None:
    anna = Visitor(app, site, "anna")
    response = send(anna, assignments, body="First\r\nsecond", token="n")
    assert (response.status_code, response.location) == (303, f"/conversations/{assignments.id}#m1")
    page = tree(anna.get(f"/conversations/{assignments.id}"))
    assert one(page, "#m1 .message__text").get_text() == "First\nsecond"
    assert one(page, "#statusline")["data-status"] == "working"
    assert send(anna, assignments, body="First\r\nsecond", token="n").location.endswith("#m1")
    assert len(assignments.page().messages) == 1


@pytest.mark.parametrize("script", [True, False])
def test_it_says_what_is_wrong_and_keeps_the_text(
    app: Flask, site: DemoSite, assignments: Assignments, script: bool
) -> None:
    long = "x" * 10_003
    response = send(Visitor(app, site, "anna"), assignments, script=script, body=long, token="n")
    assert response.status_code == 422
    page = tree(response)
    assert one(page, ".error-summary a")["href"] == "#message"
    assert one(page, ".error-summary a").get_text() == "The message has 3 characters too many"
    assert bool(page.select("#composer")) is not script
    if not script:
        assert one(page, "#message").get_text() == long
        assert one(page, "#message-error").get_text().endswith("The message has 3 characters too many")
        assert one(page, "title").get_text().startswith("Error: ")


@pytest.mark.parametrize("script", [True, False])
def test_it_offers_to_decline_a_waiting_card(
    app: Flask, site: DemoSite, assignments: Assignments, script: bool
) -> None:
    assignments.ask([hide(site)], DONE)
    anna = Visitor(app, site, "anna")
    refused = send(anna, assignments, script=script, body="Something else", token="n2")
    assert refused.status_code == 409
    button = one(tree(refused), "button[name=decline]")
    assert (button["value"], button["form"]) == ("1", "composer")
    field = one(tree(refused), "input[name=reason]")
    assert (field["form"], field["id"]) == ("composer", one(tree(refused), "label[for=decline-reason]")["for"])
    form = {"body": "Something else", "token": "n3", "decline": "1", "reason": "Not today"}
    sent = send(anna, assignments, script=script, **form)
    card = assignments.page().messages[1].card
    assert card is not None
    assert (card.state, card.reason) == ("declined", "Not today")
    assert sent.status_code == (204 if script else 303)
    bodies = [message.body for message in assignments.page().messages if message.role == "user"]
    assert bodies == ["Please help.", "Something else"]


def test_a_refused_message_keeps_the_reason_for_declining(app: Flask, site: DemoSite, assignments: Assignments) -> None:
    assignments.ask([hide(site)], DONE)
    refused = send(Visitor(app, site, "anna"), assignments, body="Something else", token="n2", reason="Not today")
    assert one(tree(refused), "input[name=reason]")["value"] == "Not today"
    assert one(tree(refused), "#message").get_text() == "Something else"


def test_it_says_that_the_assistant_still_works(app: Flask, site: DemoSite, assignments: Assignments) -> None:
    anna = Visitor(app, site, "anna")
    send(anna, assignments, body="One", token="n1")
    response = send(anna, assignments, script=True, body="Two", token="n2")
    assert response.status_code == 409
    assert "still working" in response.get_data(as_text=True)
    assert "decline" not in response.get_data(as_text=True)


def test_it_keeps_the_text_when_a_limit_is_reached(app: Flask, site: DemoSite, assignments: Assignments) -> None:
    assignments.ask(DONE)
    anna = Visitor(app, site, "anna")
    for number in range(25):
        response = send(anna, assignments, body=f"Text {number}", token=f"n{number}")
        assignments.work()
        if response.status_code != 303:
            break
    assert response.status_code == 429
    assert response.headers["Retry-After"].isdigit()
    assert one(tree(response), "#message").get_text() == f"Text {number}"
    told = send(anna, assignments, script=True, body="Text", token="other")
    assert told.status_code == 409  # the page's script shows no body of 429
    assert told.headers["Retry-After"].isdigit()


def test_it_needs_the_token_of_the_form(app: Flask, site: DemoSite, assignments: Assignments) -> None:
    response = send(Visitor(app, site, "anna"), assignments, script=True, body="x", csrf_token="")
    assert response.status_code == 403
    assert assignments.page().messages == ()


def test_it_tells_nothing_about_foreign_conversations(app: Flask, site: DemoSite, assignments: Assignments) -> None:
    assignments.share("ben")
    assert send(Visitor(app, site, "ben"), assignments, body="x", token="n").status_code == 404
    assert Visitor(app, site).get(f"/conversations/{assignments.id}").status_code == 303
