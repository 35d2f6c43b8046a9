"""Names, headings, languages and facts of the chat page: T02, T03, T05, T08, T09, T13 of a11y.md section 9."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from app.accounts import store as accounts
from app.chat.run_record import RunEntry, encode
from app.core.db import transaction
from e2e.conftest import Server
from e2e.pages.journey import Journey
from e2e.pages.stage import PAGE, Stage

pytestmark = pytest.mark.browser
LOCALES = pytest.mark.parametrize("locale", ["en", "de"])
Open = Callable[..., Journey]
COPY = "Copy the page 'Visit' with its subpages below 'About us'"
ORDER = [
    "action",
    "workspace",
    "language",
    "hidden",
    "from",
    "until",
    "groups",
    "role",
    "failed",
    "partial",
    "undetailed",
]
HEADINGS = """() => [...document.querySelectorAll('h1,h2,h3,h4,h5,h6')]
  .map(node => [Number(node.tagName[1]), node.textContent.trim()])"""
SAME_NAME = """() => {
  const found = {};
  for (const link of document.querySelectorAll('a[href]')) {
    if (!link.checkVisibility()) continue;
    const name = (link.getAttribute('aria-label') ?? link.textContent).replace(/\\s+/g, ' ').trim();
    const target = link.href.replace(/([?&])r=\\d+/, '$1');
    (found[name] ??= new Set()).add(target);
  }
  return Object.entries(found).filter(([, targets]) => targets.size > 1).map(([name, targets]) => [name, ...targets]);
}"""
FACTS = """rows => rows.map(row => [...row.querySelectorAll('.facts > li')].map(fact =>
  [fact.childNodes.length, fact.firstChild.nodeType, fact.textContent, fact.dataset.fact]))"""
COPIED = (
    """row => { getSelection().selectAllChildren(row.querySelector('.facts')); return getSelection().toString() }"""
)
UNDETAILED = {"en": "Recorded without details", "de": "Ohne Einzelheiten aufgezeichnet"}
WITHHELD = {
    "en": "Workspace no. %s (title not visible to you)",
    "de": "Arbeitsbereich Nr. %s (Titel für Sie nicht sichtbar)",
}
MARKDOWN = "# First\n\n### Third\n\nText\n\n## Second\n\n- one"


@LOCALES
def test_t02_t03_t05_headings_languages_and_times(open_journey: Open, server: Server, locale: str) -> None:
    anna, stage = open_journey("anna", locale=locale), Stage(server)
    page, number = anna.page, stage.conversation()
    stage.ask(number, COPY)
    stage.say(number, MARKDOWN)
    stage.say(number, "Les heures d’ouverture.", language="fr")
    page.goto(f"/conversations/{number}")
    _assert_headings(page)
    assert page.evaluate("document.documentElement.lang") == locale
    assert page.locator("#log > li").last.locator("[lang=fr]").inner_text() == "Les heures d’ouverture."
    zone = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?([+-]\d\d:\d\d|Z)$")
    for row in page.locator("#log > li").all():  # T05
        expect(row.locator("h3")).to_have_count(1)
        assert zone.match(str(row.locator("time").first.get_attribute("datetime")))
    prose = page.locator("#log .prose", has_text="Third")
    assert prose.locator("h1, h2, h3").count() == 0
    assert prose.locator("h4, h5, h6").evaluate_all("nodes => nodes.map(node => node.tagName)") == ["H4", "H5", "H5"]
    stage.decide(number)
    page.goto(f"/conversations/{number}?changes=1")
    _assert_headings(page)
    for word, code in (("Willkommen", "de"), ("Bienvenue", "fr")):  # T03, titles
        expect(page.locator(f"#changes-body .record__title [lang={code}]", has_text=word).first).to_be_visible()


def _assert_headings(page: Page) -> None:
    found = page.evaluate(HEADINGS)
    levels = [level for level, _ in found]
    assert levels.count(1) == 1
    title = page.locator("h1").inner_text()
    assert page.title().removeprefix("Approval needed – ").removeprefix("Freigabe erforderlich – ").startswith(title)
    assert all(words for _, words in found)
    h1 = levels.index(1)
    for before, after in pairwise(levels[h1:]):
        assert after <= before + 1, found


@LOCALES
def test_t08_t09_t13_facts_and_links_explain_themselves(open_journey: Open, server: Server, locale: str) -> None:
    anna, stage = open_journey("anna", locale=locale), Stage(server)
    page, number = anna.page, stage.conversation(title="A conversation")
    stage.conversation(title="A conversation")
    stage.ask(number, COPY)
    page.goto(f"/conversations/{number}")
    assert page.evaluate(SAME_NAME) == []
    stage.decide(number)
    stage.ask(number, "Delete the page 'History of the house'")
    stage.decide(number)
    page.goto(f"/conversations/{number}?changes=1")
    rows = anna.records.evaluate_all(FACTS)
    assert len(rows) >= 20
    for facts in rows:
        assert all(fact[:2] == [1, 3] and fact[2].strip() for fact in facts)
        assert len({fact[2] for fact in facts}) == len(facts)
        names = [ORDER.index(fact[3]) for fact in facts]
        assert names == sorted(names), facts
    assert anna.records.first.evaluate(COPIED).strip().split("\n") == [fact[2] for fact in rows[0]]
    assert page.evaluate(SAME_NAME) == []  # T09
    deleted = page.locator("#changes-body li[data-record]:has([data-fact=action][data-value=deleted])")
    assert deleted.count() >= 1
    assert deleted.locator("[id$=-history]").count() == 0
    _assert_little_is_known(anna, stage, server, number, locale)


def _assert_little_is_known(anna: Journey, stage: Stage, server: Server, number: int, locale: str) -> None:
    """T13: a record from before details were kept, and a workspace that has been taken from the reader since."""
    old = RunEntry(outcome="completed", writes=(("pages", server.site.pages["press"], "update"),))
    workspace = server.site.people.workspaces["Relaunch"]
    other = stage.conversation(run_record=encode([old]))
    anna.page.goto(f"/conversations/{other}/changes")
    assert list(anna.facts()[0]) == ["undetailed"]
    expect(anna.records.locator("[data-fact]")).to_have_text(UNDETAILED[locale])
    with server.app.app_context(), transaction() as connection:
        connection.execute(
            PAGE.update().where(PAGE.c.workspace_id == workspace).values(workspace_id=0, version_state=0)
        )
        connection.execute(accounts.GROUP.update().values(live=True))
        connection.execute(accounts.WORKSPACE_MEMBER.delete())
    anna.page.goto(f"/conversations/{number}?changes=1")
    assert set(anna.page.locator("[data-fact=workspace]").all_text_contents()) == {WITHHELD[locale] % workspace}
