"""Every template of conversations, cards and approvals renders from a plain view and keeps the markup contract."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import html5lib
import pytest
from bs4 import BeautifulSoup, Tag
from flask import Flask, render_template
from html5lib.constants import E as PARSE_ERRORS

from app.core.i18n import text
from app.web.conversations import ConversationIndex
from app.web.forms.conversation import ConfigurationChoice
from tests.support import views

FRAGMENT_ERRORS = {"expected-doctype-but-got-start-tag", "expected-doctype-but-got-chars"}


@pytest.fixture
def page_request(app: Flask) -> Iterator[None]:
    with app.test_request_context("/"):
        yield


def rendered(template: str, **context: Any) -> BeautifulSoup:
    """The template as a tree; parse errors and repeated ids fail the test."""
    html = render_template(template, **context)
    is_page = html.lstrip().startswith("<!doctype")
    parser = html5lib.HTMLParser()
    if is_page:
        parser.parse(html)
    else:
        parser.parseFragment(html, container="ol" if "_entry" in template or "_message" in template else "div")
    found = [
        (PARSE_ERRORS[code] % values, place) for place, code, values in parser.errors if code not in FRAGMENT_ERRORS
    ]
    assert not found, (template, found)
    tree = BeautifulSoup(html, "html5lib")
    ids = Counter(str(element["id"]) for element in tree.select("[id]"))
    assert not [name for name, count in ids.items() if count > 1], template
    assert_refers(tree, is_page=is_page)
    return tree


def assert_refers(tree: BeautifulSoup, *, is_page: bool) -> None:
    ids = {element["id"] for element in tree.select("[id]")}
    for name in ("aria-labelledby", "aria-describedby", "for"):
        for element in tree.select(f"[{name}]"):
            for wanted in str(element[name]).split():
                assert wanted in ids or not is_page, (name, wanted)
    for link in tree.select('a[href^="#"]') if is_page else ():
        assert str(link["href"])[1:] in ids, link


def conversation_page(view: Any, **context: Any) -> BeautifulSoup:
    defaults: dict[str, Any] = {
        "page": views.conversation_page(view),
        "threads": views.threads(),
        "list": None,
        "composer": views.composer(view),
        "title_error": None,
        "now": views.AT,
        "session_seconds": 1800,
        "shell": views.shell(),
    }
    return rendered("conversations/show.html", **{**defaults, **context})


def one(tree: BeautifulSoup | Tag, selector: str) -> Tag:
    found = tree.select(selector)
    assert len(found) == 1, (selector, len(found))
    return found[0]


@pytest.mark.parametrize("state", views.CONVERSATIONS)
def test_it_renders_a_conversation_in_every_state(page_request: None, state: str) -> None:
    view = views.CONVERSATIONS[state]
    tree = conversation_page(view)
    headings = [one(section, "h2").get_text() for section in tree.select("main section[aria-labelledby]")]
    assert headings == ["History", "Assignment", "Write a message"]
    assert one(tree, "#statusline")["data-status"] == view.status
    assert one(tree, "#changes-slot").has_attr("hidden") is not view.has_changes
    assert one(tree, "#beacon").has_attr("hx-get") is (view.poll_seconds is not None)
    assert one(tree, "#beacon").has_attr("data-poll-url")
    assert bool(tree.select("#composer")) is view.is_own
    assert one(tree, "summary:-soup-contains('Changes')").contents == ["Changes of this assignment"]
    assert [element for element in tree.select("#say, #alert") if element.contents] == []


def test_it_marks_entries_and_never_takes_text_for_markup(page_request: None) -> None:
    tree = conversation_page(views.conversation())
    entries = tree.select("#log > li")
    assert [(entry["data-seq"], entry["data-role"]) for entry in entries] == [
        ("1", "user"),
        ("2", "assistant"),
        ("3", "card"),
    ]
    for entry in entries:
        assert "+" in one(entry, "time[datetime]")["datetime"] if entry["data-role"] != "card" else entry.select("time")
        assert entry.h3
    assert one(entries[0], ".message__text").get_text() == "Copy <b>it</b>\nplease"
    assert entries[1].select("h4")
    assert not entries[1].select("h1, h2")
    assert one(entries[1], ".prose")["lang"] == "en"
    assert one(tree, "title").get_text().startswith("Approval needed – Opening hours")


@pytest.mark.parametrize("state", views.CARDS)
def test_it_renders_a_card_in_every_state(page_request: None, state: str) -> None:
    card = views.CARDS[state]
    tree = rendered("runs/_card_entry.html", card=card)
    article = one(tree, "li[data-card-url][data-role=card] > article.approval-card")
    assert (article["data-run"], article["data-state"], article["data-digest"]) == (views.RUN, card.state, card.digest)
    assert article.has_attr("data-approve-blocked") is card.is_all_refused
    assert one(article, "h3")["tabindex"] == "-1"
    assert bool(article.select("form")) is (card.state == "waiting")
    assert bool(article.select("button[value=approve]")) is (card.approve_label is not None)
    assert bool(article.select("button[value=decline]")) is card.may_decline
    assert not article.select("details")
    if card.note is None:
        assert one(article, f"#{card.dom_id}-note").contents == []
    if card.draft_reason:
        assert one(article, "textarea").get_text().strip() == card.draft_reason


@pytest.mark.behaviour("CA-04")
def test_it_shows_refused_steps_without_a_preview(page_request: None) -> None:
    tree = rendered("runs/_card_entry.html", card=views.card())
    shown, refused = tree.select("li[data-call]")
    assert (shown["data-refused"], refused["data-refused"]) == ("false", "true")
    assert (shown["data-tool"], shown["data-preview"], refused["data-preview"]) == ("copy_page", "shown", "refused")
    assert not refused.select("[data-field], del, ins")
    assert "Will not be carried out" in refused.get_text()
    assert "Nothing was changed." in refused.get_text()


def test_it_shows_fields_before_and_after(page_request: None) -> None:
    tree = rendered("runs/_card_entry.html", card=views.card())
    fields = tree.select("li[data-call] > .step__record [data-field]")
    assert [field["data-field"] for field in fields] == ["title", "body", "hidden", "owner_note"]
    title, body, hidden, withheld = fields
    assert (one(title, "del").get_text(), one(title, "ins").get_text()) == ("Hours", "Öffnungszeiten")
    assert one(title, "ins")["lang"] == "de"
    assert not body.select("del")
    assert body.select("[tabindex='0']")
    assert one(hidden, "ins").get_text() == "hidden"
    assert not withheld.select("del, ins")
    assert "not visible to you" in withheld.get_text()


@pytest.mark.parametrize("count", [0, 1, 2, 100])
def test_it_renders_the_list_of_changes(page_request: None, count: int) -> None:
    tree = rendered("conversations/_change_list.html", list=views.change_list(count))
    rows = tree.select("li[data-record]")
    assert len(rows) == count
    assert [note["data-note"] for note in tree.select("[data-note]")] == ["coverage", "withheld"]
    assert one(tree, "#changes-list")["data-say-loaded"] == "2 records listed."
    for fact in tree.select(".facts > li"):
        assert len(fact.contents) == 1
        assert fact["data-fact"]
    names = Counter((link.get_text(), link["href"]) for link in tree.select("a"))
    by_name = Counter(name for name, _ in names)
    assert [name for name, n in by_name.items() if n > 1 and not name.startswith("Summer")] == []
    if count:
        values = {fact["data-fact"]: fact["data-value"] for fact in rows[0].select("[data-fact]")}
        assert values["workspace"] == "3"
        assert values["hidden"] == "false"
        assert values["failed"] == "true"
        assert values["groups"] == "Members, Staff"


def test_it_opens_the_list_with_the_page(page_request: None) -> None:
    tree = conversation_page(views.conversation(), list=views.change_list())
    assert one(tree, "#changes").has_attr("open")
    assert tree.select("#changes-body li[data-record]")
    closed = conversation_page(views.conversation())
    assert not one(closed, "#changes").has_attr("open")
    assert one(closed, "#changes-body a")["href"] == "/conversations/7?changes=1#changes"


def test_it_says_first_what_is_wrong_with_a_message(page_request: None) -> None:
    view = views.conversation()
    composer = views.composer(view, "Enter a message", offers_decline=True)
    tree = conversation_page(view, composer=composer)
    assert one(tree, "title").get_text().startswith("Error: ")
    section = one(tree, "section[aria-labelledby=h-new]")
    assert section.select("h2, h3")[1].get_text() == "There is a problem"
    area = one(tree, "#message")
    assert area["aria-invalid"] == "true"
    assert "message-error" in str(area["aria-describedby"])
    assert area.get_text() == "half a "
    assert one(tree, "button[name=decline]")["form"] == "composer"
    assert one(tree, ".error-summary a")["href"] == "#message"


def test_it_appends_news_and_leaves_cards_to_their_own_request(page_request: None) -> None:
    tree = rendered("conversations/_updates.html", updates=views.updates())
    log = one(tree, "ol#log[hx-swap-oob=beforeend]")
    assert [entry["data-role"] for entry in log.find_all("li", recursive=False)] == ["assistant", "card"]
    assert not log.select("article, form")
    assert one(log, f"#{views.CARD_ID}")["data-card-url"] == f"/runs/{views.RUN}/card"
    assert "after=3" in str(one(tree, "#beacon")["hx-get"])
    assert "rev=9" in str(one(tree, "#beacon")["hx-get"])


def test_it_renders_the_other_pages(page_request: None) -> None:
    choices = (ConfigurationChoice(id=1, name="Editorial", is_default=True),)
    shell = views.shell()
    for error in (None, text("Choose a configuration from the list.")):
        for threads in ((), views.threads()):
            index = ConversationIndex(configurations=choices, threads=threads, error=error)
            tree = rendered("conversations/index.html", index=index, shell=shell)
            assert one(tree, "#new-conversation select#configuration")
            names = [link.get_text() for link in tree.select(".item-list a")]
            assert len(set(names)) == len(threads), names
    rendered("conversations/index.html", index=ConversationIndex(configurations=(), threads=()), shell=shell)
    rendered("conversations/changes.html", list=views.change_list(), shell=shell)
    rendered("conversations/show.html", **_title_error())
    for card in views.CARDS.values():
        rendered("runs/card.html", card=card, conversation_url=None, shell=shell)
    inbox = views.inbox()
    page = rendered("approvals/index.html", view=inbox, asked={}, shell=shell)
    assert one(page, f"li[data-run='{views.RUN}']")
    assert one(page, f"li[data-ended='{views.RUN}']")["data-attribution"] == "second_person"
    empty = replace(inbox, waiting=(), ended=())
    rendered("approvals/index.html", view=empty, asked={}, shell=shell)
    rendered("approvals/index.html", view=replace(empty, is_filtered=True), asked={"days": "3"}, shell=shell)
    rendered("runs/cancellation.html", run_uuid=views.RUN, is_working=True, shell=shell)


def _title_error() -> dict[str, Any]:
    view = views.conversation()
    return {
        "page": views.conversation_page(view),
        "threads": (),
        "list": None,
        "composer": views.composer(view),
        "title_error": text("Enter a title"),
        "now": views.AT,
        "session_seconds": 1800,
        "shell": views.shell(),
    }
