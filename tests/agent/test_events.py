from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import event

from app.agent.events import UNREADABLE, EventKind, StoredEvent, append_event, decode, read_events
from app.core.db import READING, db, reading, transaction
from tests.agent.execution_world import World

STORED = StoredEvent(run_uuid="u", seq=1, kind="tool", version=1, payload='{"v":1,"tool":"x"}', at=0)


def test_it_numbers_events_from_one_without_gaps(world: World) -> None:
    one, two = world.start(), world.start()
    with transaction() as connection:
        for facts in (one, two, one, one):
            append_event(connection, facts.uuid, EventKind.TOOL, {"tool": "x"})
    with reading() as connection:
        found = read_events(connection, [two.uuid, one.uuid])
    assert [(item.run_uuid, item.seq) for item in found] == [(two.uuid, 1), (one.uuid, 1), (one.uuid, 2), (one.uuid, 3)]


@pytest.mark.behaviour("CH-27")
def test_it_reads_all_runs_in_one_statement(world: World) -> None:
    runs = [world.start() for _ in range(5)]
    with transaction() as connection:
        for facts in runs:
            append_event(connection, facts.uuid, EventKind.TOOL, {"tool": "x"})
            append_event(connection, facts.uuid, EventKind.TOOL_CHANGES, {"changes": []})
    statements: list[str] = []
    engine = db.engines[READING]
    event.listen(engine, "before_cursor_execute", lambda *args: statements.append(args[2]))
    with reading() as connection:
        found = read_events(connection, [facts.uuid for facts in runs], [EventKind.TOOL_CHANGES])
    assert (len(found), len(statements)) == (5, 1)
    with reading() as connection:
        assert read_events(connection, []) == ()


@pytest.mark.behaviour("CH-31")
@pytest.mark.parametrize(
    "other",
    [
        {"kind": "tomorrow"},
        {"version": 2},
        {"payload": "{"},
        {"payload": "[]"},
        {"payload": '{"v":2}'},
        {"payload": "{}"},
        {"payload": ""},
    ],
)
def test_it_answers_unreadable_instead_of_failing(other: dict[str, object]) -> None:
    assert decode(STORED) == {"v": 1, "tool": "x"}
    assert decode(replace(STORED, **other)) is UNREADABLE  # type: ignore[arg-type]
