"""What a person has typed, selected, focused and read stays theirs: T31 to T33, T35, T36, T38 to T41 of a11y.md section 9."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Page, Route, expect

from e2e.conftest import Server
from e2e.pages.journey import Journey
from e2e.pages.recorder import Recorder
from e2e.pages.stage import LISTENING, Stage

pytestmark = pytest.mark.browser
LOCALES = pytest.mark.parametrize("locale", ["en", "de"])
Open = Callable[..., Journey]
HIDE = "Hide the page '{}'"
COPY = "Copy the page 'Visit' with its subpages below 'About us'"
DECIDED = {"en": "This approval has already been decided.", "de": "Über diese Freigabe wurde bereits entschieden."}
FAILED = {
    "en": "The decision could not be sent. Try again.",
    "de": "Die Entscheidung konnte nicht gesendet werden. Versuchen Sie es erneut.",
}
EMPTY = {"en": "Enter a message", "de": "Geben Sie eine Nachricht ein"}
PREFIX = {"en": "Error: ", "de": "Fehler: "}
CARET = "node => [node.value, node.selectionStart, node.selectionEnd, node.selectionDirection]"
TOP = "node => node.getBoundingClientRect().top"
ACTIVE = "document.activeElement.id"


def opened(anna: Journey, number: int) -> Page:
    anna.page.goto(f"/conversations/{number}")
    anna.page.wait_for_function("window.htmx")
    return anna.page


def news(stage: Stage, recorder: Recorder, number: int, count: int) -> None:
    """Polls that each bring an entry and another version of the list."""
    for place in range(count):
        stage.say(number, f"News number {place}.")
        stage.report_changes(number)
        recorder.poll()
    expect(recorder.page.locator("#log > li").last).to_contain_text(f"News number {count - 1}.")


def test_t31_t32_t33_typing_selecting_and_reading_go_on(open_journey: Open, server: Server) -> None:
    anna, stage = open_journey("anna"), Stage(server)
    number = stage.conversation()
    for place in range(30):
        stage.say(number, f"Earlier entry {place}.")
    stage.ask(number, HIDE.format("Press"))
    recorder = Recorder(anna.page, clock=False)
    page = opened(anna, number)
    reason, message = anna.card.locator("textarea"), page.locator("#message")
    reason.fill("Because of this")
    reason.evaluate("node => node.setSelectionRange(3, 7, 'backward')")
    message.fill("Typed text")
    message.evaluate("node => { node.focus(); node.setSelectionRange(2, 5) }")
    before = [reason.evaluate(CARET), message.evaluate(CARET), message.evaluate(TOP)]
    news(stage, recorder, number, 20)
    after = [reason.evaluate(CARET), message.evaluate(CARET), message.evaluate(TOP)]
    assert after[:2] == before[:2]
    assert abs(after[2] - before[2]) <= 1  # T33: the field stays where it is on the screen
    page.evaluate("""() => { document.activeElement.blur();
        getSelection().setBaseAndExtent(document.querySelector('#log li p, #log li .prose').firstChild, 0,
        document.querySelectorAll('#log .prose')[3], 1) }""")
    selected = page.evaluate("getSelection().toString()")
    assert len(selected) > 20
    reference = page.locator("#log > li").nth(8)
    reference.evaluate("node => node.scrollIntoView({ block: 'center' })")
    top = reference.evaluate(TOP)
    news(stage, recorder, number, 10)
    assert page.evaluate("getSelection().toString()") == selected
    assert abs(reference.evaluate(TOP) - top) <= 1
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    stage.say(number, "At the end.")
    recorder.poll()
    box = page.locator("#log > li").last.bounding_box()
    scroll = page.viewport_size
    assert box is not None
    assert scroll is not None
    assert 0 <= box["y"] < scroll["height"]


def test_t35_a_row_keeps_the_focus_and_passes_it_on(open_journey: Open, server: Server) -> None:
    anna, stage = open_journey("anna"), Stage(server)
    number = stage.conversation()
    stage.ask(number, COPY)
    stage.decide(number)
    stage.change(number, status=LISTENING)
    recorder = Recorder(anna.page, clock=False)
    page, gone = opened(anna, number), set[str]()

    def without_rows(route: Route) -> None:
        answer = route.fetch()
        tree = BeautifulSoup(answer.text(), "html.parser")
        for row in tree.select("li[data-record]"):
            if row["id"] in gone:
                row.decompose()
        route.fulfill(response=answer, body=str(tree))

    page.route(re.compile(r"/changes$"), without_rows)
    anna.open_changes()
    expect(anna.records).to_have_count(19)
    rows = anna.records.evaluate_all("rows => rows.map(row => row.id)")
    page.locator(f"#{rows[4]} .record__title a").focus()
    page.evaluate("window.__link = document.activeElement")

    def refresh(*without: int) -> None:
        gone.clear()
        gone.update(rows[place] for place in without)
        stage.report_changes(number)
        recorder.poll()
        for row in rows:
            expect(page.locator(f"#{row}")).to_have_count(0 if row in gone else 1)

    refresh()
    page.wait_for_timeout(100)
    assert page.evaluate("document.activeElement === window.__link")
    refresh(4)
    assert page.evaluate(ACTIVE) == f"{rows[3]}-title"
    page.locator(f"#{rows[0]} .record__title a").focus()
    refresh(0)
    assert page.evaluate(ACTIVE) == f"{rows[1]}-title"
    refresh(*range(19))
    assert anna.focused == "SUMMARY"


@LOCALES
def test_t36_a_card_decided_elsewhere_stays_while_somebody_is_in_it(
    open_journey: Open, server: Server, locale: str
) -> None:
    anna, stage = open_journey("anna", locale=locale), Stage(server)
    recorder = Recorder(anna.page)
    for case in ("focus", "reason"):
        number = stage.conversation()
        stage.ask(number, HIDE.format("Press" if case == "focus" else "Getting here"))
        page = opened(anna, number)
        card = anna.card
        if case == "focus":
            anna.approve.focus()
        else:
            card.locator("textarea").fill("Typed reason")
            page.locator("#message").focus()
        page.evaluate("window.__card = document.querySelector('article.approval-card')")
        focus = page.evaluate(ACTIVE)
        with stage.nobody_works():
            stage.decide(number, by="fay", waits=False)
            recorder.poll()
            page.wait_for_timeout(100)
            assert page.evaluate("window.__card === document.querySelector('article.approval-card')")
            assert page.evaluate(ACTIVE) == focus
            expect(page.locator(".approval-card__note")).to_have_text(DECIDED[locale])
            if case == "reason":
                expect(card.locator("textarea")).to_have_value("Typed reason")
            assert recorder.said() == [DECIDED[locale]]
            with page.expect_response(re.compile("/approval")) as answer:
                anna.approve.press("Enter")
            assert answer.value.status == 409
            expect(page.locator("article.approval-card[data-state=approved]")).to_contain_text(DECIDED[locale])
            assert anna.focused == "H3"
            recorder.said()
        stage.settled(number)


@LOCALES
def test_t38_a_reason_outlives_every_failure(open_journey: Open, server: Server, locale: str) -> None:
    anna, stage = open_journey("anna", locale=locale), Stage(server)
    number = stage.conversation()
    stage.ask(number, HIDE.format("Press"))
    page = opened(anna, number)
    reason = anna.card.locator("textarea")
    reason.fill("Not before summer")
    page.route(re.compile("/approval"), lambda route: route.fulfill(status=500, body="<p>broken</p>"))
    anna.decline.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".approval-card__note")).to_have_text(FAILED[locale])
    assert page.evaluate("document.activeElement.value") == "decline"
    expect(reason).to_have_value("Not before summer")
    page.unroute(re.compile("/approval"))
    page.evaluate("document.querySelector('.approval-card__decision').requestSubmit()")  # 422: neither yes nor no
    expect(page.locator("article .error-summary")).to_be_focused()
    expect(reason).to_have_value("Not before summer")
    page.evaluate("document.querySelector('.approval-card__decision [name=digest]').value = 'a'.repeat(64)")
    anna.decline.click()
    expect(page.locator("article h3")).to_be_focused()  # 409
    expect(reason).to_have_value("Not before summer")
    anna.decline.click()
    expect(page.locator("article.approval-card[data-state=declined]")).to_contain_text("Not before summer")


@LOCALES
def test_t39_t40_what_is_wrong_is_said_and_text_is_kept(open_journey: Open, server: Server, locale: str) -> None:
    anna, stage = open_journey("anna", locale=locale), Stage(server)
    page, message = opened(anna, stage.conversation()), anna.page.locator("#message")
    title = page.title()
    message.focus()
    page.keyboard.press("Control+Enter")
    summary = page.locator("#composer-errors .error-summary")
    expect(summary).to_be_focused()
    expect(page).to_have_title(PREFIX[locale] + title)
    expect(message).to_have_attribute("aria-invalid", "true")
    described = str(message.get_attribute("aria-describedby")).split()
    assert any(EMPTY[locale] in page.locator(f"#{item}").inner_text() for item in described)
    link = summary.get_by_role("link", name=EMPTY[locale], exact=True)
    link.press("Enter")
    expect(message).to_be_focused()

    def late(route: Route) -> None:
        time.sleep(0.5)
        route.continue_()

    page.route(re.compile("/messages$"), late)
    message.fill("First")
    page.keyboard.press("Control+Enter")
    page.keyboard.type(" and more")
    expect(page.locator("#log > li").first).to_contain_text("First")
    expect(message).to_have_value("First and more")
    expect(message).to_be_focused()
    expect(message).not_to_have_attribute("aria-invalid", "true")
    assert not page.title().startswith(PREFIX[locale])


def test_t41_another_conversation_is_another_page_and_back_restores(open_journey: Open, server: Server) -> None:
    anna, stage = open_journey("anna"), Stage(server)
    first, second = stage.conversation(title="First one"), stage.conversation(title="Second one")
    for place in range(25):
        stage.say(first, f"Entry {place}.")
    page = opened(anna, first)
    page.evaluate("window.__document = 1")
    page.locator("#message").fill("My draft")
    page.locator(".threads__link", has_text="Second one").click()
    page.wait_for_url(f"**/conversations/{second}")
    assert page.evaluate("window.__document") is None
    expect(page).to_have_title(re.compile("^Second one"))
    assert (
        page.evaluate(
            "[...Object.keys(sessionStorage), ...Object.keys(localStorage)].filter(key => key.includes('htmx'))"
        )
        == []
    )
    page.go_back()
    page.wait_for_url(f"**/conversations/{first}")
    expect(page.locator("#log > li")).to_have_count(25)
    expect(page.locator("#message")).to_have_value("My draft")
