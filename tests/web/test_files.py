"""Folders, uploads, descriptions, renaming, moving and deleting, as people in a browser meet them."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import quote

import pytest
from flask import Flask
from PIL import Image

from app.content.files.writing import MOST_FILES
from app.seed.demo_pictures import picture
from app.web.files import UPLOADS_PER_MINUTE
from app.web.security import MOST_BYTES
from tests.content.files.samples import png
from tests.support.clock import FakeClock
from tests.support.page import Page, PageClient
from tests.support.statements import count_statements

Browsers = Callable[[str], PageClient]
EDITORIAL = {"storage": "1", "folder": "/editorial/"}
FERRY, POSTER = 1, 4
"""Files of the demo by number: the ferry is used by an element, the poster by nothing."""
ARCHIVED = 3


def folder(path: str = "/editorial/", **more: str) -> str:
    """The address of a folder."""
    query = "&".join(f"{name}={quote(value)}" for name, value in more.items())
    return f"/files?storage=1&folder={quote(path)}" + (f"&{query}" if query else "")


def upload(browser: PageClient, *files: tuple[str, bytes], to: str = "/editorial/", **more: str) -> Page:
    """Send the form with these files: name and bytes."""
    fields = {"csrf_token": browser.token(), "storage": "1", "folder": to, **more}
    return send(browser, "/files", fields, [("files", name, content) for name, content in files])


def send(browser: PageClient, path: str, fields: Mapping[str, str], files: Iterable[tuple[str, str, bytes]]) -> Page:
    """A form as a browser writes it: field, file name and bytes of each file after the plain fields."""
    parts = [f'Content-Disposition: form-data; name="{name}"\r\n\r\n{value}'.encode() for name, value in fields.items()]
    for field, name, content in files:
        quoted = name.replace('"', "%22").replace("\n", "%0A")
        head = f'Content-Disposition: form-data; name="{field}"; filename="{quoted}"\r\n'
        parts.append(head.encode() + b"Content-Type: text/html\r\n\r\n" + content)
    body = b"".join(b"--edge\r\n" + part + b"\r\n" for part in parts) + b"--edge--\r\n"
    return browser.post_raw(path, data=body, content_type="multipart/form-data; boundary=edge")


def stored_number(page: Page) -> int:
    """The number of the one file that was stored."""
    assert page.status == 303, page.text
    return int(page.location.split("#")[0].rpartition("/")[2])


def test_it_shows_folders_as_the_mounts_of_a_person_do(anna: PageClient, browser_of: Browsers) -> None:
    links = {link.get_text(): link["href"] for link in anna.get("/files").all("main .item-list a")}
    assert links == {"editorial": folder(), "press": folder("/press/")}
    read_only = [item.get_text() for item in anna.get("/files").all(".facts li")]
    assert read_only == ["read only"]
    assert [link.get_text() for link in browser_of("admin").get("/files").all("main .item-list a")] == [
        "Top of the storage"
    ]
    assert "No folder is open to you." in browser_of("gus").get("/files").text
    assert "No folder is open to you." in browser_of("fay").get("/files").text


def test_it_lists_files_with_picture_size_and_missing_alternative_text(anna: PageClient) -> None:
    page = anna.get(folder())
    assert [name.get_text() for name in page.all(".file-list__name")] == ["ferry.png", "poster.png"]
    ferry, poster = page.one(f"#file-{FERRY}"), page.one(f"#file-{POSTER}")
    assert "The ferry" in ferry.get_text()
    assert "PNG picture, 1 kB" in ferry.get_text()
    assert "Alternative text missing" in poster.get_text()
    assert "Alternative text missing" not in ferry.get_text()
    assert ferry.select_one(f"img[src='/files/{FERRY}/thumbnail']") is not None


@pytest.mark.behaviour("CH-17")
@pytest.mark.parametrize(
    "path", ["/press-archive/", "/", "/press", "/press-archive", "/nowhere/", "press/", "/press/../"]
)
def test_it_has_no_page_for_a_folder_outside_of_the_mounts(anna: PageClient, path: str) -> None:
    """``/press`` does not hold ``/press-archive``; unknown and forbidden are one answer (I21)."""
    found, missing = anna.get(folder(path)), anna.get(folder("/there-is-no-such-folder/"))
    assert found.status == missing.status == 404
    assert found.text == missing.text


@pytest.mark.behaviour("CH-17")
def test_it_answers_for_a_file_outside_of_the_mounts_as_for_none(anna: PageClient, browser_of: Browsers) -> None:
    for part in ("", "/content", "/thumbnail", "/place", "/deletion"):
        forbidden, missing = anna.get(f"/files/{ARCHIVED}{part}"), anna.get(f"/files/987654{part}")
        assert (forbidden.status, forbidden.text) == (missing.status, missing.text) == (404, missing.text)
        assert browser_of("gus").get(f"/files/{FERRY}{part}").status == 404
    assert browser_of("admin").get(f"/files/{ARCHIVED}").status == 200


def test_it_stores_a_file_and_leads_to_its_page(anna: PageClient) -> None:
    done = upload(anna, ("Sunset over the river.png", png(32, 20)))
    uid = stored_number(done)
    page = anna.follow(done)
    assert page.heading == "Sunset over the river.png"
    assert "The file “Sunset over the river.png” was stored." in page.text
    assert "32 × 20 pixels" in page.text
    assert "Alternative text missing" in page.text
    assert "Created by Anna Bergmann" in anna.get(f"/records/files/{uid}/history?workspace=0").text


def test_it_stores_several_files_at_once_and_leads_to_their_folder(anna: PageClient) -> None:
    done = upload(anna, ("a.png", png()), ("b.txt", b"words"))
    assert done.location.startswith(folder())
    assert "2 files were stored." in anna.follow(done).text


def test_it_says_of_each_file_what_became_of_it(anna: PageClient) -> None:
    done = upload(anna, ("good.png", png()), ("page.pdf", b"<!doctype html><p>x"), ("none.txt", b""))
    assert done.status == 422
    problems = [problem.get_text() for problem in done.all(".error-summary li")]
    assert len(problems) == 2
    assert problems[0].startswith("“page.pdf” was not stored. Files of this kind cannot be stored.")
    assert problems[1] == "“none.txt” was not stored. The file is empty (0 bytes). Check it and choose it again."
    assert "good.png" in done.one(".notice--ok").get_text()
    assert done.title.startswith("Error:")
    assert [link["href"] for link in done.all(".error-summary a")] == ["#files", "#files"]
    assert done.one("#files")["aria-invalid"] == "true"


@pytest.mark.parametrize("files", [(), (("", b""),)])
def test_it_asks_for_a_file_when_none_was_chosen(anna: PageClient, files: tuple[tuple[str, bytes], ...]) -> None:
    done = upload(anna, *files)
    assert done.status == 422
    assert "Choose at least one file." in done.one(".error-summary").get_text()


def test_b71_it_takes_no_eleventh_file(anna: PageClient) -> None:
    before = anna.get(folder()).html
    done = upload(anna, *((f"{number}.txt", b"x") for number in range(MOST_FILES + 1)))
    assert done.status == 422
    assert "Choose at most 10 files at a time. Nothing was stored." in done.text
    assert len(anna.get(folder()).all(".file-list__item")) == before.count('file-list__item"')


def test_b71_it_takes_no_more_than_20_megabytes(anna: PageClient) -> None:
    done = upload(anna, ("large.txt", b"x" * (20 * 1024 * 1024 + 1)))
    assert done.status == 422
    assert "The file is larger than 20 MB. Choose a smaller one." in done.text


def test_it_takes_large_bodies_on_this_form_only_and_from_people_who_are_signed_in(
    anna: PageClient, anonymous: PageClient
) -> None:
    large = ("files", "a.txt", b"x" * (MOST_BYTES + 1))
    assert send(anonymous, "/files", EDITORIAL, [large]).status == 413
    assert send(anna, "/files/folders", EDITORIAL, [large]).status == 413
    assert stored_number(upload(anna, ("a.txt", b"x" * (MOST_BYTES + 1))))


def test_it_limits_uploads_to_ten_a_minute(clock: FakeClock, anna: PageClient) -> None:
    for number in range(UPLOADS_PER_MINUTE):
        assert upload(anna, (f"{number}.txt", b"x")).status == 303
    done = upload(anna, ("next.txt", b"x"))
    assert done.status == 429
    assert int(done.headers["Retry-After"]) > 0
    assert "Too many attempts." in done.one(".error-summary").get_text()
    clock.advance(61)
    assert upload(anna, ("next.txt", b"x")).status == 303


@pytest.mark.parametrize("to", ["/press/", "/press-archive/", "/", "/nowhere/"])
def test_it_stores_in_writable_mounts_only(anna: PageClient, to: str) -> None:
    assert upload(anna, ("a.png", png()), to=to).status == 404
    assert anna.get(folder("/press/")).all("#upload") == []


def test_it_lets_a_person_without_the_live_grant_add_but_not_change(browser_of: Browsers) -> None:
    ben = browser_of("ben")
    uid = stored_number(upload(ben, ("draft.png", png())))
    page = ben.get(f"/files/{uid}")
    assert page.all("#h-commands") == []
    assert ben.get(f"/files/{uid}/deletion").status == 404
    assert ben.post(f"/files/{uid}/deletion").status == 404
    assert ben.post(f"/files/{uid}/place", {"name": "x", "folder": "/editorial/"}).status == 404


@pytest.mark.parametrize(
    "name", ["привет.png", "日本.png", "CON.png", ".htaccess.png", "-rf.png", "it's; x=y.png", "100%.png"]
)
def test_b73_b74_it_sends_any_name_whole(anna: PageClient, name: str) -> None:
    uid = stored_number(upload(anna, (name, png())))
    response = anna.get(f"/files/{uid}/content").response
    assert response.headers["Content-Disposition"] == f"attachment; filename*=UTF-8''{quote(name, safe='')}"


def test_b69_it_sends_originals_as_attachments_that_may_do_nothing(anna: PageClient) -> None:
    response = anna.get(f"/files/{FERRY}/content").response
    assert response.get_data() == picture("/editorial/ferry.png")
    assert response.headers["Content-Disposition"].startswith("attachment;")
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.mimetype == "image/png"


def test_it_shows_small_pictures_without_metadata(anna: PageClient) -> None:
    response = anna.get(f"/files/{FERRY}/thumbnail").response
    assert (response.mimetype, response.headers["Content-Disposition"]) == ("image/webp", "inline")
    with Image.open(io.BytesIO(response.get_data())) as small:
        assert max(small.size) <= 480
    text = stored_number(upload(anna, ("a.txt", b"words")))
    assert anna.get(f"/files/{text}/thumbnail").status == 404


def test_it_describes_a_file_in_the_draft_the_person_stands_in(anna: PageClient, browser_of: Browsers) -> None:
    page = anna.get(f"/files/{POSTER}")
    assert "written in your draft workspace" in page.text
    done = anna.submit(page, "#describe-en", title="Poster", alternative="Three boats below a yellow moon")
    assert (done.status, done.location) == (303, f"/files/{POSTER}#described-en")
    mine = anna.get(f"/files/{POSTER}")
    assert mine.values("#describe-en")["alternative"].strip() == "Three boats below a yellow moon"
    assert [fact.get_text() for fact in mine.all("#described-en .facts li")] == ["changed"]
    assert "Alternativtext fehlt" in browser_of("dora").get(f"/files/{POSTER}").text, "live is as it was"


def test_it_describes_a_file_in_each_language(browser_of: Browsers) -> None:
    dora = browser_of("dora")
    page = dora.get(f"/files/{POSTER}", headers={"Accept-Language": "en"})
    assert [form["id"] for form in page.all("[id^='describe-']")] == ["describe-en", "describe-de"], (
        "no French for Dora"
    )
    assert dora.submit(page, "#describe-de", alternative="Drei Boote unter gelbem Mond").status == 303
    shown = dora.get(f"/files/{POSTER}")
    assert shown.values("#describe-de")["alternative"].strip() == "Drei Boote unter gelbem Mond"
    assert shown.values("#describe-de")["title"] == "", "nothing stays marked as to be translated"
    assert "Text(" not in shown.text
    assert shown.values("#describe-en")["title"] == "Poster of the summer exhibition"
    french = {**shown.values("#describe-de"), "language": "2"}
    assert dora.post(f"/files/{POSTER}/description", french).status == 404


def test_it_keeps_what_was_typed_when_it_is_too_long(anna: PageClient) -> None:
    page = anna.get(f"/files/{POSTER}")
    done = anna.submit(page, "#describe-en", title="x" * 256, alternative="kept")
    assert done.status == 422
    assert "at most 255 characters" in done.one("#errors-en").get_text()
    assert done.values("#describe-en")["alternative"].strip() == "kept"
    assert done.one("#title-en")["aria-invalid"] == "true"


def test_it_shows_both_when_somebody_else_was_faster(browser_of: Browsers) -> None:
    dora, emil = browser_of("dora"), browser_of("emil")
    opened = emil.get(f"/files/{POSTER}")
    assert dora.submit(dora.get(f"/files/{POSTER}"), "#describe-en", alternative="Words of Dora").status == 303
    refused = emil.submit(opened, "#describe-en", alternative="Words of Emil")
    assert refused.status == 409
    assert "Words of Dora" in refused.one(".notice--warn").get_text()
    assert refused.values("#describe-en")["alternative"].strip() == "Words of Emil"
    again = emil.submit(refused, "#describe-en")
    assert again.status == 303
    assert emil.get(f"/files/{POSTER}").values("#describe-en")["alternative"].strip() == "Words of Emil"


def test_it_shows_descriptions_in_read_only_folders_to_read(anna: PageClient) -> None:
    page = anna.get("/files/2")
    assert page.all("[id^='describe-']") == []
    assert "The museum seen from the river" in page.text
    assert anna.post("/files/2/description", {"language": "0", "title": "x"}).status == 404
    assert page.all("#h-commands") == []


def test_it_names_where_a_file_is_used_to_those_who_may_read_it(anna: PageClient) -> None:
    page = anna.get(f"/files/{FERRY}")
    assert [link.get_text() for link in page.all("section[aria-labelledby=h-uses] a")] == [
        "Boats on the river",
        "Boote auf dem Fluss",
    ]
    assert "No record is known to use this file." in anna.get(f"/files/{POSTER}").text


def test_it_renames_and_moves_a_file(browser_of: Browsers) -> None:
    dora, inner = browser_of("dora"), "/editorial/Summer 2026/"
    made = dora.post("/files/folders", {**EDITORIAL, "name": "Summer 2026"})
    assert made.location == folder(inner).replace("%20", "+")
    page = dora.get(f"/files/{POSTER}/place")
    assert [option["value"] for option in page.all("#folder option")] == ["/editorial/", inner]
    done = dora.submit(page, "#place", name="boats", folder=inner)
    assert done.location == f"/files/{POSTER}"
    assert dora.follow(done).heading == "boats.png"
    assert "boats.png" in dora.get(folder(inner)).text
    assert "Summer 2026" in dora.get(folder()).text


def test_it_refuses_a_taken_or_empty_name_and_a_foreign_folder(browser_of: Browsers) -> None:
    dora = browser_of("dora")
    page = dora.get(f"/files/{POSTER}/place")
    taken = dora.submit(page, "#place", name="ferry.png")
    assert taken.status == 422
    assert "ferry.png" in taken.values("#place")["name"]
    assert dora.submit(page, "#place", name=" ").status == 422
    for path in ("/press/", "/press-archive/", "/nowhere/"):
        assert dora.submit(page, "#place", folder=path).status == 404


def test_it_says_who_uses_a_file_instead_of_deleting_it(browser_of: Browsers) -> None:
    dora = browser_of("dora")
    page = dora.get(f"/files/{FERRY}/deletion")
    assert "Boats on the river" in page.text
    assert page.all("#deletion") == []
    assert dora.post(f"/files/{FERRY}/deletion").status == 409
    assert dora.get(f"/files/{FERRY}").status == 200


def test_it_deletes_an_unused_file_after_saying_what_that_means(browser_of: Browsers) -> None:
    dora = browser_of("dora")
    page = dora.get(f"/files/{POSTER}/deletion")
    assert "in every language and workspace" in page.text or "in jeder Sprache" in page.text
    done = dora.submit(page, "#deletion")
    assert done.location == folder()
    assert dora.get(f"/files/{POSTER}").status == 404


def test_it_makes_folders_with_plain_names_only(anna: PageClient) -> None:
    for name in ("", " ", "..", "/"):
        assert anna.post("/files/folders", {**EDITORIAL, "name": name}).status == 422
    assert anna.post("/files/folders", {**EDITORIAL, "name": "2026"}).status == 303
    again = anna.post("/files/folders", {**EDITORIAL, "name": "2026"})
    assert "There is a folder of this name already." in again.one("#folder-errors").get_text()
    assert anna.post("/files/folders", {"storage": "1", "folder": "/press/", "name": "x"}).status == 404


def test_it_asks_the_database_a_constant_number_of_times(anna: PageClient) -> None:
    anna.get(folder())
    with count_statements() as few:
        anna.get(folder())
    first = len(few)
    upload(anna, *((f"{number}.png", png()) for number in range(8)))
    with count_statements() as many:
        anna.get(folder())
    assert len(many) == first


def test_it_leads_strangers_to_the_sign_in(anonymous: PageClient) -> None:
    assert anonymous.get("/files").location == "/sign-in?next=/files"
    assert anonymous.get(f"/files/{FERRY}/content").location.startswith("/sign-in")


def test_it_is_in_the_navigation(anna: PageClient) -> None:
    assert anna.get(f"/files/{FERRY}").one(".bar__links a[aria-current=page]").get_text().strip() == "Files"


def test_it_stores_no_bytes_twice(anna: PageClient, app: Flask) -> None:
    content = png(17, 11)
    first, second = (stored_number(upload(anna, (name, content))) for name in ("one.png", "two.png"))
    assert first != second
    sha256 = hashlib.sha256(content).hexdigest()
    folder_on_disk = app.extensions["imprimatur"].settings.data_folder / "files"
    assert [path.name for path in folder_on_disk.glob("*/*/*")].count(sha256) == 1
