"""The run record of a conversation."""

from __future__ import annotations

import json

import pytest

from app.chat import run_record
from app.chat.run_record import RunEntry


@pytest.mark.behaviour("RR-01")
def test_it_keeps_outcome_writes_failure_and_run_of_an_entry() -> None:
    entry = RunEntry(outcome="completed", writes=(("pages", 7, "hide"),), tool_failed=True, run_uuid="u-1")
    stored = json.loads(run_record.encode([entry]))
    assert stored == [{"outcome": "completed", "writes": [["pages", 7, "hide"]], "failed": True, "run": "u-1"}]
    assert run_record.decode(json.dumps(stored)) == (entry,)


@pytest.mark.behaviour("RR-02")
def test_it_names_each_run_once_and_the_oldest_first() -> None:
    entries = [RunEntry(outcome="x", run_uuid=uuid) for uuid in ("a", "b", "a", "c")]
    assert run_record.run_uuids(entries) == ("a", "b", "c")


@pytest.mark.behaviour("RR-03")
def test_it_decodes_entries_from_before_runs_were_named() -> None:
    stored = '[{"outcome":"done","writes":[["pages",3]]},{"outcome":"done","writes":[["pages",4,"copy"]],"run":"u"}]'
    first, second = run_record.decode(stored)
    assert (first.run_uuid, first.writes) == (None, (("pages", 3, ""),))
    assert (second.run_uuid, second.writes) == ("u", (("pages", 4, "copy"),))


@pytest.mark.parametrize("stored", ["", "nonsense", "{}", "[1, null, []]", '[{"writes": [["x"], ["y", true], "zz"]}]'])
def test_it_survives_what_it_cannot_understand(stored: str) -> None:
    assert all(entry.writes == () for entry in run_record.decode(stored))


@pytest.mark.behaviour("RR-06")
def test_it_keeps_the_newest_200_entries() -> None:
    entries: tuple[RunEntry, ...] = ()
    dropped = False
    for number in range(205):
        entries, fell_off = run_record.add_entry(entries, RunEntry(outcome=str(number), run_uuid=str(number)))
        dropped = dropped or fell_off
    assert len(entries) == run_record.MOST_ENTRIES
    assert (entries[0].outcome, entries[-1].outcome, dropped) == ("5", "204", True)


def test_it_says_nothing_of_old_entries_that_did_not_fall_off() -> None:
    assert run_record.add_entry((), RunEntry(outcome="x")) == ((RunEntry(outcome="x"),), False)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (RunEntry(outcome="completed"), False),
        (RunEntry(outcome="completed", writes=(("pages", 1, "copy"),)), True),
        (RunEntry(outcome="completed", tool_failed=True), True),
    ],
)
def test_it_knows_whether_a_list_is_worth_opening(entry: RunEntry, expected: bool) -> None:
    assert run_record.has_changes([entry]) is expected
