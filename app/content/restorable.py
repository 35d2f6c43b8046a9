"""Records deleted in live that a person may restore: those of one page."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import or_, select
from sqlalchemy.engine import Connection

from app.content.access import shown_pages_cte
from app.content.deleted import deleted_condition
from app.content.schema import PAGES, REGISTRY
from app.content.store import NONE, read_rows, title_of
from app.content.types import Row
from app.policy.identity import LIVE, Identity

MOST = 100
"""Records of one kind that are listed, newest deletion first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DeletedRecord:
    """A record that is deleted in live."""

    table: str
    uid: int
    title: str
    language_id: int | None
    changed_at: int
    """Seconds: when it was deleted, for that was the last thing done to it."""


def list_deleted(connection: Connection, identity: Identity, page_uid: int) -> tuple[DeletedRecord, ...]:
    """What was deleted on a page (pages: below it, and its translations), newest first; at most 100 of each kind.

    Only records of tables this person may change. One statement per table.
    """
    shown = shown_pages_cte(identity, LIVE)
    rows: list[Row] = []
    for trait in REGISTRY.values():
        if not trait.soft_delete or not trait.on_pages:
            continue
        if not identity.may_modify(trait.name, admin_only=trait.admin_only):
            continue
        table = trait.table
        here = table.c.pid == page_uid
        if trait is PAGES:
            here = or_(here & (table.c.translation_parent == NONE), table.c.translation_parent == page_uid)
        statement = select(table).where(here, deleted_condition(trait, identity, shown))
        rows += read_rows(connection, trait, statement.order_by(table.c.changed_at.desc(), table.c.uid).limit(MOST))
    found = [_record(row) for row in rows]
    return tuple(sorted(found, key=lambda record: (-record.changed_at, record.table, record.uid)))


def _record(row: Row) -> DeletedRecord:
    trait = REGISTRY[row.table]
    return DeletedRecord(
        table=row.table,
        uid=row.live_uid,
        title=title_of(row.table, row.values),
        language_id=int(row["language_id"]) if trait.has_language else None,
        changed_at=int(row["changed_at"]),
    )
