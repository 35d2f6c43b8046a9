"""What happened in a run, in order and without gaps (I9). One list of kinds serves writers and readers.

A payload carries a version. A reader that does not know a kind or a version gets ``UNREADABLE`` instead of an error
(CH-31, F46).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import Any, cast

from sqlalchemy import Table, bindparam, func, insert, select
from sqlalchemy.engine import Connection

from app.agent.models import RunEvent
from app.core import canonical, clock

VERSION = 1
MAX_BYTES = 4 * 1024 * 1024
"""Bound of one stored payload when it is read back, in characters; what is written is bounded long before."""
_DECODER = json.JSONDecoder()
"""Plain: payloads are written by ``append_event`` alone, in canonical form, and a list of changes reads thousands of them."""
_events: Table = RunEvent.__table__
_APPEND = insert(_events).values(
    seq=select(func.coalesce(func.max(_events.c.seq), 0) + 1)
    .where(_events.c.run_uuid == bindparam("of_run"))
    .scalar_subquery()
)

_LAST = (
    select(_events)
    .where(_events.c.run_uuid == bindparam("of_run"), _events.c.kind == bindparam("of_kind"))
    .order_by(_events.c.seq.desc())
    .limit(1)
)


class EventKind(StrEnum):
    """Everything a run records."""

    STARTED = "started"
    REQUEST = "request"
    """The model was asked: number of messages, what was offered as a short digest, and the names of the tools offered where they
    differ from those of the request before it.
    """
    LLM = "llm"
    """The model answered: tokens, finish reason, names of the tools asked for."""
    CARD = "card"
    """A card began to wait: turn, revision, cause."""
    APPROVAL = "approval"
    """A decision: turn, revision, approved, who; no free text."""
    WAIT = "wait"
    """The provider asked to wait longer than a worker does: until when, in seconds since the epoch (F26)."""
    TOOL = "tool"
    """A call ended, carried out or refused: tool and code."""
    TOOL_CHANGES = "tool_changes"
    """What the content service observed during one call (D20)."""
    TOOL_WRITE = "tool_write"
    """The record a write names, and whether an extension failed after it (CH-07)."""
    CANCEL = "cancel"
    """Somebody asked to stop: who, and whether every run was halted."""
    ENDED = "ended"
    PURGED = "purged"
    """The contents were removed because their time was over; what is not content stays."""


class Unreadable(Enum):
    """The one value of a payload that cannot be understood."""

    UNREADABLE = auto()


UNREADABLE = Unreadable.UNREADABLE
_KINDS = frozenset(kind.value for kind in EventKind)


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredEvent:
    """One event as stored; ``kind`` may be one this version does not know."""

    run_uuid: str
    seq: int
    kind: str
    version: int
    payload: str
    at: int


def append_event(connection: Connection, run_uuid: str, kind: EventKind, payload: Mapping[str, Any]) -> None:
    """Add one event with the next number. The caller holds the run row, so nobody else takes the same number."""
    row = {
        "of_run": run_uuid,
        "run_uuid": run_uuid,
        "kind": kind.value,
        "version": VERSION,
        "payload": canonical.dumps({"v": VERSION, **payload}),
        "at": clock.now(),
    }
    connection.execute(_APPEND, row)


def read_events(
    connection: Connection, run_uuids: Sequence[str], kinds: Collection[EventKind] | None = None
) -> tuple[StoredEvent, ...]:
    """The events of all these runs in one statement (CH-27), run by run in the order asked, each in its own order."""
    if not run_uuids:
        return ()
    statement = select(_events).where(_events.c.run_uuid.in_(run_uuids))
    if kinds is not None:
        statement = statement.where(_events.c.kind.in_([kind.value for kind in kinds]))
    place = {uuid: position for position, uuid in enumerate(run_uuids)}
    found = [StoredEvent(**row) for row in connection.execute(statement).mappings().all()]
    return tuple(sorted(found, key=lambda item: (place[item.run_uuid], item.seq)))


def read_last_event(connection: Connection, run_uuid: str, kind: EventKind) -> Mapping[str, Any] | None:
    """The payload of the newest event of a kind; None when there is none, or none that can be understood."""
    row = connection.execute(_LAST, {"of_run": run_uuid, "of_kind": kind.value}).mappings().first()
    payload = UNREADABLE if row is None else decode(StoredEvent(**row))
    return None if payload is UNREADABLE else payload


def decode(event: StoredEvent) -> Mapping[str, Any] | Unreadable:
    """The payload of an event of a known kind and version; ``UNREADABLE`` for anything else, never an error."""
    if event.version != VERSION or event.kind not in _KINDS:
        return UNREADABLE
    try:
        payload, end = (None, 0) if len(event.payload) > MAX_BYTES else _DECODER.raw_decode(event.payload)
    except (ValueError, RecursionError):
        return UNREADABLE
    is_ours = isinstance(payload, dict) and end == len(event.payload) and payload.get("v") == VERSION
    return cast(dict[str, Any], payload) if is_ours else UNREADABLE
