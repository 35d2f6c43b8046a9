"""The page tree, the page module, records and their history."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from sqlalchemy import text as sql

from app.content.types import Origin, WriteContext
from app.content.writer import Batch
from app.core import clock
from app.core.db import reading, transaction
from app.seed.demo import DemoSite
from tests.conftest import IdentityOf
from tests.support.page import Page, PageClient

_TOKEN = re.compile(r'name="csrf_token" value="[^"]*"')
Browsers = Callable[[str], PageClient]


def bare(page: Page, uid: int) -> str:
    """A page without its tokens and without the number asked for."""
    return _TOKEN.sub("", page.html).replace(f"%2F{uid}", "").replace(f"/{uid}", "")


def uids_of(browser: PageClient, path: str) -> list[int]:
    return [int(str(link["data-page"])) for link in browser.get(path).all("a[data-page]")]


def change(identity_of: IdentityOf, who: str, workspace_id: int, uid: int, **values: str) -> None:
    with transaction() as connection:
        context = WriteContext(
            actor=identity_of(who, workspace_id),
            workspace_id=workspace_id,
            origin=Origin.PERSON,
            correlation="test",
            now=clock.now(),
        )
        batch = Batch(connection, context)
        batch.update("pages", uid, values)
        batch.finish()


def test_it_shows_the_pages_a_person_may_read(browser_of: Browsers, site: DemoSite) -> None:
    shown = uids_of(browser_of("anna"), "/pages")
    assert site.pages["hours"] in shown
    assert site.pages["staff"] not in shown
    assert site.pages["staff"] in uids_of(browser_of("admin"), "/pages")


def test_it_starts_the_tree_at_the_mount(browser_of: Browsers, site: DemoSite) -> None:
    assert uids_of(browser_of("emil"), "/pages")[0] == site.pages["exhibitions"]


@pytest.mark.parametrize(("words", "key"), [("opening", "hours"), ("OPENING HOURS", "hours")])
def test_it_lists_hits(anna: PageClient, site: DemoSite, words: str, key: str) -> None:
    found = anna.submit(anna.get("/pages"), "form.search", q=words)
    assert [int(str(link["data-page"])) for link in found.all("a[data-page]")] == [site.pages[key]]


@pytest.mark.parametrize("words", ["%", "_", '"', "NEAR(", "x" * 10_000, "<script>", "{{7*7}}", "\u202e"])
def test_it_takes_search_words_literally(anna: PageClient, words: str) -> None:
    """B54, B87"""
    found = anna.get("/pages", query_string={"q": words})
    assert found.status == 200
    assert not found.all("a[data-page]")
    assert "49" not in found.text


def test_it_says_that_nothing_can_be_read(browser_of: Browsers) -> None:
    assert "no workspace that is open to you" in browser_of("gus").get("/pages").text


def test_it_shows_a_page_with_its_content_by_language(anna: PageClient, site: DemoSite) -> None:
    found = anna.get(f"/pages/{site.pages['tickets']}")
    assert found.heading == "Tickets and tours"
    assert "Language: German" in found.text
    assert "Eintritt und Führungen" in found.text
    labels = [fact.get_text() for fact in found.all("[data-fact]")]
    assert "not hidden" in labels
    assert any(label.startswith("Limited to user groups") for label in labels)
    assert found.one("nav[aria-label='Way to this page'] li:last-child a")["href"] == f"/pages/{site.pages['visit']}"


def test_it_words_hidden_and_times(anna: PageClient, site: DemoSite) -> None:
    assert "Time limit: until" in anna.get(f"/pages/{site.pages['summer']}").text
    facts = anna.get(f"/pages/{site.pages['archive']}").all("[data-fact=hidden]")
    assert facts[0].get_text() == "hidden"


def test_it_opens_translations_and_elements(anna: PageClient, site: DemoSite) -> None:
    for link in anna.get(f"/pages/{site.pages['tickets']}").all("main a[href^='/pages/'], main a[href^='/records/']"):
        assert anna.get(str(link["href"])).status == 200, link


@pytest.mark.parametrize("who", ["anna", "cem", "emil", "gus", "fay"])
def test_it_answers_alike_for_missing_and_withheld_pages(browser_of: Browsers, site: DemoSite, who: str) -> None:
    """I21"""
    browser = browser_of(who)
    for pattern in ("/pages/{}", "/records/pages/{}", "/records/pages/{}/history?workspace=0"):
        withheld, missing = (browser.get(pattern.format(uid)) for uid in (site.pages["rota"], 987654))
        assert withheld.status == missing.status == 404
        assert bare(withheld, site.pages["rota"]) == bare(missing, 987654)


def test_it_shows_fields_and_withholds_those_without_a_grant(browser_of: Browsers, site: DemoSite) -> None:
    address = f"/records/pages/{site.pages['hours']}"
    assert "Keywords" in browser_of("anna").get(address).text
    found = browser_of("emil").get(f"/records/pages/{site.pages['summer']}")
    assert found.status == 200
    assert not found.all("[data-field=keywords]")


def test_it_renders_the_text_of_an_element_as_safe_markup(anna: PageClient, site: DemoSite) -> None:
    element = anna.get(f"/pages/{site.pages['summer']}").all(".page-module__element a")[0]
    found = anna.get(str(element["href"]))
    assert found.one(f".prose a[href='/pages/{site.pages['tickets']}']").get_text() == "tickets"


def test_it_shows_who_changed_what(anna: PageClient, identity_of: IdentityOf, site: DemoSite) -> None:
    uid, draft = site.pages["hours"], site.people.workspaces["Relaunch"]
    change(identity_of, "anna", draft, uid, title="When we are open")
    found = anna.get(f"/records/pages/{uid}/history?workspace={draft}")
    assert found.status == 200
    field = found.all("[data-field=title]")[0]
    assert field.find("del").get_text() == "Opening hours"  # type: ignore[union-attr]
    assert field.find("ins").get_text() == "When we are open"  # type: ignore[union-attr]
    assert "Changed by Anna Bergmann" in found.text


def test_it_keeps_the_history_of_a_draft_to_those_who_use_it(
    browser_of: Browsers, identity_of: IdentityOf, site: DemoSite
) -> None:
    uid, draft = site.pages["hours"], site.people.workspaces["Relaunch"]
    change(identity_of, "anna", draft, uid, title="Secret title")
    cem = browser_of("cem")
    assert cem.get(f"/records/pages/{uid}/history?workspace={draft}").status == 404
    assert "Secret title" not in cem.get(f"/records/pages/{uid}/history").html
    assert "Secret title" not in cem.get(f"/pages/{uid}").html


def test_it_asks_for_sign_in_and_takes_no_writes(anonymous: PageClient, anna: PageClient, site: DemoSite) -> None:
    uid = site.pages["hours"]
    for path in ("/pages", f"/pages/{uid}", f"/pages/{uid}/below", f"/records/pages/{uid}/history"):
        assert anonymous.get(path).location.startswith("/sign-in?next=")
        assert anna.post(path).status == 405
    assert anonymous.get(f"/records/pages/{uid}").location.startswith("/sign-in?next=")


def test_it_changes_nothing_by_reading(anna: PageClient, site: DemoSite) -> None:
    """I22"""

    def state() -> list[object]:
        with reading() as connection:
            names = connection.execute(sql("SELECT name FROM sqlite_master WHERE type = 'table'")).scalars().all()
            return [
                connection.execute(sql(f'SELECT count(*), "{name}" FROM "{name}"')).all()  # noqa: S608
                for name in names
                if name != "sign_in_session"
            ]

    before = state()
    for path in (
        "/pages",
        "/pages?q=a",
        f"/pages/{site.pages['hours']}",
        "/workspaces",
        "/preferences",
        "/?language=de",
    ):
        anna.get(path)
    assert state() == before
