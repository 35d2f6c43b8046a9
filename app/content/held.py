"""The rows a draft workspace holds, without their texts: what decides about rights, order, stage and conflicts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import FromClause, Select, Table, and_, func, or_, select
from sqlalchemy.engine import Connection

from app.content import models
from app.content.access.judging import page_of
from app.content.schema import REGISTRY, TableTrait
from app.content.store import NONE, named, valid_uids
from app.content.types import RecordRef
from app.core.db import slices

_HISTORY = cast(Table, models.RecordHistory.__table__)


@dataclass(frozen=True, kw_only=True, slots=True)
class LastChange:
    """Who changed something last, and when."""

    user_id: int
    at: int
    """Seconds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HeldRow:
    """A version row without its texts."""

    trait: TableTrait
    row: Mapping[str, Any]

    @property
    def ref(self) -> RecordRef:
        return RecordRef(table=self.trait.name, uid=int(self.row["uid"]))

    @property
    def page_uid(self) -> int:
        return page_of(self.trait, self.row)

    @property
    def is_conflicting(self) -> bool:
        return is_conflicting(self.row, self.row["live_rev"])

    @property
    def order(self) -> tuple[Any, ...]:
        """A page first, then its translations, then what lies on it as on the page."""
        tables = tuple(REGISTRY)
        row = self.row
        return (
            tables.index(self.trait.name),
            bool(row.get("translation_parent")),
            row.get("sorting") or "",
            row["live_uid"] or row["uid"],
            row["uid"],
        )


def is_conflicting(version: Mapping[Any, Any], live_rev: int | None) -> bool:
    """Whether the live record is not the one a draft was made from; ``live_rev`` is None when it is gone."""
    return bool(version["live_uid"]) and version["version_base"] != live_rev


def held_rows(
    connection: Connection, trait: TableTrait, workspace_id: int, uids: Sequence[int] | None = None
) -> list[HeldRow]:
    """The rows a workspace holds of a table (of those with the public or row ``uids``), with ``rev`` of the live rows
    they stand for; no texts.
    """
    rows, live = trait.table, trait.table.alias("live")
    is_there = and_(live.c.uid == rows.c.live_uid, rows.c.live_uid > NONE)
    if trait.soft_delete:
        is_there = and_(is_there, live.c.deleted.is_(False))
    query = (
        select(*_light_columns(trait, rows), live.c.rev.label("live_rev"))
        .select_from(rows.outerjoin(live, is_there))
        .where(rows.c.workspace_id == workspace_id)
    )
    if trait.soft_delete:
        query = query.where(rows.c.deleted.is_(False))
    parts = [None] if uids is None else [named(trait, part, workspace_id) for part in slices(valid_uids(uids))]
    return [
        HeldRow(trait=trait, row=dict(row))
        for part in parts
        for row in connection.execute(query if part is None else query.where(part)).mappings()
    ]


def _light_columns(trait: TableTrait, rows: FromClause) -> Iterable[Any]:
    names = ["uid", "pid", "rev", "changed_at", "workspace_id", "live_uid", "version_state", "version_stage"]
    names.append("version_base")
    if trait.has_language:
        names += ["language_id", "translation_parent"]
    if trait.has_sorting:
        names.append("sorting")
    if trait.judged_by_file is not None:
        names.append(trait.judged_by_file)
    return [rows.c[name] for name in dict.fromkeys(names)]


def last_changes(
    connection: Connection, workspace_id: int, records: Sequence[tuple[str, int]]
) -> dict[tuple[str, int], LastChange]:
    """The newest history entry of each record (table, live uid) in a workspace; one statement per 900 records."""
    found: dict[tuple[str, int], LastChange] = {}
    for part in slices(sorted(set(records))):
        for row in connection.execute(_newest_entries(workspace_id, part)):
            found[row.table_name, int(row.live_uid)] = LastChange(user_id=row.user_id, at=row.at)
    return found


def _newest_entries(workspace_id: int, records: Sequence[tuple[str, int]]) -> Select[Any]:
    by_table: defaultdict[str, list[int]] = defaultdict(list)
    for table, live_uid in records:
        by_table[table].append(live_uid)
    rows = _HISTORY.c
    named_rows = or_(*(and_(rows.table_name == table, rows.live_uid.in_(uids)) for table, uids in by_table.items()))
    newest = select(func.max(rows.id)).where(named_rows, rows.workspace_id == workspace_id)
    newest = newest.group_by(rows.table_name, rows.live_uid)
    return select(rows.table_name, rows.live_uid, rows.user_id, rows.at).where(rows.id.in_(newest))
