"""The history of one record as one person may see it (CM-06, cms.md section 13)."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, cast

from sqlalchemy import Select, Table, func, select
from sqlalchemy.engine import Connection, RowMapping

from app.content import models
from app.content.access import judge, judged_row
from app.content.diff import FieldComparison, compared_fields
from app.content.errors import not_found
from app.content.schema import REGISTRY, TableTrait
from app.content.store import find_stored_rows, named, read_rows, title_of, valid_uids
from app.content.types import HistoryEvent, Origin, RecordRef, Row, Stage, VersionState
from app.core.db import slices
from app.policy.identity import LIVE, Identity

STEPS = 20
"""Entries of one view."""
_HISTORY = cast(Table, models.RecordHistory.__table__)


@dataclass(frozen=True, kw_only=True, slots=True)
class HistoryEntry:
    """One change."""

    id: int
    at: int
    """Seconds."""
    user_id: int
    origin: Origin
    action: str
    workspace_id: int
    """Where it happened; 0 = live."""
    correlation: str
    fields: tuple[FieldComparison, ...]
    withheld_fields: int
    """How many changed fields the reader has no grant for."""
    stage: Stage | None = None
    """Where a change of stage brought the draft; None for other entries."""

    @property
    def run_uuid(self) -> str | None:
        """The run whose call did it, from the correlation ``run/turn/call``; None for other origins."""
        return self.correlation.partition("/")[0] if self.origin is Origin.RUN else None


@dataclass(frozen=True, kw_only=True, slots=True)
class HistoryView:
    """Twenty changes of a record, newest first."""

    table: str
    uid: int
    """The uid people know the record by."""
    title: str
    workspace_id: int
    is_deleted: bool
    entries: tuple[HistoryEntry, ...]
    older: int | None = None
    """Entry before which older ones lie; None = the listed ones go back to the first."""
    newer: int | None = None
    """Entry after which newer ones may lie; None = the newest are listed."""


def read_history(
    connection: Connection,
    identity: Identity,
    table: str,
    uid: int,
    workspace_id: int = LIVE,
    *,
    before: int | None = None,
    after: int | None = None,
) -> HistoryView:
    """Twenty changes of a record in live and, for those who may use it, in ``workspace_id``: the newest, or those
    before or after an entry.

    The record is judged as it stands in ``workspace_id``; deletion is ignored, so a deleted record still has a history.
    Raises ``not_found`` for a record that is gone, unknown, or not this person's to see there. Statements do not grow
    with the number of entries.
    """
    trait = REGISTRY.get(table)
    row = None if trait is None else _find(connection, trait, [uid], workspace_id).get(uid)
    if trait is None or row is None:
        raise not_found()
    if not judge(connection, identity, [judged_row(trait, row.values, workspace_id)], deleted_too=True)[0]:
        raise not_found()
    return _view(
        identity, trait, row, workspace_id, _window(connection, table, row.live_uid, workspace_id, before, after)
    )


def read_histories(
    connection: Connection, identity: Identity, refs: Collection[RecordRef], workspace_id: int = LIVE
) -> dict[RecordRef, HistoryView]:
    """The newest changes of many records, each as ``read_history`` gives them, without those this person may not see.

    Rights are judged in one go. Two statements a table and two for the rights, however many records are named (one
    more of each per 900).
    """
    uids: dict[str, list[int]] = {}
    for ref in refs:
        uids.setdefault(ref.table, []).append(ref.uid)
    rows = {
        RecordRef(table=table, uid=uid): row
        for table, asked in uids.items()
        if table in REGISTRY
        for uid, row in _find(connection, REGISTRY[table], asked, workspace_id).items()
    }
    judged = [judged_row(REGISTRY[ref.table], row.values, workspace_id) for ref, row in rows.items()]
    allowed = judge(connection, identity, judged, deleted_too=True)
    readable = {ref: row for (ref, row), may in zip(rows.items(), allowed, strict=True) if may}
    windows: dict[tuple[str, int], _Window] = {}
    for table in dict.fromkeys(ref.table for ref in readable):
        live_uids = sorted({row.live_uid for ref, row in readable.items() if ref.table == table})
        windows |= {(table, uid): window for uid, window in _windows(connection, table, live_uids, workspace_id)}
    return {
        ref: _view(
            identity, REGISTRY[ref.table], row, workspace_id, windows.get((ref.table, row.live_uid), _Window(rows=()))
        )
        for ref, row in readable.items()
    }


def _view(identity: Identity, trait: TableTrait, row: Row, workspace_id: int, window: _Window) -> HistoryView:
    marked = trait.versioned and row["version_state"] == VersionState.DELETED
    return HistoryView(
        table=trait.name,
        uid=row.live_uid,
        title=title_of(trait.name, row.values),
        workspace_id=workspace_id,
        is_deleted=bool(marked or (trait.soft_delete and row["deleted"])),
        entries=tuple(_entry(identity, trait, entry) for entry in window.rows),
        older=window.rows[-1]["id"] if window.has_older else None,
        newer=window.rows[0]["id"] if window.has_newer else None,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Window:
    """A part of the entries, newest first."""

    rows: Sequence[RowMapping]
    has_older: bool = False
    has_newer: bool = False


def _window(
    connection: Connection, table: str, live_uid: int, workspace_id: int, before: int | None, after: int | None
) -> _Window:
    statement, entry = _statement(table, live_uid, workspace_id), _HISTORY.c.id
    if after is not None:
        found = connection.execute(statement.where(entry > after).order_by(entry).limit(STEPS + 1)).mappings().all()
        if found:
            return _Window(rows=found[:STEPS][::-1], has_older=True, has_newer=len(found) > STEPS)
    if before is not None and after is None:
        statement = statement.where(entry < before)
    found = connection.execute(statement.order_by(entry.desc()).limit(STEPS + 1)).mappings().all()
    rows = found[:STEPS]
    return _Window(
        rows=rows, has_older=len(found) > STEPS, has_newer=bool(rows) and before is not None and after is None
    )


def _windows(
    connection: Connection, table: str, live_uids: Sequence[int], workspace_id: int
) -> Iterator[tuple[int, _Window]]:
    """The newest entries of many records of a table; of each only as many as a view shows are read."""
    asked, rows, counted = REGISTRY[table].table.alias("asked"), _HISTORY.c, _HISTORY.alias("counted").c
    places = [LIVE, workspace_id]
    last_shown = (
        select(counted.id)
        .where(counted.table_name == table, counted.live_uid == asked.c.uid, counted.workspace_id.in_(places))
        .order_by(counted.id.desc())
        .limit(1)
        .offset(STEPS)
        .scalar_subquery()
    )
    statement = select(_HISTORY).join(asked, asked.c.uid == rows.live_uid)
    statement = statement.where(
        rows.table_name == table, rows.workspace_id.in_(places), rows.id >= func.coalesce(last_shown, 0)
    ).order_by(rows.live_uid, rows.id.desc())
    for part in slices(live_uids):
        found = connection.execute(statement.where(asked.c.uid.in_(part))).mappings().all()
        for live_uid, entries in groupby(found, key=itemgetter("live_uid")):
            listed = list(entries)
            yield int(live_uid), _Window(rows=listed[:STEPS], has_older=len(listed) > STEPS)


def _find(connection: Connection, trait: TableTrait, uids: Collection[int], workspace_id: int) -> dict[int, Row]:
    """By the uid asked for, the row a workspace has of a record in whatever state, else the live one; never one of
    another workspace.
    """
    if not trait.versioned or workspace_id == LIVE:
        stored = find_stored_rows(connection, trait.name, uids)
        return {uid: row for uid, row in stored.items() if not trait.versioned or row["workspace_id"] == LIVE}
    wanted, found = set(uids), dict[int, Row]()
    for part in slices(valid_uids(uids)):
        statement = select(trait.table).where(
            named(trait, part, workspace_id), trait.table.c.workspace_id.in_([LIVE, workspace_id])
        )
        for row in sorted(read_rows(connection, trait, statement), key=lambda row: int(row["workspace_id"])):
            found |= dict.fromkeys(wanted & {row.uid, row.live_uid}, row)
    return found


def _statement(table: str, live_uid: int, workspace_id: int) -> Select[Any]:
    rows = _HISTORY.c
    return select(_HISTORY).where(
        rows.table_name == table, rows.live_uid == live_uid, rows.workspace_id.in_([LIVE, workspace_id])
    )


def _entry(identity: Identity, trait: TableTrait, row: RowMapping) -> HistoryEntry:
    changes = json.loads(row["changes"])
    compared = compared_fields(identity, trait, changes)
    return HistoryEntry(
        id=row["id"],
        at=row["at"],
        user_id=row["user_id"],
        origin=Origin(row["origin"]),
        action=row["action"],
        workspace_id=row["workspace_id"],
        correlation=row["correlation"],
        fields=compared.fields,
        withheld_fields=compared.withheld,
        stage=_stage(row["action"], changes),
    )


def _stage(action: str, changes: Mapping[str, Any]) -> Stage | None:
    if action != HistoryEvent.STAGE or "version_stage" not in changes:
        return None
    return Stage.READY if changes["version_stage"][1] == Stage.READY else Stage.EDITING
