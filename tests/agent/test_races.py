"""Races that only the database may decide, on both databases: claims, decisions, starts, cancelling against executing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from flask import current_app
from sqlalchemy import func, select

from app.accounts.service import find_identity
from app.agent import models as tables
from app.agent.approvals import decide
from app.agent.dispatch import make_dispatcher
from app.agent.leases import claim_run
from app.agent.llm.base import UserMessage
from app.agent.llm.scripted import ScriptedModel, call_turn, text_turn
from app.agent.news import subscribe, unsubscribe
from app.agent.reaping import queued_runs, reap
from app.agent.runs import cancel_run, find_run, start_run
from app.agent.store import find_card
from app.agent.types import RunNews
from app.agent.worker import execute_run
from app.core import errors
from app.core.db import reading, transaction
from app.policy.identity import Identity
from tests.agent.execution_world import World


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def arena(request: pytest.FixtureRequest) -> World:
    """The small site on each database."""
    name = "world" if request.param == "sqlite" else "postgres_world"
    world: World = request.getfixturevalue(name)
    model = ScriptedModel(
        [call_turn(("update_page_metadata", {"page": world.hours, "title": "Hours"})), text_turn("Done.")]
    )
    world.runtime = replace(world.runtime, make_model=lambda _name: model)
    return world


def _together(count: int, act: Callable[[int], Any]) -> list[Any]:
    """What ``act`` answered or raised in each of ``count`` threads that begin at once."""
    app, gate = current_app._get_current_object(), threading.Barrier(count)  # type: ignore[attr-defined]
    results: list[Any] = [None] * count

    def run(number: int) -> None:
        with app.app_context():
            gate.wait()
            try:
                results[number] = act(number)
            except errors.AppError as error:
                results[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def _person(user_id: int) -> Identity:
    with reading() as connection:
        found = find_identity(connection, user_id)
    assert found is not None
    return found


def _start(world: World) -> str:
    owner = _person(world.owner)
    with transaction() as connection:
        return start_run(
            connection,
            owner=owner,
            configuration_id=world.configuration,
            subject="test:1",
            messages=[UserMessage(content="Please")],
            runtime=world.runtime,
        )


def _run(uuid: str) -> Any:
    with reading() as connection:
        return find_run(connection, uuid)


def _waiting(world: World) -> str:
    uuid = _start(world)
    execute_run(uuid, world.runtime)
    assert _run(uuid).status == "waiting_for_approval"
    return uuid


def _press(world: World, uuid: str, actor: Identity, *, approve: bool = True) -> Any:
    with reading() as connection:
        card = find_card(connection, uuid)
    assert card is not None
    return decide(actor, uuid, approve=approve, digest=card.digest, token="", reason="No.", runtime=world.runtime)


def test_it_walks_from_message_to_answer(arena: World) -> None:
    uuid = _waiting(arena)
    assert arena.title_of(arena.hours) == "Opening hours"
    assert _press(arena, uuid, _person(arena.approver)).kind == "recorded"
    assert list(queued_runs()) == [uuid]
    execute_run(uuid, arena.runtime)
    assert _run(uuid).reason == "completed"
    assert arena.title_of(arena.hours) == "Hours"


@pytest.mark.behaviour("CA-11")
def test_it_lets_one_of_six_approvers_win(arena: World) -> None:
    uuid = _waiting(arena)
    actors = [_person(arena.owner), _person(arena.approver)] * 3
    results = _together(6, lambda number: _press(arena, uuid, actors[number], approve=number % 3 > 0))
    assert sorted(result.kind.value for result in results) == ["already_decided"] * 5 + ["recorded"]
    assert len({(result.by, result.at, result.approved) for result in results}) == 1
    assert arena.count("approval_decision", run_uuid=uuid) == 1


@pytest.mark.behaviour("CA-11")
def test_it_answers_the_loser_instead_of_failing(arena: World) -> None:
    uuid = _waiting(arena)
    actors = [_person(arena.owner), _person(arena.approver)]
    inside = threading.Event()

    def linger(_connection: object, news: RunNews) -> None:
        """The first decision stays uncommitted until the second has surely looked at the run."""
        if news.settled_cards and not inside.is_set():
            inside.set()
            threading.Event().wait(0.5)

    def press(number: int) -> Any:
        if number:
            inside.wait(10)
        return _press(arena, uuid, actors[number])

    subscribe(linger)
    try:
        first, second = _together(2, press)
    finally:
        unsubscribe(linger)
    assert (first.kind, second.kind, second.by) == ("recorded", "already_decided", arena.owner)


def test_it_lets_one_of_six_workers_claim(arena: World) -> None:
    uuid = _start(arena)

    def claim(_number: int) -> int | None:
        with transaction() as connection:
            return claim_run(connection, uuid, lease_seconds=60)

    assert sorted(_together(6, claim), key=str) == [1, None, None, None, None, None]


def test_it_executes_once_whatever_the_number_of_messages(arena: World) -> None:
    uuid = _waiting(arena)
    _press(arena, uuid, _person(arena.approver))
    _together(4, lambda _number: execute_run(uuid, arena.runtime))
    assert _run(uuid).reason == "completed"
    assert arena.count("call_outcome", run_uuid=uuid) == 1
    assert arena.count("run_event", run_uuid=uuid, kind="tool_changes") == 1


def test_it_counts_the_runs_of_a_person_while_others_start(arena: World) -> None:
    results = _together(6, lambda _number: _start(arena))
    assert sum(isinstance(result, errors.TooMany) for result in results) == 3
    assert len(queued_runs()) == 3


@pytest.mark.behaviour("RT-14")
def test_it_never_writes_after_a_cancel(arena: World) -> None:
    for _ in range(3):
        uuid = _waiting_again(arena)
        owner = _person(arena.owner)
        _press(arena, uuid, owner)
        acts: list[Callable[[], object]] = [
            lambda uuid=uuid: execute_run(uuid, arena.runtime),  # type: ignore[misc]
            lambda uuid=uuid, owner=owner: cancel_run(owner, uuid, arena.runtime),  # type: ignore[misc]
        ]
        _together(2, lambda number, acts=acts: acts[number]())  # type: ignore[misc]
        assert _run(uuid).status in {"cancelled", "completed"}
        kinds = _kinds(uuid)
        if "cancel" in kinds:
            assert "tool_changes" not in kinds[kinds.index("cancel") :]
        assert kinds.count("ended") == 1


def _waiting_again(world: World) -> str:
    title = f"Hours {world.count('run')}"
    model = ScriptedModel(
        [call_turn(("update_page_metadata", {"page": world.hours, "title": title})), text_turn("Done.")]
    )
    world.runtime = replace(world.runtime, make_model=lambda _name: model)
    return _waiting(world)


def _kinds(uuid: str) -> list[str]:
    events = tables.RunEvent.__table__
    with reading() as connection:
        rows = connection.execute(select(events.c.kind).where(events.c.run_uuid == uuid).order_by(events.c.seq))
        numbers = connection.execute(select(func.max(events.c.seq)).where(events.c.run_uuid == uuid)).scalar_one()
        kinds = [str(kind) for kind in rows.scalars().all()]
    assert numbers == len(kinds)
    return kinds


def test_it_reaps_once_in_several_processes(arena: World) -> None:
    uuid = _start(arena)
    with transaction() as connection:
        claim_run(connection, uuid, lease_seconds=-10)
    results = _together(4, lambda _number: reap(arena.runtime))
    assert sorted(results, key=len)[-1] == (uuid,)
    assert sum(len(result) for result in results) == 1


@pytest.mark.postgres
def test_it_carries_messages_on_postgresql(postgres_world: World, postgres_url: str) -> None:
    settings = replace(postgres_world.runtime.settings, database_url=postgres_url)
    sender, receiver = make_dispatcher(settings), make_dispatcher(settings)
    got: list[str] = []
    huey = receiver.listen(got.append)
    sender.wake("some-run")
    huey.execute(huey.dequeue())
    assert got == ["some-run"]
    assert receiver.is_empty
    sender.close()
    receiver.close()
