"""Moves records: to another page, or among their neighbours (cms.md sections 2, 4, 8 and 11).

Keys are fractional, so a move writes the record and what belongs to it, and never a neighbour. Translations lie where
their default record lies; references to files lie on the page of what they belong to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select

from app.content import rights
from app.content.errors import WriteRefused, not_found
from app.content.schema import PAGES, REGISTRY, TableTrait
from app.content.sorting import first_place, last_place, place_after
from app.content.store import overlay_condition
from app.content.types import RecordRef, Row
from app.content.writer import overlay
from app.content.writer.observe import RowValues, public_uid
from app.content.writer.versions import place_rows
from app.content.writer.work import Work, trait_of
from app.core.i18n import text


def move_record(
    work: Work, table: str, uid: int, *, page_uid: int | None, after_uid: int | None, first: bool
) -> RecordRef | None:
    """Move a record; see ``Batch.move``. None when it lies there already: then nothing is written (CM-05).

    Raises ``WriteRefused``: ``not_found`` (the neighbour too), ``marked_deleted``, ``is_translation``,
    ``moves_with_owner``, ``not_movable``, ``denied_language``, ``inside_itself``, ``no_place``.
    """
    trait = trait_of(table)
    row, target_uid = rights.require_move(work.connection, work.actor, work.workspace_id, table, uid, page_uid)
    is_elsewhere = target_uid != row["pid"]
    if trait is PAGES and is_elsewhere and target_uid:
        _demand_outside(work, row, target_uid)
    place = _place(work, trait, row, target_uid, after_uid, first=first)
    if place is None and not is_elsewhere:
        return None
    values: dict[str, Any] = {"pid": target_uid}
    if place is not None:
        values["sorting"] = place
    work.ask_before(trait, row.live_uid, values)
    translations = _translations(work, trait, row)
    moved = place_rows(work, trait, [row.values, *translations], values)
    if is_elsewhere and trait is not PAGES:
        owners = [public_uid(row.values), *map(public_uid, translations)]
        for other, owned in references_of(work, trait, owners):
            place_rows(work, other, owned, {"pid": target_uid})
    return RecordRef(table=table, uid=moved[0]["uid"])


def references_of(work: Work, trait: TableTrait, owner_uids: Sequence[int]) -> list[tuple[TableTrait, list[Any]]]:
    """References to files that belong to records of ``trait``, as the workspace of the batch sees them."""
    found = []
    for other in REGISTRY.values():
        if "owner_uid" in other.table.c and other is not trait:
            rows = overlay.rows_by(
                work.connection, other, work.workspace_id, "owner_uid", owner_uids, owner_table=trait.name
            )
            found.append((other, rows))
    return found


def _translations(work: Work, trait: TableTrait, row: Row) -> list[dict[str, Any]]:
    if not trait.has_language:
        return []
    return overlay.rows_by(work.connection, trait, work.workspace_id, "translation_parent", [row.live_uid])


def _demand_outside(work: Work, row: Row, target_uid: int) -> None:
    if target_uid in overlay.subtree(work.connection, work.workspace_id, row.live_uid):
        raise WriteRefused("inside_itself", text("A page cannot be moved below itself or one of its own subpages."))


def _place(
    work: Work, trait: TableTrait, row: Row, target_uid: int, after_uid: int | None, *, first: bool
) -> str | None:
    """The new key; None when the record is at that place, or its table knows no order."""
    if not trait.has_sorting:
        if after_uid is not None or first:
            raise WriteRefused("not_sorted", text("Records of the kind “%(kind)s” have no order.", kind=trait.label))
        return None
    siblings = _siblings(work, trait, row, target_uid)
    order = [public_uid(sibling) for sibling in siblings]
    here = order.index(row.live_uid) if row.live_uid in order else None
    if after_uid is not None:
        return _behind(work, trait, row, siblings, order, after_uid)
    if first:
        return None if here == 0 else first_place(work.connection, trait, work.workspace_id, target_uid)
    is_last = here is not None and here == len(order) - 1
    return None if is_last else last_place(work.connection, trait, work.workspace_id, target_uid)


def _behind(
    work: Work, trait: TableTrait, row: Row, siblings: Sequence[RowValues], order: Sequence[int], after_uid: int
) -> str | None:
    named = [public_uid(sibling) for sibling in siblings if after_uid in {sibling["uid"], public_uid(sibling)}]
    if not named:
        raise not_found()
    number = order.index(named[0])
    if named[0] == row.live_uid or order[number + 1 : number + 2] == [row.live_uid]:
        return None
    return place_after(work.connection, trait, work.workspace_id, siblings[number]["pid"], siblings[number]["sorting"])


def _siblings(work: Work, trait: TableTrait, row: Row, target_uid: int) -> list[dict[str, Any]]:
    """Default records on the target in their order; of references only those of the same owner."""
    rows = trait.table
    statement = select(*_columns(trait)).where(rows.c.pid == target_uid, overlay_condition(trait, work.workspace_id))
    if trait.has_language:
        statement = statement.where(rows.c.translation_parent == 0)
    if "owner_uid" in rows.c:
        statement = statement.where(rows.c.owner_table == row["owner_table"], rows.c.owner_uid == row["owner_uid"])
    found = work.connection.execute(statement.order_by(rows.c.sorting, rows.c.uid)).mappings().all()
    return [dict(sibling) for sibling in found]


def _columns(trait: TableTrait) -> list[Any]:
    rows = trait.table.c
    return [rows.uid, rows.pid, rows.sorting, *([rows.live_uid] if trait.versioned else [])]
