"""Folders, uses and the commands on files, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import insert

from app.content.errors import WriteRefused
from app.content.file_uses import owners_of
from app.content.files.folders import FOLDERS, Folder, exists, list_mounted, list_subfolders, list_writable
from app.content.files.reading import list_files
from app.content.schema import FILES
from app.policy.identity import FileMount
from tests.content.writer.fixtures import ADMIN, ANNA, DRAFT, LIVE, Store

EDITOR = replace(
    ANNA, tables_select=frozenset({"files"}), file_permissions=frozenset({"read_file", "write_file", "add_file"})
)
PATHS = ("/press/2026/a%b.png", "/press/2026/may/c.png", "/press/2026-draft/d.png", "/Press/e.png", "/top.png")


@pytest.fixture
def files(any_store: Store) -> Iterator[Store]:
    """The small site with further files and a folder without any."""
    with any_store.engine.begin() as connection:
        FOLDERS.create(connection)
        connection.execute(insert(FOLDERS).values(storage_id=1, path="/press/empty/"))
        for number, path in enumerate(PATHS, start=50):
            name = path.rpartition("/")[2]
            connection.execute(insert(FILES.table).values(uid=number, storage_id=1, path=path, name=name))
    return any_store


def folder(path: str) -> Folder:
    return Folder(storage_id=1, path=path)


def test_it_lists_folders_that_exist_by_a_row_or_by_a_file(files: Store) -> None:
    with files.engine.connect() as connection:
        below = [found.name for found in list_subfolders(connection, folder("/press/"))]
        top = [found.path for found in list_subfolders(connection, folder("/"))]
    assert below == ["2026", "2026-draft", "empty"]
    assert top == ["/Press/", "/press/", "/press-archive/"]


def test_it_lists_the_files_of_one_folder_only(files: Store) -> None:
    with files.engine.connect() as connection:
        found = {
            path: [file.name for file in list_files(connection, folder(path)).files]
            for path in ("/", "/press/", "/press/2026/", "/press/empty/", "/Press/")
        }
    assert found == {
        "/": ["top.png"],
        "/press/": ["a.png"],
        "/press/2026/": ["a%b.png"],
        "/press/empty/": [],
        "/Press/": ["e.png"],
    }


def test_a_folder_that_does_not_exist_grants_nothing(files: Store) -> None:
    mounts = tuple(FileMount(storage_id=1, folder=path) for path in ("/press/", "/pres/", "/PRESS/"))
    with files.engine.connect() as connection:
        assert [exists(connection, folder(path)) for path in ("/press/", "/pres/", "/PRESS/", "/")] == [
            True,
            False,
            False,
            True,
        ]
        shown = list_mounted(connection, replace(EDITOR, file_mounts=mounts))
    assert [found.path for mounted in shown for found in mounted.folders] == ["/press/"]


def test_it_offers_writable_folders(files: Store) -> None:
    with files.engine.connect() as connection:
        found = [one.path for one in list_writable(connection, EDITOR, 1)]
        read_only = replace(EDITOR, file_mounts=(FileMount(storage_id=1, folder="/press/", read_only=True),))
        assert list_writable(connection, read_only, 1) == ()
    assert found == ["/press/", "/press/2026-draft/", "/press/2026/", "/press/2026/may/", "/press/empty/"]


VALUES: dict[str, Any] = {"storage_id": 1, "path": "/press/new.png", "name": "new.png", "mime": "image/png", "size": 3}


def test_it_writes_files_by_their_own_commands_only(files: Store) -> None:
    changes = files.do(lambda batch: batch.add_file({**VALUES, "width": 4}), actor=EDITOR)
    (made,) = changes.changes
    row = files.row("files", made.uid)
    assert row is not None
    assert (row["path"], row["size"], row["width"], row["missing"]) == ("/press/new.png", 3, 4, False)
    moved = files.do(
        lambda batch: batch.change_file(made.uid, {"path": "/press/2026/x.png", "name": "x.png"}), actor=EDITOR
    )
    assert [(field.name, field.new) for field in moved.changes[0].fields] == [
        ("name", "x.png"),
        ("path", "/press/2026/x.png"),
    ]
    assert not files.do(lambda batch: batch.change_file(made.uid, {"name": "x.png"}), actor=EDITOR)
    files.do(lambda batch: batch.remove_file(made.uid), actor=EDITOR)
    assert files.row("files", made.uid) is None
    assert [entry["action"] for entry in files.history()] == ["created", "updated", "deleted"]


@pytest.mark.behaviour("CH-17")
@pytest.mark.parametrize("path", ["/press-archive/x.png", "/x.png", "/pressx.png", "/Press/x.png"])
def test_a_command_on_files_reaches_no_further_than_the_mounts(files: Store, path: str) -> None:
    for act in (
        lambda batch: batch.add_file({**VALUES, "path": path}),
        lambda batch: batch.change_file(50, {"path": path}),
        lambda batch: batch.change_file(2, {"name": "x"}),
        lambda batch: batch.remove_file(2),
    ):
        with pytest.raises(WriteRefused) as caught:
            files.do(act, actor=EDITOR)
        assert caught.value.reason == "not_found"


@pytest.mark.parametrize("missing", ["write_file", "add_file"])
def test_each_command_needs_its_own_permission(files: Store, missing: str) -> None:
    actor = replace(EDITOR, file_permissions=EDITOR.file_permissions - {missing})
    refused = {"add_file": lambda batch: batch.add_file(VALUES), "write_file": lambda batch: batch.remove_file(50)}
    with pytest.raises(WriteRefused):
        files.do(refused[missing], actor=actor)
    (allowed,) = refused.keys() - {missing}
    assert files.do(refused[allowed], actor=actor)


def test_no_draft_takes_a_command_on_files(files: Store) -> None:
    for act in (lambda batch: batch.add_file(VALUES), lambda batch: batch.remove_file(50)):
        with pytest.raises(WriteRefused) as caught:
            files.do(act, DRAFT, ADMIN)
        assert caught.value.reason == "not_versioned"


def test_it_counts_uses_in_every_workspace(files: Store) -> None:
    """The reference in the fixture is live; a link in a draft counts as well, a mark to delete takes nothing away."""
    files.do(lambda batch: batch.update("content_elements", 103, {"body": "[x](file:50) [y](file:500)"}), DRAFT)
    files.do(lambda batch: batch.delete("file_references", 1), DRAFT)
    with files.engine.connect() as connection:
        assert owners_of(connection, 50) == {("content_elements", 103)}
        assert owners_of(connection, 1) == {("content_elements", 100), ("content_elements", 102)}
        assert owners_of(connection, 5) == frozenset()
    with pytest.raises(WriteRefused) as caught:
        files.do(lambda batch: batch.remove_file(50), LIVE, EDITOR)
    assert caught.value.reason == "file_used"


def test_a_name_is_taken_once(files: Store) -> None:
    for act in (
        lambda batch: batch.add_file({**VALUES, "path": "/press/a.png"}),
        lambda batch: batch.change_file(50, {"path": "/press/a.png"}),
    ):
        with pytest.raises(WriteRefused) as caught:
            files.do(act, actor=EDITOR)
        assert caught.value.reason == "name_taken"
    assert files.do(lambda batch: batch.add_file({**VALUES, "path": "/press/A.png"}), actor=EDITOR)
