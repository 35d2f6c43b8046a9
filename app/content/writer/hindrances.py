"""Draft rows that cannot go live by themselves, whoever publishes them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from sqlalchemy.engine import Connection

from app.content.schema import PAGES, REGISTRY
from app.content.store import find_stored_rows
from app.content.types import RecordRef, VersionState
from app.content.writer import overlay
from app.content.writer.drafts import DraftRow
from app.core.i18n import Text, text
from app.policy.identity import LIVE

Rows = Mapping[RecordRef, DraftRow]
Hindered = tuple[DraftRow, str, Text]


def find_hindered(connection: Connection, rows: Rows) -> list[Hindered]:
    """Which of ``rows``, published together, would hang on nothing, double a translation or put a page below itself.

    Each with a reason and its sentence. To be asked again when some are left out, since others may hang on those.
    """
    checks = (_without_parent, _doubled_translations, _circles)
    return [item for check in checks for item in check(connection, rows)]


def is_replaced(rows: Iterable[DraftRow], mark: DraftRow) -> bool:
    """Whether a page translation that is deleted gets a successor among ``rows``: its content stays then."""
    if mark.trait is not PAGES or not mark.translates:
        return False
    return any(
        row.trait is PAGES
        and row.state is VersionState.NEW
        and row.translates == mark.translates
        and row.values["language_id"] == mark.values["language_id"]
        for row in rows
    )


def _without_parent(connection: Connection, rows: Rows) -> list[Hindered]:
    needs = {row.ref: _parents(row) for row in rows.values() if row.state in {VersionState.NEW, VersionState.MOVED}}
    uids: dict[str, set[int]] = {}
    for parents in needs.values():
        for table, uid in parents:
            uids.setdefault(table, set()).add(uid)
    there = {(table, uid) for table, found in uids.items() for uid in _there(connection, rows, table, found)}
    sentence = text("What this belongs to is not live yet. Publish that first, or together with it.")
    return [
        (rows[ref], "parent_unpublished", sentence)
        for ref, parents in needs.items()
        if any(parent not in there for parent in parents)
    ]


def _parents(row: DraftRow) -> list[tuple[str, int]]:
    parents = [(PAGES.name, int(row.values["pid"])), (row.trait.name, row.translates)]
    if "owner_uid" in row.values:
        parents.append((row.values["owner_table"], int(row.values["owner_uid"])))
    return [(table, uid) for table, uid in parents if uid]


def _there(connection: Connection, rows: Rows, table: str, uids: Collection[int]) -> set[int]:
    """Which records are live, or go live with this publish."""
    trait = REGISTRY[table]
    stored = find_stored_rows(connection, table, uids)
    return {
        uid
        for uid, row in stored.items()
        if not (trait.soft_delete and row["deleted"])
        and (
            not trait.versioned
            or row["workspace_id"] == LIVE
            or (RecordRef(table=table, uid=uid) in rows and row["version_state"] == VersionState.NEW)
        )
    }


def _doubled_translations(connection: Connection, rows: Rows) -> list[Hindered]:
    """New translations of records that have another live translation in the language, which stays."""
    new = [row for row in rows.values() if row.state is VersionState.NEW and row.translates]
    sentence = text("There is a live translation in this language already.")
    leaving = {(row.trait.name, row.live_uid) for row in rows.values() if row.state is VersionState.DELETED}
    emptied = {
        (row.translates, row.values["language_id"])
        for row in rows.values()
        if row.trait is PAGES and row.state is VersionState.DELETED and not is_replaced(rows.values(), row)
    }
    found: list[Hindered] = []
    for trait in {row.trait.name: row.trait for row in new}.values():
        mine = [row for row in new if row.trait is trait]
        live = overlay.rows_by(connection, trait, LIVE, "translation_parent", {row.translates for row in mine})
        taken = {
            (row["translation_parent"], row["language_id"])
            for row in live
            if (trait.name, row["uid"]) not in leaving
            and (row.get("owner_table"), row.get("owner_uid")) not in leaving
            and (trait is PAGES or (row["pid"], row["language_id"]) not in emptied)
        }
        found += [
            (row, "translation_exists", sentence)
            for row in mine
            if (row.translates, row.values["language_id"]) in taken
        ]
    return found


def _circles(connection: Connection, rows: Rows) -> list[Hindered]:
    """Moved pages that would come to lie below themselves in live."""
    moved = {
        row.live_uid: row
        for row in rows.values()
        if row.trait is PAGES and row.state is VersionState.MOVED and not row.translates
    }
    new = {
        int(row.values["uid"]): int(row.values["pid"])
        for row in rows.values()
        if row.trait is PAGES and row.state is VersionState.NEW
    }
    above = new | {uid: int(row.values["pid"]) for uid, row in moved.items()}
    _read_above(connection, above)
    sentence = text("The page would come to lie below itself. Publish the other moved pages together with it.")
    return [(row, "inside_itself", sentence) for uid, row in moved.items() if _reaches(above, uid)]


def _read_above(connection: Connection, above: dict[int, int]) -> None:
    """Fill in the live parents of pages on the way up."""
    while missing := {uid for uid in above.values() if uid and uid not in above}:
        stored = find_stored_rows(connection, PAGES.name, missing)
        above |= {uid: int(stored[uid]["pid"]) if uid in stored else 0 for uid in missing}


def _reaches(above: Mapping[int, int], uid: int) -> bool:
    """Whether the way up from a page comes back to it."""
    seen: set[int] = set()
    place = above[uid]
    while place and place not in seen:
        if place == uid:
            return True
        seen.add(place)
        place = above.get(place, 0)
    return False
