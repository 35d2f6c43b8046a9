"""What visitors may see: every mark on a page and above it, languages without fallback, previews with the reader's rights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import update

from app.content import models
from app.content.site import SiteBranch, SitePage, Stance, find_home, find_redirect, find_site_file, read_site_page
from app.content.types import Origin, WriteContext
from app.content.writer import Batch
from app.core import clock as core_clock
from app.core.db import reading, transaction
from app.policy.identity import Identity
from app.seed.demo import DemoSite
from app.seed.installation import seed_actor
from tests.support.clock import FakeClock
from tests.support.personas import IdentityOf
from tests.support.statements import count_statements

EN, DE, FR = 0, 1, 2
MOST_STATEMENTS = 16


class Site:
    """The demo as visitors and members look at it, and a way to change it."""

    def __init__(self, site: DemoSite, identity_of: IdentityOf) -> None:
        self.pages, self.people, self._identity_of = site.pages, site.people, identity_of
        self.relaunch = site.people.workspaces["Relaunch"]

    def stance(self, reader: str | None = None, workspace: str = "Relaunch") -> Stance:
        if reader is None:
            return Stance(now=core_clock.now())
        identity: Identity = self._identity_of(reader)
        return Stance(now=core_clock.now(), workspace_id=self.people.workspaces[workspace], reader=identity)

    def read(self, key: str, language_id: int = EN, reader: str | None = None) -> SitePage | None:
        with reading() as connection:
            return read_site_page(connection, self.stance(reader), language_id, self.pages[key])

    def page(self, key: str, language_id: int = EN, reader: str | None = None) -> SitePage:
        found = self.read(key, language_id, reader)
        assert found is not None, key
        return found

    def change(self, act: Callable[[Batch], Any], workspace_id: int = 0) -> Any:
        actor = replace(
            seed_actor(main_group_id=self.people.groups["Editorial"]),
            workspaces={self.relaunch: "Relaunch"},
            workspace_id=workspace_id,
        )
        context = WriteContext(
            actor=actor, workspace_id=workspace_id, origin=Origin.SEED, correlation="test/1", now=core_clock.now()
        )
        with transaction() as connection:
            batch = Batch(connection, context)
            found = act(batch)
            batch.finish()
        return found

    def mark(self, key: str, values: dict[str, Any], workspace_id: int = 0) -> None:
        self.change(lambda batch: batch.update("pages", self.pages[key], values), workspace_id)


@pytest.fixture
def world(app: Flask, clock: FakeClock, site: DemoSite, identity_of: IdentityOf) -> Site:
    return Site(site, identity_of)


def titles(branches: tuple[SiteBranch, ...]) -> list[Any]:
    return [(branch.link.title, titles(branch.below)) if branch.below else branch.link.title for branch in branches]


def marks() -> list[dict[str, Any]]:
    now = int(FakeClock().now())
    return [
        {"hidden": True},
        {"starttime": now + 3600},
        {"endtime": now - 3600},
        {"groups": "1"},
        {"groups": "-2"},
    ]


def test_it_shows_a_page_with_its_surroundings(world: Site) -> None:
    page = world.page("hours")
    assert (page.title, page.home.title, page.home.is_home) == ("Opening hours", "Town Museum", True)
    assert [step.title for step in page.path] == ["Town Museum", "Visit", "Opening hours"]
    below = ["Opening hours", "Tickets and tours", "Getting here"]
    assert titles(page.navigation) == [("Visit", below), "Exhibitions", "About us"]
    assert [element.header for element in page.elements] == ["Summer", "Winter", "Holidays"]
    assert [link.code for link in page.translations] == ["en"]


@pytest.mark.parametrize("mark", marks(), ids=lambda mark: next(iter(mark)))
@pytest.mark.parametrize("key", ["hours", "visit", "root"])
def test_it_hands_every_mark_down(world: Site, key: str, mark: dict[str, Any]) -> None:
    world.mark(key, mark)
    assert world.read("hours") is None
    about = world.read("about")
    assert (about is None) == (key == "root")
    if about is not None and key == "visit":
        assert "Visit" not in str(titles(about.navigation))


def test_it_shows_what_its_time_has_come_for(world: Site, clock: FakeClock) -> None:
    now = core_clock.now()
    world.mark("visit", {"starttime": now, "endtime": now + 10})
    assert world.read("hours") is not None
    clock.advance(10)
    assert world.read("hours") is None


def test_it_leaves_out_elements_that_may_not_be_seen(world: Site, clock: FakeClock) -> None:
    assert [element.header for element in world.page("tickets").elements] == ["Prices"]
    assert [element.header for element in world.page("summer").elements] == ["Boats on the river"]
    holidays = next(element.uid for element in world.page("hours").elements if element.header == "Holidays")
    world.change(lambda batch: batch.update("content_elements", holidays, {"endtime": core_clock.now() + 5}))
    assert len(world.page("hours").elements) == 3
    clock.advance(5)
    assert [element.header for element in world.page("hours").elements] == ["Summer", "Winter"]


def test_it_does_not_show_what_is_deleted(world: Site) -> None:
    world.change(lambda batch: batch.delete("pages", world.pages["visit"]))
    assert world.read("hours") is None
    assert "Visit" not in str(titles(world.page("about").navigation))


def test_it_has_no_fallback_between_languages(world: Site) -> None:
    assert world.read("hours", DE) is None
    visit = world.page("visit", DE)
    assert (visit.title, [step.title for step in visit.path]) == ("Besuch", ["Stadtmuseum", "Besuch"])
    assert [element.header for element in visit.elements] == ["Willkommen"]
    assert titles(visit.navigation)[0] == ("Besuch", ["Eintritt und Führungen", "Anfahrt"])
    assert [link.code for link in visit.translations] == ["en", "de", "fr"]
    french = world.page("visit", FR)
    assert (french.home.code, titles(french.navigation)) == ("en", ["Visite", "À propos"])


def test_it_closes_a_language_below_a_hidden_translation(world: Site) -> None:
    def hide(batch: Batch) -> None:
        pages = models.Page.__table__
        batch.connection.execute(
            update(pages)
            .where(pages.c.translation_parent == world.pages["visit"], pages.c.language_id == DE)
            .values(hidden=True)
        )

    world.change(hide)
    assert world.read("visit", DE) is None
    assert world.read("tickets", DE) is None
    assert [link.code for link in world.page("tickets").translations] == ["en"]
    assert world.read("visit", FR) is not None


def test_it_leads_links_to_visible_pages_only(world: Site) -> None:
    keys = ("tickets", "archive", "staff", "visit")
    body = " ".join(f"[{key}](page:{world.pages[key]})" for key in keys) + " [none](page:987654)"
    world.change(lambda batch: batch.create("content_elements", world.pages["about"], {"header": "L", "body": body}))
    assert set(world.page("about").links) == {world.pages["tickets"], world.pages["visit"]}


def test_it_falls_back_in_links_alone(world: Site) -> None:
    links = world.page("root", DE).links
    assert (links[world.pages["visit"]].code, links[world.pages["visit"]].title) == ("de", "Besuch")
    hours = {"header": "", "body": f"[Zeiten](page:{world.pages['hours']})"}
    world.change(lambda batch: batch.create("content_elements", world.pages["about"], hours, language_id=DE))
    assert world.page("about", DE).links[world.pages["hours"]].code == "en"


def test_it_needs_a_constant_number_of_statements(world: Site) -> None:
    def grow(batch: Batch) -> None:
        for number in range(30):
            uid = batch.create("pages", world.pages["about"], {"title": f"P{number}"}).uid
            batch.create("content_elements", uid, {"header": "x"})
            body = f"[{number}](page:{uid}) [up](page:{world.pages['visit']})"
            element = batch.create("content_elements", world.pages["about"], {"header": f"E{number}", "body": body}).uid
            owner = {
                "file_uid": 1 + number % 3,
                "owner_table": "content_elements",
                "owner_uid": element,
                "owner_field": "images",
            }
            batch.create("file_references", world.pages["about"], owner)

    grown: list[int] = []
    for reader in (None, "anna"):
        with count_statements() as small:
            world.page("about", reader=reader)
        grown.append(len(small))
    world.change(grow)
    for reader, before in zip((None, "anna"), grown, strict=True):
        stance = world.stance(reader)
        with count_statements() as large, reading() as connection:
            page = read_site_page(connection, stance, EN, world.pages["about"])
        assert page is not None
        assert len(page.elements) == 31
        assert len(large) <= MOST_STATEMENTS + (3 if reader else 0)
        assert len(large) <= before + 6  # files, their words, and where links lead, once each


def test_it_previews_a_draft_without_touching_live(world: Site) -> None:
    world.mark("visit", {"title": "Plan a visit"}, world.relaunch)
    new = world.change(lambda batch: batch.create("pages", world.pages["visit"], {"title": "New"}).uid, world.relaunch)
    world.change(lambda batch: batch.delete("pages", world.pages["directions"]), world.relaunch)

    draft = world.page("hours", reader="anna")
    assert titles(draft.navigation)[0] == ("Plan a visit", ["Opening hours", "Tickets and tours", "New"])
    assert world.read("directions", reader="anna") is None
    with reading() as connection:
        assert read_site_page(connection, world.stance("anna"), EN, new) is not None
        assert read_site_page(connection, world.stance(), EN, new) is None
    assert titles(world.page("hours").navigation)[0][0] == "Visit"
    assert world.read("directions") is not None


def test_it_hides_in_a_preview_what_would_stay_hidden(world: Site) -> None:
    world.mark("visit", {"hidden": True}, world.relaunch)
    assert world.read("hours", reader="anna") is None
    assert world.read("hours") is not None
    assert world.read("archive", reader="anna") is None


def test_it_previews_only_pages_the_reader_is_shown(world: Site) -> None:
    world.mark("staff", {"groups": ""})
    assert world.read("staff") is not None
    assert "Staff area" in str(titles(world.page("visit").navigation))
    assert world.read("staff", reader="anna") is None
    assert world.read("rota", reader="anna") is None
    assert "Staff area" not in str(titles(world.page("visit", reader="anna").navigation))
    assert world.read("staff", reader="admin") is not None


def test_it_previews_nothing_of_a_workspace_to_strangers_of_it(world: Site) -> None:
    for reader, workspace in (("gus", "Relaunch"), ("anna", "Campaign")):
        with reading() as connection:
            stance = world.stance(reader, workspace)
            assert read_site_page(connection, stance, EN, world.pages["visit"]) is None


def test_it_previews_in_languages_of_the_reader(world: Site) -> None:
    assert world.read("visit", FR, reader="dora") is None
    assert [link.code for link in world.page("visit", reader="dora").translations] == ["en", "de"]


def test_it_names_no_page_in_a_language_the_reader_may_not_use(world: Site) -> None:
    stance = world.stance("dora")
    assert stance.reader is not None
    german_only = replace(stance, reader=replace(stance.reader, languages=frozenset({DE})))
    with reading() as connection:
        page = read_site_page(connection, german_only, DE, world.pages["visit"])
        assert read_site_page(connection, german_only, EN, world.pages["visit"]) is None
        assert find_redirect(connection, german_only, "hours") is None
    assert page is not None
    assert [link.code for link in page.translations] == ["de"]
    assert {link.code for link in (page.home, *page.path, *page.links.values())} == {"de"}


def test_it_finds_redirects_in_every_spelling(world: Site) -> None:
    def make(batch: Batch) -> None:
        for source in ("/site/old/", "plain", "/site/Über", "/gone"):
            target = world.pages["archive" if source == "/gone" else "visit"]
            batch.create("redirects", 0, {"source": source, "target_page": target, "status": 302})

    world.change(make)
    with reading() as connection:
        stance = world.stance()
        found = {
            address: find_redirect(connection, stance, address)
            for address in ("hours", "hours/", "old", "plain", "Über", "gone", "unknown", "", "x" * 600)
        }
    assert {address for address, redirect in found.items() if redirect is None} == {"gone", "unknown", "", "x" * 600}
    assert (found["hours"] and found["hours"].status, found["old"] and found["old"].status) == (301, 302)


@pytest.mark.parametrize("mark", [{"hidden": True}, {"starttime": 2**33}, {"endtime": 1}])
def test_it_follows_the_marks_of_a_redirect(world: Site, mark: dict[str, Any]) -> None:
    world.change(lambda batch: batch.update("redirects", 1, mark))
    with reading() as connection:
        assert find_redirect(connection, world.stance(), "hours") is None


def add_file(batch: Batch) -> int:
    values = {"storage_id": 1, "path": "/press/new.txt", "name": "new.txt", "mime": "text/plain"}
    uid = batch.create("files", 0, values).uid
    metadata = batch.create("file_metadata", 0, {"file_uid": uid, "alternative": "A ferry"}).uid
    german = batch.localize("file_metadata", metadata, DE, with_content=False).uid
    batch.update("file_metadata", german, {"alternative": "Eine Fähre"})
    return uid


def test_it_gives_files_that_something_visible_uses(world: Site) -> None:
    file_uid = world.change(add_file)

    def use(key: str, language_id: int = EN, hidden: bool = False) -> Callable[[Batch], int]:
        def act(batch: Batch) -> int:
            page = world.pages[key]
            element = batch.create(
                "content_elements", page, {"header": "F"}, language_id=language_id, hidden=hidden
            ).uid
            owner = {
                "file_uid": file_uid,
                "owner_table": "content_elements",
                "owner_uid": element,
                "owner_field": "images",
            }
            return batch.create("file_references", page, owner, language_id=language_id).uid

        return act

    def given(reader: str | None = None) -> bool:
        with reading() as connection:
            return find_site_file(connection, world.stance(reader), file_uid) is not None

    assert not given()
    for invisible in (use("archive"), use("hours", DE), use("about", hidden=True)):
        world.change(invisible)
        assert not given()
    world.change(use("about"), world.relaunch)
    assert not given()
    assert given("anna")
    reference = world.change(use("visit"))
    assert given()
    world.change(lambda batch: batch.update("file_references", reference, {"hidden": True}))
    assert not given()


def test_it_names_files_in_the_language_of_the_page(world: Site) -> None:
    file_uid = world.change(add_file)

    def use(batch: Batch) -> None:
        for language_id, page in ((EN, "about"), (DE, "about")):
            element = batch.create(
                "content_elements", world.pages[page], {"header": "Ferry"}, language_id=language_id
            ).uid
            owner = {
                "file_uid": file_uid,
                "owner_table": "content_elements",
                "owner_uid": element,
                "owner_field": "images",
            }
            batch.create("file_references", world.pages[page], owner, language_id=language_id)

    world.change(use)
    for language_id, words in ((EN, "A ferry"), (DE, "Eine Fähre")):
        element = world.page("about", language_id).elements[-1]
        assert [(file.uid, file.alternative) for file in element.files] == [(file_uid, words)]


def test_it_has_no_home_when_the_first_page_is_hidden(world: Site) -> None:
    world.mark("root", {"hidden": True})
    with reading() as connection:
        assert find_home(connection, world.stance()) is None
