"""Gives up what a draft holds: the rows leave it, and the live records stand as they did (cms.md sections 8 and 9)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Connection, select

from app.content.errors import WriteRefused
from app.content.hooks import Hooks
from app.content.schema import PAGES, REGISTRY, TableTrait
from app.content.store import find_stored_rows
from app.content.types import ChangeSet, HistoryEvent, RecordRef, VersionState, WriteContext
from app.content.writer.batch import Batch
from app.content.writer.drafts import DraftRow, by_table, demand_owner, demand_workspace, handled, list_draft
from app.content.writer.rows import change_each, remove_rows
from app.content.writer.work import Work
from app.core.db import slices
from app.core.i18n import text
from app.policy.identity import LIVE


def discard_records(
    connection: Connection,
    context: WriteContext,
    refs: Sequence[RecordRef] | None,
    *,
    hooks: Hooks | None = None,
) -> ChangeSet:
    """Discard ``refs`` (row uids of ``context.workspace_id``; None = what the person may change there).

    A new record goes with its translations and references to files, a new page with its whole branch in the draft; what
    was moved there lies at its old place again. The translations of a moved or marked record follow it back. Raises
    ``WriteRefused``: ``not_found`` (one of ``refs`` is not there or not this person's), ``inside_itself``.
    """
    batch = Batch(connection, context, hooks=hooks)
    rows = handled(connection, context.actor, context.workspace_id, refs)
    _Discard(batch.work, rows).run()
    return batch.finish()


def discard_workspace(connection: Connection, context: WriteContext, *, hooks: Hooks | None = None) -> ChangeSet:
    """Discard everything the draft holds, before the workspace is deleted; for its owners and administrators.

    Raises ``WriteRefused``: ``not_found``, ``owners_only``.
    """
    batch = Batch(connection, context, hooks=hooks)
    demand_workspace(context.actor, context.workspace_id)
    demand_owner(context.actor, context.workspace_id)
    _Discard(batch.work, list_draft(connection, context.workspace_id)).run()
    return batch.finish()


class _Discard:
    """One discard: the rows asked for, and those that cannot stay without them."""

    def __init__(self, work: Work, rows: Sequence[DraftRow]) -> None:
        self.work = work
        self.gone: dict[RecordRef, DraftRow] = {row.ref: row for row in rows}
        self.put_back: dict[RecordRef, DraftRow] = {}

    def run(self) -> None:
        waiting = list(self.gone.values())
        while waiting:
            found = self._dependants(waiting)
            waiting = [row for row in found if row.ref not in self.gone]
            self.gone |= {row.ref: row for row in waiting}
        self._put_back()
        for row in self.gone.values():
            self.work.ask_before(row.trait, row.live_uid or int(row.values["uid"]), {})
        for trait, rows in by_table(self.gone.values()).items():
            self.work.observed.note(trait, rows, HistoryEvent.DISCARDED)
            remove_rows(self.work, trait, rows)
        self._demand_no_circle()

    def _dependants(self, rows: Sequence[DraftRow]) -> list[DraftRow]:
        """Rows of the draft that have nothing to hang on without ``rows``."""
        found: list[DraftRow] = []
        for trait in {row.trait.name: row.trait for row in rows}.values():
            mine = [row for row in rows if row.trait is trait]
            new = {int(row.values["uid"]) for row in mine if row.state is VersionState.NEW}
            if new:
                found += self._hanging_on(trait, new)
            for state in (VersionState.MOVED, VersionState.DELETED):
                returned = {row.live_uid for row in mine if row.state is state and not row.translates}
                self._follow_back(trait, returned, state, found)
        return found

    def _hanging_on(self, trait: TableTrait, uids: Collection[int]) -> list[DraftRow]:
        found = self._rows(trait, "translation_parent", uids) if trait.has_language else []
        for other in REGISTRY.values():
            if trait is PAGES and other.versioned and other.on_pages:
                found += self._rows(other, "pid", uids)
            if other.versioned and "owner_uid" in other.table.c:
                found += self._rows(other, "owner_uid", uids, owner_table=trait.name)
        return found

    def _follow_back(
        self, trait: TableTrait, live_uids: Collection[int], state: VersionState, found: list[DraftRow]
    ) -> None:
        """Translations go back with their record; those that were changed besides stay changed, at the old place."""
        if not live_uids:
            return
        rows = self._rows(trait, "translation_parent", live_uids) if trait.has_language else []
        rows = [row for row in rows if row.state is state]
        if state is VersionState.DELETED:
            found += rows
            return
        owners = [*live_uids, *(row.live_uid for row in rows)]
        for other in REGISTRY.values():
            if other.versioned and "owner_uid" in other.table.c:
                owned = self._rows(other, "owner_uid", owners, owner_table=trait.name)
                rows += [row for row in owned if row.state is state]
        self.put_back |= {row.ref: row for row in rows}

    def _put_back(self) -> None:
        """Rows that were moved along lie where their live rows lie; without another change they leave the draft."""
        waiting = [row for row in self.put_back.values() if row.ref not in self.gone]
        for trait, rows in by_table(waiting).items():
            live_rows = find_stored_rows(self.work.connection, trait.name, [row["live_uid"] for row in rows])
            changed = []
            for row in rows:
                live = live_rows.get(row["live_uid"])
                if live is None or all(row[field.name] == live[field.name] for field in trait.fields):
                    self.gone[RecordRef(table=trait.name, uid=row["uid"])] = DraftRow(trait=trait, values=row)
                    continue
                place: dict[str, Any] = {"pid": live["pid"], "version_state": VersionState.CHANGED.value}
                if trait.has_sorting:
                    place["sorting"] = live["sorting"]
                changed.append((row, place))
            change_each(self.work, trait, changed)

    def _rows(self, trait: TableTrait, column: str, uids: Collection[int], **equal: Any) -> list[DraftRow]:
        rows = trait.table
        statement = select(rows).where(
            rows.c.workspace_id == self.work.workspace_id,
            rows.c.workspace_id > LIVE,
            *(rows.c[name] == value for name, value in equal.items()),
        )
        if column == "translation_parent":
            statement = statement.where(rows.c.translation_parent > 0)
        found: list[DraftRow] = []
        for part in slices(sorted(uids)):
            result = self.work.connection.execute(statement.where(rows.c[column].in_(part)).order_by(rows.c.uid))
            found += [DraftRow(trait=trait, values=dict(row)) for row in result.mappings().all()]
        return found

    def _demand_no_circle(self) -> None:
        """A page that lies at its old place again must not lie below one that was moved below it."""
        returned = {
            row.live_uid
            for row in self.gone.values()
            if row.trait is PAGES and row.state is VersionState.MOVED and not row.translates
        }
        for uid in returned:
            if self._comes_back(uid):
                raise WriteRefused(
                    "inside_itself",
                    text("The page would come to lie below itself. Discard the other moved pages together with it."),
                )

    def _comes_back(self, uid: int) -> bool:
        seen: set[int] = set()
        place = self._above(uid)
        while place and place not in seen:
            if place == uid:
                return True
            seen.add(place)
            place = self._above(place)
        return False

    def _above(self, uid: int) -> int:
        """The page above a page, as the draft has it now."""
        rows = PAGES.table.c
        mine = select(rows.pid).where(
            rows.live_uid == uid, rows.live_uid > 0, rows.workspace_id == self.work.workspace_id
        )
        found = self.work.connection.execute(mine).scalar()
        if found is None:
            found = self.work.connection.execute(select(rows.pid).where(rows.uid == uid)).scalar()
        return int(found or 0)
