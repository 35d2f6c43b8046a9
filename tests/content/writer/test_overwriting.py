"""A translation made anew: the old one deleted, a new one made (cms.md section 10)."""

from __future__ import annotations

import pytest

from app.content.errors import WriteRefused
from app.content.types import ChangeAction, VersionState
from tests.content.writer.fixtures import DE, DRAFT, FR, LIVE, Store

DELETED, CREATED = ChangeAction.DELETED, ChangeAction.CREATED


@pytest.mark.parametrize("workspace_id", [LIVE, DRAFT])
def test_it_deletes_one_record_and_creates_one(any_store: Store, workspace_id: int) -> None:
    any_store.do(lambda b: b.delete("file_references", 1))
    with any_store.batch(workspace_id) as batch:
        old, new = batch.overwrite_translation("content_elements", 100, DE, with_content=False)
        changes = batch.finish().changes
    assert [(change.uid, change.action) for change in changes] == [(old.uid, DELETED), (new.uid, CREATED)]
    rows = any_store.rows("content_elements", translation_parent=100)
    if workspace_id == LIVE:
        assert [(row["uid"], row["deleted"]) for row in rows] == [(102, True), (new.uid, False)]
    else:
        states = {row["uid"]: row["version_state"] for row in rows if row["workspace_id"] == DRAFT}
        assert states == {old.uid: VersionState.DELETED, new.uid: VersionState.NEW}


def test_it_removes_a_translation_that_is_new_in_the_draft(store: Store) -> None:
    store.do(lambda b: b.localize("content_elements", 103, FR, with_content=False), DRAFT)
    with store.batch(DRAFT) as batch:
        old, new = batch.overwrite_translation("content_elements", 103, FR, with_content=False)
        batch.finish()
    assert [row["uid"] for row in store.rows("content_elements", workspace_id=DRAFT)] == [new.uid]
    assert old.uid != new.uid


@pytest.mark.parametrize("workspace_id", [LIVE, DRAFT])
def test_it_leaves_or_makes_anew_the_content_of_a_page(store: Store, workspace_id: int) -> None:
    changes = store.do(lambda b: b.overwrite_translation("pages", 10, DE, with_content=False), workspace_id).changes
    assert [(change.table, change.action) for change in changes] == [("pages", DELETED), ("pages", CREATED)]
    changes = store.do(lambda b: b.overwrite_translation("pages", 10, DE, with_content=True), workspace_id).changes
    elements = [change.action for change in changes if change.table == "content_elements"]
    assert elements == [DELETED, CREATED, CREATED]  # 101 had no translation


def test_it_sees_the_old_one_as_gone_after_a_mark_in_a_draft(store: Store) -> None:
    store.do(lambda b: b.delete("content_elements", 102), DRAFT)
    store.do(lambda b: b.localize("content_elements", 100, DE, with_content=False), DRAFT)
    with pytest.raises(WriteRefused, match="translation_exists"):
        store.do(lambda b: b.localize("content_elements", 100, DE, with_content=False), DRAFT)


def test_it_refuses_when_there_is_none(store: Store) -> None:
    with pytest.raises(WriteRefused, match="no_translation"):
        store.do(lambda b: b.overwrite_translation("content_elements", 103, FR, with_content=False))
