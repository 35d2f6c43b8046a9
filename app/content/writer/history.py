"""Writes the record history of a batch in one statement: who, where, by which origin, which fields (CM-06, I1)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from operator import attrgetter
from typing import Any, cast

from sqlalchemy import Connection, Table

from app.content import models
from app.content.schema import TableTrait
from app.content.types import ChangeAction, ChangeSet, HistoryEvent, ObservedChange, WriteContext
from app.content.writer.bulk import insert_many
from app.content.writer.observe import RowValues, public_uid
from app.policy.identity import LIVE

# One encoder for all rows: ``json.dumps`` would build one per call. Same form as ``core.canonical``; the values were
# normalised before.
_ENCODE = json.JSONEncoder(
    check_circular=False, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
).encode
_FACTS = attrgetter("endtime", "groups", "hidden", "created_uid", "language_id", "page_uid", "starttime", "is_target")
"""What ``facts_of`` tells of a change; rows of one page mostly share it, and its JSON is made once."""
_TABLE = cast(Table, models.RecordHistory.__table__)


def write_history(
    connection: Connection,
    context: WriteContext,
    changes: ChangeSet,
    published: Sequence[tuple[TableTrait, RowValues]] = (),
) -> None:
    """One history row per observed change, in the order of observation. To be left out in a rehearsal (rehearsal.md
    rule 11).

    ``published`` are draft rows whose values became live. Each has one row "published" under its own uid, so that a list
    that names it can find the live record (CH-20): the row of the live record's change, or one of its own where that
    change is a deletion or nothing differed.
    """
    known_facts: dict[tuple[Any, ...], str] = {}
    entries = [_entry(change, known_facts) for change in changes.changes]
    told = {(entry["table_name"], entry["uid"]) for entry in entries if entry["action"] == HistoryEvent.PUBLISHED}
    entries += [_plain(trait, row) for trait, row in published if (trait.name, row["uid"]) not in told]
    _insert(connection, context, entries)


def write_stages(
    connection: Connection, context: WriteContext, trait: TableTrait, rows: Sequence[RowValues], stage: int
) -> None:
    """One history row per draft row that changed its stage: no change of the record (cms.md section 9)."""
    entries = [
        {
            **_plain(trait, row),
            "action": HistoryEvent.STAGE.value,
            "workspace_id": row["workspace_id"],
            "changes": _ENCODE({"version_stage": (row["version_stage"], stage)}),
        }
        for row in rows
    ]
    _insert(connection, context, entries)


def _insert(connection: Connection, context: WriteContext, entries: Sequence[dict[str, Any]]) -> None:
    common = {
        "at": context.now,
        "user_id": context.actor.user_id,
        "origin": context.origin.value,
        "correlation": context.correlation,
    }
    for entry in entries:  # made for this statement alone
        entry.update(common)
    insert_many(connection, _TABLE, entries)


def _entry(change: ObservedChange, known_facts: dict[tuple[Any, ...], str]) -> dict[str, Any]:
    key = _FACTS(change)
    facts = known_facts.get(key)
    if facts is None:
        facts = known_facts[key] = _ENCODE(facts_of(change))
    is_publication = bool(change.published_uid) and change.action is not ChangeAction.DELETED
    event = HistoryEvent.PUBLISHED if is_publication else change.event
    return {
        "table_name": change.table,
        "uid": change.published_uid if is_publication else change.uid,
        "live_uid": change.live_uid,
        "workspace_id": change.workspace_id,
        "action": (change.action if event is None else event).value,
        "changes": _ENCODE({field.name: (field.old, field.new) for field in change.fields}),
        "facts": facts,
    }


def _plain(trait: TableTrait, row: RowValues) -> dict[str, Any]:
    """That a draft row was published, without changes to tell."""
    return {
        "table_name": trait.name,
        "uid": row["uid"],
        "live_uid": public_uid(row),
        "workspace_id": LIVE,
        "action": HistoryEvent.PUBLISHED.value,
        "changes": "{}",
        "facts": "{}",
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
