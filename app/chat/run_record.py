"""The run record of a conversation: what its runs ended as and wrote, identifiers only (RR-01 to RR-06). Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.core.canonical import dumps

MOST_ENTRIES = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class RunEntry:
    """One segment of a run; a run resumed after an approval has several entries and one uuid (RR-02)."""

    outcome: str
    writes: tuple[tuple[str, int, str], ...] = ()
    """(table, uid, kind) of each write."""
    tool_failed: bool = False
    run_uuid: str | None = None
    """None = an entry from before runs were named (RR-03)."""


def decode(words: str) -> tuple[RunEntry, ...]:
    """Entries as stored, oldest first; what cannot be understood is left out."""
    try:
        stored = json.loads(words)
    except ValueError:
        return ()
    if not isinstance(stored, list):
        return ()
    return tuple(entry for item in stored if (entry := _entry(item)) is not None)


def _entry(item: Any) -> RunEntry | None:
    if not isinstance(item, Mapping):
        return None
    run = item.get("run")
    return RunEntry(
        outcome=str(item.get("outcome", "")),
        writes=tuple(_write(write) for write in item.get("writes", []) if _is_write(write)),
        tool_failed=bool(item.get("failed", False)),
        run_uuid=run if isinstance(run, str) and run else None,
    )


def _is_write(write: Any) -> bool:
    return (
        isinstance(write, Sequence)
        and not isinstance(write, str)
        and len(write) >= 2
        and isinstance(write[0], str)
        and type(write[1]) is int
    )


def _write(write: Sequence[Any]) -> tuple[str, int, str]:
    return write[0], write[1], str(write[2]) if len(write) > 2 else ""


def encode(entries: Iterable[RunEntry]) -> str:
    """Entries as canonical JSON."""
    return dumps(
        [
            {
                "outcome": entry.outcome,
                "writes": [list(write) for write in entry.writes],
                "failed": entry.tool_failed,
                **({} if entry.run_uuid is None else {"run": entry.run_uuid}),
            }
            for entry in entries
        ]
    )


def add_entry(entries: Sequence[RunEntry], entry: RunEntry) -> tuple[tuple[RunEntry, ...], bool]:
    """Entries with one more, the newest 200 kept; the second value says whether older ones fell off (RR-06, CH-15)."""
    grown = (*entries, entry)
    return grown[-MOST_ENTRIES:], len(grown) > MOST_ENTRIES


def run_uuids(entries: Iterable[RunEntry]) -> tuple[str, ...]:
    """Distinct uuids, oldest first (RR-02)."""
    return tuple(dict.fromkeys(entry.run_uuid for entry in entries if entry.run_uuid is not None))


def has_changes(entries: Iterable[RunEntry]) -> bool:
    """Whether a list of changes is worth opening: something was written, or a tool failed (CH-24)."""
    return any(entry.writes or entry.tool_failed for entry in entries)
