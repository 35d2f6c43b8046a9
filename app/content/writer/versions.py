"""Which row a command writes to in a draft: the table of cms.md section 8, with the deviations marked there.

At most one version row stands for a live row in a workspace; it is a full copy. A draft never touches a live row (I13).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from app.content.errors import WriteRefused
from app.content.schema import TableTrait
from app.content.types import VersionState
from app.content.writer.observe import RowValues
from app.content.writer.rows import change_row, change_rows, insert_rows, remove_rows
from app.content.writer.work import Work
from app.core.i18n import text


class Command(StrEnum):
    """What is asked of a record that exists."""

    UPDATE = "update"
    DELETE = "delete"
    MOVE = "move"


NOTHING = None
"""The workspace holds nothing for the record yet."""

REMOVED = None
"""The row leaves the workspace for good."""

# Deviations from the core of the reference: a marked record takes no further command (writing into a doomed row, or
# restoring it by deleting twice, are traps for an assistant), and deleting a moved record marks it instead of undoing
# the move.
_STATE_AFTER: Mapping[tuple[VersionState | None, Command], VersionState | None] = MappingProxyType(
    {
        (NOTHING, Command.UPDATE): VersionState.CHANGED,
        (NOTHING, Command.DELETE): VersionState.DELETED,
        (NOTHING, Command.MOVE): VersionState.MOVED,
        (VersionState.CHANGED, Command.UPDATE): VersionState.CHANGED,
        (VersionState.CHANGED, Command.DELETE): VersionState.DELETED,
        (VersionState.CHANGED, Command.MOVE): VersionState.MOVED,
        (VersionState.NEW, Command.UPDATE): VersionState.NEW,
        (VersionState.NEW, Command.DELETE): REMOVED,
        (VersionState.NEW, Command.MOVE): VersionState.NEW,
        (VersionState.MOVED, Command.UPDATE): VersionState.MOVED,
        (VersionState.MOVED, Command.DELETE): VersionState.DELETED,
        (VersionState.MOVED, Command.MOVE): VersionState.MOVED,
    }
)


def held_by_draft(work: Work, row: RowValues) -> VersionState | None:
    """What the workspace of the batch holds for a record, ``row`` being the row seen there."""
    return VersionState(row["version_state"]) if row["workspace_id"] == work.workspace_id else NOTHING


def state_after(held: VersionState | None, command: Command) -> VersionState | None:
    """The state a row has after a command, or ``REMOVED``.

    Raises ``WriteRefused("marked_deleted")`` for a record marked to be deleted.
    """
    if held is VersionState.DELETED:
        raise WriteRefused("marked_deleted", text("This record is already marked to be deleted in this workspace."))
    return _STATE_AFTER[held, command]


def write_values(work: Work, trait: TableTrait, row: RowValues, values: Mapping[str, Any]) -> dict[str, Any]:
    """Give a record new values where the batch writes: on its live row, on its draft row, or on a new version row."""
    if not work.in_draft:
        return change_row(work, trait, row, values)
    demand_versioned(trait)
    held = held_by_draft(work, row)
    state = state_after(held, Command.UPDATE)
    if held is not NOTHING or state is REMOVED:
        return change_row(work, trait, row, values)
    version = _version_of(work, row, state, values)
    insert_rows(work, trait, [version], before=[row])
    return version


def mark_deleted(work: Work, trait: TableTrait, rows: Sequence[RowValues]) -> list[dict[str, Any]]:
    """Delete records in the draft by the table: mark live ones, turn version rows into marks, remove new ones.

    Returns the rows in the order given, as they are now (or were, when removed).
    """
    demand_versioned(trait)
    decided = [(row, held_by_draft(work, row)) for row in rows]
    outcomes = {row["uid"]: state_after(held, Command.DELETE) for row, held in decided}
    remove_rows(work, trait, [row for row in rows if outcomes[row["uid"]] is REMOVED])
    turned = [row for row, held in decided if held in {VersionState.CHANGED, VersionState.MOVED}]
    changed = change_rows(work, trait, turned, {"version_state": VersionState.DELETED.value})
    live = [row for row, held in decided if held is NOTHING]
    marks = [_version_of(work, row, VersionState.DELETED, {}) for row in live]
    insert_rows(work, trait, marks, before=live)
    now = {row["uid"]: found for row, found in zip([*turned, *live], [*changed, *marks], strict=True)}
    return [now.get(row["uid"], dict(row)) for row in rows]


def place_rows(
    work: Work, trait: TableTrait, rows: Sequence[RowValues], values: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Give records the same place (``pid``, ``sorting``), in a draft by the table; returns them in the order given.

    A record that has these values already is left as it is.
    """
    differing = [row for row in rows if any(row[name] != value for name, value in values.items())]
    now = {row["uid"]: found for row, found in zip(differing, _placed(work, trait, differing, values), strict=True)}
    return [now.get(row["uid"], dict(row)) for row in rows]


def _placed(
    work: Work, trait: TableTrait, rows: Sequence[RowValues], values: Mapping[str, Any]
) -> list[dict[str, Any]]:
    if not work.in_draft:
        return change_rows(work, trait, rows, values)
    demand_versioned(trait)
    decided = [(row, held_by_draft(work, row)) for row in rows]
    states = {row["uid"]: state_after(held, Command.MOVE) for row, held in decided}
    found: dict[int, dict[str, Any]] = {}
    for state in (VersionState.NEW, VersionState.MOVED):
        held_rows = [row for row, held in decided if held is not NOTHING and states[row["uid"]] is state]
        changed = change_rows(work, trait, held_rows, {**values, "version_state": state.value})
        found |= {row["uid"]: after for row, after in zip(held_rows, changed, strict=True)}
    live = [row for row, held in decided if held is NOTHING]
    versions = [_version_of(work, row, VersionState.MOVED, values) for row in live]
    insert_rows(work, trait, versions, before=live)
    found |= {row["uid"]: version for row, version in zip(live, versions, strict=True)}
    return [found[row["uid"]] for row in rows]


def _version_of(work: Work, row: RowValues, state: VersionState, values: Mapping[str, Any]) -> dict[str, Any]:
    version = {
        **row,
        "workspace_id": work.workspace_id,
        "live_uid": row["uid"],
        "version_state": state.value,
        "version_stage": 0,
        "version_base": row["rev"],
        "rev": 1,
        "changed_at": work.context.now,
        **values,
    }
    del version["uid"]
    return version


def demand_versioned(trait: TableTrait) -> None:
    """Raise ``WriteRefused("not_versioned")`` for a table a draft cannot hold, for administrators too (cms.md 3)."""
    if not trait.versioned:
        raise WriteRefused(
            "not_versioned",
            text("Records of the kind “%(kind)s” cannot be changed in a draft workspace.", kind=trait.label),
        )
