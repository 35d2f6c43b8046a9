"""The two ways to a connection, and what every engine is told (rehearsal.md rules 17, 18, 20 to 22)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import JSON, BigInteger, Boolean, Column, MetaData, SmallInteger, String, Table, Text, text
from sqlalchemy.dialects.sqlite import dialect as sqlite_dialect
from sqlalchemy.engine import Engine
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.schema import CreateTable

from app.core import db as database
from app.core.db import READING, SLICE, db, engine_options, install_hooks, reading, reading_options, slices, transaction

WAIT = 10.0


def make_app(url: str) -> Flask:
    """An application with both engines and one table, without the product's own tables."""
    flask = Flask("small")
    flask.config.update(
        SQLALCHEMY_DATABASE_URI=url,
        SQLALCHEMY_ENGINE_OPTIONS=engine_options(url),
        SQLALCHEMY_BINDS={READING: {"url": url, **reading_options(url)}},
    )
    db.init_app(flask)
    with flask.app_context():
        install_hooks(db.engine, db.engines[READING])
        with transaction() as connection:
            connection.execute(text("CREATE TABLE thing (n INTEGER PRIMARY KEY)"))
    return flask


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Flask]:
    """Both engines on a fresh SQLite file."""
    yield from _in_context(make_app(f"sqlite:///{tmp_path / 'small.db'}"))


@pytest.fixture
def postgres(postgres_url: str) -> Iterator[Flask]:
    """Both engines on a fresh PostgreSQL database."""
    yield from _in_context(make_app(postgres_url))


def _in_context(flask: Flask) -> Iterator[Flask]:
    with flask.app_context():
        yield flask
        db.engine.dispose()
        db.engines[READING].dispose()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def either(request: pytest.FixtureRequest) -> Flask:
    """Each database in turn."""
    found: Flask = request.getfixturevalue(request.param)
    return found


def add(*numbers: int) -> None:
    """Write rows in one transaction."""
    with transaction() as connection:
        for n in numbers:
            connection.execute(text("INSERT INTO thing VALUES (:n)"), {"n": n})


def held() -> list[int]:
    """The committed rows."""
    with reading() as connection:
        return [int(n) for n in connection.execute(text("SELECT n FROM thing ORDER BY n")).scalars()]


def wait_until(condition: Callable[[], bool]) -> None:
    """Until another thread has got there."""
    deadline = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < deadline, "another thread never got there"
        time.sleep(0.001)


def pragmas(engine: Engine) -> dict[str, object]:
    """What a connection of ``engine`` was told."""
    raw = engine.raw_connection()
    try:
        driver = raw.driver_connection
        assert driver is not None
        assert driver.isolation_level is None, "the driver would begin and commit on its own"
        names = ("journal_mode", "busy_timeout", "synchronous", "foreign_keys", "trusted_schema", "query_only")
        return {name: driver.execute(f"PRAGMA {name}").fetchone()[0] for name in names}
    finally:
        raw.close()


@pytest.mark.usefixtures("app")
def test_it_tells_every_engine_the_rules() -> None:
    assert set(db.engines) == {None, READING}
    for name, engine in db.engines.items():
        assert pragmas(engine) == {
            "journal_mode": "wal",
            "busy_timeout": 20_000,
            "synchronous": 2,
            "foreign_keys": 1,
            "trusted_schema": 0,
            "query_only": int(name == READING),
        }
        with engine.connect() as connection:
            assert connection.execute(text("SELECT fold('Ä')")).scalar_one() == "ä"


def test_it_rolls_a_released_savepoint_back_with_the_transaction(either: Flask) -> None:
    connection = db.engine.connect()
    outer = connection.begin()
    with connection.begin_nested():
        connection.execute(text("INSERT INTO thing VALUES (1)"))
    outer.rollback()
    connection.close()
    assert held() == []


def test_it_keeps_what_came_before_a_savepoint_that_was_rolled_back(either: Flask) -> None:
    with transaction() as connection:
        connection.execute(text("INSERT INTO thing VALUES (1)"))
        inner = connection.begin_nested()
        connection.execute(text("INSERT INTO thing VALUES (2)"))
        inner.rollback()
        connection.execute(text("INSERT INTO thing VALUES (3)"))
    assert held() == [1, 3]


def test_it_commits_at_the_end_and_rolls_back_what_raised(either: Flask) -> None:
    add(1)
    with pytest.raises(IntegrityError):
        add(2, 1)
    assert held() == [1]
    add(2)
    assert held() == [1, 2]


