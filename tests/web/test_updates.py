"""The poll: nothing for nothing, cards by their own request, and signals for the page's script."""

from __future__ import annotations

import pytest
from flask import Flask

from app.agent.llm.scripted import text_turn
from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments
from tests.support.statements import count_statements
from tests.support.visitor import Visitor, one, signals, tree


def hide(site: DemoSite) -> tuple[str, dict[str, object]]:
    return ("hide_record", {"table": "pages", "uid": site.pages["hours"]})


def poll(assignments: Assignments, *, after: int = 0, rev: int = 0) -> str:
    return f"/conversations/{assignments.id}/updates?after={after}&rev={rev}"


@pytest.mark.behaviour("CH-24")
def test_an_unchanged_poll_is_one_statement_besides_the_session(
    app: Flask, site: DemoSite, assignments: Assignments
) -> None:
    assignments.ask([hide(site)], DONE)
    assignments.decide()
    view, anna = assignments.page().view, Visitor(app, site, "anna")
    anna.ask(poll(assignments))
    with count_statements() as statements:
        response = anna.ask(poll(assignments, after=view.last_seq, rev=view.version))
    assert (response.status_code, response.get_data()) == (204, b"")
    assert "HX-Trigger" not in response.headers
    reads = [statement for statement in statements if statement.lstrip().upper().startswith("SELECT")]
    assert len(reads) == 2, reads
    assert not any("run_event" in statement for statement in statements)


def test_it_brings_entries_a_cursor_and_signals(app: Flask, site: DemoSite, assignments: Assignments) -> None:
    assignments.ask([hide(site)])
    response = Visitor(app, site, "anna").ask(poll(assignments, after=1, rev=1))
    assert response.status_code == 200
    page = tree(response)
    entries = one(page, "ol#log[hx-swap-oob=beforeend]").find_all("li", recursive=False)
    assert [(entry["data-seq"], entry["data-role"]) for entry in entries] == [("2", "card")]
    assert not page.select("article, form")
    view = assignments.page().view
    assert one(page, "#beacon")["hx-get"] == poll(assignments, after=2, rev=view.version).replace("&", "&")
    found = signals(response)
    assert found["chat-state"]["status"] == "awaiting_approval"
    assert one(page, f"#{found['chat-state']['card']}").name == "h3"
    assert [(card["id"], card["state"]) for card in found["chat-cards"]["cards"]] == [(view.card_id, "waiting")]
    assert (found["chat-say"]["kind"], found["chat-say"]["text"]) == ("A6", "Approval needed: 1 of 1 step.")
    assert "chat-changes" not in found


def test_it_speaks_short_answers_and_counts_long_ones(app: Flask, site: DemoSite, assignments: Assignments) -> None:
    anna = Visitor(app, site, "anna")
    assignments.ask(text_turn("Öffnungszeiten sind **da**."))
    said = signals(anna.ask(poll(assignments, after=1)))["chat-say"]
    assert (said["kind"], said["text"]) == ("A3", "AI assistant: Öffnungszeiten sind da.")
    assignments.ask(text_turn("- one\n- two"))
    said = signals(anna.ask(poll(assignments, after=3)))["chat-say"]
    assert (said["kind"], said["text"]) == ("A4", "Answer received, about 2 words.")
    assert "chat-say" not in signals(anna.ask(poll(assignments, after=4)))


def test_it_tells_how_a_card_stands_now(app: Flask, site: DemoSite, assignments: Assignments) -> None:
    assignments.ask([hide(site)], DONE)
    anna = Visitor(app, site, "anna")
    assignments.decide(by="fay", work=False)
    found = signals(anna.ask(poll(assignments, after=2)))
    assert found["chat-cards"]["cards"][0]["state"] == "approved"
    assert found["chat-cards"]["cards"][0]["note"] == "This approval has already been decided."
    assignments.work()
    response = anna.ask(poll(assignments, after=2))
    assert signals(response)["chat-changes"]["rev"] > 0
    assert not one(tree(response), "#beacon").has_attr("hx-get")  # finished: nothing to wait for


@pytest.mark.parametrize(
    "query", ["after=-1&rev=0", "after=x&rev=0", "after=0&rev=1.5", "after=٣", f"after={'9' * 20}"]
)
def test_it_refuses_a_cursor_that_is_no_number(
    app: Flask, site: DemoSite, assignments: Assignments, query: str
) -> None:
    assert Visitor(app, site, "anna").ask(f"/conversations/{assignments.id}/updates?{query}").status_code == 400


def test_it_answers_401_without_a_sign_in(app: Flask, site: DemoSite, assignments: Assignments) -> None:
    response = Visitor(app, site).ask(poll(assignments))
    assert response.status_code == 401
    assert "password" not in response.get_data(as_text=True)
