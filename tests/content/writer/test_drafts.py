"""Whatever is done in drafts: no live row changes, and what was observed is what the draft holds (I13)."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from app.content.errors import WriteRefused
from app.content.schema import REGISTRY
from app.content.types import ChangeAction, VersionState
from app.content.writer import Batch
from tests.content.writer.fixtures import DRAFT, OTHER, Store, make_store

TABLES = st.sampled_from(["pages", "content_elements", "contacts", "file_references", "file_metadata"])
PLACES = st.integers(0, 40)
DRAFTS = st.sampled_from([DRAFT, OTHER])
LABELS = {"pages": "title", "content_elements": "header", "contacts": "name"}


class Drafts(RuleBasedStateMachine):
    """Random commands in two drafts; every refusal is a ``WriteRefused`` and leaves nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.store: Store = make_store(f"sqlite:///{Path(self.folder.name) / 'c.db'}")
        self.live = self.store.hash_of_live()

    def uid(self, table: str, place: int) -> int:
        """Some uid of the table: live, new, of a version row or of another draft."""
        uids = [row["uid"] for row in self.store.rows(table)]
        return int(uids[place % len(uids)]) if uids else 1

    def attempt(self, workspace_id: int, command: Any) -> None:
        before = {name: self.store.rows(name) for name in REGISTRY}
        try:
            changes = self.store.do(command, workspace_id)
        except WriteRefused:
            assert before == {name: self.store.rows(name) for name in REGISTRY}
            return
        for change in changes.changes:
            row = self.store.row(change.table, change.uid)
            assert change.workspace_id == workspace_id
            if row is None:
                assert change.action is ChangeAction.DELETED
                continue
            assert row["workspace_id"] == workspace_id
            assert (change.action is ChangeAction.DELETED) == (row["version_state"] == VersionState.DELETED)

    @rule(table=TABLES, place=PLACES, value=st.sampled_from(["a", "b", "Museum"]), workspace_id=DRAFTS)
    def change(self, table: str, place: int, value: str, workspace_id: int) -> None:
        uid = self.uid(table, place)
        self.attempt(workspace_id, lambda batch: batch.update(table, uid, {LABELS.get(table, "title"): value}))

    @rule(place=PLACES, value=st.sampled_from(["a", "b", "art"]), workspace_id=DRAFTS)
    def change_along(self, place: int, value: str, workspace_id: int) -> None:
        uid = self.uid("pages", place)
        self.attempt(workspace_id, lambda batch: batch.update("pages", uid, {"keywords": value}))

    @rule(table=TABLES, place=PLACES, hidden=st.booleans(), workspace_id=DRAFTS)
    def hide(self, table: str, place: int, hidden: bool, workspace_id: int) -> None:
        uid = self.uid(table, place)
        self.attempt(workspace_id, lambda batch: batch.set_hidden(table, uid, hidden))

    @rule(table=st.sampled_from(sorted(LABELS)), place=PLACES, workspace_id=DRAFTS)
    def create(self, table: str, place: int, workspace_id: int) -> None:
        page = self.uid("pages", place)
        self.attempt(workspace_id, lambda batch: batch.create(table, page, {LABELS[table]: "New"}))

    @rule(source=PLACES, parent=PLACES, subpages=st.booleans(), workspace_id=DRAFTS)
    def copy(self, source: int, parent: int, subpages: bool, workspace_id: int) -> None:
        if len(self.store.rows("pages")) > 60:
            return
        uid, target_uid = self.uid("pages", source), self.uid("pages", parent)
        self.attempt(workspace_id, lambda batch: batch.copy_page(uid, target_uid, subpages=subpages))

    @rule(table=TABLES, place=PLACES, language_id=st.integers(0, 3), with_content=st.booleans(), workspace_id=DRAFTS)
    def translate(self, table: str, place: int, language_id: int, with_content: bool, workspace_id: int) -> None:
        uid = self.uid(table, place)
        self.attempt(workspace_id, lambda batch: batch.localize(table, uid, language_id, with_content=with_content))

    @rule(table=TABLES, place=PLACES, workspace_id=DRAFTS)
    def delete(self, table: str, place: int, workspace_id: int) -> None:
        uid = self.uid(table, place)
        self.attempt(workspace_id, lambda batch: batch.delete(table, uid))

    @invariant()
    def live_is_untouched(self) -> None:
        assert self.store.hash_of_live() == self.live

    @invariant()
    def one_version_row_stands_for_a_record_in_a_draft(self) -> None:
        for name, trait in REGISTRY.items():
            if trait.versioned:
                versions = [(row["live_uid"], row["workspace_id"]) for row in self.store.rows(name) if row["live_uid"]]
                assert len(versions) == len(set(versions))

    @invariant()
    def nothing_new_hangs_on_nothing(self) -> None:
        pages = {row["uid"] for row in self.store.rows("pages")}
        for name in ("pages", "content_elements", "contacts", "file_references"):
            for row in self.store.rows(name, version_state=VersionState.NEW.value):
                assert row["pid"] in pages | {0}
                if row.get("translation_parent"):
                    assert self.store.row(name, row["translation_parent"]) is not None

    def teardown(self) -> None:
        self.store.engine.dispose()
        self.folder.cleanup()


@pytest.mark.behaviour("CM-03")
def test_it_never_touches_live_rows_from_a_draft() -> None:
    run_state_machine_as_test(
        Drafts,
        settings=settings(
            max_examples=15,
            stateful_step_count=15,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            database=None,
        ),
    )


def test_it_notices_a_write_to_live(store: Store) -> None:
    live = store.hash_of_live()

    def command(batch: Batch) -> None:
        batch.update("pages", 14, {"title": "x"})

    store.do(command)
    assert store.hash_of_live() != live
