"""Creating and changing single records, hooks, and what a batch reports."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from app.content.errors import WriteRefused
from app.content.hooks import Hooks, OpenBatch, run_after_commit
from app.content.types import ChangeAction, ChangeSet, Origin, WriteContext
from app.core.i18n import text
from tests.content.writer.fixtures import ADMIN, ANNA, DE, DRAFT, FR, LIVE, NOW, Store

WORKSPACES = pytest.mark.parametrize("workspace_id", [LIVE, DRAFT])


@WORKSPACES
def test_it_creates_a_page_that_belongs_to_its_creator(any_store: Store, workspace_id: int) -> None:
    with any_store.batch(workspace_id, ANNA) as batch:
        ref = batch.create("pages", 10, {"title": "New"}, hidden=True)
        (change,) = batch.finish().changes
    row = any_store.rows("pages", uid=ref.uid)[0]
    assert (row["pid"], row["sorting"], row["hidden"]) == (10, "a3", True)
    assert [row[name] for name in ("owner_id", "group_id", "owner_bits", "group_bits", "everybody_bits")] == [
        2,
        7,
        31,
        27,
        0,
    ]
    assert (row["workspace_id"], row["version_state"], row["created_at"]) == (workspace_id, int(workspace_id > 0), NOW)
    assert (change.action, change.uid, change.live_uid, change.created_uid) == (
        ChangeAction.CREATED,
        ref.uid,
        ref.uid,
        True,
    )


def test_it_puts_content_of_a_translated_page_on_the_default_page(any_store: Store) -> None:
    changes = any_store.do(
        lambda batch: batch.create("content_elements", 31, {"header": "x"}, language_id=DE, after_uid=103)
    )
    (row,) = any_store.rows("content_elements", uid=changes.changes[0].uid)
    assert (row["pid"], row["language_id"]) == (11, DE)
    assert "a0" < row["sorting"] < "a1"
    assert changes.changes[0].page_uid == 11


@pytest.mark.parametrize(
    ("kwargs", "reason"),
    [({"language_id": 9}, "unknown_language"), ({"after_uid": 100}, "not_found"), ({"language_id": -1}, None)],
)
def test_it_checks_language_and_neighbour(store: Store, kwargs: dict[str, Any], reason: str | None) -> None:
    if reason is None:
        store.do(lambda batch: batch.create("content_elements", 11, {"header": "x"}, **kwargs))
        return
    with pytest.raises(WriteRefused, match=reason):
        store.do(lambda batch: batch.create("content_elements", 11, {"header": "x"}, **kwargs))


def test_it_refuses_pages_in_another_language_and_unknown_tables(store: Store) -> None:
    with pytest.raises(WriteRefused, match="translation_needed"):
        store.do(lambda batch: batch.create("pages", 11, {"title": "x"}, language_id=DE))
    with pytest.raises(WriteRefused, match="unknown_table"):
        store.do(lambda batch: batch.create("user", 0, {"username": "x"}))
    only_german = replace(ANNA, languages=frozenset({0, DE}))
    with pytest.raises(WriteRefused, match="denied_language"):
        store.do(lambda b: b.create("content_elements", 11, {"header": "x"}, language_id=FR), LIVE, only_german)


def test_it_attaches_only_readable_files_to_records_of_the_page(store: Store) -> None:
    values = {"file_uid": 1, "owner_table": "content_elements", "owner_uid": 103, "owner_field": "images"}
    store.do(lambda batch: batch.create("file_references", 11, values), LIVE, ANNA)
    for wrong in ({"file_uid": 2}, {"owner_uid": 100}, {"owner_uid": 999}, {"owner_table": "user"}, {"owner_uid": 0}):
        with pytest.raises(WriteRefused, match="not_found"):
            store.do(lambda batch, w=wrong: batch.create("file_references", 11, {**values, **w}), LIVE, ANNA)


@pytest.mark.behaviour("CM-05")
@WORKSPACES
def test_it_writes_and_reports_nothing_when_nothing_differs(any_store: Store, workspace_id: int) -> None:
    with any_store.batch(workspace_id, ANNA) as batch:
        assert batch.update("pages", 10, {"title": "Museum", "keywords": "no grant"}) is None
        assert batch.set_hidden("pages", 10, False) is None
        assert batch.finish() == ChangeSet()
    assert any_store.rows("pages", workspace_id=DRAFT) == []
    assert any_store.history() == []
    assert any_store.rows("pages", uid=10)[0]["rev"] == 1


@pytest.mark.behaviour("CM-05")
def test_it_takes_a_version_row_back_when_the_batch_changed_nothing_in_the_end(store: Store) -> None:
    with store.batch(DRAFT) as batch:
        batch.set_hidden("pages", 10, True)
        batch.set_hidden("pages", 10, False)
        assert not batch.finish()
    assert store.rows("pages", workspace_id=DRAFT) == []


@pytest.mark.behaviour("CM-04")
@WORKSPACES
def test_it_carries_fields_kept_equal_to_the_translations(any_store: Store, workspace_id: int) -> None:
    changes = any_store.do(lambda batch: batch.update("pages", 10, {"keywords": "new", "title": "M"}), workspace_id)
    assert [(c.live_uid, [(f.name, f.old, f.new) for f in c.fields]) for c in changes.changes] == [
        (10, [("title", "Museum", "M"), ("keywords", "art", "new")]),
        (30, [("keywords", "art", "new")]),
    ]
    title_only = any_store.do(lambda batch: batch.update("pages", 10, {"title": "N"}), workspace_id)
    assert [c.live_uid for c in title_only.changes] == [10]


def test_it_hides_only_what_can_be_hidden(store: Store) -> None:
    (change,) = store.do(lambda batch: batch.set_hidden("contacts", 1, True), LIVE, ANNA).changes
    assert (change.hidden, change.language_id, change.starttime, change.groups) == (True, None, None, None)
    with pytest.raises(WriteRefused, match="cannot_hide"):
        store.do(lambda batch: batch.set_hidden("file_metadata", 1, True))


def test_it_folds_to_the_net_effect(any_store: Store) -> None:
    with any_store.batch() as batch:
        batch.update("pages", 11, {"title": "B"})
        batch.update("pages", 14, {"title": "C"})
        batch.update("pages", 11, {"title": "D", "groups": "1"})
        batch.update("pages", 14, {"title": "Shop"})
        changes = batch.finish().changes
    assert [(c.uid, [(f.name, f.old, f.new) for f in c.fields]) for c in changes] == [
        (11, [("title", "Hours", "D"), ("groups", "3,4", "1")])
    ]
    assert changes[0].groups == (1,)
    assert changes[0].starttime == 5


@pytest.mark.behaviour("CM-06")
def test_it_writes_history_with_old_new_facts_and_origin(any_store: Store) -> None:
    with any_store.batch(DRAFT, ANNA, origin=Origin.PERSON) as batch:
        ref = batch.update("pages", 11, {"title": "B"})
        assert ref is not None
        batch.mark_target(ref)
        batch.finish()
    (entry,) = any_store.history()
    assert (entry["table_name"], entry["uid"], entry["live_uid"], entry["workspace_id"]) == (
        "pages",
        ref.uid,
        11,
        DRAFT,
    )
    assert (entry["action"], entry["at"], entry["user_id"], entry["origin"]) == ("updated", NOW, 2, "person")
    assert entry["changes"] == '{"title":["Hours","B"]}'
    facts = {"page": 11, "language": 0, "hidden": False, "starttime": 5, "endtime": 0, "groups": [3, 4]}
    assert json.loads(entry["facts"]) == {**facts, "target": True, "inserted": True}


def test_it_writes_no_history_in_a_rehearsal_but_raises_the_clock_first(store: Store) -> None:
    changes = store.do(lambda batch: batch.update("pages", 11, {"title": "B"}), rehearsal=True)
    assert changes
    assert store.history() == []
    assert store.statements[0].startswith("UPDATE content_clock") or "UPDATE content_clock" in store.statements[1]


def test_it_needs_few_statements_for_one_change(store: Store) -> None:
    for workspace_id in (LIVE, DRAFT):
        store.do(lambda b, w=workspace_id: b.update("content_elements", 103, {"header": f"x{w}"}), workspace_id, ANNA)
        assert len(store.statements) <= 7, store.statements


def test_it_is_finished_once(store: Store) -> None:
    with store.batch() as batch:
        batch.finish()
        with pytest.raises(RuntimeError, match="finished"):
            batch.finish()


def test_it_keeps_the_marks_of_an_import_without_calling_it_a_change(store: Store) -> None:
    marks = {"import_key": "md:/a", "import_hash": "h", "title": "Hours"}
    assert not store.do(lambda batch: batch.update("pages", 11, marks), origin=Origin.IMPORT)
    assert store.rows("pages", uid=11)[0]["import_key"] == "md:/a"
    assert not store.do(
        lambda batch: batch.update("pages", 14, {**marks, "title": "Shop"}), DRAFT, origin=Origin.IMPORT
    )
    assert store.rows("pages", workspace_id=DRAFT) == []


@pytest.mark.behaviour("CM-07")
def test_it_writes_nothing_when_a_before_hook_vetoes(store: Store) -> None:
    asked: list[tuple[str, int, Mapping[str, Any]]] = []

    def veto(_context: WriteContext, table: str, uid: int, values: Mapping[str, Any]) -> None:
        asked.append((table, uid, dict(values)))
        raise WriteRefused("vetoed", text("No."))

    hooks = Hooks(before=[veto])
    before = store.hash_of_live()
    for command in (
        lambda b: b.update("pages", 11, {"title": "B"}),
        lambda b: b.create("pages", 11, {"title": "C"}),
        lambda b: b.delete("pages", 14),
        lambda b: b.copy_page(14, None, subpages=False),
        lambda b: b.localize("pages", 14, DE, with_content=False),
    ):
        with pytest.raises(WriteRefused, match="vetoed"):
            store.do(command, hooks=hooks)
    assert asked[:3] == [("pages", 11, {"title": "B"}), ("pages", 0, {"title": "C"}), ("pages", 14, {})]
    assert store.hash_of_live() == before


@pytest.mark.behaviour("CM-07")
def test_it_reports_what_an_inside_hook_writes_as_changed_along(store: Store) -> None:
    def add_redirect(batch: OpenBatch, changes: ChangeSet) -> None:
        for change in changes.changes:
            batch.create("redirects", 0, {"source": f"/{change.uid}-{batch.context.now}", "target_page": change.uid})

    with store.batch(hooks=Hooks(inside=[add_redirect])) as batch:
        ref = batch.create("pages", 10, {"title": "New"})
        batch.mark_target(ref)
        changes = batch.finish().changes
    assert [(c.table, c.is_target) for c in changes] == [("pages", True), ("redirects", False)]
    assert len(store.history()) == 2


@pytest.mark.behaviour("CM-07")
def test_it_leaves_nothing_when_an_inside_hook_raises(store: Store) -> None:
    def fail(_batch: OpenBatch, _changes: ChangeSet) -> None:
        raise LookupError

    before = store.hash_of_live()
    with pytest.raises(LookupError):
        store.do(lambda batch: batch.update("pages", 11, {"title": "B"}), hooks=Hooks(inside=[fail]))
    assert store.hash_of_live() == before


@pytest.mark.behaviour("CM-07")
def test_it_keeps_the_rows_when_an_after_commit_hook_raises_and_runs_the_next(store: Store) -> None:
    def fail(_context: WriteContext, _changes: ChangeSet) -> ChangeSet:
        raise LookupError

    def follow(_context: WriteContext, _changes: ChangeSet) -> ChangeSet:
        return store.do(lambda batch: batch.update("pages", 14, {"title": "After"}))

    hooks = Hooks(after_commit=[fail, follow])
    changes = store.do(lambda batch: batch.update("pages", 11, {"title": "B"}), hooks=hooks)
    context = WriteContext(actor=ADMIN, workspace_id=LIVE, origin=Origin.RUN, correlation="x", now=NOW)
    first, second = run_after_commit(context, changes, hooks)
    assert isinstance(first.error, LookupError)
    assert first.changes.failed_after_write
    assert (second.error, [c.title for c in second.changes.changes]) == (None, ["After"])
    assert store.rows("pages", uid=11)[0]["title"] == "B"
    assert hooks.has_after_commit
