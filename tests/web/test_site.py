"""The site for visitors, previews for members: addresses, headers, files, and one answer for unknown and forbidden."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from PIL import Image
from sqlalchemy import insert

from app.content.files import Storage
from app.content.schema import FILES
from app.content.types import Origin, WriteContext
from app.content.writer import Batch
from app.core import clock as core_clock
from app.core.db import transaction
from app.seed.demo import DemoSite
from app.seed.installation import seed_actor
from tests.support.page import PageClient, words_of
from tests.support.visitor import Visitor

Change = Callable[[Callable[[Batch], Any]], Any]


@pytest.fixture
def change(app: Flask) -> Change:
    """Write to the live site as the seed does."""

    def act(what: Callable[[Batch], Any]) -> Any:
        context = WriteContext(
            actor=seed_actor(), workspace_id=0, origin=Origin.SEED, correlation="test/1", now=core_clock.now()
        )
        with transaction() as connection:
            batch = Batch(connection, context)
            found = what(batch)
            batch.finish()
        return found

    return act


def test_it_shows_the_museum(anonymous: PageClient) -> None:
    home = anonymous.get("/site/")
    assert (home.status, home.heading, home.title) == (200, "Town Museum", "Town Museum")
    assert home.all("script") == []
    assert [words_of(link) for link in home.all(".head__sections a")] == ["Visit", "Exhibitions", "About us"]
    visit = anonymous.get(str(home.all(".head__sections a")[0]["href"]))
    assert (visit.status, visit.title) == (200, "Visit – Town Museum")
    assert visit.one("meta[name=description]")["content"] == "Opening hours, tickets and how to find the museum."
    assert visit.one(".branch [aria-current=page]").text == "Visit"
    assert [words_of(step) for step in visit.all(".path li")] == ["Town Museum", "Visit"]
    for landmark in ("main#main", "footer", "header", "a.skip[href='#main']"):
        visit.one(landmark)


def test_it_speaks_the_language_of_the_page(anonymous: PageClient, site: DemoSite) -> None:
    german = anonymous.get(f"/site/de/{site.pages['visit']}-besuch", headers={"Accept-Language": "en"})
    assert german.one("html")["lang"] == "de"
    assert words_of(german.one("a.skip")) == "Zum Inhalt"
    switch = {str(link["hreflang"]): str(link["href"]) for link in german.all(".head__languages a")}
    uid = site.pages["visit"]
    assert switch == {"en": f"/site/en/{uid}-visit", "de": f"/site/de/{uid}-besuch", "fr": f"/site/fr/{uid}-visite"}
    assert {str(link["hreflang"]) for link in german.all("link[rel=alternate]")} == {"en", "de", "fr"}
    french = anonymous.get(switch["fr"])
    assert french.one("html")["lang"] == "fr"
    assert french.one("a.skip")["lang"] == "en"
    assert french.one(".head__site a")["hreflang"] == "en"


def test_it_corrects_the_words_of_an_address(anonymous: PageClient, site: DemoSite) -> None:
    uid = site.pages["hours"]
    for address in (f"/site/en/{uid}", f"/site/en/{uid}-old-words"):
        moved = anonymous.get(address)
        assert (moved.status, moved.location) == (301, f"/site/en/{uid}-opening-hours")
        assert moved.headers["Cache-Control"] == "public, max-age=60"
    assert anonymous.get(f"/site/en/{site.pages['root']}-town-museum").location == "/site/"
    assert anonymous.get("/site").status in {301, 308}
    assert anonymous.get("/site/de").location == f"/site/de/{site.pages['root']}-stadtmuseum"
    assert anonymous.get("/site/hours").location == f"/site/en/{uid}-opening-hours"


@pytest.mark.parametrize(
    "address",
    [
        "en/987654",
        "en/0",
        "en/01",
        "xx/1",
        "de/{hours}",
        "en/{archive}",
        "en/{rota}",
        "en/{staff}-staff-area",
        "nothing",
        "a//example.org",
        "en/{visit}/more",
        f"en/{'9' * 16}",
    ],
)
def test_it_answers_one_way_for_what_is_not_public(anonymous: PageClient, site: DemoSite, address: str) -> None:
    found = anonymous.get("/site/" + address.format(**site.pages))
    assert (found.status, found.heading, found.title) == (404, found.heading, f"{found.heading} – Imprimatur")
    assert found.headers["Cache-Control"] == "no-store"
    assert found.one("link[rel=stylesheet]")["href"].startswith("/static/css/site.css")


def test_it_lets_visitors_keep_live_pages_only(
    app: Flask, anonymous: PageClient, browser_of: Callable[[str], PageClient], site: DemoSite
) -> None:
    live = anonymous.get("/site/")
    assert live.headers["Cache-Control"] == "public, max-age=60"
    assert "Set-Cookie" not in live.headers
    again = Visitor(app, site).get("/site/", If_None_Match=live.headers["ETag"])
    assert (again.status_code, again.data) == (304, b"")
    assert anonymous.get("/site/?language=de").headers["Cache-Control"] == "no-store"
    anna, relaunch = browser_of("anna"), site.people.workspaces["Relaunch"]
    for address in ("/site/", f"/site/?workspace={relaunch}"):
        found = anna.get(address)
        assert (found.status, found.headers["Cache-Control"], found.headers.get("ETag")) == (200, "no-store", None)


def test_it_previews_a_workspace_for_its_members(
    browser_of: Callable[[str], PageClient], anonymous: PageClient, site: DemoSite
) -> None:
    relaunch, uid = site.people.workspaces["Relaunch"], site.pages["visit"]
    address = f"/site/en/{uid}-visit?workspace={relaunch}"
    preview = browser_of("anna").get(address)
    assert preview.status == 200
    assert "Relaunch" in words_of(preview.one("aside.preview"))
    assert preview.one("aside.preview a")["href"] == f"/workspaces/{relaunch}"
    assert preview.one("meta[name=robots]")["content"] == "noindex"
    own = [str(link["href"]) for link in preview.all("a[href^='/site/']")]
    assert len(own) > 5
    assert all(href.endswith(f"?workspace={relaunch}") for href in own), own
    moved = browser_of("anna").get(f"/site/en/{uid}-x?workspace={relaunch}")
    assert moved.location == address
    for reader in (anonymous, browser_of("gus"), browser_of("cem")):
        closed = reader.get(address)
        assert closed.status == 404
        for unknown in ("987654", "x", "-1", "99999999999999999999"):
            assert reader.get(f"/site/en/{uid}-visit?workspace={unknown}").html == closed.html
        assert reader.get(f"/site/en/987654?workspace={relaunch}").html == closed.html


def test_it_leads_and_shows_as_the_text_says(anonymous: PageClient, site: DemoSite, change: Change) -> None:
    body = (
        f"# Top\n\n[v](page:{site.pages['visit']}) [h](page:{site.pages['archive']}) [x](https://example.org/a) "
        "[m](mailto:a@example.org) [s](/sign-out) [j](javascript:alert(1)) <b>no</b> ![ferry](file:1)\n\n#### Deep"
    )
    change(lambda batch: batch.create("content_elements", site.pages["press"], {"header": "H", "body": body}))
    page = anonymous.get(f"/site/en/{site.pages['press']}-press")
    links = {words_of(link): str(link["href"]) for link in page.all(".element a")}
    assert links == {
        "v": f"/site/en/{site.pages['visit']}-visit",
        "x": "https://example.org/a",
        "m": "mailto:a@example.org",
    }
    assert [tag.name for tag in page.all(".element h2, .element h3, .element h4")] == ["h2", "h3", "h4"]
    assert "<b>" in page.text
    assert page.all(".element img") == []
    assert "ferry" in page.text


@pytest.fixture
def picture(app: Flask, site: DemoSite, change: Change) -> int:
    """A picture on the page "Press", with more than its pixels in it."""
    raw = io.BytesIO()
    exif = Image.Exif()
    exif[0x010E] = "taken at home"
    Image.new("RGB", (2000, 1000), "navy").save(raw, "JPEG", exif=exif)
    raw.seek(0)
    storage = Storage(folder=app.extensions["imprimatur"].settings.data_folder / "files")
    with storage.incoming(raw) as incoming:
        storage.settle(incoming)
        values = {
            "uid": 77,
            "pid": 0,
            "storage_id": 1,
            "path": "/press/Häfen & <b>.jpg",
            "name": "Häfen & <b>.jpg",
            "mime": "image/jpeg",
            "size": incoming.size,
            "sha256": incoming.sha256,
            "missing": False,
            "width": 2000,
            "height": 1000,
            "created_at": 1,
            "changed_at": 1,
            "rev": 1,
            "import_key": "",
            "import_hash": "",
        }
    with transaction() as connection:
        connection.execute(insert(FILES.table).values(**values))

    def use(batch: Batch) -> None:
        body = "![](file:77)"
        page = site.pages["press"]
        for text in (body, "no picture in the text"):
            element = batch.create("content_elements", page, {"header": "P", "body": text}).uid
            owner = {"file_uid": 77, "owner_table": "content_elements", "owner_uid": element, "owner_field": "images"}
            batch.create("file_references", page, {**owner, "alternative": "A harbour"})

    change(use)
    return 77


def test_it_shows_pictures_without_what_the_camera_wrote(
    app: Flask, anonymous: PageClient, site: DemoSite, picture: int, change: Change
) -> None:
    page = anonymous.get(f"/site/en/{site.pages['press']}-press")
    shown = page.all("main img")
    assert [(image["alt"], image["width"]) for image in shown] == [("A harbour", "2000")] * 2
    address = str(shown[0]["src"])
    assert address == "/site/files/77/H-fen-b-.jpg"
    answer = Visitor(app, site).get(address)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "image/webp")
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "public, max-age=60"
    with Image.open(io.BytesIO(answer.data)) as sent:
        assert (sent.size, dict(sent.getexif())) == ((1600, 800), {})
    answer.close()
    change(lambda batch: batch.set_hidden("pages", site.pages["about"], hidden=True))
    for gone in (address, "/site/files/987/x"):
        assert anonymous.get(gone).status == 404


def test_it_offers_other_files_to_save(app: Flask, anonymous: PageClient, site: DemoSite, change: Change) -> None:
    storage = Storage(folder=app.extensions["imprimatur"].settings.data_folder / "files")
    with storage.incoming(io.BytesIO(b"<script>alert(1)</script>")) as incoming:
        storage.settle(incoming)

    def use(batch: Batch) -> int:
        values = {"storage_id": 1, "path": "/press/a.html", "name": "a.html", "mime": "text/html"}
        uid = batch.create("files", 0, {**values, "size": incoming.size, "sha256": incoming.sha256}).uid
        owner = {"owner_table": "pages", "owner_uid": site.pages["press"], "owner_field": "images"}
        batch.create("file_references", site.pages["press"], {"file_uid": uid, **owner})
        return uid

    uid = change(use)
    link = anonymous.get(f"/site/en/{site.pages['press']}-press").one(".downloads a")
    assert (words_of(link), link["href"]) == ("a.html", f"/site/files/{uid}/a.html")
    answer = anonymous.get(str(link["href"]))
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/octet-stream")
    assert answer.headers["Content-Disposition"] == "attachment; filename*=UTF-8''a.html"
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    answer.response.close()


def test_it_shows_contacts_in_words(anonymous: PageClient, site: DemoSite) -> None:
    about = anonymous.get(f"/site/en/{site.pages['about']}-about-us")
    assert "desk@museum.example" in words_of(about.one(".contacts"))


def test_it_answers_head_and_refuses_forms(anonymous: PageClient) -> None:
    answer = anonymous.client.head("/site/")
    assert (answer.status_code, answer.data) == (200, b"")
    assert anonymous.client.post("/site/").status_code in {403, 405}
