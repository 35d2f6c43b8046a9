"""Deleted records come back in live, with their children and without translations (cms.md section 11)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.content.errors import WriteRefused
from app.content.types import ChangeAction
from tests.content.writer.fixtures import ANNA, DE, DRAFT, LIVE, Store


def delete(store: Store, table: str, uid: int) -> None:
    store.do(lambda b: b.delete(table, uid))


def deleted(store: Store, table: str) -> list[int]:
    return [row["uid"] for row in store.rows(table, deleted=True)]


@pytest.mark.behaviour("CM-04")
def test_it_brings_a_page_back_with_what_went_along_except_translations(any_store: Store) -> None:
    delete(any_store, "content_elements", 104)
    delete(any_store, "pages", 10)
    changes = any_store.do(lambda b: b.undelete("pages", 10)).changes
    assert {change.action for change in changes} == {ChangeAction.UPDATED}
    assert deleted(any_store, "pages") == [30, 31]
    assert deleted(any_store, "content_elements") == [102, 104]
    assert deleted(any_store, "contacts") == []
    assert deleted(any_store, "redirects") == []
    assert deleted(any_store, "file_references") == [2]
    entries = [row for row in any_store.history() if row["action"] == "undeleted"]
    assert len(entries) == len(changes)


def test_it_brings_an_element_back_with_its_references(any_store: Store) -> None:
    delete(any_store, "content_elements", 100)
    changes = any_store.do(lambda b: b.undelete("content_elements", 100)).changes
    assert [(change.table, change.uid) for change in changes] == [("content_elements", 100), ("file_references", 1)]
    assert deleted(any_store, "content_elements") == [102]
    any_store.do(lambda b: b.undelete("content_elements", 102))
    assert deleted(any_store, "content_elements") == deleted(any_store, "file_references") == []


def test_it_works_in_live_only(store: Store) -> None:
    delete(store, "content_elements", 103)
    with pytest.raises(WriteRefused, match="live_only"):
        store.do(lambda b: b.undelete("content_elements", 103), DRAFT)


@pytest.mark.parametrize(
    ("gone", "asked", "reason"),
    [
        (("pages", 11), ("content_elements", 103), "parent_deleted"),
        (("pages", 10), ("pages", 11), "parent_deleted"),
        (("content_elements", 100), ("content_elements", 102), "parent_deleted"),
        (("content_elements", 100), ("file_references", 1), "parent_deleted"),
        (("content_elements", 103), ("content_elements", 104), "not_deleted"),
        (("file_metadata", 1), ("file_metadata", 1), "not_found"),
        (("content_elements", 103), ("content_elements", 999), "not_found"),
    ],
)
def test_it_refuses(store: Store, gone: tuple[str, int], asked: tuple[str, int], reason: str) -> None:
    delete(store, *gone)
    with pytest.raises(WriteRefused, match=reason):
        store.do(lambda b: b.undelete(*asked))


def test_it_refuses_a_second_translation_in_the_language(store: Store) -> None:
    delete(store, "content_elements", 102)
    store.do(lambda b: b.localize("content_elements", 100, DE, with_content=False))
    with pytest.raises(WriteRefused, match="translation_exists"):
        store.do(lambda b: b.undelete("content_elements", 102))


def test_it_needs_the_content_bit_or_the_new_bit_of_the_parent(store: Store) -> None:
    for table, uid in (("content_elements", 105), ("pages", 12)):
        delete(store, table, uid)
        with pytest.raises(WriteRefused, match="not_found"):
            store.do(lambda b, t=table, u=uid: b.undelete(t, u), LIVE, ANNA)
    delete(store, "pages", 14)
    store.do(lambda b: b.undelete("pages", 14), LIVE, replace(ANNA, user_id=5))
    delete(store, "content_elements", 103)
    with pytest.raises(WriteRefused, match="not_found"):
        store.do(lambda b: b.undelete("content_elements", 103), LIVE, replace(ANNA, tables_modify=frozenset()))
    with pytest.raises(WriteRefused, match="not_found"):
        store.do(lambda b: b.undelete("content_elements", 103), LIVE, replace(ANNA, languages=frozenset({DE})))


def test_it_restores_the_same_in_a_rehearsal_that_deletes_first(store: Store) -> None:
    with store.batch(rehearsal=True) as batch:
        batch.delete("pages", 11)
        batch.undelete("pages", 11)
        changes = batch.finish()
    left = {(change.table, change.uid) for change in changes.changes}
    assert left == {("pages", 31)}
