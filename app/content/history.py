"""The history of one record as one person may see it (CM-06, cms.md section 13)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Select, Table, select
from sqlalchemy.engine import Connection, RowMapping

from app.content import models
from app.content.access import judge, judged_row
from app.content.diff import Segment, compare
from app.content.errors import not_found
from app.content.schema import REGISTRY, FieldKind, TableTrait
from app.content.store import find_stored_rows, named, read_rows, title_of, valid_uids
from app.content.types import FieldValue, Origin, Row, VersionState
from app.core.i18n import Text
from app.policy.identity import LIVE, Identity

STEPS = 20
"""Entries of one view."""
_HISTORY = cast(Table, models.RecordHistory.__table__)
_TEXTS = frozenset({FieldKind.LINE, FieldKind.MULTILINE, FieldKind.MARKDOWN})


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldComparison:
    """One field before and after."""

    name: str
    label: Text
    kind: FieldKind
    old: FieldValue
    new: FieldValue

    @property
    def segments(self) -> tuple[Segment, ...]:
        """Text compared word by word; empty for values that are no text."""
        if self.kind not in _TEXTS:
            return ()
        return compare(str(self.old or ""), str(self.new or ""))


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


@dataclass(frozen=True, kw_only=True, slots=True)
class HistoryView:
    """The newest changes of a record, newest first."""

    table: str
    uid: int
    """The uid people know the record by."""
    title: str
    workspace_id: int
    is_deleted: bool
    entries: tuple[HistoryEntry, ...]
    more: bool
    """Whether there are older entries than the 20 listed."""


def read_history(
    connection: Connection, identity: Identity, table: str, uid: int, workspace_id: int = LIVE
) -> HistoryView:
    """The changes of a record in live and, for those who may use it, in ``workspace_id``.

    The record is judged as it stands in ``workspace_id``; deletion is ignored, so a deleted record still has a history.
    Raises ``not_found`` for a record that is gone, unknown, or not this person's to see there.
    """
    trait = REGISTRY.get(table)
    row = None if trait is None else _find(connection, trait, uid, workspace_id)
    if trait is None or row is None:
        raise not_found()
    if not judge(connection, identity, [judged_row(trait, row.values, workspace_id)], deleted_too=True)[0]:
        raise not_found()
    found = connection.execute(_statement(table, row.live_uid, workspace_id)).mappings().all()
    marked = trait.versioned and row["version_state"] == VersionState.DELETED
    return HistoryView(
        table=table,
        uid=row.live_uid,
        title=title_of(table, row.values),
        workspace_id=workspace_id,
        is_deleted=bool(marked or (trait.soft_delete and row["deleted"])),
        entries=tuple(_entry(identity, trait, entry) for entry in found[:STEPS]),
        more=len(found) > STEPS,
    )


def _find(connection: Connection, trait: TableTrait, uid: int, workspace_id: int) -> Row | None:
    """The row a workspace has of a record in whatever state, else the live one; never one of another workspace."""
    if not trait.versioned or workspace_id == LIVE:
        row = find_stored_rows(connection, trait.name, [uid]).get(uid)
        return None if row is None or (trait.versioned and row["workspace_id"] != LIVE) else row
    statement = select(trait.table).where(
        named(trait, valid_uids([uid]), workspace_id), trait.table.c.workspace_id.in_([LIVE, workspace_id])
    )
    rows = read_rows(connection, trait, statement)
    return max(rows, key=lambda row: int(row["workspace_id"]), default=None)


def _statement(table: str, live_uid: int, workspace_id: int) -> Select[Any]:
    rows = _HISTORY.c
    return (
        select(_HISTORY)
        .where(rows.table_name == table, rows.live_uid == live_uid, rows.workspace_id.in_([LIVE, workspace_id]))
        .order_by(rows.id.desc())
        .limit(STEPS + 1)
    )


def _entry(identity: Identity, trait: TableTrait, row: RowMapping) -> HistoryEntry:
    changes: Mapping[str, tuple[FieldValue, FieldValue]] = json.loads(row["changes"])
    known = [trait.field_by_name[name] for name in trait.field_by_name if name in changes]
    open_fields = [field for field in known if not field.needs_grant or identity.may_use_field(trait.name, field.name)]
    return HistoryEntry(
        id=row["id"],
        at=row["at"],
        user_id=row["user_id"],
        origin=Origin(row["origin"]),
        action=row["action"],
        workspace_id=row["workspace_id"],
        correlation=row["correlation"],
        fields=tuple(
            FieldComparison(
                name=field.name,
                label=field.label,
                kind=field.kind,
                old=changes[field.name][0],
                new=changes[field.name][1],
            )
            for field in open_fields
        ),
        withheld_fields=len(known) - len(open_fields),
    )
