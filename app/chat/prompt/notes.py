"""Notes on earlier runs of a conversation: what they really did, from fields picked by name (RR-04, RR-05, I28)."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy.engine import Connection

from app.chat.prompt.bounds import joined
from app.chat.prompt.sections import Part, Section
from app.chat.run_record import RunEntry
from app.content import access
from app.content.types import RecordRef
from app.policy.identity import Identity

MOST_RUNS = 20
LONGEST_WRITES = 300
_RETRY = (
    "Run %d was interrupted before it answered the newest message, which is asked again now. What it reported as written stands: "
    "look at these records, do not write them again, and do only what is still missing."
)
_CODE = re.compile(r"[a-z][a-z_]{0,39}")  # no digits and no hyphens: a uuid does not fit


@dataclass(frozen=True, kw_only=True, slots=True)
class _Run:
    """All segments of one run."""

    outcome: str
    writes: tuple[tuple[str, int, str], ...]
    has_failed_step: bool


def notes(
    connection: Connection, owner: Identity, entries: Sequence[RunEntry], *, is_retry: bool = False
) -> Section | None:
    """What the newest runs did, oldest first; None when there were none. Records the owner may not read now are counted.

    ``is_retry`` = the newest message is the one the last of them was interrupted in.
    """
    runs = _runs(entries)
    if not runs:
        return None
    shown = runs[-MOST_RUNS:]
    refs = {RecordRef(table=table, uid=uid) for run in shown for table, uid, _ in run.writes}
    readable = set(access.readable(connection, owner, refs)) if refs else set()
    first = len(runs) - len(shown) + 1
    lines = [_line(number, run, readable) for number, run in enumerate(shown, start=first)]
    head = "Earlier in this conversation, as recorded (not as it was told):"
    foot = [_RETRY % len(runs)] if is_retry else []
    return Section(part=Part.NOTES, words="\n".join([head, *lines, *foot]))


def _runs(entries: Sequence[RunEntry]) -> list[_Run]:
    """Entries of one uuid as one run, where its first segment stands; entries without a uuid are runs of their own (RR-02)."""
    found: dict[str | int, _Run] = {}
    for place, entry in enumerate(entries):
        key = entry.run_uuid or place
        before = found.get(key)
        found[key] = _Run(
            outcome=entry.outcome,
            writes=(*(before.writes if before else ()), *entry.writes),
            has_failed_step=entry.tool_failed or (before is not None and before.has_failed_step),
        )
    return list(found.values())


def _line(number: int, run: _Run, readable: Collection[RecordRef]) -> str:
    writes = list(dict.fromkeys(run.writes))
    named = [
        f"{_code(kind, 'write')} {table} {uid}"
        for table, uid, kind in writes
        if RecordRef(table=table, uid=uid) in readable
    ]
    withheld = len(writes) - len(named)
    parts = [_code(run.outcome, "ended")]
    if named:
        parts.append(f"reported writes: {joined(named, longest=LONGEST_WRITES)}")
    else:
        parts.append("no reported write the person may read now" if withheld else "no reported write")
    if named and withheld:
        parts.append(f"{withheld} more the person may not read now")
    if run.has_failed_step:
        parts.append("a step failed")
    return f"- run {number}: {'; '.join(parts)}"


def _code(words: str, otherwise: str) -> str:
    return words if _CODE.fullmatch(words) else otherwise
