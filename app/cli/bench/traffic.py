"""Traffic beside a large write, in a process of its own: polls that read, or runs that append events (W8).

Arguments: data folder, role, seconds, names; one thread per name. Prints one JSON object with the waits.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable

from flask import Flask
from sqlalchemy.exc import OperationalError

from app import create_app
from app.agent.events import EventKind, append_event
from app.chat.pages import is_unchanged
from app.config import Settings
from app.core.db import reading, transaction

POLLS, RUNS = "polls", "runs"
_PAUSES = {POLLS: 0.005, RUNS: 0.002}
"""Seconds between two of one thread."""
_EVENT = {"tool": "copy_page", "status": "complete", "changes": [], "text": "x" * 500}


def _poll(name: str) -> None:
    user_id, conversation_id = map(int, name.split("/"))
    with reading() as connection:
        is_unchanged(connection, user_id, conversation_id, 1_000_000, None)


def _append(run_uuid: str) -> None:
    with transaction() as connection:
        append_event(connection, run_uuid, EventKind.LLM, _EVENT)


ROLES: dict[str, Callable[[str], None]] = {POLLS: _poll, RUNS: _append}


def work(app: Flask, role: str, seconds: float, name: str, waits: list[float], errors: list[str]) -> None:
    """Do what ``role`` does again and again for ``seconds``; notes how long each took, and errors of the lock."""
    act, pause = ROLES[role], _PAUSES[role]
    with app.app_context():
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            began = time.perf_counter()
            try:
                act(name)
            except OperationalError as error:
                errors.append(str(error.orig))
            waits.append(time.perf_counter() - began)
            time.sleep(pause)


def main() -> None:
    """Read the arguments and the address of the database (empty: SQLite), say "ready", wait for a line, and work."""
    folder, role, seconds, *names = sys.argv[1:]
    app = create_app(Settings.from_environment({}, data=folder, workers=0, database_url=sys.stdin.readline().strip()))
    waits: list[float] = []
    errors: list[str] = []
    threads = [
        threading.Thread(target=work, args=(app, role, float(seconds), name, waits, errors), daemon=True)
        for name in names
    ]
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.stdout.write(json.dumps({"waits": waits, "errors": errors}) + "\n")
