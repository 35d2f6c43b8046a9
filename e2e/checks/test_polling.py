"""How the page asks for news: T45 to T48 and T50 of a11y.md section 9."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import Page, Route, expect

from e2e.conftest import Server
from e2e.pages.journey import Journey
from e2e.pages.recorder import Recorder
from e2e.pages.stage import LISTENING, Stage

pytestmark = pytest.mark.browser
LOCALES = pytest.mark.parametrize("locale", ["en", "de"])
Open = Callable[..., Journey]
UPDATES = re.compile(r"/updates\?")
HIDE = "Hide the page '{}'"
AGAIN = {"en": "Try again", "de": "Erneut versuchen"}
LOST = {"en": "No connection. Your text is kept.", "de": "Keine Verbindung. Ihr Text bleibt erhalten."}
BACK = {"en": "Connection restored.", "de": "Verbindung wiederhergestellt."}
HIDDEN = """() => {
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => Boolean(window.__hidden) });
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => (window.__hidden ? 'hidden' : 'visible') });
}"""
SHOW = "(hidden) => { window.__hidden = hidden; document.dispatchEvent(new Event('visibilitychange')); }"
TARGETS = """() => {
  const keeps = ['#say', '#alert', '#message', 'details'];
  const found = [];
  for (const node of document.querySelectorAll('[hx-get],[hx-post],[hx-target],[hx-swap],[hx-swap-oob]')) {
    const how = node.getAttribute('hx-swap') ?? 'innerHTML';
    if (how === 'none') continue;
    const wanted = node.getAttribute('hx-target');
    const target = wanted ? document.querySelector(wanted) : node;
    const isCard = Boolean(target.closest('#log'));
    const forbidden = isCard ? keeps : [...keeps, 'textarea'];
    for (const item of forbidden) {
      if (target.matches(item) || target.querySelector(item)) found.push(`${node.outerHTML.slice(0, 80)} ${item}`);
    }
  }
  return found;
}"""


def counted(page: Page) -> list[float]:
    """When the page asked for news, from now on."""
    asked: list[float] = []
    page.on("request", lambda request: asked.append(time.monotonic()) if UPDATES.search(request.url) else None)
    return asked


def opened(anna: Journey, number: int) -> None:
    anna.page.goto(f"/conversations/{number}")
    anna.page.wait_for_function("window.htmx")


def test_t45_no_swap_reaches_what_a_person_is_in(open_journey: Open, server: Server) -> None:
    anna, stage = open_journey("anna"), Stage(server)
    number = stage.conversation()
    stage.ask(number, HIDE.format("Press"))
    stage.decide(number)
    stage.ask(number, HIDE.format("Getting here"))
    opened(anna, number)
    expect(anna.card).to_be_visible()
    anna.open_changes()
    assert anna.page.evaluate(TARGETS) == []
    assert anna.page.evaluate("document.querySelectorAll('[hx-get],[hx-post]').length") >= 4


def test_t46_t47_nobody_asks_without_a_reason(open_journey: Open, server: Server) -> None:
    anna, stage = open_journey("anna"), Stage(server)
    page, number = anna.page, stage.conversation()
    page.clock.install()
    opened(anna, number)
    asked = counted(page)
    for _ in range(5):
        page.clock.run_for(16_000)
    assert asked == []  # T46: nothing is worked on
    stage.change(number, status="working")
    opened(anna, number)
    page.evaluate(HIDDEN)
    page.clock.run_for(3000)
    page.wait_for_timeout(100)
    assert len(asked) >= 1
    page.evaluate(SHOW, True)
    page.wait_for_timeout(100)
    asked.clear()
    for _ in range(10):
        page.clock.run_for(3000)
    page.wait_for_timeout(100)
    assert asked == []
    _asks_once(page, asked, lambda: page.evaluate(SHOW, False))
    page.context.set_offline(True)
    asked.clear()
    for _ in range(5):
        page.clock.run_for(3000)
    assert asked == []
    _asks_once(page, asked, lambda: page.context.set_offline(False))
    _asks_once(
        page, asked, lambda: page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    )


def _asks_once(page: Page, asked: list[float], come_back: Callable[[], None]) -> None:
    page.wait_for_timeout(100)
    asked.clear()
    with page.expect_response(UPDATES, timeout=500):
        come_back()
    page.wait_for_timeout(100)
    assert len(asked) == 1


@LOCALES
def test_t48_failures_make_it_patient_and_lose_nothing(open_journey: Open, server: Server, locale: str) -> None:
    anna, stage = open_journey("anna", locale=locale), Stage(server)
    page, number = anna.page, stage.conversation(status="working")
    recorder = Recorder(page)
    opened(anna, number)
    page.locator("#message").fill("Typed and kept")
    page.clock.pause_at(page.evaluate("Date.now()") + 100)
    failures: list[float] = []

    def fail(route: Route) -> None:
        failures.append(page_time[0])
        route.fulfill(status=500, body="<p>SECRET-OF-500</p>", content_type="text/html")

    page_time = [0.0]
    page.route(UPDATES, fail)
    for _ in range(140):
        page_time[0] += 1
        page.clock.run_for(1000)
        page.wait_for_timeout(5)
    gaps = [round(later - before) for before, later in pairwise(failures)]
    assert len(failures) == 5
    assert gaps == sorted(gaps)
    assert all(found >= least for found, least in zip(gaps, (5, 15, 30, 60), strict=True)), gaps
    assert "SECRET-OF-500" not in page.content()
    expect(page.locator("#message")).to_have_value("Typed and kept")
    expect(page.locator("#connection-notice")).to_contain_text(LOST[locale])
    assert LOST[locale] in recorder.said()
    again = page.get_by_role("button", name=AGAIN[locale])
    expect(again).to_be_visible()
    page.unroute(UPDATES)
    page.clock.resume()
    stage.say(number, "Here again.")
    again.click()
    expect(page.locator("#log > li").last).to_contain_text("Here again.")
    assert BACK[locale] in " ".join(recorder.said(5000))
    expect(page.locator("#message")).to_have_value("Typed and kept")
    page.locator("#message").focus()
    expect(page.locator("#connection-notice")).to_be_hidden()


def test_t50_news_asked_for_during_a_poll_come_after_it(open_journey: Open, server: Server) -> None:
    """The answer under way says that all is done and stops the polling; the message sent meanwhile must show all the same."""
    anna, stage = open_journey("anna"), Stage(server)
    page, number = anna.page, stage.conversation(status=LISTENING)
    opened(anna, number)
    stage.change(number, status="idle")
    held: list[Route] = []

    def hold(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)

    page.route(UPDATES, hold)
    page.evaluate("htmx.trigger('#beacon', 'poll-now', {}, false)")
    page.wait_for_timeout(50)
    answer = held[0].fetch()
    assert "hx-get" not in answer.text()
    with page.expect_response(re.compile(r"/messages$")):
        anna.send("Sent meanwhile")
    page.wait_for_timeout(50)
    held[0].fulfill(response=answer)
    expect(page.locator("#log > li").first).to_contain_text("Sent meanwhile")


@LOCALES
def test_t50_answers_that_overtake_each_other_bring_everything_once(
    open_journey: Open, server: Server, locale: str
) -> None:
    anna, stage = open_journey("anna", locale=locale), Stage(server)
    page, number = anna.page, stage.conversation()
    stage.change(number, status=LISTENING)
    opened(anna, number)
    waits = iter([0.25, 0.0, 0.2, 0.0, 0.15, 0.1] * 20)

    def late(route: Route) -> None:
        answer = route.fetch()
        time.sleep(next(waits))
        route.fulfill(response=answer)

    page.route(re.compile(r"/updates\?|/messages$"), late)
    stage.change(number, status="idle")
    for place in range(3):
        anna.send(f"Message {place}")
        for _ in range(3):
            page.evaluate("htmx.trigger('#beacon', 'poll-now', {}, false)")
            page.wait_for_timeout(20)
        stage.settled(number)
        expect(page.locator("#log > li[data-role=user]")).to_have_count(place + 1)
        expect(page.locator("#log > li[data-role=assistant]")).to_have_count(place + 1)
        page.evaluate("htmx.trigger('#beacon', 'poll-now', {}, false)")
        expect(page.locator("#statusline")).to_have_attribute("data-status", "idle")
    entries = page.locator("#log > li").evaluate_all("rows => rows.map(row => [row.id, Number(row.dataset.seq)])")
    assert len({entry[0] for entry in entries}) == len(entries) == 6
    assert [entry[1] for entry in entries] == sorted(entry[1] for entry in entries)
