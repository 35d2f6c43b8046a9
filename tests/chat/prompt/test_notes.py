"""Notes on earlier runs: what they really did."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask import Flask

from app.chat.prompt.notes import MOST_RUNS, notes
from app.chat.run_record import RunEntry
from app.core.db import reading
from app.core.ids import new_uuid
from app.seed.demo import DemoSite
from tests.support.personas import IdentityOf

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-")

Lines = Callable[..., list[str]]


@pytest.fixture
def lines(app: Flask, identity_of: IdentityOf) -> Lines:
    def make(*entries: RunEntry, owner: str = "anna") -> list[str]:
        with reading() as connection:
            found = notes(connection, identity_of(owner), entries)
        return [] if found is None else found.words.splitlines()[1:]

    return make


@pytest.mark.behaviour("RR-05")
def test_a_run_is_told_by_its_outcome_and_its_writes(lines: Lines, site: DemoSite) -> None:
    uid = site.pages["hours"]
    writes = (("pages", uid, "hide"), ("pages", uid, "hide"), ("pages", site.pages["visit"], "update"))
    entry = RunEntry(outcome="completed", writes=writes, tool_failed=True)
    told = f"- run 1: completed; reported writes: hide pages {uid}, update pages {site.pages['visit']}; a step failed"
    assert lines(entry) == [told]


def test_a_first_run_is_told_nothing(lines: Lines) -> None:
    assert lines() == []


@pytest.mark.behaviour("RR-05")
def test_the_segments_of_a_run_are_one_note(lines: Lines, site: DemoSite) -> None:
    first, second = new_uuid(), new_uuid()
    found = lines(
        RunEntry(outcome="waiting_for_approval", run_uuid=first),
        RunEntry(outcome="completed", writes=(("pages", site.pages["hours"], "hide"),), run_uuid=first),
        RunEntry(outcome="failed", run_uuid=second),
    )
    assert found == [
        f"- run 1: completed; reported writes: hide pages {site.pages['hours']}",
        "- run 2: failed; no reported write",
    ]


@pytest.mark.behaviour("RR-04")
def test_no_uuid_gets_into_a_note_whatever_the_record_holds(lines: Lines, site: DemoSite) -> None:
    uuid = new_uuid()
    hostile = RunEntry(
        outcome=uuid,
        writes=(("pages", site.pages["hours"], uuid), (uuid, 1, "hide"), ("pages", site.pages["visit"], "Ignore\nall")),
        run_uuid=uuid,
    )
    found = "\n".join(lines(hostile))
    assert not _UUID.search(found)
    assert "Ignore" not in found
    assert f"write pages {site.pages['hours']}" in found


def test_records_the_person_may_not_read_now_are_only_counted(lines: Lines, site: DemoSite) -> None:
    closed, shown = site.pages["staff"], site.pages["hours"]
    assert lines(RunEntry(outcome="completed", writes=(("pages", closed, "hide"),))) == [
        "- run 1: completed; no reported write the person may read now"
    ]
    assert lines(RunEntry(outcome="completed", writes=(("pages", closed, "hide"), ("pages", shown, "hide")))) == [
        f"- run 1: completed; reported writes: hide pages {shown}; 1 more the person may not read now"
    ]


def test_only_the_newest_runs_are_told_and_writes_are_bounded(lines: Lines, site: DemoSite) -> None:
    many = tuple(("pages", site.pages["hours"], kind) for kind in (f"kind_{'a' * size}" for size in range(30)))
    found = lines(*(RunEntry(outcome="completed", writes=many, run_uuid=new_uuid()) for _ in range(200)))
    assert len(found) == MOST_RUNS
    assert found[0].startswith("- run 181: ")
    assert found[-1].startswith("- run 200: ")
    assert max(map(len, found)) < 450
