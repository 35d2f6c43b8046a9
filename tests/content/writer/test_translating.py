"""Translations as overlay rows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.content.errors import WriteRefused
from app.content.types import ChangeAction
from app.content.writer.translating import mark_for
from tests.content.writer.fixtures import ANNA, DE, DRAFT, FR, LIVE, NOW, Store

WORKSPACES = pytest.mark.parametrize("workspace_id", [LIVE, DRAFT])


@pytest.mark.behaviour("CM-04")
@WORKSPACES
def test_it_translates_a_page_with_its_elements(any_store: Store, workspace_id: int) -> None:
    live = any_store.hash_of_live()
    with any_store.batch(workspace_id, ANNA) as batch:
        ref = batch.localize("pages", 10, FR, with_content=True)
        batch.mark_target(ref)
        changes = batch.finish()
    assert [(c.table, c.title, c.language_id, c.hidden, c.action, c.is_target) for c in changes.changes] == [
        ("pages", "[à traduire] Museum", FR, True, ChangeAction.CREATED, True),
        ("content_elements", "[à traduire] Welcome", FR, True, ChangeAction.CREATED, False),
        ("content_elements", "[à traduire] Hidden one", FR, True, ChangeAction.CREATED, False),
        ("file_references", "[à traduire] Front", FR, False, ChangeAction.CREATED, False),
    ]
    page = any_store.rows("pages", uid=ref.uid)[0]
    assert (page["translation_parent"], page["pid"], page["sorting"], page["owner_id"]) == (10, 1, "a0", 2)
    assert (page["keywords"], page["description"]) == ("art", "All about it")
    first, second = any_store.rows("content_elements", created_at=NOW)
    assert (first["translation_parent"], second["translation_parent"], first["pid"]) == (100, 101, 10)
    assert first["body"].startswith("See [hours](page:11)")
    (reference,) = any_store.rows("file_references", created_at=NOW)
    assert (reference["owner_uid"], reference["translation_parent"]) == (first["uid"], 1)
    if workspace_id:
        assert any_store.hash_of_live() == live


def test_it_skips_elements_that_are_translated_already(store: Store) -> None:
    store.do(lambda batch: batch.localize("content_elements", 100, FR, with_content=False))
    changes = store.do(lambda batch: batch.localize("pages", 10, FR, with_content=True))
    assert [c.title for c in changes.changes] == ["[à traduire] Museum", "[à traduire] Hidden one"]


def test_it_marks_the_text_of_an_element_without_heading(store: Store) -> None:
    changes = store.do(lambda batch: batch.localize("content_elements", 104, DE, with_content=False))
    assert changes.changes[0].title == "[zu übersetzen] Only text"


def test_it_refuses_a_second_translation_and_names_the_first(any_store: Store) -> None:
    with pytest.raises(WriteRefused, match="translation_exists") as refused:
        any_store.do(lambda batch: batch.localize("pages", 10, DE, with_content=False))
    assert dict(refused.value.text.params) == {"title": "Museum, deutsch", "uid": "30"}
    any_store.do(lambda batch: batch.localize("pages", 14, DE, with_content=False), DRAFT)
    with pytest.raises(WriteRefused, match="translation_exists"):
        any_store.do(lambda batch: batch.localize("pages", 14, DE, with_content=False), DRAFT)
    any_store.do(lambda batch: batch.localize("pages", 14, DE, with_content=False), LIVE)


def test_it_translates_again_what_the_draft_marked_to_be_deleted(store: Store) -> None:
    store.do(lambda batch: batch.delete("pages", 30), DRAFT)
    changes = store.do(lambda batch: batch.localize("pages", 10, DE, with_content=False), DRAFT)
    assert [c.action for c in changes.changes] == [ChangeAction.CREATED]


@pytest.mark.parametrize(
    ("table", "uid", "language_id", "reason"),
    [
        ("pages", 30, FR, "is_translation"),
        ("content_elements", 102, FR, "is_translation"),
        ("pages", 14, 9, "unknown_language"),
        ("pages", 14, 0, "unknown_language"),
        ("contacts", 1, DE, "not_translatable"),
        ("pages", 999, DE, "not_found"),
    ],
)
def test_it_refuses_what_cannot_be_translated(
    store: Store, table: str, uid: int, language_id: int, reason: str
) -> None:
    with pytest.raises(WriteRefused) as refused:
        store.do(lambda batch: batch.localize(table, uid, language_id, with_content=False))
    assert refused.value.reason == reason


def test_it_refuses_a_language_the_person_may_not_use(store: Store) -> None:
    actor = replace(ANNA, languages=frozenset({0, DE}))
    with pytest.raises(WriteRefused, match="denied_language"):
        store.do(lambda batch: batch.localize("pages", 10, FR, with_content=False), LIVE, actor)


def test_it_folds_a_translation_and_its_text_into_one_creation(store: Store) -> None:
    with store.batch(DRAFT) as batch:
        ref = batch.localize("pages", 14, DE, with_content=False)
        batch.update("pages", ref.uid, {"title": "Laden", "hidden": False})
        (change,) = batch.finish().changes
    assert (change.action, change.title, change.hidden) == (ChangeAction.CREATED, "Laden", False)
    assert [(field.name, field.old, field.new) for field in change.fields] == [("title", None, "Laden")]


@pytest.mark.parametrize(
    ("code", "mark"),
    [("de", "[zu übersetzen]"), ("de-AT", "[zu übersetzen]"), ("pt_BR", "[a traduzir]"), ("xx", "[to be translated]")],
)
def test_it_marks_in_the_language_of_the_translation(code: str, mark: str) -> None:
    assert mark_for(code) == mark
