"""Focus and state while the page polls: T30, T34, T37, T42 of a11y.md section 9."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import func, select

from app.agent.models import ApprovalDecision
from app.chat import store
from app.core.db import reading, transaction
from e2e.conftest import Server
from e2e.pages.journey import Journey

pytestmark = pytest.mark.browser
POLLS = 20

WATCH = """() => {
  const node = document.activeElement;
  window.__watched = node;
  window.__line = [];
  for (let up = node; up; up = up.parentElement) window.__line.push(up);
  window.__blurs = 0;
  node.addEventListener('blur', () => { window.__blurs += 1; });
}"""
CHECK = """() => {
  const line = [];
  for (let up = document.activeElement; up; up = up.parentElement) line.push(up);
  return {
    same: document.activeElement === window.__watched,
    ancestors: line.length === window.__line.length && line.every((node, place) => node === window.__line[place]),
    blurs: window.__blurs,
  };
}"""


def change(server: Server, conversation_id: int, body: str) -> None:
    """Something new in the conversation, as a run would bring it: a message and a report of changes."""
    with server.app.app_context(), transaction() as connection:
        row = store.find_conversation(connection, conversation_id)
        assert row is not None
        seq = row["last_seq"] + 1
        store.add_message(connection, conversation_id, seq, {"role": "assistant", "body": body})
        values = {"last_seq": seq, "changes_version": row["changes_version"] + 1}
        store.change_conversation(connection, conversation_id, values)


def poll_until(page: Page, body: str) -> None:
    """Let the page ask for news until it shows ``body``."""
    page.evaluate("htmx.trigger('#beacon', 'poll-now')")
    expect(page.locator("#log > li").last).to_contain_text(body)
    page.wait_for_timeout(20)  # the swap has ended, its events may still be told


def waiting_card_and_open_list(anna: Journey) -> None:
    anna.new_conversation()
    anna.send("Hide the page 'Tickets and tours'")
    anna.wait_for("awaiting_approval")
    anna.approve.click()
    anna.wait_for("idle")
    anna.send("Hide the page 'Getting here'")
    anna.wait_for("awaiting_approval")
    expect(anna.card).to_be_visible()
    anna.open_changes()


STOPS = """[...document.querySelectorAll(
    'a[href],button,summary,input:not([type=hidden]),select,textarea,[tabindex="0"]')]
    .filter(node => !node.closest('[hidden]') && node.checkVisibility() && !node.disabled)"""


def test_t30_no_tab_stop_loses_focus_in_20_polls(open_journey: Callable[..., Journey], server: Server) -> None:
    anna = open_journey("anna")
    waiting_card_and_open_list(anna)
    page, number = anna.page, 0
    total = int(page.evaluate(f"{STOPS}.length"))
    assert total > 20
    for place in range(total):
        name = page.evaluate(f"place => {{ const node = {STOPS}[place]; node.focus(); return node.outerHTML }}", place)
        page.evaluate(WATCH)
        for _ in range(POLLS):
            number += 1
            change(server, anna.conversation_id, f"News number {number}.")
            poll_until(page, f"News number {number}.")
        assert page.evaluate(CHECK) == {"same": True, "ancestors": True, "blurs": 0}, name[:200]
    assert page.evaluate(f"{STOPS}.length") == total


def test_t34_open_stays_open_and_closed_asks_for_nothing(open_journey: Callable[..., Journey], server: Server) -> None:
    anna = open_journey("anna")
    waiting_card_and_open_list(anna)
    asked: list[str] = []
    anna.page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/changes") else None)
    for number in range(5):
        change(server, anna.conversation_id, f"Open {number}.")
        poll_until(anna.page, f"Open {number}.")
    assert anna.page.locator("#changes").evaluate("node => node.open")
    expect.soft(anna.records).to_have_count(1)
    assert len(asked) >= 1
    anna.page.locator("#changes > summary").click()
    anna.page.wait_for_timeout(300)
    asked.clear()
    for number in range(POLLS):
        change(server, anna.conversation_id, f"Closed {number}.")
        poll_until(anna.page, f"Closed {number}.")
    assert not anna.page.locator("#changes").evaluate("node => node.open")
    assert asked == []


def test_t37_three_quick_presses_are_one_effect(open_journey: Callable[..., Journey], server: Server) -> None:
    anna = open_journey("anna")
    anna.new_conversation()
    anna.page.locator("#message").fill("Hide the page 'Getting here'")
    press(anna.page, "#composer button[type=submit]:not([name])")
    anna.wait_for("awaiting_approval")
    expect(anna.page.locator("#log li[data-role=user]")).to_have_count(1)
    press(anna.page, "article button[value=approve]")
    anna.wait_for("idle")
    with server.app.app_context(), reading() as connection:
        decisions = connection.execute(select(func.count()).select_from(ApprovalDecision.__table__)).scalar_one()
        messages = connection.execute(
            select(func.count()).select_from(store.MESSAGE).where(store.MESSAGE.c.role == "user")
        ).scalar_one()
    assert (decisions, messages) == (1, 1)


def press(page: Page, selector: str) -> None:
    """Three presses within a tenth of a second."""
    page.locator(selector).focus()
    for _ in range(3):
        page.keyboard.press("Enter", delay=0)


def test_t42_focus_is_never_lost_to_the_page(open_journey: Callable[..., Journey]) -> None:
    anna = open_journey("anna")
    anna.new_conversation()
    page = anna.page
    page.locator("#message").focus()
    page.keyboard.type("Hide the page 'Getting here'")
    page.keyboard.press("Control+Enter")
    assert active(page) != "BODY"
    anna.wait_for("awaiting_approval")
    expect(anna.card).to_be_visible()
    assert active(page) != "BODY"
    anna.card.locator("textarea").focus()
    anna.approve.focus()
    page.keyboard.press("Enter")
    expect(page.locator("article.approval-card[data-state=approved]")).to_be_visible()
    assert page.evaluate("document.activeElement.tagName") == "H3"
    anna.wait_for("idle")
    assert active(page) != "BODY"
    page.locator("#changes > summary").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#changes-body [data-note=coverage]")).to_be_visible()
    assert active(page) == "SUMMARY"
    page.keyboard.press("Enter")
    assert active(page) == "SUMMARY"


def active(page: Page) -> str:
    return str(page.evaluate("document.activeElement.tagName"))
