"""Puts what a draft holds live: whole or in part, in one transaction (cms.md section 9).

A changed or moved row gives its values to the LIVE uid, a new row becomes live under its own, a mark deletes. Live keeps
its creation time, its permissions, its place unless the row was moved, and what it translates.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, bindparam, update

from app.content.hooks import Hooks
from app.content.schema import PAGES, TableTrait
from app.content.store import find_stored_rows
from app.content.types import ChangeSet, RecordRef, Row, VersionState, WriteContext
from app.content.writer import overlay, planning
from app.content.writer.batch import Batch
from app.content.writer.deleting import delete_live
from app.content.writer.drafts import DraftRow, by_table
from app.content.writer.hindrances import is_replaced
from app.content.writer.moving import references_of
from app.content.writer.observe import RowValues
from app.content.writer.planning import Conflict, Planned, publisher
from app.content.writer.rows import change_each, change_rows, remove_rows
from app.content.writer.work import Work
from app.policy.identity import LIVE

_NOW_LIVE = {"workspace_id": LIVE, "version_state": VersionState.CHANGED.value, "version_base": 0}


@dataclass(frozen=True, kw_only=True, slots=True)
class PublishOutcome:
    """What was published (row uids of the draft), what changed live with it, and what was not published and why."""

    changes: ChangeSet
    published: tuple[RecordRef, ...]
    conflicts: tuple[Conflict, ...]
    refused: tuple[Conflict, ...]


def publish_records(
    connection: Connection,
    context: WriteContext,
    refs: Sequence[RecordRef] | None,
    *,
    overwrite: Collection[RecordRef] = (),
    hooks: Hooks | None = None,
) -> PublishOutcome:
    """Publish ``refs`` (row uids of ``context.workspace_id``; None = what the person may publish there).

    A record whose live row was changed since its draft row was made is a conflict and stays in the draft, unless it is in
    ``overwrite``. The changes are those of the live records; their history row is called "published" and carries the
    draft row's uid. Raises ``WriteRefused``: ``not_found``, ``may_not_publish``, and what a before hook vetoes; then
    nothing may stay. After-commit hooks are the caller's.
    """
    live_context = replace(context, workspace_id=LIVE, actor=publisher(context.actor))
    batch = Batch(connection, live_context, hooks=hooks)
    found = planning.plan(connection, context.actor, context.workspace_id, refs, overwrite=overwrite)
    published = _Publication(work=batch.work, planned=found, draft_id=context.workspace_id).run()
    return PublishOutcome(
        changes=batch.finish(),
        published=tuple(row.ref for row in published),
        conflicts=found.plan.conflicts,
        refused=found.plan.refused,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Publication:
    work: Work
    planned: Planned
    draft_id: int

    def run(self) -> list[DraftRow]:
        """Moves first, so that nothing moved away is deleted; deletions before what replaces the deleted."""
        rows = self.planned.rows
        self._ask(rows)
        self._overwrite([row for row in rows if row.state is VersionState.MOVED])
        deleted = [row for row in rows if row.state is VersionState.DELETED]
        self._delete(deleted)
        rest = [row for row in rows if row.state in {VersionState.CHANGED, VersionState.NEW}]
        rest = self._still_there(rest) if deleted else rest
        self._overwrite([row for row in rest if row.state is VersionState.CHANGED])
        self._release([row for row in rest if row.state is VersionState.NEW])
        kept = {row.ref for row in rest}
        return [row for row in rows if row.state in {VersionState.MOVED, VersionState.DELETED} or row.ref in kept]

    def _ask(self, rows: Sequence[DraftRow]) -> None:
        if not self.work.hooks.before:
            return
        for row in rows:
            live = self.planned.live.get(row.ref)
            is_mark = row.state is VersionState.DELETED
            self.work.ask_before(row.trait, row.live_uid, {} if is_mark else _differences(row, live))

    def _overwrite(self, rows: Sequence[DraftRow]) -> None:
        """Give the live rows the values of the draft; the draft rows are gone then."""
        for trait, versions in by_table(rows).items():
            live_rows = find_stored_rows(self.work.connection, trait.name, [row["live_uid"] for row in versions])
            pairs = [(live_rows[version["live_uid"]], version) for version in versions]
            remove_rows(self.work, trait, versions, observe=False)
            changes = [
                (live.values, differing)
                for live, version in pairs
                if (differing := _differences(DraftRow(trait=trait, values=version), live))
            ]
            change_each(self.work, trait, changes)
            for _, version in pairs:
                self.work.observed.published(trait, version)
        moved = [row for row in rows if row.state is VersionState.MOVED and not row.translates]
        for trait in {row.trait.name: row.trait for row in moved}.values():
            self._carry_along(trait, {row.live_uid: row for row in moved if row.trait is trait})

    def _carry_along(self, trait: TableTrait, moved: Mapping[int, DraftRow]) -> None:
        """Live translations and references to files follow moved records, whatever the draft holds of them."""
        owners = dict(moved)
        if trait.has_language:
            translations = overlay.rows_by(self.work.connection, trait, LIVE, "translation_parent", moved)
            owners |= {row["uid"]: moved[row["translation_parent"]] for row in translations}
            self._place(trait, [(row, _place(moved[row["translation_parent"]])) for row in translations])
        if trait is not PAGES:
            for other, owned in references_of(self.work, trait, list(owners)):
                self._place(other, [(row, {"pid": owners[row["owner_uid"]].values["pid"]}) for row in owned])

    def _place(self, trait: TableTrait, places: Sequence[tuple[RowValues, Mapping[str, Any]]]) -> None:
        differing = [(row, place) for row, place in places if any(row[name] != place[name] for name in place)]
        if not differing:
            return
        change_each(self.work, trait, differing)
        # The draft they are published from knows this move: it is no change somebody else made meanwhile.
        versions = trait.table.c
        known = update(trait.table).where(
            versions.live_uid == bindparam("live"),
            versions.live_uid > 0,
            versions.workspace_id == self.draft_id,
            versions.version_base == bindparam("base"),
        )
        bases = [{"live": row["uid"], "base": row["rev"]} for row, _ in differing]
        self.work.connection.execute(known.values(version_base=versions.version_base + 1), bases)

    def _delete(self, rows: Sequence[DraftRow]) -> None:
        for trait, marks in by_table(rows).items():
            remove_rows(self.work, trait, marks, observe=False)
        for row in rows:
            self.work.observed.published(row.trait, row.values)
            live = find_stored_rows(self.work.connection, row.trait.name, [row.live_uid]).get(row.live_uid)
            if live is not None and not (row.trait.soft_delete and live["deleted"]):
                replaced = is_replaced(self.planned.rows, row)
                delete_live(self.work, row.trait, live, with_content=not replaced)

    def _still_there(self, rows: Sequence[DraftRow]) -> list[DraftRow]:
        """Rows that were not discarded along with what was deleted; with their live rows as they are now."""
        there: set[RecordRef] = set()
        for trait, values in by_table(rows).items():
            found = find_stored_rows(self.work.connection, trait.name, [row["uid"] for row in values])
            there |= {RecordRef(table=trait.name, uid=uid) for uid in found}
        return [row for row in rows if row.ref in there]

    def _release(self, rows: Sequence[DraftRow]) -> None:
        """New rows become live under their own uid."""
        for trait, new in by_table(rows).items():
            changed = change_rows(self.work, trait, new, _NOW_LIVE)
            for before, after in zip(new, changed, strict=True):
                self.work.observed.became_live(trait, after)
                self.work.observed.published(trait, before)
            self._align(trait, changed)

    def _align(self, trait: TableTrait, rows: Sequence[RowValues]) -> None:
        """New translations and references to files lie where their record lies by now: it may have been moved live."""
        anchors = [(row, anchor) for row in rows if (anchor := _anchor(trait, row)) is not None]
        found: dict[RecordRef, Row] = {}
        for table in {anchor.table for _, anchor in anchors}:
            uids = [anchor.uid for _, anchor in anchors if anchor.table == table]
            stored = find_stored_rows(self.work.connection, table, uids)
            found |= {RecordRef(table=table, uid=uid): row for uid, row in stored.items()}
        changes: list[tuple[RowValues, dict[str, Any]]] = []
        for row, anchor in anchors:
            record = found.get(anchor)
            if record is not None and record["pid"] != row["pid"]:
                place = {"pid": record["pid"]}
                changes.append((row, place if "owner_uid" in row else {**place, "sorting": record["sorting"]}))
        change_each(self.work, trait, changes)


def _place(row: DraftRow) -> dict[str, Any]:
    """Where a moved row lies."""
    names = ("pid", "sorting") if row.trait.has_sorting else ("pid",)
    return {name: row.values[name] for name in names}


def _anchor(trait: TableTrait, row: RowValues) -> RecordRef | None:
    """The record whose place a new row shares; None for one that has a place of its own."""
    if "owner_uid" in row:  # what belongs to a page lies on that page
        return None if row["owner_table"] == PAGES.name else RecordRef(table=row["owner_table"], uid=row["owner_uid"])
    uid = row.get("translation_parent")
    return RecordRef(table=trait.name, uid=uid) if uid and trait.on_pages else None


def _differences(row: DraftRow, live: Row | None) -> dict[str, Any]:
    """What publishing a row writes: fields of the registry, and the place of a moved row."""
    names = [field.name for field in row.trait.fields]
    if row.state is VersionState.MOVED:
        names += ["pid", *(["sorting"] if row.trait.has_sorting else [])]
    if live is None:
        return {name: row.values[name] for name in names}
    return {name: row.values[name] for name in names if row.values[name] != live[name]}
