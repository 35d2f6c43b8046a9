"""Several people write, move, delete, publish and discard at random in live and two drafts.

After every step: what was observed is what changed and what history tells (I8), a draft changed no live row (I13), no
reader of a workspace meets a row of another one, and what a whole publish made live is what the draft showed before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from app.content import reading, store
from app.content.errors import WriteRefused
from app.content.hooks import Hooks
from app.content.schema import REGISTRY
from app.content.types import ChangeSet, Origin, RecordRef, Stage, VersionState, WriteContext
from app.content.writer import Batch, PublishOutcome, discard_records, publish_records, set_stage
from app.policy.identity import Identity
from tests.content.writer.fixtures import ADMIN, ANNA, DRAFT, LIVE, NOW, OTHER, Store, make_store

BEN = replace(ANNA, user_id=3, username="ben", name="Ben", languages=frozenset({0}))
OWNER = replace(ANNA, may_work_live=False, owned_workspaces=frozenset({DRAFT}), workspaces={DRAFT: "D", OTHER: "O"})
TABLES = ["pages", "pages", "content_elements", "content_elements", "contacts", "file_references"]
LABELS = {"pages": "title", "content_elements": "header", "contacts": "name", "file_references": "title"}
BOOKKEEPING = {"rev", "changed_at", "version_stage", "version_base", "version_state"}
Rows = dict[tuple[str, int], dict[str, Any]]


class Walk:
    """One walk on the small site; the same seed makes the same walk."""

    def __init__(self, small_site: Store, seed: int) -> None:
        self.store, self.random = small_site, Random(seed)  # noqa: S311  a walk, no secret
        self.steps = 0
        self.compared = 0
        self.known = self.rows()

    def uid(self, table: str, workspace_id: int) -> int:
        """A uid of the table: nearly always of a record that is there, sometimes any."""
        rows = self.store.rows(table)
        there = [row for row in rows if row.get("workspace_id", LIVE) in {LIVE, workspace_id} and not row["deleted"]]
        chosen = self.random.choice(rows if self.random.random() < 0.15 else there or rows)
        return int(chosen["live_uid"] or chosen["uid"]) if self.random.random() < 0.9 else int(chosen["uid"])

    def write(self, workspace_id: int, actor: Identity, act: Callable[[Batch], Any]) -> None:
        """One command of a person."""

        def run(connection: Any, context: WriteContext) -> ChangeSet:
            batch = Batch(connection, context, hooks=Hooks())
            act(batch)
            return batch.finish()

        self.step(workspace_id, actor, run, may_change_live=workspace_id == LIVE)

    def step(
        self,
        workspace_id: int,
        actor: Identity,
        run: Callable[[Any, WriteContext], ChangeSet],
        *,
        may_change_live: bool = False,
    ) -> bool:
        """Run one command and check what it left; whether it was carried out."""
        self.steps += 1
        context = WriteContext(
            actor=replace(actor, workspace_id=workspace_id),
            workspace_id=workspace_id,
            origin=Origin.PERSON,
            correlation=f"walk/{self.steps}",
            now=NOW + self.steps,
        )
        before = self.known
        try:
            with self.store.engine.begin() as connection:
                changes = run(connection, context)
        except WriteRefused:
            assert self.rows() == before, "a refused command leaves nothing"
            return False
        self.known = after = self.rows()
        self.check_reports(before, after, changes, context.correlation)
        if not may_change_live:
            assert live_part(before) == live_part(after), "a draft never changes a live row"
        self.check_reads(after)
        return True

    def rows(self) -> Rows:
        return {(name, row["uid"]): row for name in REGISTRY for row in self.store.rows(name)}

    def check_reports(self, before: Rows, after: Rows, changes: ChangeSet, correlation: str) -> None:
        """Rows that differ = rows observed = rows in history (I8)."""
        differing = {key for key in {*before, *after} if told(before.get(key)) != told(after.get(key))}
        observed = {(change.table, change.uid) for change in changes.changes}
        published = {(change.table, change.published_uid) for change in changes.changes if change.published_uid}
        entries = [row for row in self.store.history() if row["correlation"] == correlation]
        told_published = {(row["table_name"], row["uid"]) for row in entries if row["action"] == "published"}
        assert published <= told_published
        assert differing <= observed | told_published
        assert observed <= differing | told_published | {key for key in observed if key in before}
        plain = [change for change in changes.changes if (change.table, change.published_uid) not in told_published]
        expected = sorted((change.table, change.uid, (change.event or change.action).value) for change in plain)
        others = [row for row in entries if row["action"] not in {"published", "stage"}]
        listed = sorted((row["table_name"], row["uid"], row["action"]) for row in others)
        deleted_and_published = [
            (change.table, change.uid, "deleted")
            for change in changes.changes
            if change.published_uid and change.action.value == "deleted"
        ]
        assert listed == sorted([*expected, *deleted_and_published])

    def check_reads(self, rows: Rows) -> None:
        """Nobody who stands in a workspace meets a row of another one."""
        with self.store.engine.connect() as connection:
            workspace_id = (LIVE, DRAFT, OTHER)[self.steps % 3]
            for name in LABELS:
                uids = [uid for table, uid in rows if table == name]
                found = store.find_rows(connection, name, uids, workspace_id, with_marked=True).values()
                assert {row.values.get("workspace_id", LIVE) for row in found} <= {LIVE, workspace_id}
            person = replace(ANNA, workspace_id=workspace_id, workspaces={DRAFT: "D", OTHER: "O"})
            for hit in reading.search_records(connection, person, workspace_id, "e").records:
                assert rows[hit.table, hit.uid].get("workspace_id", LIVE) in {LIVE, workspace_id}

    def walk(self, steps: int) -> None:
        """Random commands, and in the end both drafts are published by somebody who may do everything."""
        commands: list[Callable[[int, Identity], None]] = [
            self.change,
            self.hide,
            self.create,
            self.copy,
            self.translate,
        ]
        commands += [
            self.move,
            self.move,
            self.delete,
            self.undelete,
            self.publish,
            self.publish,
            self.discard,
            self.send,
        ]
        for _ in range(steps):
            workspace_id = self.random.choice([LIVE, DRAFT, DRAFT, OTHER])
            actor = self.random.choice([ADMIN, ADMIN, ADMIN, ADMIN, ANNA, BEN, OWNER])
            self.random.choice(commands)(workspace_id, actor)
        for workspace_id in (DRAFT, OTHER):
            self.publish_rows(workspace_id, ADMIN, None, self.some(workspace_id, every=True))

    def change(self, workspace_id: int, actor: Identity) -> None:
        table, value = self.random.choice(TABLES), self.random.choice("abcd")
        uid = self.uid(table, workspace_id)
        self.write(workspace_id, actor, lambda b: b.update(table, uid, {LABELS[table]: value}))

    def hide(self, workspace_id: int, actor: Identity) -> None:
        table, hidden = self.random.choice(TABLES), self.random.random() < 0.5
        uid = self.uid(table, workspace_id)
        self.write(workspace_id, actor, lambda b: b.set_hidden(table, uid, hidden))

    def create(self, workspace_id: int, actor: Identity) -> None:
        table, page = self.random.choice(TABLES[:-1]), self.uid("pages", workspace_id)
        self.write(workspace_id, actor, lambda b: b.create(table, page, {LABELS[table]: "New"}))

    def copy(self, workspace_id: int, actor: Identity) -> None:
        if len(self.store.rows("pages")) < 50:
            uid, parent = self.uid("pages", workspace_id), self.uid("pages", workspace_id)
            self.write(workspace_id, actor, lambda b: b.copy_page(uid, parent, subpages=True))

    def translate(self, workspace_id: int, actor: Identity) -> None:
        table, language = self.random.choice(TABLES), self.random.choice([1, 2])
        uid, with_content = self.uid(table, workspace_id), self.random.random() < 0.5
        if self.random.random() < 0.5:
            self.write(workspace_id, actor, lambda b: b.localize(table, uid, language, with_content=with_content))
            return
        self.write(
            workspace_id, actor, lambda b: b.overwrite_translation(table, uid, language, with_content=with_content)
        )

    def move(self, workspace_id: int, actor: Identity) -> None:
        table = self.random.choice(TABLES)
        uid, page = self.uid(table, workspace_id), self.uid("pages", workspace_id)
        place = self.random.choice([{"page_uid": page}, {"page_uid": page, "first": True}, {"first": True}, {}])
        if self.random.random() < 0.3:
            place = {"after_uid": self.uid(table, workspace_id)}
        self.write(workspace_id, actor, lambda b: b.move(table, uid, **place))

    def delete(self, workspace_id: int, actor: Identity) -> None:
        table = self.random.choice(TABLES)
        uid = self.uid(table, workspace_id)
        if (table, uid) != ("pages", 1):
            self.write(workspace_id, actor, lambda b: b.delete(table, uid))

    def undelete(self, _workspace_id: int, actor: Identity) -> None:
        table = self.random.choice(TABLES)
        gone = [row["uid"] for row in self.store.rows(table, deleted=True)]
        if gone:
            uid = self.random.choice(gone)
            self.write(LIVE, actor, lambda b: b.undelete(table, uid))

    def publish(self, workspace_id: int, actor: Identity) -> None:
        if workspace_id:
            whole = self.random.random() < 0.5
            overwrite = self.some(workspace_id, every=True) if self.random.random() < 0.5 else []
            self.publish_rows(workspace_id, actor, None if whole else self.some(workspace_id), overwrite)

    def publish_rows(
        self, workspace_id: int, actor: Identity, refs: list[RecordRef] | None, overwrite: list[RecordRef]
    ) -> None:
        shown, base = self.shown(workspace_id), self.is_based_on_live(workspace_id)
        outcomes: list[PublishOutcome] = []

        def run(connection: Any, context: WriteContext) -> ChangeSet:
            outcomes.append(publish_records(connection, context, refs, overwrite=overwrite, hooks=Hooks()))
            return outcomes[0].changes

        if not self.step(workspace_id, actor, run, may_change_live=True):
            return
        assert all(self.store.row(ref.table, ref.uid) is None or is_live(self, ref) for ref in outcomes[0].published)
        if base and not self.some(workspace_id, every=True):
            assert self.shown(LIVE) == shown, "live reads as the draft read before"
            self.compared += 1

    def is_based_on_live(self, workspace_id: int) -> bool:
        """Whether nothing the draft changed was changed live meanwhile."""
        return all(
            live is not None and live["rev"] == row["version_base"]
            for name in LABELS
            for row in self.store.rows(name, workspace_id=workspace_id)
            if row["live_uid"]
            for live in [self.store.row(name, row["live_uid"])]
        )

    def discard(self, workspace_id: int, actor: Identity) -> None:
        if workspace_id:
            refs = None if self.random.random() < 0.1 else self.some(workspace_id)
            self.step(workspace_id, actor, lambda c, context: discard_records(c, context, refs, hooks=Hooks()))

    def send(self, workspace_id: int, actor: Identity) -> None:
        refs, stage = self.some(workspace_id), self.random.choice(list(Stage))

        def run(connection: Any, context: WriteContext) -> ChangeSet:
            set_stage(connection, context, refs, stage)
            return ChangeSet()

        self.step(workspace_id, actor, run)

    def some(self, workspace_id: int, *, every: bool = False) -> list[RecordRef]:
        """Rows a draft holds: some of them, or every one."""
        refs = [
            RecordRef(table=name, uid=row["uid"])
            for name, trait in REGISTRY.items()
            if trait.versioned and workspace_id
            for row in self.store.rows(name, workspace_id=workspace_id)
        ]
        return [ref for ref in refs if every or self.random.random() < 0.4]

    def shown(self, workspace_id: int) -> dict[tuple[str, int], Any]:
        """What can be reached in a workspace: pages from the root, what lies on them, translations and references of it.

        Translations and references lie where their record lies, so their own place is no part of it.
        """
        with self.store.engine.connect() as connection:
            pages, waiting = {}, [0]
            while waiting:
                children = store.list_children(connection, workspace_id, waiting.pop())
                pages.update({row.live_uid: row for row in children})
                waiting += [row.live_uid for row in children]
            found = {("pages", uid): seen(row) for uid, row in pages.items()}
            languages: dict[int, set[int]] = {}
            for uid in pages:
                for row in store.list_translations(connection, "pages", uid, workspace_id):
                    languages.setdefault(uid, set()).add(row["language_id"])
                    found["pages", row.live_uid] = seen(row)
            for name in ("content_elements", "contacts"):
                for uid in pages:
                    for row in store.list_records(connection, name, workspace_id, uid):
                        if row.values.get("translation_parent"):
                            continue
                        found[name, row.live_uid] = seen(row)
                        for other in store.list_translations(connection, name, row.live_uid, workspace_id):
                            if other["language_id"] in languages.get(uid, ()):
                                found[name, other.live_uid] = seen(other)
            return found


def live_part(rows: Rows) -> Rows:
    return {key: row for key, row in rows.items() if row.get("workspace_id", LIVE) == LIVE}


def is_live(walk: Walk, ref: RecordRef) -> bool:
    row = walk.store.row(ref.table, ref.uid)
    return row is not None and row["workspace_id"] == LIVE


def told(row: dict[str, Any] | None) -> dict[str, Any] | None:
    """A row without its bookkeeping; that it is marked counts."""
    if row is None:
        return None
    marked = row.get("version_state") == VersionState.DELETED
    return {name: value for name, value in row.items() if name not in BOOKKEEPING} | {"marked": marked}


def seen(row: Any) -> tuple[Any, ...]:
    """What a reader sees of a row."""
    fields: Iterable[str] = (field.name for field in REGISTRY[row.table].fields)
    is_translation = bool(row.values.get("translation_parent"))
    place = () if is_translation else (row["pid"], row["sorting"])
    language = (row.values.get("language_id"), row.values.get("translation_parent"))
    return (*(row[name] for name in fields), *place, *language)


@pytest.mark.behaviour("CM-03", "CM-04")
@pytest.mark.parametrize("seed", range(5))
def test_it_holds_whatever_people_do(tmp_path: Path, seed: int) -> None:
    small_site = make_store(f"sqlite:///{tmp_path / 'walk.db'}")
    walk = Walk(small_site, seed)
    walk.walk(60)
    small_site.engine.dispose()
    assert walk.compared
