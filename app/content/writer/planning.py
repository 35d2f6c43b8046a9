"""What a publish would do: which draft rows go live in which order, and which cannot (cms.md section 9)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy.engine import Connection

from app.content import rights
from app.content.access import page_bits_in
from app.content.errors import WriteRefused, not_found
from app.content.hooks import Hooks
from app.content.schema import PAGES, REGISTRY
from app.content.store import find_stored_rows, title_of
from app.content.types import Origin, RecordRef, Row, VersionState, WriteContext
from app.content.writer import branches
from app.content.writer.drafts import (
    DraftRow,
    allowed_in_draft,
    demand_workspace,
    list_draft,
    needs_page,
    writing_bit,
)
from app.content.writer.hindrances import Hindered, find_hindered
from app.content.writer.observe import Observation
from app.content.writer.work import Work
from app.core.i18n import Text, text
from app.policy.identity import LIVE, Identity
from app.policy.permissions import PageBit


@dataclass(frozen=True, kw_only=True, slots=True)
class Conflict:
    """A draft row that is not published, and why."""

    ref: RecordRef
    title: str
    """Empty where the person may not know it."""
    reason: str
    explanation: Text


@dataclass(frozen=True, kw_only=True, slots=True)
class PublishPlan:
    """Rows that can go live, parents first; those whose live record changed meanwhile; those that cannot go now."""

    records: tuple[RecordRef, ...]
    conflicts: tuple[Conflict, ...]
    refused: tuple[Conflict, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Planned:
    """A plan with the rows themselves and the live rows they stand for."""

    plan: PublishPlan
    rows: tuple[DraftRow, ...]
    live: Mapping[RecordRef, Row]


def plan_publish(
    connection: Connection, identity: Identity, workspace_id: int, refs: Collection[RecordRef] | None
) -> PublishPlan:
    """What a publish of ``refs`` (row uids; None = what the person may publish) would do; writes nothing.

    Raises ``WriteRefused``: ``not_found`` for a workspace the person may not use, ``may_not_publish``.
    """
    return plan(connection, identity, workspace_id, refs, overwrite=()).plan


def plan(
    connection: Connection,
    identity: Identity,
    workspace_id: int,
    refs: Collection[RecordRef] | None,
    *,
    overwrite: Collection[RecordRef],
) -> Planned:
    """The plan with its rows; rows in ``overwrite`` go live although their live record changed meanwhile."""
    demand_workspace(identity, workspace_id)
    if not identity.may_publish(workspace_id):
        raise WriteRefused(
            "may_not_publish",
            text("Only the owners of this workspace and people who may work in the live workspace can publish it."),
        )
    planning = _Planning(connection=connection, identity=identity, workspace_id=workspace_id)
    planning.read(refs)
    planning.find_conflicts(overwrite)
    planning.refuse_deletions()
    planning.refuse_dependants()
    return planning.result(refs)


def publisher(identity: Identity) -> Identity:
    """The person as they write live while publishing: owners of a workspace may, also without the live grant."""
    return replace(identity, may_work_live=True, workspace_id=LIVE)


@dataclass(kw_only=True, slots=True)
class _Planning:
    connection: Connection
    identity: Identity
    workspace_id: int
    rows: dict[RecordRef, DraftRow] = field(default_factory=dict)
    live: dict[RecordRef, Row] = field(default_factory=dict)
    conflicts: list[Conflict] = field(default_factory=list)
    refused: list[Conflict] = field(default_factory=list)
    doomed: dict[RecordRef, branches.Branch] = field(default_factory=dict)
    """What a mark deletes."""
    moved: list[DraftRow] = field(default_factory=list)
    """What the draft moved, asked for or not; read only when something is to be deleted."""

    def read(self, refs: Collection[RecordRef] | None) -> None:
        """The rows asked for that the person may publish, and their live rows."""
        found = list_draft(self.connection, self.workspace_id, refs)
        self.live = self._live_rows(found)
        allowed = allowed_in_draft(self.connection, self.identity, self.workspace_id, found)
        allowed &= self._allowed_live([row for row in found if row.ref in allowed])
        self.rows = {row.ref: row for row in found if row.ref in allowed}
        missing = not_found()
        for ref in refs or ():
            if ref not in allowed:
                self.refused.append(Conflict(ref=ref, title="", reason=missing.reason, explanation=missing.text))

    def _live_rows(self, rows: Sequence[DraftRow]) -> dict[RecordRef, Row]:
        found: dict[RecordRef, Row] = {}
        for trait in {row.trait.name: row.trait for row in rows}.values():
            mine = [row for row in rows if row.trait is trait and row.live_uid]
            stored = find_stored_rows(self.connection, trait.name, [row.live_uid for row in mine])
            for row in mine:
                live = stored.get(row.live_uid)
                if live is not None and live["workspace_id"] == LIVE and not (trait.soft_delete and live["deleted"]):
                    found[row.ref] = live
        return found

    def _allowed_live(self, rows: Sequence[DraftRow]) -> frozenset[RecordRef]:
        """Rows whose live page the person may change too; a new page: whose parent takes new pages from them."""
        wanted = {row.ref: self._live_page(row) for row in rows}
        uids = {uid for uid, _ in wanted.values() if uid}
        bits = page_bits_in(self.connection, publisher(self.identity), LIVE, uids, deleted_too=True) if uids else {}
        new_pages = {row.values["uid"] for row in self._new_pages(uids)}
        return frozenset(
            ref for ref, (uid, bit) in wanted.items() if not uid or uid in new_pages or bool(bits[uid] & bit)
        )

    def _new_pages(self, uids: Collection[int]) -> list[DraftRow]:
        """Pages that exist in the draft only: their rights were asked there."""
        stored = find_stored_rows(self.connection, PAGES.name, uids).values()
        return [DraftRow(trait=PAGES, values=row.values) for row in stored if row["workspace_id"] == self.workspace_id]

    def _live_page(self, row: DraftRow) -> tuple[int, PageBit]:
        if not needs_page(row.trait):
            return 0, PageBit(0)
        live = self.live.get(row.ref)
        if live is not None:
            return DraftRow(trait=row.trait, values=live.values).page_uid, writing_bit(row.trait)
        if row.live_uid:
            return 0, PageBit(0)  # nothing is left to change: a conflict says so
        if row.trait is PAGES and not row.translates:
            return int(row.values["pid"]), PageBit.NEW
        return row.page_uid, writing_bit(row.trait)

    def find_conflicts(self, overwrite: Collection[RecordRef]) -> None:
        """Rows whose live record is gone, or is not the one the row was made from."""
        for ref, row in list(self.rows.items()):
            if row.state is VersionState.NEW:
                continue
            live = self.live.get(ref)
            if live is None:
                self._take(self.conflicts, row, "live_gone", text("The live record is gone. Discard this change."))
            elif live["rev"] != row.values["version_base"] and ref not in overwrite:
                sentence = text("The live record was changed since. Publishing would overwrite that change.")
                self._take(self.conflicts, row, "changed_since", sentence)

    def refuse_deletions(self) -> None:
        """Marks whose deletion this person may not carry out live, with everything that goes along."""
        marks = [row for row in self.rows.values() if row.state is VersionState.DELETED]
        if not marks:
            return
        work = planning_work(self.connection, self.identity)
        held = list_draft(self.connection, self.workspace_id)
        self.moved = [row for row in held if row.state is VersionState.MOVED]
        for row in marks:
            try:
                found = rights.require_delete(self.connection, work.actor, LIVE, row.trait.name, row.live_uid)
                self.doomed[row.ref] = branches.live_branch(work, row.trait, found.values)
                branches.demand_rights(work, self.doomed[row.ref])
            except WriteRefused as error:
                self._take(self.refused, row, error.reason, error.text)

    def refuse_dependants(self) -> None:
        """Rows that would hang on nothing, double a translation, or put a page below itself; until none is left."""
        while found := [*find_hindered(self.connection, self.rows), *self._losing_moved()]:
            for row, reason, sentence in found:
                if row.ref in self.rows:
                    self._take(self.refused, row, reason, sentence)

    def _losing_moved(self) -> list[Hindered]:
        """Marks that would take along what the draft moved away from there, and what stays in the draft."""
        sentence = text(
            "Records were moved away from here in this workspace. Publish them together with this, or first."
        )
        return [
            (self.rows[ref], "holds_moved", sentence)
            for ref, branch in self.doomed.items()
            if ref in self.rows and any(self._is_lost(row, branch) for row in self.moved)
        ]

    def _is_lost(self, row: DraftRow, branch: branches.Branch) -> bool:
        is_inside = row.live_uid in branch.gone.get(row.trait.name, ())
        return is_inside and row.ref not in self.rows and row.values["pid"] not in branch.pages

    def _take(self, where: list[Conflict], row: DraftRow, reason: str, sentence: Text) -> None:
        del self.rows[row.ref]
        title = title_of(row.trait.name, row.values)
        where.append(Conflict(ref=row.ref, title=title, reason=reason, explanation=sentence))

    def result(self, refs: Collection[RecordRef] | None) -> Planned:
        """The plan; parents come first, what is deleted last."""
        rows = tuple(sorted(self.rows.values(), key=self._order()))
        return Planned(
            plan=PublishPlan(
                records=tuple(row.ref for row in rows),
                conflicts=tuple(self.conflicts),
                refused=tuple(self.refused),
            ),
            rows=rows,
            live=self.live,
        )

    def _order(self) -> Callable[[DraftRow], tuple[Any, ...]]:
        parents = {row.values["uid"]: row.values["pid"] for row in self.rows.values() if row.trait is PAGES}
        tables = list(REGISTRY)

        def depth(uid: int) -> int:
            steps = 0
            while uid in parents and steps <= len(parents):
                uid, steps = parents[uid], steps + 1
            return steps

        def key(row: DraftRow) -> tuple[Any, ...]:
            is_page = row.trait is PAGES
            return (
                row.state is VersionState.DELETED,
                not is_page,
                depth(row.values["uid"]) if is_page else 0,
                "owner_uid" in row.values,
                tables.index(row.trait.name),
                bool(row.translates),
                row.values["uid"],
            )

        return key


def planning_work(connection: Connection, identity: Identity) -> Work:
    """What the checks of deletions need, without a batch: nothing is written with it."""
    actor = publisher(identity)
    context = WriteContext(actor=actor, workspace_id=LIVE, origin=Origin.PERSON, correlation="", now=0)
    return Work(connection=connection, context=context, hooks=Hooks(), observed=Observation())
