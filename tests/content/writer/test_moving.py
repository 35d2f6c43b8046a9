"""Moves in live and in drafts: places, what follows, who may, and what is never touched."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.content.errors import WriteRefused
from app.content.types import ChangeAction, VersionState
from tests.content.writer.fixtures import ANNA, DE, DRAFT, LIVE, Store

MOVED = ChangeAction.MOVED


def order(store: Store, page: int, workspace_id: int = LIVE) -> list[int]:
    """Default elements or pages of a page in their order, as a workspace has them."""
    rows = store.rows("content_elements", pid=page, workspace_id=workspace_id, translation_parent=0)
    return [row["live_uid"] or row["uid"] for row in sorted(rows, key=lambda row: (row["sorting"], row["uid"]))]


@pytest.mark.behaviour("CM-04")
def test_it_moves_an_element_with_translation_and_references(any_store: Store) -> None:
    changes = any_store.do(lambda b: b.move("content_elements", 100, page_uid=11)).changes
    assert [(c.table, c.uid, c.action) for c in changes] == [
        ("content_elements", 100, MOVED),
        ("content_elements", 102, MOVED),
        ("file_references", 1, MOVED),
        ("file_references", 2, MOVED),
    ]
    assert order(any_store, 11) == [103, 104, 100]
    rows = [any_store.row("content_elements", uid) for uid in (100, 102)]
    assert len({(row["pid"], row["sorting"]) for row in rows if row}) == 1
    assert [row["pid"] for row in any_store.rows("file_references")] == [11, 11]
    assert [row["action"] for row in any_store.history()] == ["moved"] * 4


@pytest.mark.behaviour("CM-03", "CM-04")
def test_it_makes_state_4_rows_in_a_draft_and_touches_no_live_row(any_store: Store) -> None:
    live = any_store.hash_of_live()
    changes = any_store.do(lambda b: b.move("content_elements", 100, page_uid=11, first=True), DRAFT).changes
    assert {(c.action, c.workspace_id) for c in changes} == {(MOVED, DRAFT)}
    assert [c.live_uid for c in changes] == [100, 102, 1, 2]
    for table, count in (("content_elements", 2), ("file_references", 2)):
        rows = any_store.rows(table, workspace_id=DRAFT)
        assert len(rows) == count
        assert {(row["version_state"], row["pid"]) for row in rows} == {(VersionState.MOVED, 11)}
    assert any_store.hash_of_live() == live


def test_it_moves_a_page_with_its_translations_and_leaves_its_content(any_store: Store) -> None:
    live = any_store.hash_of_live()
    changes = any_store.do(lambda b: b.move("pages", 10, page_uid=20), DRAFT).changes
    assert [(c.table, c.live_uid, c.action) for c in changes] == [("pages", 10, MOVED), ("pages", 30, MOVED)]
    assert any_store.rows("content_elements", workspace_id=DRAFT) == []
    assert any_store.hash_of_live() == live
    any_store.do(lambda b: b.move("pages", 10, page_uid=20))
    assert {any_store.row("pages", uid)["pid"] for uid in (10, 30)} == {20}  # type: ignore[index]
    assert any_store.row("content_elements", 100)["pid"] == 10  # type: ignore[index]


@pytest.mark.parametrize(
    ("uid", "place", "expected"),
    [
        (103, {}, [104, 103]),
        (104, {"first": True}, [104, 103]),
        (103, {"after_uid": 104}, [104, 103]),
    ],
)
def test_it_sorts_among_neighbours_without_touching_them(
    store: Store, uid: int, place: dict[str, int], expected: list[int]
) -> None:
    (change,) = store.do(lambda b: b.move("content_elements", uid, **place)).changes
    assert (change.uid, change.action) == (uid, MOVED)
    assert order(store, 11) == expected


@pytest.mark.behaviour("CM-05")
@pytest.mark.parametrize("workspace_id", [LIVE, DRAFT])
@pytest.mark.parametrize(
    ("uid", "place"),
    [
        (104, {}),
        (103, {"first": True}),
        (104, {"after_uid": 103}),
        (104, {"after_uid": 104}),
        (104, {"page_uid": 11}),
        (104, {"page_uid": 31}),
    ],
)
def test_it_writes_nothing_when_the_record_is_there_already(
    store: Store, uid: int, place: dict[str, int], workspace_id: int
) -> None:
    before = store.rows("content_elements")
    with store.batch(workspace_id) as batch:
        assert batch.move("content_elements", uid, **place) is None  # type: ignore[arg-type]
        assert not batch.finish()
    assert store.rows("content_elements") == before
    assert store.history() == []


def test_it_keeps_the_state_of_what_the_draft_holds(store: Store) -> None:
    with store.batch(DRAFT) as batch:
        new = batch.create("content_elements", 10, {"header": "New"})
        batch.update("content_elements", 103, {"header": "Changed"})
        batch.finish()
    with store.batch(DRAFT) as batch:
        batch.move("content_elements", new.uid, page_uid=14)
        batch.move("content_elements", 103, page_uid=14)
        batch.finish()
    states = {row["header"]: (row["version_state"], row["pid"]) for row in store.rows("content_elements", pid=14)}
    assert states == {"New": (VersionState.NEW, 14), "Changed": (VersionState.MOVED, 14)}
    store.do(lambda b: b.move("content_elements", 103, page_uid=11), DRAFT)
    assert [row["version_state"] for row in store.rows("content_elements", live_uid=103)] == [VersionState.MOVED]
    store.do(lambda b: b.delete("content_elements", 103), DRAFT)
    with pytest.raises(WriteRefused, match="marked_deleted"):
        store.do(lambda b: b.move("content_elements", 103, page_uid=14), DRAFT)


@pytest.mark.parametrize(
    ("table", "uid", "place", "reason"),
    [
        ("pages", 10, {"page_uid": 10}, "inside_itself"),
        ("pages", 10, {"page_uid": 13}, "inside_itself"),
        ("pages", 10, {"page_uid": 99}, "not_found"),
        ("pages", 10, {"page_uid": -1}, "not_found"),
        ("pages", 30, {"page_uid": 20}, "is_translation"),
        ("content_elements", 102, {"page_uid": 14}, "is_translation"),
        ("content_elements", 100, {"after_uid": 103}, "not_found"),
        ("content_elements", 100, {"page_uid": 14, "after_uid": 102}, "not_found"),
        ("file_references", 1, {"page_uid": 11}, "moves_with_owner"),
        ("file_metadata", 1, {"page_uid": 11}, "not_movable"),
        ("redirects", 1, {"first": True}, "not_sorted"),
        ("nothing", 1, {}, "unknown_table"),
    ],
)
def test_it_refuses(store: Store, table: str, uid: int, place: dict[str, int], reason: str) -> None:
    with pytest.raises(WriteRefused, match=reason):
        store.do(lambda b: b.move(table, uid, **place))


def test_it_maps_a_translated_page_to_its_page(store: Store) -> None:
    store.do(lambda b: b.move("content_elements", 103, page_uid=30))
    assert store.row("content_elements", 103)["pid"] == 10  # type: ignore[index]


def test_it_moves_a_redirect_that_knows_no_order(store: Store) -> None:
    (change,) = store.do(lambda b: b.move("redirects", 1, page_uid=14)).changes
    assert (change.action, store.row("redirects", 1)["pid"]) == (MOVED, 14)  # type: ignore[index]
    with pytest.raises(WriteRefused, match="not_versioned"):
        store.do(lambda b: b.move("redirects", 1, page_uid=11), DRAFT)


@pytest.mark.parametrize("workspace_id", [LIVE, DRAFT])
def test_it_asks_for_the_bits_of_the_table_of_rights(store: Store, workspace_id: int) -> None:
    member = replace(ANNA, user_id=5)  # group bits of every page: everything but deleting
    store.do(lambda b: b.move("pages", 11, after_uid=14), workspace_id, member)
    with pytest.raises(WriteRefused, match="not_found"):
        store.do(lambda b: b.move("pages", 11, page_uid=20), workspace_id, member)
    store.do(lambda b: b.move("content_elements", 103, page_uid=14), workspace_id, member)
    with pytest.raises(WriteRefused, match="not_found"):
        store.do(lambda b: b.move("content_elements", 103, page_uid=12), workspace_id, member)
    with pytest.raises(WriteRefused, match="not_found"):
        store.do(lambda b: b.move("content_elements", 105, page_uid=14), workspace_id, member)
    with pytest.raises(WriteRefused, match="not_found"):
        store.do(lambda b: b.move("pages", 11, page_uid=0), workspace_id, ANNA)


def test_it_asks_for_the_languages_of_all_translations(store: Store) -> None:
    only_english = replace(ANNA, languages=frozenset({0}))
    with pytest.raises(WriteRefused, match="denied_language"):
        store.do(lambda b: b.move("content_elements", 100, page_uid=14), LIVE, only_english)
    store.do(lambda b: b.move("pages", 10, page_uid=20), LIVE, only_english)
    only_german = replace(ANNA, languages=frozenset({DE}))
    with pytest.raises(WriteRefused, match="not_found"):
        store.do(lambda b: b.move("content_elements", 100, page_uid=14), LIVE, only_german)
