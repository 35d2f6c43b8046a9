"""The commands of cms.md section 8, cell by cell."""

from __future__ import annotations

import pytest
from sqlalchemy import insert

from app.content.errors import WriteRefused
from app.content.schema import CONTENT_ELEMENTS
from app.content.types import ChangeAction, VersionState
from app.content.writer.versions import REMOVED, Command, state_after
from tests.content.writer.fixtures import DRAFT, OTHER, Store

NOTHING = None
CHANGED, NEW, DELETED, MOVED = VersionState.CHANGED, VersionState.NEW, VersionState.DELETED, VersionState.MOVED


@pytest.mark.parametrize(
    ("held", "update", "delete", "move"),
    [
        (NOTHING, CHANGED, DELETED, MOVED),
        (CHANGED, CHANGED, DELETED, MOVED),
        (NEW, NEW, REMOVED, NEW),
        (MOVED, MOVED, DELETED, MOVED),
    ],
)
def test_it_follows_the_table(held: VersionState | None, update: object, delete: object, move: object) -> None:
    assert state_after(held, Command.UPDATE) is update
    assert state_after(held, Command.DELETE) is delete
    assert state_after(held, Command.MOVE) is move


@pytest.mark.parametrize("command", list(Command))
def test_it_refuses_every_command_for_a_marked_record(command: Command) -> None:
    with pytest.raises(WriteRefused, match="marked_deleted"):
        state_after(DELETED, command)


def hold(store: Store, state: VersionState | None) -> int:
    """Let the draft hold an element in ``state``; the uid people know it by."""
    if state is None:
        return 103
    row = store.row("content_elements", 103)
    assert row is not None
    version = {**row, "uid": 500, "workspace_id": DRAFT, "version_state": state.value, "header": "In the draft"}
    version |= {"live_uid": 0 if state is NEW else 103, "version_stage": -10, "pid": 14 if state is MOVED else 11}
    with store.engine.begin() as connection:
        connection.execute(insert(CONTENT_ELEMENTS.table), version)
    return 500 if state is NEW else 103


@pytest.mark.behaviour("CM-03")
@pytest.mark.parametrize("state", [NOTHING, CHANGED, NEW, MOVED])
def test_it_updates_in_a_draft_by_the_table(store: Store, state: VersionState | None) -> None:
    uid, live = hold(store, state), store.hash_of_live()
    changes = store.do(lambda batch: batch.update("content_elements", uid, {"header": "Again"}), DRAFT)
    (row,) = store.rows("content_elements", workspace_id=DRAFT)
    assert (row["header"], row["version_state"], row["version_stage"]) == ("Again", state or 0, 0)
    assert row["live_uid"] == (0 if state is NEW else 103)
    assert row["rev"] == (1 if state is NOTHING else 2)
    (change,) = changes.changes
    assert (change.action, change.uid, change.live_uid) == (ChangeAction.UPDATED, row["uid"], uid)
    assert [(field.name, field.new) for field in change.fields] == [("header", "Again")]
    assert store.hash_of_live() == live


@pytest.mark.behaviour("CM-03")
@pytest.mark.parametrize("state", [NOTHING, CHANGED, MOVED])
def test_it_marks_in_a_draft_by_the_table(store: Store, state: VersionState | None) -> None:
    uid, live = hold(store, state), store.hash_of_live()
    changes = store.do(lambda batch: batch.delete("content_elements", uid), DRAFT)
    (row,) = store.rows("content_elements", workspace_id=DRAFT)
    assert (row["version_state"], row["live_uid"]) == (DELETED, 103)
    assert row["header"] == ("When" if state is NOTHING else "In the draft")
    (change,) = changes.changes
    assert (change.action, change.uid, change.live_uid) == (ChangeAction.DELETED, row["uid"], 103)
    assert store.hash_of_live() == live
    for command in (
        lambda b: b.update("content_elements", 103, {"header": "x"}),
        lambda b: b.delete("content_elements", 103),
    ):
        with pytest.raises(WriteRefused, match="marked_deleted"):
            store.do(command, DRAFT)


def test_it_removes_what_is_new_in_the_draft(store: Store) -> None:
    uid = hold(store, NEW)
    (change,) = store.do(lambda batch: batch.delete("content_elements", uid), DRAFT).changes
    assert (change.action, change.uid, change.workspace_id) == (ChangeAction.DELETED, uid, DRAFT)
    assert store.rows("content_elements", workspace_id=DRAFT) == []


def test_it_never_finds_the_rows_of_another_draft(store: Store) -> None:
    hold(store, CHANGED)
    for workspace_id in (0, OTHER):
        with pytest.raises(WriteRefused, match="not_found"):
            store.do(lambda batch: batch.update("content_elements", 500, {"header": "x"}), workspace_id)


def test_it_keeps_one_version_row_per_workspace(store: Store) -> None:
    for workspace_id in (DRAFT, OTHER, DRAFT):
        store.do(
            lambda b, w=workspace_id: b.update("pages", 14, {"title": f"In {w}", "hidden": w == OTHER}), workspace_id
        )
    rows = store.rows("pages", live_uid=14)
    assert [(row["workspace_id"], row["title"]) for row in rows] == [(DRAFT, "In 1"), (OTHER, "In 2")]


def test_it_refuses_tables_a_draft_cannot_hold(store: Store) -> None:
    with pytest.raises(WriteRefused, match="not_versioned"):
        store.do(lambda batch: batch.update("redirects", 1, {"status": 302}), DRAFT)
    with pytest.raises(WriteRefused, match="not_versioned"):
        store.do(lambda batch: batch.create("redirects", 0, {"source": "/x"}), DRAFT)
