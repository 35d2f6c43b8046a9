"""Writes the record history of a batch in one statement: who, where, by which origin, which fields (CM-06, I1)."""

from __future__ import annotations

import json
from typing import Any, cast

from sqlalchemy import Connection, Table

from app.content import models
from app.content.types import ChangeSet, ObservedChange, WriteContext
from app.content.writer.bulk import insert_many

# One encoder for all rows: ``json.dumps`` would build one per call. Same form as ``core.canonical``; the values were
# normalised before.
_ENCODE = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode
_TABLE = cast(Table, models.RecordHistory.__table__)


def write_history(connection: Connection, context: WriteContext, changes: ChangeSet) -> None:
    """One history row per observed change, in the order of observation. To be left out in a rehearsal (rehearsal.md
    rule 11).
    """
    if not changes:
        return
    common = {
        "at": context.now,
        "user_id": context.actor.user_id,
        "origin": context.origin.value,
        "correlation": context.correlation,
    }
    known_facts: dict[tuple[Any, ...], str] = {}
    insert_many(connection, _TABLE, [{**common, **_entry(change, known_facts)} for change in changes.changes])


def _entry(change: ObservedChange, known_facts: dict[tuple[Any, ...], str]) -> dict[str, Any]:
    facts = facts_of(change)
    key = tuple(facts.items())
    if key not in known_facts:
        known_facts[key] = _ENCODE(facts)
    return {
        "table_name": change.table,
        "uid": change.uid,
        "live_uid": change.live_uid,
        "workspace_id": change.workspace_id,
        "action": change.action.value,
        "changes": _ENCODE({field.name: (field.old, field.new) for field in change.fields}),
        "facts": known_facts[key],
    }


def facts_of(change: ObservedChange) -> dict[str, Any]:
    """The observed facts as plain data; facts the table does not have are left out.

    ``inserted`` says that the row itself was made by the batch: the names of a rehearsal's new rows are rebuilt
    from it.
    """
    facts = {
        "endtime": change.endtime,
        "groups": change.groups,
        "hidden": change.hidden,
        "inserted": change.created_uid or None,
        "language": change.language_id,
        "page": change.page_uid,
        "starttime": change.starttime,
        "target": change.is_target or None,
    }
    return {name: value for name, value in facts.items() if value is not None}
