"""The line under an answer: what the run recorded as changed, from its events only and whatever the answer says.

It counts what the list of changes counts, shown and withheld together, so it tells no viewer more than the list does (I3, CH-18).
It is stored with the answer in the transaction that ends the run: neither a page nor a poll reads events for it (CH-24).
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from sqlalchemy import bindparam, select
from sqlalchemy.engine import Connection

from app.agent.events import EventKind, StoredEvent
from app.agent.models import RunEvent
from app.chat.change_notes import incomplete_words, omitted_words
from app.chat.folding import fold_events
from app.chat.view_models import StatementView
from app.core.canonical import dumps
from app.core.i18n import Text, nptext, text

NOTHING_RECORDED = text("No change is recorded for this answer.")
_NAMES = ("records", "omitted", "incomplete")
_columns = RunEvent.__table__.c
_EVENTS = (
    select(_columns.run_uuid, _columns.seq, _columns.kind, _columns.version, _columns.payload, _columns.at)
    .where(
        _columns.run_uuid == bindparam("run"),
        _columns.kind.in_([EventKind.TOOL_CHANGES.value, EventKind.TOOL_WRITE.value]),
    )
    .order_by(_columns.seq)
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reported:
    """What the events of one run say about changes, as numbers."""

    records: int = 0
    omitted: int = 0
    """Entries the events left out."""
    incomplete: int = 0
    """Steps whose recording is incomplete."""


def count_reported(connection: Connection, run_uuid: str) -> Reported:
    """The numbers of one run, folded as the list of changes folds them; one statement."""
    rows = connection.execute(_EVENTS, {"run": run_uuid})
    folded = fold_events(StoredEvent(**row) for row in rows.mappings())
    return Reported(records=len(folded.records), omitted=folded.omitted, incomplete=folded.incomplete_steps)


def encode(reported: Reported) -> str:
    """As stored with a message."""
    return dumps({"records": reported.records, "omitted": reported.omitted, "incomplete": reported.incomplete})


def decode(stored: str) -> Reported | None:
    """The stored numbers; None for an entry without any, and for what cannot be understood."""
    try:
        found = json.loads(stored)
    except ValueError:
        return None
    if not isinstance(found, dict):
        return None
    numbers = [number for name in _NAMES if type(number := found.get(name)) is int and number >= 0]
    if len(numbers) != len(_NAMES):
        return None
    records, omitted, incomplete = numbers
    return Reported(records=records, omitted=omitted, incomplete=incomplete)


def statement_view(stored: str) -> StatementView | None:
    """The line for a message with these stored numbers; None = no line. It never says that nothing else was changed (I5)."""
    reported = decode(stored)
    if reported is None:
        return None
    words: list[Text] = [_counted(reported.records) if reported.records else NOTHING_RECORDED]
    if reported.omitted:
        words.append(omitted_words(reported.omitted))
    if reported.incomplete:
        words.append(incomplete_words(reported.incomplete))
    return StatementView(records=reported.records, words=tuple(words))


def _counted(count: int) -> Text:
    return nptext("answer", "%(n)s record reported as changed.", "%(n)s records reported as changed.", count)
