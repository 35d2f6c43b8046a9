"""The end of a sign-in: T51 and T52 of a11y.md section 9."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from sqlalchemy import delete

from app.accounts import store as accounts
from app.core.db import transaction
from e2e.conftest import PASSWORD, Server
from e2e.pages.journey import Journey
from e2e.pages.recorder import Recorder
from e2e.pages.stage import LISTENING, Stage

pytestmark = pytest.mark.browser
LOCALES = pytest.mark.parametrize("locale", ["en", "de"])
Open = Callable[..., Journey]
ENDED = {
    "en": "Your session has ended. Your text is kept.",
    "de": "Ihre Sitzung ist beendet. Ihr Text bleibt erhalten.",
}
ENDS = {"en": "Your session ends in 2 minutes.", "de": "Ihre Sitzung endet in 2 Minuten."}
STAY = {"en": "Stay signed in", "de": "Angemeldet bleiben"}
IDLE = 30 * 60_000
WARNING = 2 * 60_000


@LOCALES
def test_t51_a_lost_sign_in_keeps_the_text_and_sends_it_later(open_journey: Open, server: Server, locale: str) -> None:
    anna, stage = open_journey("anna", locale=locale), Stage(server)
    page, number = anna.page, stage.conversation(status=LISTENING)
    page.goto(f"/conversations/{number}")
    page.wait_for_function("window.htmx")
    page.locator("#message").fill("Written before the end")
    with server.app.app_context(), transaction() as connection:
        connection.execute(delete(accounts.SESSION))
    with page.expect_response(re.compile(r"/updates\?")) as answer:
        page.evaluate("htmx.trigger('#beacon', 'poll-now', {}, false)")
    assert answer.value.status == 401
    expect(page.locator("#auth-lost")).to_contain_text(ENDED[locale])
    assert page.locator("input[type=password], form[action='/sign-in']").count() == 0
    expect(page.locator("#message")).to_have_value("Written before the end")
    with page.context.expect_page() as opened:
        page.locator("#auth-lost a").click()
    tab = opened.value
    tab.locator("input[name=username]").fill("anna")
    tab.locator("input[name=password]").fill(PASSWORD)
    tab.locator("input[name=password]").press("Enter")
    tab.wait_for_url(re.compile(r"/conversations"))
    stage.change(number, status="idle")
    tab.close()
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # the browser of the test never hides a tab
    page.locator("#message").focus()  # the notice with the link goes once nobody is in it
    expect(page.locator("#auth-lost")).to_be_hidden()
    page.locator("#composer button[type=submit]:not([name])").click()
    expect(page.locator("#log > li").first).to_contain_text("Written before the end")
    expect(page.locator("#message")).to_have_value("")


@LOCALES
def test_t52_the_end_is_said_in_time_and_can_be_put_off(open_journey: Open, server: Server, locale: str) -> None:
    anna, stage = open_journey("anna", locale=locale), Stage(server)
    page, number = anna.page, stage.conversation()  # it does not poll: a jump of the clock would time a poll out
    recorder = Recorder(page)
    page.goto(f"/conversations/{number}")
    page.wait_for_function("window.htmx")
    notice = page.locator("#session-notice")
    seconds = int(str(notice.get_attribute("data-ends-in")))
    page.clock.run_for(seconds * 1000 - WARNING - 20_000)
    expect(notice).to_be_hidden()
    assert recorder.entries() == []
    for _ in range(11):
        page.clock.run_for(25_000)
        expect(notice).to_be_visible()
        expect(notice).to_contain_text(ENDS[locale])
        said = [(entry["text"], entry["politeness"]) for entry in recorder.entries()]
        assert said == [(ENDS[locale], "assertive")]
        stay = notice.get_by_role("button", name=STAY[locale])
        stay.focus()
        with page.expect_response(re.compile("/draft$")) as answer:
            page.keyboard.press("Enter")
        assert answer.value.status == 204
        assert anna.focused != "BODY"
        page.locator("#message").focus()
        expect(notice).to_be_hidden()
        page.clock.run_for(IDLE - WARNING - 20_000)
        assert recorder.entries() == []


def test_t52_polls_do_not_put_the_end_off(open_journey: Open, server: Server) -> None:
    anna, stage = open_journey("anna"), Stage(server)
    number = stage.conversation(status=LISTENING)
    earlier = {"seen_at": accounts.SESSION.c.seen_at - 25 * 60}
    with server.app.app_context(), transaction() as connection:
        connection.execute(accounts.SESSION.update().values(**earlier))
    found = anna.page.request.get(f"/conversations/{number}/updates?after=0&rev=0", headers={"HX-Request": "true"})
    assert found.status == 200
    with server.app.app_context(), transaction() as connection:
        connection.execute(accounts.SESSION.update().values(seen_at=accounts.SESSION.c.seen_at - 6 * 60))
    found = anna.page.request.get(f"/conversations/{number}/updates?after=0&rev=0", headers={"HX-Request": "true"})
    assert found.status == 401
