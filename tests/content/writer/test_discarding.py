"""Discarding what a draft holds (cms.md sections 8 and 9)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.content.errors import WriteRefused
from app.content.hooks import Hooks
from app.content.schema import REGISTRY
from app.content.types import ChangeAction, RecordRef, VersionState
from app.content.writer import discard_workspace
from tests.content.writer.fixtures import ANNA, DE, DRAFT, FR, OTHER, Store
from tests.content.writer.publishing import context_of, discard, held, in_transaction


def rows_of(store: Store, workspace_id: int = DRAFT) -> list[tuple[str, int]]:
    return [
        (name, row["uid"])
        for name, trait in REGISTRY.items()
        if trait.versioned
        for row in store.rows(name, workspace_id=workspace_id)
    ]


@pytest.mark.behaviour("CM-03", "CM-04")
def test_it_discards_the_whole_draft_and_leaves_live_and_other_drafts(any_store: Store) -> None:
    live = any_store.hash_of_live()
    with any_store.batch(DRAFT) as batch:
        batch.update("content_elements", 103, {"header": "x"})
        batch.delete("content_elements", 104)
        batch.move("pages", 14, page_uid=20)
        batch.create("pages", 1, {"title": "New"})
        batch.finish()
    any_store.do(lambda b: b.update("pages", 14, {"title": "Other"}), OTHER)
    held_before, other = rows_of(any_store), rows_of(any_store, OTHER)
    changes = discard(any_store).changes
    assert [(change.table, change.uid) for change in changes] == held_before
    assert {(change.action, change.workspace_id) for change in changes} == {(ChangeAction.DELETED, DRAFT)}
    assert rows_of(any_store) == []
    assert rows_of(any_store, OTHER) == other
    assert any_store.hash_of_live() == live
    discarded = [row for row in any_store.history() if row["action"] == "discarded"]
    assert [(row["table_name"], row["uid"]) for row in discarded] == held_before


def test_it_discards_one_record(store: Store) -> None:
    store.do(lambda b: b.update("content_elements", 103, {"header": "x"}), DRAFT)
    store.do(lambda b: b.update("content_elements", 104, {"header": "y"}), DRAFT)
    first, second = held(store, "content_elements")
    (change,) = discard(store, [first]).changes
    assert (change.uid, change.live_uid) == (first.uid, 103)
    assert held(store, "content_elements") == [second]


def test_it_discards_a_new_page_with_its_branch_and_puts_back_what_was_moved_there(any_store: Store) -> None:
    with any_store.batch(DRAFT) as batch:
        page = batch.create("pages", 14, {"title": "New"})
        below = batch.create("pages", page.uid, {"title": "Below"})
        batch.localize("pages", page.uid, DE, with_content=False)
        element = batch.create("content_elements", below.uid, {"header": "On it"})
        batch.localize("content_elements", element.uid, DE, with_content=False)
        batch.move("content_elements", 100, page_uid=page.uid)
        batch.move("pages", 11, page_uid=below.uid)
        kept = batch.create("pages", 14, {"title": "Kept"})
        batch.finish()
    discard(any_store, [page])
    assert rows_of(any_store) == [("pages", kept.uid)]


def test_it_lets_translations_go_back_with_their_record(any_store: Store) -> None:
    with any_store.batch(DRAFT) as batch:
        batch.move("content_elements", 100, page_uid=14)
        batch.update("content_elements", 102, {"header": "Neu"})
        batch.finish()
    (ref,) = held(any_store, "content_elements", live_uid=100)
    discard(any_store, [ref])
    (row,) = any_store.rows("content_elements", workspace_id=DRAFT)
    assert (row["live_uid"], row["pid"], row["version_state"]) == (102, 10, VersionState.CHANGED)
    assert row["header"] == "Neu"
    assert any_store.rows("file_references", workspace_id=DRAFT) == []


def test_it_takes_the_marks_of_translations_away_with_that_of_the_record(store: Store) -> None:
    store.do(lambda b: b.delete("content_elements", 100), DRAFT)
    (ref,) = held(store, "content_elements", live_uid=100)
    discard(store, [ref])
    assert rows_of(store) == []


def test_it_discards_new_translations_and_references_with_their_record(store: Store) -> None:
    with store.batch(DRAFT) as batch:
        new = batch.create("content_elements", 14, {"header": "New"})
        batch.localize("content_elements", new.uid, FR, with_content=False)
        values = {"file_uid": 1, "owner_table": "content_elements", "owner_uid": new.uid, "owner_field": "images"}
        batch.create("file_references", 14, values)
        batch.finish()
    discard(store, [new])
    assert rows_of(store) == []


def test_it_refuses_to_put_a_page_below_itself(store: Store) -> None:
    with store.batch(DRAFT) as batch:
        batch.move("pages", 11, page_uid=20)
        batch.move("pages", 10, page_uid=11)
        batch.finish()
    (ref,) = held(store, "pages", live_uid=11)
    with pytest.raises(WriteRefused, match="inside_itself"):
        discard(store, [ref])
    discard(store)
    assert rows_of(store) == []


def test_it_refuses_rows_of_others_and_of_other_drafts(store: Store) -> None:
    store.do(lambda b: b.update("content_elements", 105, {"header": "Secret"}), DRAFT)
    store.do(lambda b: b.update("content_elements", 103, {"header": "Open"}), DRAFT)
    store.do(lambda b: b.update("content_elements", 103, {"header": "Other"}), OTHER)
    secret, elsewhere = held(store, "content_elements", live_uid=105)[0], held(store, "content_elements", OTHER)[0]
    for ref in (secret, elsewhere, RecordRef(table="content_elements", uid=103), RecordRef(table="x", uid=1)):
        with pytest.raises(WriteRefused, match="not_found"):
            discard(store, [ref], actor=ANNA)
    discard(store, actor=ANNA)
    assert held(store, "content_elements") == [secret]


def test_it_clears_a_workspace_for_its_owners_only(store: Store) -> None:
    store.do(lambda b: b.update("content_elements", 105, {"header": "Secret"}), DRAFT)
    store.do(lambda b: b.create("pages", 14, {"title": "New"}), DRAFT)
    owner = replace(ANNA, owned_workspaces=frozenset({DRAFT}))
    for actor, reason in ((ANNA, "owners_only"), (replace(ANNA, workspaces={}), "not_found")):
        with pytest.raises(WriteRefused, match=reason):
            in_transaction(store, lambda c, a=actor: discard_workspace(c, context_of(actor=a), hooks=Hooks()))
    changes = in_transaction(store, lambda c: discard_workspace(c, context_of(actor=owner), hooks=Hooks()))
    assert len(changes.changes) == 2
    assert rows_of(store) == []
