"""What is announced and what is not: T15 to T29 of a11y.md section 9."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.agent.llm.scripted import text_turn
from e2e.conftest import Server
from e2e.pages.journey import Journey
from e2e.pages.recorder import Recorder, read_aloud, serve_reader
from e2e.pages.stage import LISTENING, Stage

pytestmark = pytest.mark.browser
LOCALES = pytest.mark.parametrize("locale", ["en", "de"])
Open = Callable[..., Journey]
LONG = " ".join(["word"] * 80)
WORDS = {
    "answer": ("AI assistant: Done.", "KI-Assistenz: Done."),
    "long": ("Answer received, about 80 words.", "Antwort erhalten, etwa 80 Wörter."),
    "card": ("Approval needed: 1 of 1 step.", "Freigabe erforderlich: 1 von 1 Schritt."),
    "sent": ("Message sent. The AI assistant is working.", "Nachricht gesendet. Die KI-Assistenz arbeitet."),
    "still": ("Still working.", "Arbeitet noch."),
    "one": ("1 record listed.", "1 Datensatz aufgeführt."),
    "two": ("List updated: 2 records listed.", "Liste aktualisiert: 2 Datensätze aufgeführt."),
    "approved": ("Approved", "Freigegeben"),
}
HIDE = {"en": "Hide the page '{}'", "de": "Blende die Seite „{}“ aus"}
MUTATIONS = """() => {
  window.__mutations = [];
  new MutationObserver((records) => {
    for (const { type, attributeName, target } of records) window.__mutations.push(`${type} ${attributeName} ${target.id}`);
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
}"""


def words(name: str, locale: str) -> str:
    return WORDS[name][locale == "de"]


def opened(anna: Journey, number: int) -> Recorder:
    """The conversation on the page, with everything it says recorded."""
    recorder = Recorder(anna.page)
    anna.page.goto(f"/conversations/{number}")
    anna.page.wait_for_function("window.htmx")
    return recorder


@LOCALES
def test_t15_t23_t26_nothing_new_is_silence(open_journey: Open, server: Server, locale: str) -> None:
    """Also T23: the announcers are empty at first, stay the same nodes and stand in no live region."""
    anna, stage = open_journey("anna", locale=locale), Stage(server)
    number = stage.conversation(status=LISTENING)
    stage.say(number, "Before.")
    served = anna.page.request.get(f"/conversations/{number}").text()
    assert '<p id="say" role="status" aria-atomic="true" class="vh"></p>' in served
    assert '<p id="alert" role="alert" class="vh"></p>' in served
    recorder, page = opened(anna, number), anna.page
    assert recorder.said() == []
    inside = "['say', 'alert'].some(id => document.getElementById(id).parentElement.closest('[aria-live],[role=log]'))"
    assert not page.evaluate(inside)
    page.evaluate(MUTATIONS)
    for _ in range(20):
        recorder.poll()
    assert set(page.evaluate("window.__mutations")) <= {"attributes class beacon"}
    assert recorder.said() == []
    page.evaluate("window.__announcers = ['say', 'alert'].map(id => document.getElementById(id))")
    for count in range(50):
        stage.say(number, f"I wrote this myself, number {count}.", role="user")
        recorder.poll()
    expect(page.locator("#log > li")).to_have_count(51)
    assert page.evaluate("window.__announcers.every(node => node === document.getElementById(node.id))")
    assert recorder.said() == []  # T26


@LOCALES
def test_t16_t17_t19_t24_answers_are_said_once_and_shortly(open_journey: Open, server: Server, locale: str) -> None:
    anna, stage = open_journey("anna", locale=locale), Stage(server)
    number = stage.conversation(status=LISTENING)
    recorder = opened(anna, number)
    for body, wanted in (("Done.", "answer"), ("Done.", "answer"), (LONG, "long")):  # the second one is T24
        stage.say(number, body)
        recorder.poll()
        assert recorder.entries() == []
        anna.page.clock.run_for(2600)
        found = recorder.entries()
        assert [(entry["text"], entry["politeness"]) for entry in found] == [(words(wanted, locale), "polite")]
        anna.page.clock.run_for(6000)
    assert anna.page.locator("#say").text_content() == ""  # nothing old is found later (LV-4)
    stage.script([("hide_record", {"table": "pages", "uid": server.site.pages["press"]})])
    other = stage.conversation()
    anna.page.goto(f"/conversations/{other}")
    stage.change(other, status=LISTENING)
    anna.page.reload()
    assert stage.ask_now(other, "Hide it.") == "awaiting_approval"
    stage.say(other, "Done.")
    recorder.poll()
    expect(anna.card).to_be_visible()
    assert recorder.said() == [f"{words('card', locale)} {words('answer', locale)}"]


@LOCALES
def test_t18_t20_t21_t22_a_card_a_yes_and_its_list(open_journey: Open, server: Server, locale: str) -> None:
    anna, stage = open_journey("anna", locale=locale), Stage(server)
    stage.script([("hide_record", {"table": "pages", "uid": server.site.pages["press"]})])
    number = stage.conversation()
    recorder, page = opened(anna, number), anna.page
    anna.send("Hide it.")
    stage.settled(number)
    page.clock.run_for(2600)
    recorder.poll()
    expect(anna.card).to_be_visible()
    assert [text for text in recorder.said() if text] == [words("sent", locale), words("card", locale)]
    with stage.nobody_works():
        anna.approve.focus()
        page.keyboard.press("Enter")
        expect(page.locator("article[data-state=approved]")).to_be_visible()
        assert recorder.said() == []
        assert page.evaluate("document.activeElement.tagName") == "H3"
        assert words("approved", locale) in page.evaluate("document.activeElement.textContent")
    stage.settled(number)
    page.goto(f"/conversations/{number}")
    stage.change(number, status=LISTENING)
    page.reload()
    assert recorder.said() == []
    summary = page.locator("#changes > summary")
    summary.focus()
    page.keyboard.press("Enter")
    expect(anna.records).to_have_count(1)
    assert recorder.said() == [words("one", locale)]
    assert anna.focused == "SUMMARY"
    _refresh(anna, stage, recorder, number, locale)


def _refresh(anna: Journey, stage: Stage, recorder: Recorder, number: int, locale: str) -> None:
    asked: list[str] = []
    anna.page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/changes") else None)
    stage.change(number, status=LISTENING)
    recorder.poll()
    assert recorder.said() == []
    assert asked == []  # the same version is not asked for again
    stage.report_changes(number)
    recorder.poll()
    anna.page.wait_for_timeout(200)
    assert recorder.said() == []
    assert len(asked) == 1
    stage.change(number, status="idle")
    stage.ask(number, HIDE[locale].format("Getting here"))
    stage.decide(number)
    stage.change(number, status=LISTENING)
    recorder.poll()
    expect(anna.records).to_have_count(2)
    assert " ".join(recorder.said(5000)).count(words("two", locale)) == 1  # the answer came with it


@LOCALES
def test_t25_t28_working_is_said_twice_and_a_pause_is_silence(open_journey: Open, server: Server, locale: str) -> None:
    anna, stage = open_journey("anna", locale=locale), Stage(server)
    number = stage.conversation(status="working")
    page, asked = anna.page, []
    page.route("**/updates?*", lambda route: (asked.append(1), route.fulfill(status=204)))
    recorder = opened(anna, number)
    for _ in range(40):
        page.clock.run_for(15_000)
    assert [entry["text"] for entry in recorder.entries()] == [words("still", locale)] * 2
    page.reload()
    pause = page.locator("#poll-pause")
    pause.click()
    expect(pause).to_have_attribute("aria-pressed", "true")
    page.wait_for_timeout(50)
    recorder.entries()
    asked.clear()
    for _ in range(6):
        page.clock.run_for(10_000)
    assert recorder.entries() == []
    assert asked == []
    pause.click()
    page.wait_for_timeout(150)
    assert asked == [1]


@LOCALES
def test_t27_steps_and_time_are_not_said(open_journey: Open, server: Server, locale: str) -> None:
    anna, stage = open_journey("anna", locale=locale), Stage(server)
    read = ("read_page", {"page": server.site.pages["press"]})
    stage.script([read], [read], [read], text_turn("Done."))
    number = stage.conversation()
    recorder = opened(anna, number)
    anna.send("Read it.")
    for _ in range(5):
        recorder.poll()
    stage.settled(number)
    recorder.poll()
    expect(anna.page.locator("#log > li[data-role=assistant]")).to_have_count(1)
    assert recorder.said(5000) == [words("sent", locale), words("answer", locale)]


@LOCALES
def test_t22_t29_a_reader_hears_record_and_card_in_order(open_journey: Open, server: Server, locale: str) -> None:
    anna, stage = open_journey("anna", locale=locale), Stage(server)
    serve_reader(anna.page.context)
    page, number = anna.page, stage.conversation()
    stage.ask(number, HIDE[locale].format("Press"))
    page.goto(f"/conversations/{number}")
    _assert_card_in_order(page, locale)
    anna.approve.click()
    expect(page.locator("article[data-state=approved]")).to_be_visible()
    assert page.evaluate("document.activeElement.tagName") == "H3"
    phrases = read_aloud(page, "article.approval-card h3")
    assert words("approved", locale) in phrases[0]
    stage.settled(number)
    page.goto(f"/conversations/{number}?changes=1")
    heard = read_aloud(page, "#changes-body li[data-record]")
    _assert_record_in_order(page, heard)


def _assert_card_in_order(page: Page, locale: str) -> None:
    heard = read_aloud(page, "article.approval-card")
    assert all(phrase.strip() for phrase in heard)
    heading = page.locator("article.approval-card h3").inner_text()
    step = page.locator("article.approval-card h4").inner_text()
    approve, decline = (page.locator(f"article button[value={value}]").inner_text() for value in ("approve", "decline"))
    wanted = [f"heading, {heading}", f"heading, {step}", f"button, {approve}", f"button, {decline}"]
    places = [next((place for place, phrase in enumerate(heard) if phrase.startswith(item)), -1) for item in wanted]
    assert -1 not in places, (wanted, heard)
    assert places == sorted(places), (places, heard)


def _assert_record_in_order(page: Page, heard: list[str]) -> None:
    row = page.locator("#changes-body li[data-record]")
    facts = row.locator("[data-fact]").all_text_contents()
    title = row.locator(".record__title bdi").inner_text()
    assert all(phrase.strip() for phrase in heard)
    at = next(place for place, phrase in enumerate(heard) if title in phrase)
    spoken = [phrase for phrase in heard if phrase in facts]
    assert spoken == facts, heard
    assert heard.index(facts[0]) > at
