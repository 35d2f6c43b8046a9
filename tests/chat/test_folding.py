"""Folding events into one list of records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.agent.events import VERSION, EventKind, StoredEvent
from app.chat.folding import FoldedRecord, fold_events
from app.chat.run_record import RunEntry


def event(kind: str, payload: Mapping[str, Any] | str, *, seq: int = 1, run: str = "r1") -> StoredEvent:
    words = payload if isinstance(payload, str) else json.dumps({"v": VERSION, **payload})
    return StoredEvent(run_uuid=run, seq=seq, kind=kind, version=VERSION, payload=words, at=0)


def change(uid: int = 5, action: str = "updated", **facts: Any) -> dict[str, Any]:
    return {"t": "pages", "u": uid, "l": uid, "w": 1, "a": action, **facts}


def changes(*items: dict[str, Any], call: int = 0, seq: int = 1, run: str = "r1", **more: Any) -> StoredEvent:
    payload = {"turn": 1, "call": call, "tool": "t", "status": "complete", "failed": False, "omitted": 0}
    return event(EventKind.TOOL_CHANGES, {**payload, "changes": list(items), **more}, seq=seq, run=run)


def only(*events: StoredEvent) -> FoldedRecord:
    (record,) = fold_events(events).records
    return record


@pytest.mark.behaviour("CH-03")
def test_it_lists_a_record_once_with_the_last_facts() -> None:
    record = only(changes(change(h=False), seq=1), changes(change(u=9, l=5, h=True), seq=2, call=1))
    assert (record.uid, record.live_uid, record.hidden) == (9, 5, True)


@pytest.mark.behaviour("CH-04")
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("created", "updated", "created"),
        ("created", "moved", "created"),
        ("updated", "moved", "moved"),
        ("created", "deleted", "deleted"),
        ("deleted", "created", "deleted"),
        ("deleted", "updated", "deleted"),
    ],
)
def test_it_keeps_created_and_lets_a_delete_win(first: str, second: str, expected: str) -> None:
    assert only(changes(change(action=first), seq=1), changes(change(action=second), seq=2)).action == expected


@pytest.mark.behaviour("CH-04")
def test_it_keeps_that_a_record_was_once_the_target() -> None:
    assert only(changes(change(target=True), seq=1), changes(change(target=False), seq=2)).is_target


@pytest.mark.behaviour("CH-05")
def test_it_shows_one_record_of_two_drafts_twice() -> None:
    records = fold_events([changes(change(w=1, u=11, l=5), change(w=2, u=12, l=5))]).records
    assert [record.workspace_id for record in records] == [1, 2]


@pytest.mark.behaviour("CH-06")
def test_it_marks_the_records_of_a_step_that_failed() -> None:
    failed = event(EventKind.TOOL, {"turn": 1, "call": 0, "tool": "t", "ok": False, "code": "failed"}, seq=2)
    record = only(changes(change(), seq=1), failed)
    assert record.step_failed


@pytest.mark.behaviour("CH-06")
def test_it_never_loses_a_failure_marker() -> None:
    first = changes(change(), seq=1, call=0, failed=True)
    assert only(first, changes(change(), seq=2, call=1)).step_failed


def test_it_marks_only_the_failed_call() -> None:
    records = fold_events([changes(change(1), seq=1, call=0, failed=True), changes(change(2), seq=2, call=1)]).records
    assert [record.step_failed for record in records] == [True, False]


@pytest.mark.behaviour("CH-09")
def test_it_reads_a_run_without_changes_through_its_writes() -> None:
    folded = fold_events([event(EventKind.TOOL_WRITE, {"turn": 1, "call": 0, "t": "pages", "u": 4, "kind": "hide"})])
    (record,) = folded.records
    assert (record.has_details, record.workspace_id, record.action, record.uid) == (False, None, "unknown", 4)
    assert folded.runs_without_details == 1


@pytest.mark.behaviour("CH-09")
def test_it_never_reads_a_run_with_changes_through_its_writes_too() -> None:
    write = event(EventKind.TOOL_WRITE, {"turn": 1, "call": 0, "t": "pages", "u": 77, "kind": "hide"}, seq=2)
    folded = fold_events([changes(change(5), seq=1), write])
    assert [record.uid for record in folded.records] == [5]
    assert folded.runs_without_details == 0


@pytest.mark.behaviour("RR-03")
def test_it_lists_the_writes_of_entries_without_a_run() -> None:
    folded = fold_events([], [RunEntry(outcome="done", writes=(("pages", 3, ""), ("pages", 3, ""), ("pages", 4, "")))])
    assert [(record.uid, record.has_details) for record in folded.records] == [(3, False), (4, False)]
    assert folded.runs_without_details == 1


@pytest.mark.behaviour("CH-31")
@pytest.mark.parametrize("payload", ["nonsense", "[]", '{"v":99}', '{"v":1,"changes":{}}', '{"v":1,"changes":[1]}'])
def test_it_counts_a_payload_it_cannot_decode_and_makes_no_record_of_it(payload: str) -> None:
    folded = fold_events([event(EventKind.TOOL_CHANGES, payload)])
    assert (folded.records, folded.incomplete_steps) == ((), 1)


@pytest.mark.parametrize("status", ["incomplete", "not_captured", None])
def test_it_counts_a_step_whose_capture_is_incomplete(status: str | None) -> None:
    assert fold_events([changes(change(), status=status)]).incomplete_steps == 1


def test_it_adds_up_what_the_events_left_out() -> None:
    folded = fold_events([changes(change(1), omitted=3), changes(change(2), seq=2, call=1, omitted=4)])
    assert folded.omitted == 7


@pytest.mark.behaviour("CH-08")
def test_it_marks_a_write_that_was_not_finished() -> None:
    write = {"turn": 1, "call": 0, "t": "pages", "u": 5, "kind": "update", "completeness": "partial"}
    assert only(changes(change(5)), event(EventKind.TOOL_WRITE, write, seq=2)).is_partial


_ITEMS = st.builds(
    lambda uid, workspace, action, target, hidden: {
        "t": "pages",
        "u": uid,
        "l": uid,
        "w": workspace,
        "a": action,
        "target": target,
        "h": hidden,
    },
    st.integers(1, 4),
    st.integers(0, 1),
    st.sampled_from(["created", "updated", "moved", "deleted"]),
    st.booleans(),
    st.booleans(),
)


@given(st.lists(st.lists(_ITEMS, max_size=3), max_size=5))
def test_it_does_not_depend_on_how_events_are_batched_or_handed_over(calls: list[list[dict[str, Any]]]) -> None:
    events = [changes(*items, seq=number, call=number) for number, items in enumerate(calls, start=1)]
    assert fold_events(list(reversed(events))) == fold_events(events)
    one_by_one = [
        changes(item, seq=number * 10 + place, call=number)
        for number, items in enumerate(calls, start=1)
        for place, item in enumerate(items)
    ]
    assert fold_events(one_by_one).records == fold_events(events).records


@given(st.lists(_ITEMS, min_size=1, max_size=4))
def test_it_is_idempotent_for_repeated_events(items: list[dict[str, Any]]) -> None:
    once = fold_events([changes(*items, seq=1)])
    twice = fold_events([changes(*items, seq=1), changes(*items, seq=2, call=0)])
    assert {(r.table, r.live_uid, r.workspace_id) for r in once.records} == {
        (r.table, r.live_uid, r.workspace_id) for r in twice.records
    }
    for order in permutations([changes(*items, seq=1)]):
        assert fold_events(order) == once


@pytest.mark.behaviour("CH-31")
@pytest.mark.parametrize("action", [["created"], {"a": 1}, 7, None, "published"])
def test_an_action_it_does_not_know_is_not_recorded(action: Any) -> None:
    assert only(changes(change(action=action))).action == "unknown"
