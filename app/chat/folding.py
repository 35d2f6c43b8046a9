"""Folds the events of runs into one list of records: later state wins, created stays created, a delete wins (CH-03 to CH-09).

A pure function of the events: the same events in any batches give the same list (I32).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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


@dataclass
class _Fold:
    records: dict[tuple[str, int, int | None], FoldedRecord] = field(default_factory=dict)
    omitted: int = 0
    incomplete: int = 0
    predates: int = 0


def fold_events(events: Iterable[StoredEvent], old_entries: Sequence[RunEntry] = ()) -> Folded:
    """The list told by ``events`` (any order of runs, each run in order) and by entries from before runs were named (RR-03)."""
    fold = _Fold()
    for entry in old_entries:
        if entry.writes:
            fold.predates += 1
        for table, uid, _kind in entry.writes:
            _add_bare(fold, table, uid)
    by_run: dict[str, list[StoredEvent]] = {}
    for event in events:
        by_run.setdefault(event.run_uuid, []).append(event)
    for run_events in by_run.values():
        _fold_run(fold, sorted(run_events, key=lambda event: event.seq))
    return Folded(
        records=tuple(fold.records.values()),
        omitted=fold.omitted,
        incomplete_steps=fold.incomplete,
        runs_without_details=fold.predates,
    )


def _fold_run(fold: _Fold, events: Sequence[StoredEvent]) -> None:
    read = [(event.kind, decode(event)) for event in events]
    if any(kind == EventKind.TOOL_CHANGES for kind, _ in read):
        failed = _failed_calls(read)
        for kind, payload in read:
            if kind == EventKind.TOOL_CHANGES:
                _add_changes(fold, payload, failed)
        for kind, payload in read:
            if kind == EventKind.TOOL_WRITE:
                _add_markers(fold, payload)
        return
    named = [
        (payload["t"], payload["u"])
        for kind, payload in read
        if kind == EventKind.TOOL_WRITE
        and not isinstance(payload, Unreadable)
        and isinstance(payload.get("t"), str)
        and type(payload.get("u")) is int
    ]
    for table, uid in named:
        _add_bare(fold, table, uid)
    fold.predates += bool(named)


Payload = Mapping[str, Any] | Unreadable


def _failed_calls(read: Sequence[tuple[str, Payload]]) -> set[tuple[Any, Any]]:
    failed = set()
    for kind, payload in read:
        if isinstance(payload, Unreadable):
            continue
        by_tool = kind == EventKind.TOOL and payload.get("ok") is False
        by_changes = kind == EventKind.TOOL_CHANGES and payload.get("failed") is True
        by_hook = kind == EventKind.TOOL_WRITE and payload.get("hook_failed") is True
        if by_tool or by_changes or by_hook:
            failed.add((payload.get("turn"), payload.get("call")))
    return failed


def _add_changes(fold: _Fold, payload: Payload, failed: set[tuple[Any, Any]]) -> None:
    if isinstance(payload, Unreadable):
        fold.incomplete += 1  # CH-31: the step is counted, no record and no error comes of it
        return
    omitted = payload.get("omitted", 0)
    fold.omitted += omitted if type(omitted) is int and omitted > 0 else 0
    changes = payload.get("changes", [])
    records = [_record(change) for change in changes] if isinstance(changes, list) else [None]
    if payload.get("status") != "complete" or None in records:
        fold.incomplete += 1
    step_failed = (payload.get("turn"), payload.get("call")) in failed
    for record in records:
        if record is not None:
            _merge(fold, replace(record, step_failed=step_failed))


def _record(change: Any) -> FoldedRecord | None:
    if not isinstance(change, Mapping):
        return None
    table = change.get("t")
    uid, live_uid, workspace = (_whole(change.get(name)) for name in ("u", "l", "w"))
    if not isinstance(table, str) or uid is None or live_uid is None or workspace is None:
        return None
    hidden, groups = change.get("h"), change.get("g")
    return FoldedRecord(
        table=table,
        uid=uid,
        live_uid=live_uid,
        workspace_id=workspace,
        action=change["a"] if change.get("a") in {"created", "updated", "moved", "deleted"} else "unknown",
        language_id=_whole(change.get("lang")),
        hidden=hidden if isinstance(hidden, bool) else None,
        starttime=_whole(change.get("s")) or 0,
        endtime=_whole(change.get("e")) or 0,
        groups=tuple(group for group in groups if type(group) is int) if isinstance(groups, list) else (),
        is_target=change.get("target") is True,
    )


def _whole(value: Any) -> int | None:
    return value if type(value) is int else None


def _merge(fold: _Fold, record: FoldedRecord) -> None:
    key = (record.table, record.live_uid, record.workspace_id)
    before = fold.records.get(key)
    if before is None:
        fold.records[key] = record
        return
    fold.records[key] = replace(
        record,
        action=_merged_action(before.action, record.action),
        is_target=before.is_target or record.is_target,
        step_failed=before.step_failed or record.step_failed,
        is_partial=before.is_partial or record.is_partial,
    )


def _merged_action(before: str, now: str) -> str:
    if "deleted" in (before, now):
        return "deleted"
    if before == "created":
        return "created"
    return before if now == "unknown" else now


def _add_markers(fold: _Fold, payload: Payload) -> None:
    if isinstance(payload, Unreadable) or payload.get("completeness") != "partial":
        return
    for key, record in fold.records.items():
        if record.table == payload.get("t") and payload.get("u") in (record.uid, record.live_uid):
            fold.records[key] = replace(record, is_partial=True)


def _add_bare(fold: _Fold, table: str, uid: int) -> None:
    key = (table, uid, None)
    if key not in fold.records:
        fold.records[key] = FoldedRecord(
            table=table, uid=uid, live_uid=uid, workspace_id=None, is_target=True, has_details=False
        )
