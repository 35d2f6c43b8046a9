"""Wake-ups for workers: a message is the uuid of a run and nothing else; the row is the truth (design section 6).

Huey carries the messages: on a file of its own beside the SQLite database, or on tables of its own in PostgreSQL.
Losing or doubling a message does no harm: a claim decides, and the sweep finds what was lost.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from typing import Any, Protocol

from huey import Huey, PostgresHuey, SqliteHuey
from huey.registry import Message
from huey.serializer import Serializer

from app.config import Settings

QUEUE = "imprimatur"
_TASK = "execute_run"
_DATETIME = "$dt"
_log = logging.getLogger(__name__)


class Dispatcher(Protocol):
    """What the runtime needs to wake workers."""

    def wake(self, uuid: str) -> None:
        """Tell workers that the run ``uuid`` is queued. Never fails: the sweep repairs a message that could not be sent."""
        ...


class JsonSerializer(Serializer):  # type: ignore[misc]  # huey publishes no types
    """Messages as JSON, so that reading a queue can never run code. Messages of another form raise ``ValueError``."""

    def _serialize(self, data: Any) -> bytes:
        return json.dumps(_plain(data), separators=(",", ":")).encode()

    def _deserialize(self, data: bytes) -> Any:
        stored = json.loads(bytes(data))
        return Message(*(_restored(part) for part in stored)) if isinstance(stored, list) else _restored(stored)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return {_DATETIME: value.isoformat()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {str(name): _plain(part) for name, part in value.items()}
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    msg = f"a message may not carry a {type(value).__name__}"
    raise ValueError(msg)


def _restored(value: Any) -> Any:
    if isinstance(value, dict):
        if set(value) == {_DATETIME}:
            return datetime.fromisoformat(value[_DATETIME])
        return {name: _restored(part) for name, part in value.items()}
    return [_restored(part) for part in value] if isinstance(value, list) else value


def make_huey(settings: Settings) -> Huey:
    """The queue of an installation. PostgreSQL addresses get its tables there; else ``queue.db`` in the data folder.

    Its own SQLite file uses ``journal_mode=delete`` (D3): huey opens it with the library of Python, which may be too old for WAL.
    """
    url = settings.database
    if url.startswith("postgresql"):
        dsn = "postgresql" + url[url.index("://") :]
        return PostgresHuey(QUEUE, dsn=dsn, serializer=JsonSerializer(), results=False)
    settings.data_folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return SqliteHuey(
        QUEUE,
        filename=str(settings.data_folder / "queue.db"),
        journal_mode="delete",
        timeout=20,
        serializer=JsonSerializer(),
        results=False,
    )


class HueyDispatcher:
    """Wakes workers through huey. ``execute`` is set by the process that runs workers; others only send."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.execute: Callable[[str], None] | None = None

    @cached_property
    def huey(self) -> Huey:
        """The queue, opened at the first use: commands that dispatch nothing leave no trace of it."""
        return make_huey(self._settings)

    @cached_property
    def _task(self) -> Callable[[str], Any]:
        task: Callable[[str], Any] = self.huey.task(name=_TASK)(self._run)
        return task

    def wake(self, uuid: str) -> None:
        """See ``Dispatcher``."""
        try:
            self._task(uuid)
        except Exception as error:  # the run is stored as queued: a queue that cannot be written must not undo that
            _log.warning("queue cannot be written (%s), run %s waits for the sweep", type(error).__name__, uuid)

    @property
    def is_empty(self) -> bool:
        """Whether no message waits; only then a sweep may send again (deps.md section 3)."""
        return int(self.huey.pending_count()) == 0

    def listen(self, execute: Callable[[str], None]) -> Huey:
        """The queue with its task registered, for the consumer of this process; messages run ``execute``."""
        self.execute = execute
        _ = self._task
        return self.huey

    def close(self) -> None:
        """Close the connections of this process to the queue; the next use opens them again."""
        if "huey" in self.__dict__:
            self.huey.storage.close()

    def _run(self, uuid: str) -> None:
        if self.execute is not None:
            self.execute(uuid)


def make_dispatcher(settings: Settings) -> HueyDispatcher:
    """The dispatcher of an installation; several in one installation share the queue."""
    return HueyDispatcher(settings)
