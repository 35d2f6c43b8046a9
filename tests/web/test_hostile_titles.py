"""Hostile texts as titles and names on every page that shows them: escaped, visible, on one line (I31, B45 to B56)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from bs4 import BeautifulSoup, NavigableString
from flask import Flask
from sqlalchemy import update

from app.accounts.store import WORKSPACE
from app.content.models import File
from app.content.types import Origin, WriteContext
from app.content.writer import Batch
from app.core import clock
from app.core.db import transaction
from app.core.visible import visible
from app.policy.identity import LIVE
from app.seed.demo import DemoSite
from tests.content.writer.test_hostile_text import KEPT
from tests.support.assignments import Assignments
from tests.support.page import Page, PageClient, words_of
from tests.support.personas import IdentityOf

FERRY = 1
FILE = File.__table__
UNSEEN = re.compile("[\u200b\u2028-\u202e\u2060-\u2069\ufeff\u00ad\U000e0041\U000e0042]")
"""Characters of the texts that show nothing or turn the direction of the text."""
EVERYWHERE = {name: words for name, words in KEPT.items() if visible(words) != words or "<" in words}
"""Texts with something to spell or to escape; the others are looked at on four pages."""
HEADINGS = ("h1", "h2", "h3", "h4", "title", "legend", "summary", "th")


@contextmanager
def writing(identity_of: IdentityOf, workspace_id: int) -> Iterator[Batch]:
    """A batch of the administrator, in live or a draft."""
    context = WriteContext(
        actor=identity_of("admin", workspace_id),
        workspace_id=workspace_id,
        origin=Origin.PERSON,
        correlation="test",
        now=clock.now(),
    )
    with transaction() as connection:
        batch = Batch(connection, context)
        yield batch
        batch.finish()


def spread(site: DemoSite, identity_of: IdentityOf, words: str) -> dict[str, int]:
    """Put the text into titles of a page, its translation, its element, a file, its description, and a workspace."""
    hours, draft = site.pages["hours"], site.people.workspaces["Relaunch"]
    with writing(identity_of, LIVE) as batch:
        batch.update("pages", hours, {"title": words, "subtitle": words})
        element = batch.create("content_elements", hours, {"header": words, "body": words}).uid
        gone = batch.create("content_elements", hours, {"header": words, "body": ""}).uid
        batch.localize("content_elements", element, 1, with_content=False)
        translation = batch.localize("pages", hours, 1, with_content=True).uid
        batch.update("pages", translation, {"title": words})
        batch.set_hidden("pages", translation, hidden=False)
    with writing(identity_of, LIVE) as batch:
        batch.delete("content_elements", gone)
    with writing(identity_of, draft) as batch:
        batch.update("pages", hours, {"description": words})
        batch.update("content_elements", element, {"body": f"{words} and more"})
    with transaction() as connection:
        connection.execute(update(WORKSPACE).where(WORKSPACE.c.id == draft).values(title=words))
        connection.execute(update(FILE).where(FILE.c.uid == FERRY).values(name=words))
    return {"hours": hours, "element": element, "translation": translation, "draft": draft}


def addresses(known: dict[str, int], conversation: int) -> Iterator[str]:
    """Pages that show one of these texts."""
    hours, element, draft = known["hours"], known["element"], known["draft"]
    yield from ("/pages", "/pages?q=e", "/files", "/files?storage=1&folder=/editorial/", "/workspaces")
    yield from (f"/pages/{hours}", f"/pages/{hours}?deleted=1", f"/pages/{hours}/below", f"/pages?q={hours}")
    for record in (f"pages/{hours}", f"pages/{known['translation']}", f"content_elements/{element}"):
        yield f"/records/{record}"
        yield from (f"/records/{record}/{part}" for part in ("deletion", "visibility", "move", "history"))
        yield f"/records/{record}/history?workspace={draft}"
    yield from (f"/records/pages/{hours}/copy", f"/records/pages/{hours}/translation")
    yield f"/records/content_elements/new?page={hours}"
    yield from (
        f"/workspaces/{draft}{part}" for part in ("", "/publication?all=yes", "/discarding?all=yes", "/deletion")
    )
    yield from (f"/workspaces/{draft}/records/{record}" for record in (f"pages/{hours}", f"content_elements/{element}"))
    yield from (f"/files/{FERRY}{part}" for part in ("", "/place", "/deletion"))
    yield from (
        f"/site/en/{hours}",
        f"/site/de/{hours}",
        f"/site/en/{hours}?workspace={draft}",
        f"/conversations/{conversation}",
    )


def shown_texts(page: Page) -> Iterator[tuple[str, str]]:
    """Words of a page with the element around them; what a form holds to be sent again stays as it is."""
    soup = page.soup
    for words in soup.find_all(string=True):
        if type(words) is NavigableString and words.parent is not None and words.parent.name != "textarea":
            yield words.parent.name, str(words)
    for tag in soup.find_all(True):
        for name in ("alt", "aria-label", "title"):
            if tag.get(name):
                yield f"{tag.name}[{name}]", str(tag[name])


@pytest.mark.parametrize("name", KEPT)
def test_it_shows_hostile_titles_safely(
    app: Flask, site: DemoSite, identity_of: IdentityOf, assignments: Assignments, name: str
) -> None:
    known = spread(site, identity_of, KEPT[name])
    admin = PageClient(app).sign_in_as(site.people.users["admin"])
    anna = PageClient(app).sign_in_as(site.people.users["anna"])
    everywhere = list(addresses(known, assignments.id))
    short = ["/pages", f"/pages/{known['hours']}", f"/records/pages/{known['hours']}", f"/files/{FERRY}"]
    found = 0
    for standing, asked in ((LIVE, everywhere), (known["draft"], short)):
        admin.post("/workspaces/selection", {"workspace": str(standing)})
        for address in asked if name in EVERYWHERE else short:
            page = visit(anna if "/conversations" in address else admin, address)
            assert page.status in {200, 404}, (address, page.status)
            found += check(page, address, KEPT[name])
    assert found > (60 if name in EVERYWHERE else 10), "the text is shown in many places"


def visit(browser: PageClient, address: str) -> Page:
    """A page; one of the site leads to the address with its present title."""
    found = browser.get(address)
    return browser.get(found.location) if found.status == 301 else found


def check(page: Page, address: str, words: str) -> int:
    """How often the text is shown; each time safely."""
    soup: BeautifulSoup = page.soup
    assert not [tag for tag in soup.find_all("script") if not tag.get("src")], address
    for where, shown in shown_texts(page):
        assert not UNSEEN.search(shown), (address, where, shown[:200])
    for tag in soup.find_all(HEADINGS):
        assert not {"\u2028", "\u2029"} & set(tag.get_text()), (address, tag.name)
    for tag in soup.find_all("bdi"):
        assert not tag.find("bdi"), address
    plain = " ".join(visible(words).split())
    return words_of(soup).count(plain[:40])


@pytest.mark.parametrize("words", [KEPT["B45 right-to-left override"], KEPT["B47 line separators"], KEPT["markup"]])
def test_it_isolates_titles_and_keeps_them_in_forms(
    app: Flask, site: DemoSite, identity_of: IdentityOf, words: str
) -> None:
    known = spread(site, identity_of, words)
    admin = PageClient(app).sign_in_as(site.people.users["admin"])
    hours, shown = known["hours"], visible(words)
    assert [link.get_text() for link in admin.get("/pages").all(f"a[data-page='{hours}'] > bdi")] == [shown]
    assert admin.get(f"/pages/{hours}").one("h1 > bdi").get_text() == shown
    assert admin.get(f"/files/{FERRY}").one("h1 > bdi").get_text() == shown
    assert (
        admin.get("/files?storage=1&folder=/editorial/").one(f"#file-{FERRY} .file-list__name bdi").get_text() == shown
    )
    form = admin.get(f"/records/pages/{hours}").values("#record-form")
    assert form["title"] == words, "a form gives back every character"
    saved = admin.submit(admin.get(f"/records/pages/{hours}"), "#record-form")
    assert "saved like this already" in admin.follow(saved).text
