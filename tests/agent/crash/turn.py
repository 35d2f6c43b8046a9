"""An approved turn of three calls, one of them refused on its card; carried out by a process that ends at a chosen point."""

from __future__ import annotations

import os
import signal
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import event, select
from sqlalchemy.engine import Connection

from app.agent import store
from app.agent.events import EventKind, decode, read_events
from app.agent.execution import Executed, execute_call
from app.agent.types import RunFacts
from app.core.db import READING, db, reading
from tests.agent.execution_world import World, make_app

UPDATE = "update_page_metadata"
NEVER = 10**9
_EXECUTED = 0
_BROKEN = 3


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """The database as it is right after the approval."""

    world: World
    facts: RunFacts


def prepare(world: World) -> Prepared:
    """Propose, rehearse and approve the turn."""
    facts = world.start(workspace=world.draft)
    world.approved(
        facts,
        (UPDATE, {"page": world.hours, "title": "Open"}),
        (UPDATE, {"page": 999_999, "title": "Open"}),
        ("copy_page", {"page": world.museum, "subpages": True}),
    )
    return Prepared(world=world, facts=facts)


def carry_out(prepared: Prepared, *, fence: int) -> None:
    """What a worker does with the approved turn: every call in order, from the stored calls."""
    facts = replace(prepared.facts, fence=fence)
    runtime = prepared.world.runtime
    with reading() as connection:
        calls = store.load_calls(connection, facts.uuid, 1, runtime.cipher)
    for call in calls:
        result = execute_call(facts, call, runtime, turn_revision=1)
        assert isinstance(result, Executed), result


def run_in_child(prepared: Prepared, url: str, *, end_at: int, counter: Path | None = None) -> bool:
    """Carry the turn out in another process that kills itself at point ``end_at``; True when it was killed.

    A point lies before each statement and before each COMMIT; the moment after one is the moment before the next, for
    nothing reaches the database in between. Without a kill the number of points is written to ``counter``. The caller
    has closed its connections before: a child must not inherit one.
    """
    child = os.fork()
    if child == 0:
        code = _BROKEN
        try:
            code = _work(prepared, url, end_at, counter)
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.WEXITSTATUS(status) == _EXECUTED, "the turn could not be carried out"
    return False


def _work(prepared: Prepared, url: str, end_at: int, counter: Path | None) -> int:
    with make_app(url).app_context():
        passed = _count_points(end_at)
        carry_out(prepared, fence=1)
    if counter is not None:
        counter.write_text(str(passed[0]))
    return _EXECUTED


def _count_points(end_at: int) -> list[int]:
    passed = [0]

    def point(*_args: Any) -> None:
        passed[0] += 1
        if passed[0] == end_at:
            os.kill(os.getpid(), signal.SIGKILL)

    for engine in (db.engine, db.engines[READING]):
        event.listen(engine, "before_cursor_execute", point)
        event.listen(engine, "commit", point)
    return passed


@dataclass(frozen=True, kw_only=True)
class Seen:
    """Everything a call can leave behind, by call ordinal."""

    outcomes: dict[int, str]
    history: dict[int, int]
    events: dict[int, list[str]]
    refusals: int
    numbers: list[int]
    pages: int
    titles: list[str]

    def check_all_or_nothing(self, whole: Seen) -> None:
        """Each call left everything it leaves in ``whole``, or nothing (RT-11)."""
        for ordinal in whole.outcomes:
            mine = (self.history.get(ordinal, 0), self.events.get(ordinal, []))
            if ordinal in self.outcomes:
                assert self.outcomes[ordinal] == whole.outcomes[ordinal]
                assert mine == (whole.history.get(ordinal, 0), whole.events[ordinal])
            else:
                assert mine == (0, []), "a call without an outcome left something"
        assert self.refusals == (whole.refusals if 1 in self.outcomes else 0)
        assert ("Open" in self.titles) == (0 in self.outcomes)
        assert self.numbers == list(range(1, len(self.numbers) + 1))


def look(facts: RunFacts) -> Seen:
    """What the database holds of the turn now."""
    with reading() as connection:
        events = read_events(connection, [facts.uuid])
        by_call: dict[int, list[str]] = {}
        for item in events:
            by_call.setdefault(dict(decode(item))["call"], []).append(item.kind)  # type: ignore[call-overload]
        return Seen(
            outcomes=dict(_rows(connection, "call_outcome", "ordinal", "state", run_uuid=facts.uuid)),
            history=_history(connection, facts),
            events=by_call,
            refusals=len(_rows(connection, "governance_event", "id", run_uuid=facts.uuid)),
            numbers=[item.seq for item in events],
            pages=len(_rows(connection, "pages", "uid")),
            titles=[row[0] for row in _rows(connection, "pages", "title")],
        )


def _history(connection: Connection, facts: RunFacts) -> dict[int, int]:
    rows = _rows(connection, "record_history", "correlation", origin="run")
    return dict(Counter(int(row[0].rsplit("/", 1)[1]) for row in rows if row[0].startswith(facts.uuid)))


def _rows(connection: Connection, name: str, *columns: str, **values: Any) -> list[Any]:
    table = db.metadata.tables[name]
    found = select(*(table.c[column] for column in columns))
    for column, value in values.items():
        found = found.where(table.c[column] == value)
    return list(connection.execute(found.order_by(*table.primary_key)).all())


KINDS = [kind.value for kind in (EventKind.TOOL, EventKind.TOOL_CHANGES, EventKind.TOOL_WRITE)]
