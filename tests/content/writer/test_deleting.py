"""Deletions in live and in a draft."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import update

from app.content.errors import WriteRefused
from app.content.schema import PAGES
from app.content.types import ChangeAction, VersionState
from tests.content.writer.fixtures import ADMIN, ANNA, DE, DRAFT, FR, LIVE, OTHER, Store


def deleted(store: Store, table: str, uid: int, workspace_id: int = LIVE) -> list[tuple[str, int, int]]:
    changes = store.do(lambda batch: batch.delete(table, uid), workspace_id).changes
    assert {change.action for change in changes} == {ChangeAction.DELETED}
    return [(change.table, change.uid, change.workspace_id) for change in changes]


@pytest.mark.behaviour("CM-04")
def test_it_deletes_a_page_in_live_with_its_branch(any_store: Store) -> None:
    found = deleted(any_store, "pages", 10)
    assert found[0] == ("pages", 10, LIVE)
    assert {uid for table, uid, _ in found if table == "pages"} == {10, 11, 12, 13, 14, 30, 31}
    assert {uid for table, uid, _ in found if table == "content_elements"} == {100, 101, 102, 103, 104, 105}
    assert {table for table, _, _ in found} == {"pages", "content_elements", "contacts", "redirects", "file_references"}
    assert all(row["deleted"] for row in any_store.rows("content_elements"))
    assert any_store.rows("pages", uid=12)[0]["rev"] == 2


def test_it_discards_every_draft_of_what_is_deleted_in_live(any_store: Store) -> None:
    with any_store.batch(DRAFT) as batch:
        batch.update("pages", 11, {"title": "Draft"})
        batch.update("content_elements", 103, {"header": "Draft"})
        new = batch.create("pages", 11, {"title": "New"})
        batch.create("pages", new.uid, {"title": "Newer"})
        batch.create("content_elements", new.uid, {"header": "On new"})
        batch.localize("content_elements", 103, FR, with_content=False)
        batch.localize("pages", new.uid, DE, with_content=True)
        batch.update("pages", 14, {"title": "Stays"})
        batch.finish()
    any_store.do(lambda batch: batch.delete("content_elements", 104), OTHER)
    found = deleted(any_store, "pages", 11)
    assert [row["title"] for row in any_store.rows("pages", workspace_id=DRAFT)] == ["Stays"]
    assert any_store.rows("content_elements", workspace_id=DRAFT) == []
    assert any_store.rows("content_elements", workspace_id=OTHER) == []
    assert len([uid for _, uid, workspace_id in found if workspace_id == DRAFT]) == 8
    assert len([uid for _, uid, workspace_id in found if workspace_id == OTHER]) == 1


def test_it_marks_a_page_and_its_translations_only_in_a_draft(any_store: Store) -> None:
    live = any_store.hash_of_live()
    found = deleted(any_store, "pages", 10, DRAFT)
    rows = any_store.rows("pages", workspace_id=DRAFT)
    assert [row["live_uid"] for row in rows] == [10, 30]
    assert {row["version_state"] for row in rows} == {VersionState.DELETED}
    assert found == [("pages", row["uid"], DRAFT) for row in rows]
    assert any_store.hash_of_live() == live


def test_it_marks_live_translations_and_removes_new_ones_in_a_draft(store: Store) -> None:
    store.do(lambda batch: batch.localize("content_elements", 100, FR, with_content=False), DRAFT)
    (french,) = store.rows("content_elements", workspace_id=DRAFT)
    found = deleted(store, "content_elements", 100, DRAFT)
    assert [row["live_uid"] for row in store.rows("content_elements", workspace_id=DRAFT)] == [100, 102]
    assert store.rows("file_references", workspace_id=DRAFT) == []
    assert ("content_elements", french["uid"], DRAFT) in found


def test_it_removes_a_new_page_with_what_hangs_on_it(any_store: Store) -> None:
    with any_store.batch(DRAFT) as batch:
        new = batch.create("pages", 14, {"title": "New"})
        below = batch.create("pages", new.uid, {"title": "Below"})
        batch.create("content_elements", below.uid, {"header": "x"})
        batch.localize("pages", new.uid, DE, with_content=False)
        batch.localize("pages", below.uid, DE, with_content=True)
        batch.finish()
    found = deleted(any_store, "pages", new.uid, DRAFT)
    assert found[0] == ("pages", new.uid, DRAFT)
    assert len(found) == 6
    assert any_store.rows("pages", workspace_id=DRAFT) == []
    assert any_store.rows("content_elements", workspace_id=DRAFT) == []


def test_it_says_nothing_of_what_came_and_went_in_one_batch(store: Store) -> None:
    with store.batch(DRAFT) as batch:
        new = batch.create("pages", 14, {"title": "New"})
        batch.delete("pages", new.uid)
        assert batch.finish().changes == ()
    assert store.history() == []


def test_it_refuses_to_lose_pages_moved_below_a_new_page(store: Store) -> None:
    with store.batch(DRAFT) as batch:
        new = batch.create("pages", 1, {"title": "New"})
        batch.update("pages", 14, {"title": "Shop, moved"})
        batch.finish()
    with store.engine.begin() as connection:
        moved = update(PAGES.table).where(PAGES.table.c.live_uid == 14)
        connection.execute(moved.values(pid=new.uid, version_state=VersionState.MOVED.value))
    with pytest.raises(WriteRefused, match="holds_moved"):
        store.do(lambda batch: batch.delete("pages", new.uid), DRAFT)


def test_it_deletes_a_translated_page_with_the_content_in_its_language(store: Store) -> None:
    found = deleted(store, "pages", 30)
    assert found == [("pages", 30, LIVE), ("content_elements", 102, LIVE), ("file_references", 2, LIVE)]


def test_it_leaves_the_default_record_when_a_translation_goes(store: Store) -> None:
    assert deleted(store, "content_elements", 102) == [("content_elements", 102, LIVE), ("file_references", 2, LIVE)]


def test_it_removes_records_of_tables_without_a_deletion_mark(store: Store) -> None:
    assert deleted(store, "file_metadata", 1) == [("file_metadata", 1, LIVE)]
    assert store.row("file_metadata", 1) is None


def test_it_needs_the_right_to_delete_every_subpage(store: Store) -> None:
    owner = replace(ANNA, group_ids=(9,), main_group_id=9)  # page 12 gives group 9 everything but deleting
    with pytest.raises(WriteRefused, match="denied_below"):
        store.do(lambda batch: batch.delete("pages", 10), LIVE, owner)


def test_it_needs_every_language_and_table_of_what_goes(store: Store) -> None:
    only_english = replace(ANNA, languages=frozenset({0}))
    for table, uid in (("content_elements", 100), ("pages", 11)):
        for workspace_id in (LIVE, DRAFT):
            with pytest.raises(WriteRefused, match="denied_"):
                store.do(lambda b, t=table, u=uid: b.delete(t, u), workspace_id, only_english)
    store.do(lambda batch: batch.create("content_elements", 14, {"header": "Deutsch"}, language_id=DE))
    with pytest.raises(WriteRefused, match="denied_language"):
        store.do(lambda batch: batch.delete("pages", 14), LIVE, only_english)
    no_contacts = replace(ANNA, tables_modify=ANNA.tables_modify - {"contacts"})
    with pytest.raises(WriteRefused, match="denied_below"):
        store.do(lambda batch: batch.delete("pages", 11), LIVE, no_contacts)
    store.do(lambda batch: batch.delete("pages", 11), LIVE, ADMIN)
