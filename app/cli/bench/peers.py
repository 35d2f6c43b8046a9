"""Other programs the figures are paired with: scripts in a folder, run on demand by a Python that has their packages."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy.engine import URL, make_url

from app.cli.bench.servers import is_server, temporary_database

_SECONDS = 600


@dataclass(frozen=True, kw_only=True, slots=True)
class Peers:
    """Where peers are; both None = none are measured."""

    folder: Path | None = None
    python: Path | None = None
    server_url: str = ""
    """The server on which they get databases of their own; empty = SQLite in a temporary folder."""

    def can_run(self, script: str, package: str) -> bool:
        """Whether the script is there and its packages can be imported."""
        if self.folder is None or self.python is None or not (self.folder / script).exists():
            return False
        asked = subprocess.run(  # noqa: S603  the Python that was named on the command line
            [self.python, "-c", f"import {package}"], capture_output=True, timeout=_SECONDS, check=False
        )
        return asked.returncode == 0

    def run(self, *words: str) -> list[dict[str, Any]]:
        """The JSON lines a peer prints. Raises ``OSError`` when it fails."""
        if self.folder is None or self.python is None:
            return []
        ended = subprocess.run(  # noqa: S603  as above
            [self.python, "-B", *words],
            cwd=self.folder,
            env=self._secrets(),
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        if ended.returncode:
            said = ended.stderr.strip().splitlines()[-1:] or ["nothing"]
            msg = f"the peer {' '.join(words[:2])} ended with {ended.returncode} and said {said[0]}"
            raise OSError(msg)
        return [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]

    @contextmanager
    def database(self) -> Iterator[str]:
        """A fresh database as the scripts name one: a path, or the address on the server without its password."""
        if not is_server(self.server_url):
            with tempfile.TemporaryDirectory(prefix="imprimatur-peer-") as folder:
                yield f"{folder}/peer.db"
            return
        with temporary_database(self.server_url) as url:
            address = make_url(url).set(drivername="postgresql")
            yield URL.create(
                "postgresql", address.username, None, address.host, address.port, address.database
            ).render_as_string()

    def _secrets(self) -> dict[str, str] | None:
        """The password for the driver of the peer, kept off its command line."""
        password = make_url(self.server_url).password if is_server(self.server_url) else None
        return {"PATH": os.defpath, "PGPASSWORD": str(password)} if password else None


def loop_milliseconds(peers: Peers, calls: tuple[int, ...]) -> Mapping[int, float] | None:
    """CPU ms of one trivial call in langgraph's loop with its SQLite saver, by length of the run; None = no such peer."""
    if not peers.can_run("agent_loop.py", "langgraph.checkpoint.sqlite"):
        return None
    lengths = ",".join(map(str, calls))
    lines = peers.run("agent_loop.py", "langgraph_sqlite", "--calls", lengths, "--rounds", "3")
    return {int(line["calls"]): float(line["cpu_ms_per_call"]) for line in lines}


_OWN_TREE = 100
"""Pages of a tree Wagtail's script always makes: a second one of the same size would take the same address."""


def publish_milliseconds(peers: Peers, pages: int, measure: str) -> float | None:
    """Milliseconds ("cpu" or "wall") Wagtail needs to update and publish one page, indexes off; None = no such peer."""
    line = wagtail_line(peers, "update_publish", pages)
    return None if line is None else float(line[measure]) / float(line["pages"]) * 1e3


def wagtail_line(peers: Peers, operation: str, pages: int) -> Mapping[str, Any] | None:
    """What Wagtail says of one operation on a fresh site with a tree of ``pages`` (101 for 100), indexes off: its last line.

    None = no such peer.
    """
    lines = wagtail_lines(peers, operation, pages=pages)
    return lines[-1] if lines else None


def wagtail_lines(peers: Peers, *operations: str, pages: int) -> list[Mapping[str, Any]] | None:
    """Everything it says of several operations on one site; None = no such peer."""
    if not peers.can_run("peer_wagtail", "wagtail, wagtail_localize"):
        return None
    number = str(pages + 1 if pages == _OWN_TREE else pages)
    with peers.database() as database:
        words = ("-m", "peer_wagtail.run", database, "--lite", "--only", ",".join(operations), "--n", number)
        return [*peers.run(*words)]


def versioned_seconds(peers: Peers, peer: str, rows: int, measure: str) -> float | None:
    """Seconds ("cpu" or "wall") ``peer`` ("reversion" or "plain") needs to insert versioned rows in one transaction; None = no
    such peer.
    """
    if not peers.can_run("versioned_peer.py", "reversion, sqlalchemy"):
        return None
    with peers.database() as database:
        lines = peers.run("versioned_peer.py", peer, database, "--n", str(rows))
    return next((float(line[measure]) for line in lines if line["op"] == "insert"), None)
