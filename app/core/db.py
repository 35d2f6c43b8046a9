"""The database: engine hooks, naming convention, and the only two ways to get a connection.

``transaction()`` writes (``BEGIN IMMEDIATE`` on SQLite behind a fair queue of this process, READ COMMITTED on PostgreSQL);
``reading()`` cannot write. Rules and measurements: deps.md section 7, rehearsal.md rules 17, 18, 20 to 23.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import JSON, BigInteger, Boolean, DateTime, MetaData, SmallInteger, String, Text, event
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import DeclarativeBase

from app.core.folding import fold

NAMING = {
    "ix": "ix_%(column_0_N_label)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
READING = "reading"  # name of the engine that cannot write
SLICE = 900  # SQLite's limit of bound values, with room for the other parameters of a statement
_LONG_HOLD = 0.1  # seconds; after a longer hold this process rests, so that writers of other processes get the lock
_LONGEST_REST = 0.25
_BUSY_TIMEOUT_MS = 20_000

T = TypeVar("T")


class Base(DeclarativeBase):
    """Root of all tables; every table is STRICT on SQLite, so a wrong type is refused by the database too."""

    metadata = MetaData(naming_convention=NAMING)


db = SQLAlchemy(model_class=Base)


@compiles(Boolean, "sqlite")
@compiles(BigInteger, "sqlite")
@compiles(SmallInteger, "sqlite")
def _integer(_element: Any, _compiler: Any, **_kw: Any) -> str:
    return "INTEGER"


@compiles(String, "sqlite")
@compiles(Text, "sqlite")
@compiles(JSON, "sqlite")
@compiles(DateTime, "sqlite")
def _text(_element: Any, _compiler: Any, **_kw: Any) -> str:
    return "TEXT"


class _FairQueue:
    """First come, first served: SQLite's own busy handler lets a quick writer starve a slow one (rehearsal.md rule 17)."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._waiting: deque[threading.Event] = deque()
        self._held_by: int | None = None
        self._rest_until = 0.0

    @contextmanager
    def turn(self) -> Iterator[None]:
        me = threading.get_ident()
        if self._held_by == me:
            msg = "a write transaction is already open in this thread"
            raise RuntimeError(msg)
        gate = threading.Event()
        with self._guard:
            self._waiting.append(gate)
            if len(self._waiting) == 1:
                gate.set()
        gate.wait()
        self._let_other_processes_in()
        self._held_by, since = me, time.monotonic()
        try:
            yield
        finally:
            self._held_by = None
            held = time.monotonic() - since
            if held > _LONG_HOLD:
                self._rest_until = time.monotonic() + min(held, _LONGEST_REST)
            with self._guard:
                self._waiting.popleft()
                if self._waiting:
                    self._waiting[0].set()

    def _let_other_processes_in(self) -> None:
        rest = self._rest_until - time.monotonic()
        if rest > 0:
            threading.Event().wait(rest)


_queues: dict[str, _FairQueue] = {}
_queues_guard = threading.Lock()


def _queue_of(engine: Engine) -> _FairQueue:
    with _queues_guard:
        return _queues.setdefault(str(engine.url), _FairQueue())


def engine_options(url: str) -> dict[str, Any]:
    """Options for the writing engine of ``url``: SQLite through the newer library of the wheel where there is one."""
    if not url.startswith("sqlite"):
        return {"pool_pre_ping": True, "pool_size": 20, "max_overflow": 20}
    options: dict[str, Any] = {
        "pool_size": 40,
        "max_overflow": 20,
        "connect_args": {"timeout": _BUSY_TIMEOUT_MS / 1000},
    }
    try:
        import pysqlite3.dbapi2 as driver
    except ImportError:
        return options
    return {**options, "module": driver}


def reading_options(url: str) -> dict[str, Any]:
    """Options for the engine that cannot write."""
    options = engine_options(url)
    if url.startswith("sqlite"):
        return options
    return {**options, "connect_args": {"options": "-c default_transaction_read_only=on"}}


def install_hooks(writing: Engine, reading_engine: Engine) -> None:
    """Make both engines follow the rules above. To be called once for every pair; a test asserts it."""
    if writing.dialect.name != "sqlite":
        event.listen(writing, "begin", _begin_postgresql)
        return
    event.listen(writing, "connect", _configure_sqlite)
    event.listen(writing, "begin", _begin_immediate)
    event.listen(reading_engine, "connect", _configure_sqlite)
    event.listen(reading_engine, "connect", _forbid_writing)
    event.listen(reading_engine, "begin", _begin_deferred)


def _configure_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # SQLAlchemy, not the driver, emits BEGIN
    wal = _library_version(connection) >= (3, 51, 3)  # older ones can corrupt a WAL database (reliability.md finding 4)
    for pragma in (
        f"journal_mode={'WAL' if wal else 'DELETE'}",
        f"busy_timeout={_BUSY_TIMEOUT_MS}",
        "synchronous=FULL",
        "foreign_keys=ON",
        "trusted_schema=OFF",
    ):
        connection.execute(f"PRAGMA {pragma}")
    connection.create_function("fold", 1, fold, deterministic=True)


def _forbid_writing(connection: Any, _record: Any) -> None:
    connection.execute("PRAGMA query_only=ON")


def _library_version(connection: Any) -> tuple[int, ...]:
    row = connection.execute("SELECT sqlite_version()").fetchone()
    return tuple(int(part) for part in row[0].split("."))


def _driver_connection(connection: Connection) -> Any:
    return connection.connection.driver_connection


def _begin_immediate(connection: Connection) -> None:
    _driver_connection(connection).execute("BEGIN IMMEDIATE")


def _begin_deferred(connection: Connection) -> None:
    _driver_connection(connection).execute("BEGIN")


def _begin_postgresql(connection: Connection) -> None:
    connection.exec_driver_sql("SET LOCAL lock_timeout = '20s'")
    connection.exec_driver_sql("SET LOCAL statement_timeout = '60s'")


_sealed = threading.local()


class Sealed(RuntimeError):
    """Somebody who may only answer tried to open a connection."""


@contextmanager
def sealed() -> Iterator[None]:
    """Inside, this thread opens no connection: ``transaction`` and ``reading`` raise ``Sealed`` (DW-25)."""
    before = getattr(_sealed, "is_on", False)
    _sealed.is_on = True
    try:
        yield
    finally:
        _sealed.is_on = before


def _demand_open() -> None:
    if getattr(_sealed, "is_on", False):
        msg = "no connection may be opened here"
        raise Sealed(msg)


@contextmanager
def transaction() -> Iterator[Connection]:
    """A writing transaction on its own connection: commits at the end, rolls back when something is raised.

    Never call a model, the network, a password hash or a template inside (D3).
    """
    _demand_open()
    engine = db.engine
    if engine.dialect.name != "sqlite":
        with engine.begin() as connection:
            yield connection
        return
    with _queue_of(engine).turn(), engine.begin() as connection:
        yield connection


@contextmanager
def reading() -> Iterator[Connection]:
    """A connection that cannot write: what it sees is one consistent moment, and it always rolls back."""
    _demand_open()
    with db.engines[READING].connect() as connection:
        yield connection


def slices(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """``values`` in parts that fit into one ``IN`` list."""
    for start in range(0, len(values), SLICE):
        yield values[start : start + SLICE]
