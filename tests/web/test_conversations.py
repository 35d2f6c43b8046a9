"""The list of conversations, the page, and what the owner does with it."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from sqlalchemy import update

from app.accounts.store import USER
from app.agent.llm.base import ProviderFailed, RateLimited
from app.agent.llm.scripted import ScriptedModel
from app.core.clock import now
from app.core.db import transaction
from app.core.i18n import render
from app.core.moments import word_moment
from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments
from tests.support.clock import FakeClock
from tests.support.visitor import Visitor, one, signals, tree


def hide(site: DemoSite) -> tuple[str, dict[str, object]]:
    return ("hide_record", {"table": "pages", "uid": site.pages["hours"]})


def test_it_starts_a_conversation_with_the_usual_configuration(app: Flask, site: DemoSite) -> None:
    anna = Visitor(app, site, "anna")
    select = one(tree(anna.get("/conversations")), "form#new-conversation select[name=configuration]")
    assert one(select, "option[selected]").get_text() == "Editorial"
    response = anna.post("/conversations")
    assert response.status_code == 303
    page = tree(anna.get(response.location))
    assert one(page, "h1").get_text() == "New conversation"
    assert one(page, "#statusline")["data-status"] == "idle"
    assert one(page, "#changes-slot").has_attr("hidden")


@pytest.mark.parametrize("wanted", ["99", "x", "-1", "٣"])
def test_it_refuses_a_configuration_that_is_not_offered(app: Flask, site: DemoSite, wanted: str) -> None:
    response = Visitor(app, site, "anna").post("/conversations", configuration=wanted)
    assert response.status_code == 422
    page = tree(response)
    assert one(page, ".error-summary a")["href"] == "#configuration"
    assert one(page, "title").get_text().startswith("Error: ")


def test_it_shows_history_assignment_and_field_in_order(app: Flask, site: DemoSite, assignments: Assignments) -> None:
    assignments.ask([hide(site)])
    page = tree(Visitor(app, site, "anna").get(f"/conversations/{assignments.id}"))
    assert [h.get_text() for h in page.select("main section > h2")] == ["History", "Assignment", "Write a message"]
    assert [entry["data-role"] for entry in page.select("#log > li")] == ["user", "card"]
    assert [entry["data-seq"] for entry in page.select("#log > li")] == ["1", "2"]
    assert one(page, "#statusline")["data-status"] == "awaiting_approval"
    assert one(page, "#log article.approval-card")["data-state"] == "waiting"
    card = one(page, "#goto-card:not([hidden]) a")["href"]
    assert one(page, str(card)).name == "h3"
    assert one(page, "title").get_text().startswith("Approval needed – ")
    assert one(page, ".threads a[aria-current=page]")["href"] == f"/conversations/{assignments.id}"


@pytest.mark.parametrize("path", ["", "/updates?after=0&rev=0", "/changes"])
def test_a_conversation_of_somebody_else_does_not_exist(
    app: Flask, site: DemoSite, assignments: Assignments, path: str
) -> None:
    assignments.ask(DONE)
    ben = Visitor(app, site, "ben")
    foreign, missing = ben.get(f"/conversations/{assignments.id}{path}"), ben.get(f"/conversations/99999{path}")
    assert foreign.status_code == missing.status_code == 404


def test_a_reader_sees_it_without_a_field_to_write(app: Flask, site: DemoSite, assignments: Assignments) -> None:
    assignments.ask(DONE)
    assignments.share("ben")
    page = tree(Visitor(app, site, "ben").get(f"/conversations/{assignments.id}"))
    assert not page.select("#composer, #stop-form")
    assert "Only the person who started" in page.get_text()


@pytest.mark.behaviour("CH-25")
def test_it_brings_the_list_only_when_asked(app: Flask, site: DemoSite, assignments: Assignments) -> None:
    assignments.ask([hide(site)], DONE)
    assignments.decide()
    anna = Visitor(app, site, "anna")
    closed = tree(anna.get(f"/conversations/{assignments.id}"))
    assert not one(closed, "#changes-slot").has_attr("hidden")
    assert not closed.select("[data-record]")
    opened = tree(anna.get(str(one(closed, "#changes-body a")["href"]).partition("#")[0]))
    assert one(opened, "#changes").has_attr("open")
    assert len(opened.select("#changes-body li[data-record]")) == 1


def test_it_renames_pins_and_archives(app: Flask, site: DemoSite, assignments: Assignments) -> None:
    assignments.ask(DONE)
    anna, url = Visitor(app, site, "anna"), f"/conversations/{assignments.id}"
    assert anna.post(f"{url}/title", title=" New   title ").status_code == 303
    assert one(tree(anna.get(url)), "h1").get_text() == "New title"
    empty = anna.post(f"{url}/title", title=" ")
    assert empty.status_code == 422
    assert one(tree(empty), "#title")["aria-invalid"] == "true"
    assert anna.post(f"{url}/pin", pinned="yes").status_code == 303
    assert one(tree(anna.get(url)), "button[name=pinned]")["value"] == "no"
    assert anna.post(f"{url}/pin", pinned="maybe").status_code == 422
    anna.post(f"{url}/archive", archived="yes")
    assert not tree(anna.get("/conversations")).select(f'a[href="{url}"]')
    assert "is archived" in tree(anna.get(url)).get_text()
    assert tree(anna.get("/conversations?archived=1")).select(f'a[href="{url}"]')
    anna.post(f"{url}/archive", archived="no")
    assert tree(anna.get("/conversations")).select(f'a[href="{url}"]')


def test_it_stops_the_assignment(app: Flask, site: DemoSite, assignments: Assignments) -> None:
    assignments.ask([hide(site)])
    anna, url = Visitor(app, site, "anna"), f"/conversations/{assignments.id}"
    assert anna.post(f"{url}/cancellation").location == f"{url}#latest"
    page = tree(anna.get(url))
    assert one(page, "article.approval-card")["data-state"] == "cancelled"
    assert one(page, "#stop-form").has_attr("hidden")
    assert "had ended already" in tree(anna.get(anna.post(f"{url}/cancellation").location.partition("#")[0])).get_text()


def down(models: Any) -> None:
    """The provider fails from now on."""
    models.by_name["builtin"] = ScriptedModel([ProviderFailed("x", code="failed")] * 3)


def test_it_tries_a_failed_assignment_again(app: Flask, site: DemoSite, assignments: Assignments, models: Any) -> None:
    anna, url = Visitor(app, site, "anna"), f"/conversations/{assignments.id}"
    assert one(tree(anna.get(url)), "#retry-form").has_attr("hidden")
    down(models)
    anna.post(f"{url}/messages", body="Which languages are there?", token="t")
    version = assignments.page().view.version
    assignments.work()
    state = signals(anna.ask(f"{url}/updates?after=1&rev={version}"))["chat-state"]
    assert (state["status"], state["retryable"], state["stoppable"]) == ("failed", True, False)
    page = tree(anna.get(url))
    form = one(page, "#retry-form")
    assert not form.has_attr("hidden")
    assert (form["method"], form["action"]) == ("post", f"{url}/retry")
    token = str(one(form, "input[name=token]")["value"])
    models.by_name["builtin"] = ScriptedModel([DONE])
    response = anna.post(f"{url}/retry", token=token)
    assert (response.status_code, response.location) == (303, f"{url}#latest")
    assert anna.post(f"{url}/retry", token=token).status_code == 303, "a second press of the same button"
    assignments.work()
    page = tree(anna.get(url))
    assert [str(entry["data-role"]) for entry in page.select("#log > li")] == ["user", "assistant"]
    assert one(page, "#retry-form").has_attr("hidden")
    assert "It tries an assignment again" in anna.get(f"/runs/{assignments.run_uuid}").get_data(as_text=True)
    assert anna.post(f"{url}/retry", token="other").status_code == 409
    ben = Visitor(app, site, "ben")
    assignments.share("ben")
    assert ben.post(f"{url}/retry", token="other").status_code == 404
    assert not tree(ben.get(url)).select("#retry-form")


def test_it_says_until_when_it_waits_for_the_provider(
    app: Flask, site: DemoSite, assignments: Assignments, models: Any, clock: FakeClock
) -> None:
    with transaction() as connection:
        connection.execute(update(USER).where(USER.c.username == "anna").values(timezone="America/New_York"))
    anna, url = Visitor(app, site, "anna"), f"/conversations/{assignments.id}"
    anna.post(f"{url}/messages", body="Hello", token="t")
    version = assignments.page().view.version
    models.by_name["builtin"] = ScriptedModel([RateLimited("x", retry_after=3_600.0)])
    assignments.work()
    until = word_moment(now() + 3_600, "en", "America/New_York")
    state = signals(anna.ask(f"{url}/updates?after=1&rev={version}"))["chat-state"]
    assert (state["status"], state["label"]) == ("working", f"Waiting for the AI model, continues on {until}")
    page = tree(anna.get(url))
    line = one(page, "#statusline")
    assert (line["data-status"], line.get_text()) == ("working", state["label"])
    assert not one(page, "#stop-form").has_attr("hidden")
    assert one(page, "#beacon")["hx-trigger"].startswith("every 15s")  # type: ignore[union-attr]
    refused = anna.post(f"{url}/messages", body="More", token="u")
    assert refused.status_code == 409
    assert one(tree(refused), "#message").get_text() == "More"
    assert "It is asked again on" in anna.get(f"/runs/{assignments.run_uuid}").get_data(as_text=True)
    anna.post(f"{url}/cancellation")
    assert one(tree(anna.get(url)), "#statusline")["data-status"] == "idle"


def test_it_keeps_what_was_typed(app: Flask, site: DemoSite, assignments: Assignments) -> None:
    assignments.ask(DONE)
    anna, url = Visitor(app, site, "anna"), f"/conversations/{assignments.id}"
    assert anna.post(f"{url}/draft", script=True, body="half a\r\nsentence").status_code == 204
    assert anna.post(f"{url}/draft", script=True).status_code == 204  # prolongs the sign-in, touches no text
    assert one(tree(anna.get(url)), "#message").get_text() == "half a\nsentence"
    assert Visitor(app, site, "ben").post(f"{url}/draft", script=True, body="x").status_code == 404


def test_it_speaks_german(app: Flask, site: DemoSite, assignments: Assignments) -> None:
    assignments.ask([hide(site)])
    page = tree(Visitor(app, site, "anna").get(f"/conversations/{assignments.id}?language=de"))
    assert one(page, "html")["lang"] == "de"
    expected = render(assignments.card().heading, "de")
    assert one(page, "article.approval-card h3").get_text() == expected
