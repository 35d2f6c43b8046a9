"""What is not kept for ever: contents go, what happened stays and says that they are gone."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from sqlalchemy import func, select, update

from app.accounts.store import ATTEMPT
from app.agent import models, retention
from app.agent.approvals import newest_decision
from app.agent.events import EventKind, read_events
from app.agent.governance import GovernanceDecision, record_refusal
from app.agent.retention import CONTENTS, purge_attempts, purge_contents, purge_governance
from app.agent.rotation import COLUMNS, seal_again
from app.agent.run_rows import find_run
from app.agent.store import load_calls
from app.core.crypto import NotKept
from app.core.db import reading, transaction
from app.core.i18n import render
from app.seed.demo import DemoSite
from app.web.timeline import read_timeline
from tests.support.assignments import DONE, Assignments, facts_of
from tests.support.clock import FakeClock

DAY = 86_400
RUN = models.Run.__table__
MESSAGES = models.RunMessage.__table__
KEPT = {("turn", "digest_key_sealed"), ("approval_decision", "reason_sealed")}
"""A random key and what a person said of their decision: no contents of a run."""


@pytest.fixture
def ended(clock: FakeClock, assignments: Assignments, site: DemoSite) -> Assignments:
    """An assignment that changed a page, and one whose card was declined with a reason."""
    for key in ("hours", "press"):
        assignments.ask([("hide_record", {"table": "pages", "uid": site.pages[key]})], DONE, workspace=1)
        assignments.decide(approve=key == "hours", reason="Not today.")
    return assignments


def values(*, of: str | None = None) -> list[str]:
    """Every stored value of contents."""
    found: list[str] = []
    with reading() as connection:
        for table, column in CONTENTS:
            wanted = select(table.c[column])
            found += connection.execute(wanted if of is None else wanted.where(table.c.run_uuid == of)).scalars()
    return found


def count(table: Any) -> int:
    with reading() as connection:
        return int(connection.execute(select(func.count()).select_from(table)).scalar_one())


def test_every_encrypted_column_of_a_run_goes_or_is_kept_on_purpose(app: Flask) -> None:
    sealed = {(column.table.name, column.column) for column in COLUMNS if "run_uuid" in column.table.c}
    assert {(table.name, column) for table, column in CONTENTS} | KEPT == sealed


def test_contents_go_after_their_days_and_not_before(ended: Assignments, clock: FakeClock) -> None:
    clock.advance(30 * DAY)
    before = values()
    assert purge_contents(0) == 0
    assert purge_contents(31) == 0
    assert values() == before
    clock.advance(1)
    assert purge_contents(30) == 2
    assert set(values()) == {""}
    assert purge_contents(30) == 0, "the second time there is nothing to do"


def test_what_happened_stays_and_the_contents_are_named_as_not_kept(
    ended: Assignments, clock: FakeClock, identity_of: Any
) -> None:
    listed, uuid = facts_of(ended.changes()), ended.run_uuid
    clock.advance(31 * DAY)
    assert purge_contents(30) == 2
    assert facts_of(ended.changes()) == listed != []
    with reading() as connection:
        decision = newest_decision(connection, uuid)
        run = next(iter(read_events(connection, [uuid], [EventKind.PURGED])))
        timeline = _timeline(connection, ended, uuid)
        with pytest.raises(NotKept):
            load_calls(connection, uuid, 1, ended.runtime.cipher)
    assert decision is not None
    assert decision.reason(ended.runtime.cipher) == "Not today."
    assert run.kind == "purged"
    assert timeline[-1] == "The contents of this assignment were not kept."
    card = ended.card()
    assert (render(card.heading, "en"), card.state, card.steps) == (
        "What this approval showed was not kept",
        "declined",
        (),
    )
    assert card.decided is not None
    assert card.reason == "Not today."
    assert ended.page().view.run_uuid == uuid, "the page of the conversation still opens"


def _timeline(connection: Any, ended: Assignments, uuid: str) -> list[str]:
    run = find_run(connection, uuid)
    assert run is not None
    view = read_timeline(connection, ended.identity_of("admin"), run, ended.runtime, None)
    return [render(entry.words, "en") for entry in view.entries]


def test_runs_that_live_keep_everything(ended: Assignments, clock: FakeClock, site: DemoSite) -> None:
    ended.ask([("hide_record", {"table": "pages", "uid": site.pages["about"]})], DONE)
    waiting = ended.run_uuid
    clock.advance(400 * DAY)
    assert purge_contents(1) == 2
    assert all(values(of=waiting))


def test_one_unreadable_row_harms_only_itself(ended: Assignments, clock: FakeClock) -> None:
    with transaction() as connection:
        here = MESSAGES.c.run_uuid == ended.run_uuid
        connection.execute(update(MESSAGES).where(here).values(body_sealed="v1.k9.bm90IHNlYWxlZA=="))
    clock.advance(31 * DAY)
    assert purge_contents(30) == 2
    assert set(values()) == {""}
    assert seal_again(ended.runtime.cipher).unreadable == 0


def test_more_runs_than_one_part_holds(ended: Assignments, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "_RUNS", 1)
    clock.advance(31 * DAY)
    assert purge_contents(30) == 2
    assert set(values()) == {""}


def test_refusals_and_attempts_go_by_their_age(
    ended: Assignments, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "_ROWS", 2)
    governance, attempts = models.GovernanceEvent.__table__, count(ATTEMPT)
    assert attempts > 2
    for number in range(5):
        clock.advance(DAY if number == 3 else 0)
        with transaction() as connection:
            record_refusal(connection, run_uuid="", decision=GovernanceDecision.TOOL_DENIED, reason="x")
    assert (purge_governance(0), purge_attempts(0)) == (0, 0)
    clock.advance(29 * DAY)
    assert (purge_governance(29), count(governance)) == (3, 2)
    assert purge_attempts(29) == attempts
    assert count(ATTEMPT) == 0
