"""Storing, renaming and deleting files: rows, history, bytes and rights together."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from app.content import models
from app.content.editing import write_as_person
from app.content.errors import WriteRefused
from app.content.files import (
    Upload,
    Uploaded,
    delete_file,
    find_file,
    find_uses,
    open_file,
    rename_file,
    upload_files,
    writing,
)
from app.content.files.describing import describe_file
from app.content.files.storage import Storage
from app.content.files.types import StorageFull
from app.content.hooks import HOOKS
from app.content.schema import FILE_METADATA, FILES
from app.content.writer import Batch
from app.core.db import reading, transaction
from app.core.errors import Invalid, NotFound, Unavailable
from app.policy.identity import FileMount, Identity
from app.seed.demo import DemoSite
from app.seed.installation import seed_actor, seed_batch
from tests.content.files.samples import png
from tests.support.personas import IdentityOf

EDITORIAL = "/editorial/"
FERRY, HOUSE, POSTER = 1, 2, 4


@pytest.fixture
def data(app: Flask) -> Path:
    """The data folder."""
    folder: Path = app.extensions["imprimatur"].settings.data_folder
    return folder


@pytest.fixture
def store(data: Path) -> Callable[..., Uploaded]:
    """Store one file in a folder."""

    def act(actor: Identity, content: bytes, name: str = "a.png", folder: str = EDITORIAL) -> Uploaded:
        (done,) = upload_files(actor, data, 1, folder, [Upload(name=name, source=io.BytesIO(content))])
        return done

    return act


def rows() -> list[dict[str, Any]]:
    with reading() as connection:
        return [dict(row) for row in connection.execute(select(FILES.table).order_by(FILES.table.c.uid)).mappings()]


def on_disk(data: Path) -> set[str]:
    return set(Storage(folder=data / "files").checksums())


def test_it_stores_the_row_the_history_and_the_bytes(
    identity_of: IdentityOf, data: Path, store: Callable[..., Uploaded]
) -> None:
    done = store(identity_of("anna"), png(30, 20), "Ferry at night.png")
    row = rows()[-1]
    assert (row["uid"], row["name"], row["path"]) == (done.uid, "Ferry at night.png", "/editorial/Ferry at night.png")
    assert (row["mime"], row["width"], row["height"], row["size"]) == ("image/png", 30, 20, len(png(30, 20)))
    with reading() as connection:
        history = models.RecordHistory.__table__
        entry = connection.execute(select(history).order_by(history.c.id.desc())).mappings().first()
        file = find_file(connection, done.uid)
        assert file is not None
        assert open_file(connection, data, file).path.read_bytes() == png(30, 20)
    assert entry is not None
    assert (entry["table_name"], entry["uid"], entry["action"], entry["origin"]) == (
        "files",
        done.uid,
        "created",
        "person",
    )
    assert entry["user_id"] == identity_of("anna").user_id
    assert entry["workspace_id"] == 0


def test_b75_the_same_name_twice_and_twins_of_case_are_files_of_their_own(
    identity_of: IdentityOf, store: Callable[..., Uploaded]
) -> None:
    anna = identity_of("anna")
    made = [
        store(anna, png(width), name)
        for width, name in ((5, "a.png"), (6, "a.png"), (7, "A.png"), (8, "a.PNG"), (9, "a.png"))
    ]
    assert [done.name for done in made] == ["a.png", "a (2).png", "A.png", "a.PNG", "a (3).png"]
    assert len({done.uid for done in made}) == 5
    assert [row["width"] for row in rows()[-5:]] == [5, 6, 7, 8, 9]


def test_b74_no_name_of_a_person_is_a_name_on_disk(
    identity_of: IdentityOf, data: Path, store: Callable[..., Uploaded]
) -> None:
    for number, name in enumerate(["CON", "../../x.png", ".htaccess", "-rf", "a\0b.png", "x" * 300, ""]):
        assert store(identity_of("anna"), png(20 + number), name).uid
    names = {path.name for path in (data / "files").rglob("*") if path.is_file()} - {".lock"}
    assert names == {row["sha256"] for row in rows()}
    assert all(row["path"].startswith("/") and "\0" not in row["path"] for row in rows())


@pytest.fixture
def veto() -> Iterator[None]:
    """An extension that refuses every new file."""

    def refuse(_context: Any, table: str, _uid: int, _values: Any) -> None:
        if table == FILES.name:
            raise WriteRefused("refused", Invalid.text)

    HOOKS.before.append(refuse)
    yield
    HOOKS.before.remove(refuse)


@pytest.mark.usefixtures("veto")
def test_b71_it_leaves_no_bytes_behind_when_the_record_is_refused(
    identity_of: IdentityOf, data: Path, store: Callable[..., Uploaded]
) -> None:
    before, known = on_disk(data), rows()
    assert store(identity_of("anna"), png(99)).problem is not None
    assert (on_disk(data), rows()) == (before, known)
    ferry = Storage(folder=data / "files").place(known[0]["sha256"]).read_bytes()
    assert store(identity_of("anna"), ferry).problem is not None
    assert on_disk(data) == before, "bytes another record uses stay"


def test_b71_a_full_disk_leaves_nothing_and_stops_before_the_record(
    identity_of: IdentityOf, data: Path, store: Callable[..., Uploaded], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, known = on_disk(data), rows()

    def full(*_arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("app.content.files.storage.os.replace", full)
    with pytest.raises(StorageFull):
        store(identity_of("anna"), png(99))
    assert (on_disk(data), rows()) == (before, known)
    assert list((data / "files" / ".incoming").iterdir()) == []


def test_it_goes_on_after_a_refused_file(identity_of: IdentityOf, data: Path) -> None:
    uploads = [Upload(name=name, source=io.BytesIO(content)) for name, content in (("a", b""), ("b", b"words"))]
    first, second = upload_files(identity_of("anna"), data, 1, EDITORIAL, uploads)
    assert first.problem is not None
    assert (second.name, second.problem) == ("b.txt", None)


def test_it_tells_what_was_stored_when_the_database_goes_away_in_between(
    identity_of: IdentityOf, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the person would read that nothing was changed."""
    real, calls = writing.write_as_person, []

    def fails_second(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == 2:
            raise OperationalError("INSERT", {}, Exception("locked"))
        return real(*arguments)

    monkeypatch.setattr(writing, "write_as_person", fails_second)
    before = on_disk(data)
    uploads = [Upload(name=name, source=io.BytesIO(name.encode())) for name in ("one.txt", "two.txt")]
    first, second = upload_files(identity_of("anna"), data, 1, EDITORIAL, uploads)
    assert first.uid
    assert second.problem is not None
    assert len(on_disk(data) - before) == 1


@pytest.mark.behaviour("CH-17")
@pytest.mark.parametrize("username", ["gus", "fay", "anna"])
@pytest.mark.parametrize("folder", ["/press/", "/press-archive/", "/", "/editorial", "/nowhere/"])
def test_it_stores_only_inside_of_writable_mounts(
    identity_of: IdentityOf, store: Callable[..., Uploaded], username: str, folder: str
) -> None:
    before = rows()
    with pytest.raises(NotFound):
        store(identity_of(username), png(), folder=folder)
    assert rows() == before


def test_it_needs_the_right_to_add_files(identity_of: IdentityOf, store: Callable[..., Uploaded]) -> None:
    reader = replace(identity_of("anna"), file_permissions=frozenset({"read_file", "write_file"}))
    with pytest.raises(NotFound):
        store(reader, png())


@pytest.mark.behaviour("CH-17")
def test_it_changes_only_files_inside_of_writable_mounts(identity_of: IdentityOf, data: Path) -> None:
    anna, before = identity_of("anna"), rows()
    for uid in (HOUSE, 3, 987_654):
        with pytest.raises((NotFound, WriteRefused)):
            rename_file(anna, uid, "x.png", "/editorial/")
        with pytest.raises((NotFound, WriteRefused)):
            delete_file(anna, data, uid)
    for folder in ("/press/", "/press-archive/", "/"):
        with pytest.raises((NotFound, WriteRefused)):
            rename_file(anna, POSTER, "x.png", folder)
    assert rows() == before


def test_it_changes_live_with_the_live_grant_only(
    identity_of: IdentityOf, data: Path, store: Callable[..., Uploaded]
) -> None:
    ben = identity_of("ben")
    done = store(ben, png(77))
    for act in (lambda: rename_file(ben, done.uid, "x", EDITORIAL), lambda: delete_file(ben, data, done.uid)):
        with pytest.raises(WriteRefused) as caught:
            act()
        assert caught.value.reason == "not_found"


def test_the_general_commands_still_refuse_files(identity_of: IdentityOf) -> None:
    with transaction() as connection:
        batch: Batch = seed_batch(connection, identity_of("dora"))
        for act in (
            lambda: batch.create("files", 0, {"name": "x", "path": "/editorial/x"}),
            lambda: batch.update("files", POSTER, {"name": "x"}),
            lambda: batch.delete("files", POSTER),
        ):
            with pytest.raises(WriteRefused) as caught:
                act()
            assert caught.value.reason == "not_found"


def test_a_batch_in_a_draft_holds_no_file(identity_of: IdentityOf, site: DemoSite) -> None:
    draft = site.people.workspaces["Relaunch"]
    with pytest.raises(WriteRefused) as caught:
        write_as_person(identity_of("anna"), draft, lambda batch: batch.change_file(POSTER, {"name": "x"}))
    assert caught.value.reason == "not_versioned"


def test_it_deletes_row_descriptions_and_bytes(identity_of: IdentityOf, data: Path, site: DemoSite) -> None:
    anna, draft = identity_of("anna"), site.people.workspaces["Relaunch"]
    assert describe_file(anna, draft, POSTER, 1, {"alternative": "Boote"}, seen="")
    sha256 = rows()[-1]["sha256"]
    delete_file(anna, data, POSTER)
    assert POSTER not in {row["uid"] for row in rows()}
    assert sha256 not in on_disk(data)
    with reading() as connection:
        table = FILE_METADATA.table
        assert connection.execute(select(table.c.uid).where(table.c.file_uid == POSTER)).all() == []


def test_it_keeps_bytes_another_file_needs(identity_of: IdentityOf, data: Path, store: Callable[..., Uploaded]) -> None:
    anna = identity_of("anna")
    first, second = store(anna, png(41), "one.png"), store(anna, png(41), "two.png")
    sha256 = rows()[-1]["sha256"]
    delete_file(anna, data, first.uid)
    assert sha256 in on_disk(data)
    delete_file(anna, data, second.uid)
    assert sha256 not in on_disk(data)


def attach(site: DemoSite, page: str, file_uid: int) -> int:
    with transaction() as connection:
        batch = seed_batch(connection, seed_actor())
        element = batch.create("content_elements", site.pages[page], {"header": f"On {page}"}).uid
        owner = {"owner_table": "content_elements", "owner_uid": element, "owner_field": "images"}
        batch.create("file_references", site.pages[page], {**owner, "file_uid": file_uid})
        batch.finish()
    return element


def test_it_refuses_to_delete_what_is_used_and_names_what_the_viewer_may_read(
    identity_of: IdentityOf, data: Path, site: DemoSite
) -> None:
    anna = identity_of("anna", 0)
    attach(site, "staff", POSTER)
    shown = attach(site, "about", POSTER)
    with pytest.raises(WriteRefused) as caught:
        delete_file(anna, data, POSTER)
    assert caught.value.reason == "file_used"
    with reading() as connection:
        mine = find_uses(connection, anna, 0, POSTER)
        everything = find_uses(connection, identity_of("admin"), 0, POSTER)
    assert ([(use.table, use.uid) for use in mine.named], mine.withheld) == ([("content_elements", shown)], 1)
    assert (len(everything.named), everything.withheld) == (2, 0)


def test_a_link_in_a_text_is_a_use_too(identity_of: IdentityOf, data: Path, site: DemoSite) -> None:
    with transaction() as connection:
        batch = seed_batch(connection, seed_actor())
        body = f"![Boats](file:{POSTER}) and [others](file:{POSTER}0)"
        made = batch.create("content_elements", site.pages["about"], {"header": "Linked", "body": body})
        batch.finish()
    with reading() as connection:
        assert [use.uid for use in find_uses(connection, identity_of("admin"), 0, POSTER).named] == [made.uid]
        assert find_uses(connection, identity_of("admin"), 0, HOUSE).count == 0
    with pytest.raises(WriteRefused):
        delete_file(identity_of("admin"), data, POSTER)


def test_a_deleted_use_is_none(identity_of: IdentityOf, data: Path, site: DemoSite) -> None:
    element = attach(site, "about", POSTER)
    with transaction() as connection:
        batch = seed_batch(connection, seed_actor())
        batch.delete("content_elements", element)
        batch.finish()
    delete_file(identity_of("admin"), data, POSTER)


def test_it_stores_nothing_when_the_system_refuses_and_says_so(identity_of: IdentityOf, data: Path) -> None:
    shutil.rmtree(data / "files")
    (data / "files").write_text("no folder")
    with pytest.raises(Unavailable):
        upload_files(identity_of("anna"), data, 1, EDITORIAL, [Upload(name="a", source=io.BytesIO(b"x"))])


@pytest.mark.parametrize("folder", ["/press", "/press/"])
def test_a_mount_is_written_with_its_slash(folder: str) -> None:
    mount = FileMount(storage_id=1, folder="/press/")
    assert mount.contains(folder)
    assert not mount.contains("/press-archive/")
