"""Copies of single records: an element with its translations and pictures, on both databases."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.content.errors import WriteRefused
from tests.content.writer.fixtures import ADMIN, ANNA, DE, DRAFT, LIVE, Store


def copied(store: Store, workspace_id: int = LIVE, page: int | None = 11, **kw: object) -> dict[str, object]:
    """The row of a copy of the element 100."""
    changes = store.do(lambda batch: batch.copy_record("content_elements", 100, page, **kw), workspace_id)
    (made,) = [found for found in changes.changes if found.table == "content_elements" and found.language_id == 0]
    row = store.row("content_elements", made.uid)
    assert row is not None
    return row


@pytest.mark.behaviour("CM-04")
@pytest.mark.parametrize("workspace_id", [LIVE, DRAFT])
def test_it_copies_a_record_with_its_translations_and_pictures(any_store: Store, workspace_id: int) -> None:
    before = any_store.hash_of_live() if workspace_id else ""
    row = copied(any_store, workspace_id)
    assert (row["pid"], row["header"], row["hidden"]) == (11, "Welcome", False)
    assert (row["workspace_id"], row["live_uid"], row["version_state"]) == (workspace_id, 0, 1 if workspace_id else 0)
    (german,) = any_store.rows("content_elements", translation_parent=row["uid"])
    assert (german["language_id"], german["header"], german["pid"]) == (DE, "Willkommen", 11)
    owned = [
        (found["owner_uid"], found["title"], found["pid"])
        for found in any_store.rows("file_references")
        if found["owner_uid"] in {row["uid"], german["uid"]}
    ]
    assert owned == [(row["uid"], "Front", 11), (german["uid"], "Vorn", 11)]
    if workspace_id:
        assert any_store.hash_of_live() == before, "a draft never touches a live row (I13)"


def test_it_leaves_translations_behind_where_the_page_lacks_the_language(any_store: Store) -> None:
    row = copied(any_store, page=14)
    assert any_store.rows("content_elements", translation_parent=row["uid"]) == []


def test_it_takes_the_place_asked_for(any_store: Store) -> None:
    first, last = copied(any_store, first=True), copied(any_store)
    after = copied(any_store, after_uid=103)
    keys = [
        first["sorting"],
        any_store.rows("content_elements", uid=103)[0]["sorting"],
        after["sorting"],
        last["sorting"],
    ]
    assert keys == sorted(keys)
    assert copied(any_store, page=None)["pid"] == 10


def test_it_attaches_no_file_the_person_may_not_read(any_store: Store) -> None:
    blind = replace(ANNA, file_mounts=())
    changes = any_store.do(lambda batch: batch.copy_record("content_elements", 100, 11), LIVE, blind)
    assert {found.table for found in changes.changes} == {"content_elements"}


@pytest.mark.parametrize(
    ("actor", "uid", "page", "reason"),
    [
        (ANNA, 105, 11, "not_found"),  # lies on a page she is not shown
        (ANNA, 100, 12, "not_found"),
        (ANNA, 100, 987_654, "not_found"),
        (ADMIN, 987_654, 11, "not_found"),
        (ADMIN, 102, 11, "is_translation"),
        (replace(ANNA, languages=frozenset({0})), 100, 11, "denied_language"),
        (replace(ANNA, tables_modify=frozenset({"pages"})), 100, 11, "not_found"),
    ],
)
def test_it_refuses_what_a_person_may_not_copy(
    any_store: Store, actor: object, uid: int, page: int, reason: str
) -> None:
    before = any_store.hash_of_live()
    with pytest.raises(WriteRefused) as refused:
        any_store.do(lambda batch: batch.copy_record("content_elements", uid, page), LIVE, actor)  # type: ignore[arg-type]
    assert refused.value.reason in {reason, "denied_table"}
    assert any_store.hash_of_live() == before


def test_it_copies_no_reference_alone(any_store: Store) -> None:
    with pytest.raises(WriteRefused) as refused:
        any_store.do(lambda batch: batch.copy_record("file_references", 1, 11))
    assert refused.value.reason == "moves_with_owner"
