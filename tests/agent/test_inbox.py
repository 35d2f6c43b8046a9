"""What waits and what was decided: whose, in which order, and what the filters leave."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import event, insert, select

from app.agent import models as tables
from app.agent.configurations import find_configuration_named
from app.agent.inbox import (
    RECENT_DAYS,
    WAITING_LISTED,
    WaitingFilter,
    count_waiting,
    list_ended,
    list_waiting,
    list_waiting_groups,
)
from app.agent.llm.scripted import call_turn, text_turn
from app.core import ids
from app.core.db import READING, db, reading, transaction
from app.seed.demo import DemoSite
from tests.agent.scenes import Scene
from tests.support.clock import FakeClock

DAY = 86_400
RUN = tables.Run.__table__
CARD = tables.Turn.__table__


@pytest.fixture
def ask(scene: Scene, site: DemoSite, identity_of):
    """``ask("dora")``: a run of that person that waits for approval of one change."""

    def start(name: str, *, configuration: str = "Editorial") -> str:
        call = ("update_page_metadata", {"page": site.pages["hours"], "title": "Hours"})
        scene.script(call_turn(call), text_turn("Understood."))
        uuid = scene.start(identity_of(name), configuration=configuration)
        scene.work()
        return uuid

    return start


def waiting(identity_of, name: str, **wanted: int) -> list[str]:
    with reading() as connection:
        return [run.uuid for run in list_waiting(connection, identity_of(name), WaitingFilter(**wanted))]


def test_it_lists_the_longest_waiting_first(ask, clock: FakeClock, identity_of) -> None:
    first = ask("dora")
    clock.advance(60)
    second = ask("anna")
    assert waiting(identity_of, "fay") == [first, second]


def test_others_see_their_own_only(ask, identity_of) -> None:
    mine, other = ask("dora"), ask("anna")
    assert waiting(identity_of, "dora") == [mine]
    assert waiting(identity_of, "anna") == [other]
    assert set(waiting(identity_of, "admin")) == {mine, other}
    assert waiting(identity_of, "emil") == []
    with reading() as connection:
        assert count_waiting(connection, identity_of("dora")) == 1
        assert [group.owner_id for group in list_waiting_groups(connection, identity_of("dora"))] == [
            identity_of("dora").user_id
        ]


def test_the_filters_narrow_by_configuration_person_and_age(ask, clock: FakeClock, identity_of) -> None:
    old = ask("dora")
    clock.advance(3 * DAY)
    new = ask("anna")
    with reading() as connection:
        found = find_configuration_named(connection, "Editorial")
    assert found is not None
    assert waiting(identity_of, "fay", days=3) == [old]
    assert waiting(identity_of, "fay", owner_id=identity_of("anna").user_id) == [new]
    assert waiting(identity_of, "fay", configuration_id=found.id) == [old, new]
    assert waiting(identity_of, "fay", configuration_id=987) == []
    assert waiting(identity_of, "dora", owner_id=identity_of("anna").user_id) == []


def copies(uuid: str, count: int) -> None:
    """The same waiting run again, under other numbers."""
    with transaction() as connection:
        row = dict(connection.execute(select(RUN).where(RUN.c.uuid == uuid)).mappings().one())
        connection.execute(insert(RUN), [{**row, "uuid": ids.new_uuid()} for _ in range(count)])


def test_it_lists_a_hundred_and_counts_the_rest(ask, identity_of) -> None:
    copies(ask("dora"), 120)
    assert len(waiting(identity_of, "fay")) == WAITING_LISTED
    with reading() as connection:
        assert count_waiting(connection, identity_of("fay")) == 121


def test_what_ended_is_listed_newest_first_with_its_decisions(ask, scene: Scene, clock: FakeClock, identity_of) -> None:
    first = ask("dora")
    scene.decide(identity_of("olga"), first)
    scene.work()
    clock.advance(60)
    second = ask("dora")
    scene.decide(identity_of("dora"), second, approve=False)
    scene.work()
    with reading() as connection:
        found = list_ended(connection, identity_of("fay"))
        assert [ended.run.uuid for ended in list_ended(connection, identity_of("anna"))] == []
    assert [ended.run.uuid for ended in found] == [second, first]
    assert [[decision.approved for decision in ended.decisions] for ended in found] == [[False], [True]]
    clock.advance(RECENT_DAYS * DAY + 1)
    with reading() as connection:
        assert list_ended(connection, identity_of("fay")) == ()


def test_a_run_without_a_card_is_no_decision(scene: Scene, identity_of) -> None:
    scene.script(text_turn("Hello."))
    scene.start(identity_of("dora"))
    scene.work()
    with reading() as connection:
        assert list_ended(connection, identity_of("admin")) == ()


def test_neither_list_reads_every_run(ask, scene: Scene, identity_of) -> None:
    """What waits is found by its status, what ended by its time: no statement scans the table of runs (C5)."""
    scene.decide(identity_of("olga"), ask("dora"))
    sent: list[tuple[str, Any]] = []

    def remember(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_rest: Any) -> None:
        sent.append((statement, parameters))

    engine = db.engines[READING]
    with reading() as connection:
        event.listen(engine, "before_cursor_execute", remember)
        list_waiting(connection, identity_of("fay"))
        count_waiting(connection, identity_of("fay"))
        list_waiting_groups(connection, identity_of("fay"))
        list_ended(connection, identity_of("fay"))
        event.remove(engine, "before_cursor_execute", remember)
        about_runs = [found for found in sent if "FROM run" in found[0]]
        plans = [connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}", given).all() for query, given in about_runs]
    details = [str(row[-1]) for plan in plans for row in plan]
    assert len(plans) == 4
    assert not [detail for detail in details if detail.startswith("SCAN")]
    assert any("ix_run_finished_at" in detail for detail in details)
