"""Folds the events of runs into one list of records: later state wins, created stays created, a delete wins (CH-03 to CH-09).

A pure function of the events: the same events in any batches give the same list (I32).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from app.agent.events import EventKind, StoredEvent, Unreadable, decode
from app.chat.run_record import RunEntry


@dataclass(frozen=True, kw_only=True, slots=True)
class FoldedRecord:
    """One record in one workspace, as the runs reported it."""

    table: str
    uid: int
    """The row of the newest observation: rights are checked on it."""
    live_uid: int
    workspace_id: int | None
    """None = recorded without details."""
    action: str = "unknown"
    language_id: int | None = None
    hidden: bool | None = None
    starttime: int = 0
    endtime: int = 0
    groups: tuple[int, ...] = ()
    is_target: bool = False
    step_failed: bool = False
    is_partial: bool = False
    has_details: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Folded:
    """Everything the events of a conversation say about changes."""

    records: tuple[FoldedRecord, ...] = ()
    omitted: int = 0
    """Entries the events left out."""
    incomplete_steps: int = 0
    runs_without_details: int = 0


@dataclass(kw_only=True, slots=True)
class _Kept:
    """A record while its events are folded: the newest observation and what earlier ones add to it."""

    table: str
    uid: int
    live_uid: int
    workspace_id: int | None
    change: Mapping[str, Any] | None
    """The newest observation as stored; None = recorded without details."""
    action: str = "unknown"
    is_target: bool = False
    step_failed: bool = False
    is_partial: bool = False


@dataclass
class _Fold:
    records: dict[tuple[str, int, int | None], _Kept] = field(default_factory=dict)
    omitted: int = 0
    incomplete: int = 0
    predates: int = 0


def fold_events(events: Iterable[StoredEvent], old_entries: Sequence[RunEntry] = ()) -> Folded:
    """The list told by ``events`` (any order of runs, each run in order) and by entries from before runs were named (RR-03)."""
    by_run: dict[str, list[StoredEvent]] = {}
    for event in events:
        by_run.setdefault(event.run_uuid, []).append(event)
    return fold_runs(by_run.values(), old_entries)


def fold_runs(runs: Iterable[Iterable[StoredEvent]], old_entries: Sequence[RunEntry] = ()) -> Folded:
    """``fold_events`` for events that come run by run; of each run nothing is kept but the newest state of its records."""
    fold = _Fold()
    for entry in old_entries:
        if entry.writes:
            fold.predates += 1
        for table, uid, _kind in entry.writes:
            _add_bare(fold, table, uid)
    for events in runs:
        _fold_run(fold, sorted(events, key=_BY_NUMBER))
    return Folded(
        records=tuple(map(_folded, fold.records.values())),
        omitted=fold.omitted,
        incomplete_steps=fold.incomplete,
        runs_without_details=fold.predates,
    )


def _fold_run(fold: _Fold, events: Sequence[StoredEvent]) -> None:
    if not any(event.kind == _CHANGES for event in events):
        _fold_run_without_details(fold, events)
        return
    changes: list[Payload] = []
    others: list[tuple[str, Payload]] = []
    failed: set[tuple[Any, Any]] = set()
    for event in events:
        kind = event.kind
        if kind == _CHANGES:
            payload = decode(event)
            changes.append(payload)
            if not isinstance(payload, Unreadable) and payload.get("failed") is True:
                failed.add((payload.get("turn"), payload.get("call")))
        elif not says_nothing(kind, event.payload):
            others.append((kind, decode(event)))
    failed |= _failed_calls(others)
    for payload in changes:
        _add_changes(fold, payload, failed)
    for kind, payload in others:
        if kind == _WRITE:
            _add_markers(fold, payload)


def _fold_run_without_details(fold: _Fold, events: Sequence[StoredEvent]) -> None:
    written = [decode(event) for event in events if event.kind == _WRITE]
    named = [
        (payload["t"], payload["u"])
        for payload in written
        if not isinstance(payload, Unreadable) and isinstance(payload.get("t"), str) and type(payload.get("u")) is int
    ]
    for table, uid in named:
        _add_bare(fold, table, uid)
    fold.predates += bool(named)


Payload = Mapping[str, Any] | Unreadable
_BY_NUMBER = attrgetter("seq")
_STEP, _CHANGES, _WRITE = EventKind.TOOL.value, EventKind.TOOL_CHANGES.value, EventKind.TOOL_WRITE.value
STEP_WORKED = '"ok":true'
"""What the stored text of a ``tool`` event holds when the step worked: the list needs only the others."""
WRITE_FINISHED = ('"hook_failed":false', '"completeness":"complete"')
"""What the stored text of a ``tool_write`` event holds when nothing is missing."""


def says_nothing(kind: str, payload: str) -> bool:
    """Whether an event of a run with details cannot change the list: a step that worked, a write that was finished.

    Two thirds of the events are such; their text is told apart without decoding it (perf.md C2). Inside a string a quotation
    mark is escaped, so these words can only be a field.
    """
    if kind == _STEP:
        return STEP_WORKED in payload
    if kind == _WRITE:
        return all(words in payload for words in WRITE_FINISHED)
    return False


def _failed_calls(read: Sequence[tuple[str, Payload]]) -> set[tuple[Any, Any]]:
    failed = set()
    for kind, payload in read:
        if isinstance(payload, Unreadable):
            continue
        by_step = kind == _STEP and payload.get("ok") is False
        by_hook = kind == _WRITE and payload.get("hook_failed") is True
        if by_step or by_hook:
            failed.add((payload.get("turn"), payload.get("call")))
    return failed


def _add_changes(fold: _Fold, payload: Payload, failed: set[tuple[Any, Any]]) -> None:
    if isinstance(payload, Unreadable):
        fold.incomplete += 1  # CH-31: the step is counted, no record and no error comes of it
        return
    omitted = payload.get("omitted", 0)
    fold.omitted += omitted if type(omitted) is int and omitted > 0 else 0
    changes = payload.get("changes", [])
    step_failed = (payload.get("turn"), payload.get("call")) in failed
    taken = [_add_change(fold, change, step_failed) for change in changes] if isinstance(changes, list) else [False]
    if payload.get("status") != "complete" or not all(taken):
        fold.incomplete += 1


def _add_change(fold: _Fold, change: Any, step_failed: bool) -> bool:
    """Take one observation up; False when it cannot be understood.

    Thousands of observations are of a few hundred records: only the newest of each is ever turned into a value (perf.md C2).
    """
    if not isinstance(change, dict):
        return False
    get = change.get
    table, uid, live_uid, workspace = get("t"), get("u"), get("l"), get("w")
    if not isinstance(table, str) or type(uid) is not int or type(live_uid) is not int or type(workspace) is not int:
        return False
    action, is_target = get("a"), get("target") is True
    if not isinstance(action, str) or action not in _ACTIONS:
        action = "unknown"
    key = (table, live_uid, workspace)
    kept = fold.records.get(key)
    if kept is None:
        fold.records[key] = _Kept(
            table=table,
            uid=uid,
            live_uid=live_uid,
            workspace_id=workspace,
            change=change,
            action=action,
            is_target=is_target,
            step_failed=step_failed,
        )
        return True
    kept.uid, kept.change = uid, change
    if kept.action != action:
        kept.action = _merged_action(kept.action, action)
    if is_target:
        kept.is_target = True
    if step_failed:
        kept.step_failed = True
    return True


_ACTIONS = frozenset({"created", "updated", "moved", "deleted"})


def _folded(kept: _Kept) -> FoldedRecord:
    change = kept.change
    if change is None:
        return FoldedRecord(
            table=kept.table,
            uid=kept.uid,
            live_uid=kept.live_uid,
            workspace_id=None,
            is_target=True,
            is_partial=kept.is_partial,
            has_details=False,
        )
    hidden, groups = change.get("h"), change.get("g")
    return FoldedRecord(
        table=kept.table,
        uid=kept.uid,
        live_uid=kept.live_uid,
        workspace_id=kept.workspace_id,
        action=kept.action,
        language_id=_whole(change.get("lang")),
        hidden=hidden if isinstance(hidden, bool) else None,
        starttime=_whole(change.get("s")) or 0,
        endtime=_whole(change.get("e")) or 0,
        groups=tuple(group for group in groups if type(group) is int) if isinstance(groups, list) else (),
        is_target=kept.is_target,
        step_failed=kept.step_failed,
        is_partial=kept.is_partial,
    )


def _whole(value: Any) -> int | None:
    return value if type(value) is int else None


def _merged_action(before: str, now: str) -> str:
    if "deleted" in (before, now):
        return "deleted"
    if before == "created":
        return "created"
    return before if now == "unknown" else now


def _add_markers(fold: _Fold, payload: Payload) -> None:
    if isinstance(payload, Unreadable) or payload.get("completeness") != "partial":
        return
    for kept in fold.records.values():
        if kept.table == payload.get("t") and payload.get("u") in (kept.uid, kept.live_uid):
            kept.is_partial = True


def _add_bare(fold: _Fold, table: str, uid: int) -> None:
    key = (table, uid, None)
    if key not in fold.records:
        fold.records[key] = _Kept(table=table, uid=uid, live_uid=uid, workspace_id=None, change=None, is_target=True)
