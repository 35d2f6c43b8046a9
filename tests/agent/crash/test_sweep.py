"""A process that carries out an approved turn is ended before and after every statement; another one resumes (F7, RT-11)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

import pytest
from flask import Flask

from app.core.db import READING, db
from tests.agent.crash.turn import KINDS, NEVER, Prepared, Seen, carry_out, look, prepare, run_in_child
from tests.agent.execution_world import make_app, make_world
from tests.support.postgres import PostgresServer

POSTGRES_STEP = 5
"""Every point on SQLite; on PostgreSQL, where a database has to be made for each, every fifth."""
MakeDatabase = Callable[[int], str]


@pytest.mark.crash
@pytest.mark.behaviour("RT-11", "CA-11")
def test_it_carries_every_call_out_exactly_once_wherever_it_is_killed(tmp_path: Path) -> None:
    source = tmp_path / "world.db"
    prepared = _prepare(f"sqlite:///{source}", tmp_path)

    def make(number: int) -> str:
        target = tmp_path / f"{number}.db"
        shutil.copy(source, target)
        return f"sqlite:///{target}"

    killed = _sweep(prepared, make, tmp_path, step=1)
    assert killed > 60, "the sweep must reach every statement of the turn"


@pytest.mark.crash
@pytest.mark.postgres
@pytest.mark.behaviour("RT-11")
def test_it_carries_every_call_out_exactly_once_on_postgresql(tmp_path: Path, postgres_server: PostgresServer) -> None:
    prepared = _prepare(postgres_server.create_database("sweep"), tmp_path)

    def make(number: int) -> str:
        postgres_server.drop_database("sweep_point")
        return postgres_server.create_database("sweep_point", template="sweep")

    assert _sweep(prepared, make, tmp_path, step=POSTGRES_STEP) > 10
    postgres_server.drop_database("sweep_point")
    postgres_server.drop_database("sweep")


@contextmanager
def _using(url: str):  # type: ignore[no-untyped-def]
    app: Flask = make_app(url)
    with app.app_context():
        yield
        db.engine.dispose()
        db.engines[READING].dispose()


def _prepare(url: str, folder: Path) -> Prepared:
    with _using(url):
        return prepare(make_world(folder / "data"))


def _sweep(prepared: Prepared, make: MakeDatabase, folder: Path, *, step: int) -> int:
    """Kill at every ``step``-th point; returns how many kills there were."""
    counter = folder / "points"
    url = make(0)
    assert not run_in_child(prepared, url, end_at=NEVER, counter=counter)
    with _using(url):
        whole = look(prepared.facts)
    _check_whole(whole)
    points = range(1, int(counter.read_text()) + 1, step)
    for point in points:
        _kill_and_resume(prepared, make(point), point, whole)
    return len(points)


def _check_whole(whole: Seen) -> None:
    assert whole.outcomes == {0: "done", 1: "refused_on_card", 2: "done"}
    assert whole.events == {0: KINDS, 1: ["tool"], 2: KINDS}
    assert whole.refusals == 1


def _kill_and_resume(prepared: Prepared, url: str, point: int, whole: Seen) -> None:
    assert run_in_child(prepared, url, end_at=point), f"point {point} was not reached"
    with _using(url):
        look(prepared.facts).check_all_or_nothing(whole)
        prepared.world.set_run(prepared.facts, fence=2)
        carry_out(prepared, fence=2)
        assert look(prepared.facts) == whole, f"after a kill at point {point}"