@pytest.mark.parametrize(
    "statement",
    ["INSERT INTO thing VALUES (9)", "UPDATE thing SET n = 8", "DELETE FROM thing", "CREATE TABLE more (n INTEGER)"],
)
def test_it_cannot_write_while_reading(either: Flask, statement: str) -> None:
    add(1)
    with reading() as connection, pytest.raises(DBAPIError):
        connection.execute(text(statement))
    assert held() == [1]


def test_it_reads_one_moment(sqlite: Flask) -> None:
    add(1)
    with reading() as connection:
        count = text("SELECT count(*) FROM thing")
        assert connection.execute(count).scalar_one() == 1
        add(2)
        assert connection.execute(count).scalar_one() == 1
    assert held() == [1, 2]


def test_it_refuses_a_transaction_inside_another(sqlite: Flask) -> None:
    with pytest.raises(RuntimeError, match="already open"), transaction(), transaction():
        pass
    add(1)
    assert held() == [1], "the refusal must not keep the queue closed"


def test_it_takes_the_write_lock_at_the_beginning(sqlite: Flask) -> None:
    other = db.engine.raw_connection()
    driver = other.driver_connection
    assert driver is not None
    driver.execute("PRAGMA busy_timeout=0")
    with transaction(), pytest.raises(Exception, match="locked"):
        driver.execute("BEGIN IMMEDIATE")
    other.invalidate()


def test_it_serves_writers_in_the_order_they_came(sqlite: Flask) -> None:
    order: list[int] = []

    def write(number: int) -> None:
        with sqlite.app_context(), transaction():
            order.append(number)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    with transaction():
        queue = database._queue_of(db.engine)
        for waiting, thread in enumerate(threads, start=2):
            thread.start()
            wait_until(lambda waiting=waiting: len(queue._waiting) == waiting)
        assert order == []
    for thread in threads:
        thread.join(WAIT)
    assert order == list(range(6))


def rest_after(hold: float) -> float:
    """How long the queue waits before the turn that follows one of ``hold`` seconds."""
    queue = database._FairQueue()
    with queue.turn():
        threading.Event().wait(hold)
    ended = time.monotonic()
    with queue.turn():
        return time.monotonic() - ended


def test_it_lets_other_processes_write_after_a_long_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_LONG_HOLD", 0.01)
    assert rest_after(0.06) >= 0.05


def test_it_does_not_rest_longer_than_necessary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_LONG_HOLD", 0.01)
    monkeypatch.setattr(database, "_LONGEST_REST", 0.0)
    assert rest_after(0.3) < 0.25


def test_it_does_not_rest_after_a_short_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_LONG_HOLD", 0.5)
    assert rest_after(0.3) < 0.25


def test_it_hands_the_turn_on_when_a_writer_fails() -> None:
    queue = database._FairQueue()
    with pytest.raises(ZeroDivisionError), queue.turn():
        raise ZeroDivisionError
    with queue.turn():
        pass


@pytest.mark.postgres
def test_it_does_not_wait_for_ever_on_postgresql(postgres: Flask) -> None:
    with transaction() as connection:
        assert connection.execute(text("SHOW lock_timeout")).scalar_one() == "20s"
        assert connection.execute(text("SHOW statement_timeout")).scalar_one() == "1min"
        assert connection.execute(text("SHOW transaction_isolation")).scalar_one() == "read committed"


def test_it_names_only_types_strict_tables_know() -> None:
    kinds = [Boolean(), BigInteger(), SmallInteger(), String(5), Text(), JSON()]
    table = Table(
        "t", MetaData(), *(Column(f"c{number}", kind) for number, kind in enumerate(kinds)), sqlite_strict=True
    )
    words = str(CreateTable(table).compile(dialect=sqlite_dialect()))
    assert [line.split()[1].rstrip(",") for line in words.splitlines() if line.strip().startswith("c")] == [
        "INTEGER",
        "INTEGER",
        "INTEGER",
        "TEXT",
        "TEXT",
        "TEXT",
    ]


def test_it_cuts_long_lists_into_parts_that_fit() -> None:
    values = list(range(SLICE * 2 + 1))
    parts = list(slices(values))
    assert [len(part) for part in parts] == [SLICE, SLICE, 1]
    assert [value for part in parts for value in part] == values
    assert list(slices([])) == []
