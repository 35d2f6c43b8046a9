"""Rows as a workspace overlays them."""

from __future__ import annotations

import pytest

from app.content import store
from app.content.types import VersionState
from tests.content.fixtures import ContentStore, content_store

__all__ = ["content_store"]

CHANGED, NEW, DELETED, MOVED = VersionState


def _tree(content_store: ContentStore) -> None:
    content_store.page(1)
    content_store.page(2, 1)
    content_store.page(3, 1, sorting="a0000")
    content_store.page(4, 2)
    content_store.page(20, 1, live_uid=2, workspace_id=1, version_state=CHANGED, title="Changed")
    content_store.page(30, 2, live_uid=3, workspace_id=1, version_state=MOVED)
    content_store.page(40, 2, live_uid=4, workspace_id=1, version_state=DELETED)
    content_store.page(50, 2, workspace_id=1, version_state=NEW)
    content_store.page(60, 1, workspace_id=2, version_state=NEW)


@pytest.mark.behaviour("CM-03")
def test_it_replaces_live_rows_by_those_of_the_workspace(content_store: ContentStore) -> None:
    _tree(content_store)
    rows = store.find_rows(content_store.connection, "pages", [2, 3, 4, 50, 60, 20, 99], 1)
    assert {asked: (row.uid, row.live_uid) for asked, row in rows.items()} == {
        2: (20, 2),
        20: (20, 2),
        3: (30, 3),
        50: (50, 50),
    }


@pytest.mark.behaviour("CM-03")
def test_it_reads_live_rows_only_in_live(content_store: ContentStore) -> None:
    _tree(content_store)
    rows = store.find_rows(content_store.connection, "pages", [2, 3, 4, 50, 60, 20], 0)
    assert {asked: row.uid for asked, row in rows.items()} == {2: 2, 3: 3, 4: 4}


@pytest.mark.behaviour("CM-03")
def test_it_refuses_version_rows_of_another_workspace(content_store: ContentStore) -> None:
    _tree(content_store)
    assert store.find_row(content_store.connection, "pages", 20, 2) is None
    assert store.find_row(content_store.connection, "pages", 60, 1) is None


@pytest.mark.behaviour("CM-03")
def test_it_lists_children_at_their_place_in_the_workspace(content_store: ContentStore) -> None:
    _tree(content_store)

    def children(workspace_id: int, parent: int) -> list[int]:
        return [row.live_uid for row in store.list_children(content_store.connection, workspace_id, parent)]

    assert children(0, 1) == [3, 2]
    assert children(1, 1) == [2]
    assert children(1, 2) == [3, 50]
    assert children(2, 1) == [3, 2, 60]


def test_it_does_not_find_what_is_deleted(content_store: ContentStore) -> None:
    content_store.page(1, deleted=True)
    assert store.find_row(content_store.connection, "pages", 1, 0) is None
    stored = store.find_stored_row(content_store.connection, "pages", 1)
    assert stored is not None
    assert stored["deleted"]


def test_it_finds_nothing_for_numbers_no_database_holds(content_store: ContentStore) -> None:
    assert store.find_rows(content_store.connection, "pages", [0, -1, 2**63, 2**70], 1) == {}
    assert store.find_row(content_store.connection, "nothing", 1, 0) is None


def test_it_lists_elements_of_one_language_with_those_of_all(content_store: ContentStore) -> None:
    content_store.page(1)
    content_store.element(1, 1)
    content_store.element(2, 1, language_id=1, translation_parent=1)
    content_store.element(3, 1, language_id=-1)
    content_store.element(4, 1, language_id=2)

    def elements(language_id: int | None) -> list[int]:
        return [row.uid for row in store.list_elements(content_store.connection, 0, 1, language_id)]

    assert elements(None) == [1, 2, 3, 4]
    assert elements(1) == [2, 3]


def test_it_lists_translations_of_the_workspace(content_store: ContentStore) -> None:
    content_store.page(1)
    content_store.page(2, language_id=2, translation_parent=1)
    content_store.page(3, language_id=1, translation_parent=1, workspace_id=1, version_state=NEW)
    content_store.page(4, language_id=2, translation_parent=1, workspace_id=1, live_uid=2, version_state=DELETED)
    listed = {
        workspace: store.list_translations(content_store.connection, "pages", 1, workspace) for workspace in (0, 1, 2)
    }
    assert {workspace: [row.uid for row in rows] for workspace, rows in listed.items()} == {0: [2], 1: [3], 2: [2]}
    assert store.list_translations(content_store.connection, "contacts", 1, 0) == []


def test_it_lists_languages(content_store: ContentStore) -> None:
    content_store.languages()
    assert [language.code for language in store.list_languages(content_store.connection)] == ["en", "de", "fr"]


@pytest.mark.parametrize("workspace_id", [0, 1])
def test_it_reads_by_index_only(content_store: ContentStore, workspace_id: int) -> None:
    reads = (
        lambda: store.find_rows(content_store.connection, "pages", [1, 2, 3], workspace_id),
        lambda: store.list_children(content_store.connection, workspace_id, 1),
        lambda: store.list_elements(content_store.connection, workspace_id, 1, 0),
        lambda: store.list_translations(content_store.connection, "pages", 1, workspace_id),
    )
    for read in reads:
        with content_store.counted() as statements:
            read()
        assert len(statements) == 1
        assert content_store.scans(statements) == []


@pytest.mark.parametrize(
    ("header", "body", "title"),
    [
        ("Opening hours", "", "Opening hours"),
        ("  two\u2028lines ", "", "two lines"),
        ("\u3164\u200b", "## *Closed* on [Monday](page:4) <b>only</b>", "Closed on Monday only"),
        ("<b>C* & co</b>", "", "<b>C* & co</b>"),
        ("", "", ""),
        ("a" * 90, "", "a" * 79 + "…"),
        ("a" * 78 + "👩‍👩‍👧‍👦" + "b" * 20, "", "a" * 78 + "…"),
        ("a" * 78 + "🇩🇪🇫🇷" + "b" * 20, "", "a" * 78 + "…"),
        ("a" + "\u0301" * 100, "", "a" + "\u0301" * 78 + "…"),
    ],
)
def test_it_makes_a_title_of_one_line(header: str, body: str, title: str) -> None:
    assert store.title_of("content_elements", {"header": header, "body": body}) == title
