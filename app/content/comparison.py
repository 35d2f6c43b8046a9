"""A record of a draft workspace beside the live one, as one person may see both."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.engine import Connection

from app.content.access import Readable, judge, judged_row
from app.content.diff import FieldComparison, compared_fields, differing
from app.content.differences import Difference, find_difference
from app.content.errors import not_found
from app.content.held import LastChange, last_changes
from app.content.schema import PAGES, REGISTRY
from app.content.store import find_rows, find_stored_row, title_of
from app.content.types import Row, VersionState
from app.policy.identity import LIVE, Identity


@dataclass(frozen=True, kw_only=True, slots=True)
class LiveComparison:
    """A record of a workspace beside the live one."""

    difference: Difference
    fields: tuple[FieldComparison, ...]
    withheld: int
    """Fields that differ and that the reader has no grant for."""
    live_title: str | None
    """None for a record that is new in the workspace, and when the live record is gone."""
    pages: tuple[tuple[int, str], tuple[int, str]] | None
    """Number and title of the page it lies on (for pages: below) in live and here, when these differ."""
    is_moved_in_place: bool
    """It stays on its page, at another place."""
    live_last: LastChange | None
    """The newest change of the live record."""


def compare_with_live(
    connection: Connection, identity: Identity, workspace_id: int, table: str, uid: int
) -> LiveComparison:
    """A record of a workspace (public or row uid) beside the live one, field by field.

    Raises ``not_found`` for a record the workspace does not hold or this person may not see.
    """
    difference = find_difference(connection, identity, workspace_id, table, uid)
    if difference is None:
        raise not_found()
    trait, record = REGISTRY[table], difference.record
    live_uid = int(record.values["live_uid"])
    live = find_stored_row(connection, table, live_uid) if live_uid else None
    if live is not None and trait.soft_delete and live["deleted"]:
        live = None
    is_marked = difference.state is VersionState.DELETED
    old = None if live is None else live.values
    changes = {} if is_marked or (live_uid and live is None) else differing(trait, old, record.values)
    compared = compared_fields(identity, trait, changes)
    moves = live is not None and difference.state is VersionState.MOVED
    return LiveComparison(
        difference=difference,
        fields=compared.fields,
        withheld=compared.withheld,
        live_title=None if live is None else title_of(table, live.values),
        pages=_pages(connection, identity, workspace_id, live, record) if moves else None,
        is_moved_in_place=bool(moves and live is not None and live["pid"] == record.values["pid"]),
        live_last=last_changes(connection, LIVE, [(table, live_uid)]).get((table, live_uid)) if live_uid else None,
    )


def _pages(
    connection: Connection, identity: Identity, workspace_id: int, live: Row | None, record: Readable
) -> tuple[tuple[int, str], tuple[int, str]] | None:
    if live is None or live["pid"] == record.values["pid"]:
        return None
    before, after = int(live["pid"]), int(record.values["pid"])
    titles = {uid: _readable_title(connection, identity, workspace_id, uid) for uid in (before, after)}
    return (before, titles[before]), (after, titles[after])


def _readable_title(connection: Connection, identity: Identity, workspace_id: int, uid: int) -> str:
    """Title of a page, empty for one this person may not read: only its number is told."""
    row = find_rows(connection, PAGES.name, [uid], workspace_id, with_marked=True).get(uid)
    if row is None:
        return ""
    record = judged_row(PAGES, row.values, workspace_id)
    return title_of(PAGES.name, row.values) if judge(connection, identity, [record], deleted_too=True)[0] else ""
