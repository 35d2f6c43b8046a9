"""The loop written by hand: the floor of what persisting a run's steps costs, as the peers' figures are paired with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from app.core.db import engine_options

_CALL = {"id": "c", "name": "tool", "arguments": '{"table": "pages", "uid": 7, "title": "A new title"}'}
_CHANGES = {"call": "c", "records": [{"table": "pages", "uid": 7, "action": "update", "ws": 1, "lang": 0}]}


class HandLoop:
    """Three committed events a call in one table, nothing else: no rights, no encryption, no rules."""

    def __init__(self, file: Path) -> None:
        driver: Any = engine_options("sqlite://").get("module")
        if driver is None:
            import sqlite3 as driver
        self._connection = driver.connect(str(file), isolation_level=None)
        for words in (
            "PRAGMA journal_mode=WAL",
            "PRAGMA synchronous=FULL",
            "CREATE TABLE ev (id INTEGER PRIMARY KEY, run TEXT, seq INT, kind TEXT, payload TEXT)",
            "CREATE INDEX ev_run ON ev(run, seq)",
        ):
            self._connection.execute(words)

    def run(self, calls: int) -> None:
        """One run of ``calls`` calls."""
        messages: list[dict[str, Any]] = [{"role": "user"}]
        seq = 0
        while sum(message["role"] == "tool" for message in messages) < calls:
            for kind, payload in (("model", {"tool_calls": [_CALL]}), ("tool_call", _CALL), ("tool_changes", _CHANGES)):
                seq += 1
                self._append(seq, kind, payload)
            arguments = json.loads(str(_CALL["arguments"]))
            messages.append({"role": "assistant", "tool_calls": [_CALL]})
            messages.append({"role": "tool", "content": f"{arguments['table']}:{arguments['uid']} saved"})

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _append(self, seq: int, kind: str, payload: Any) -> None:
        self._connection.execute(
            "INSERT INTO ev (run, seq, kind, payload) VALUES ('r', ?, ?, ?)", (seq, kind, json.dumps(payload))
        )
