"""Other programs the figures are paired with: scripts in a folder, run on demand by a Python that has their packages."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SECONDS = 600


@dataclass(frozen=True, kw_only=True, slots=True)
class Peers:
    """Where peers are; both None = none are measured."""

    folder: Path | None = None
    python: Path | None = None

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
            [self.python, "-B", *words], cwd=self.folder, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
        if ended.returncode:
            said = ended.stderr.strip().splitlines()[-1:] or ["nothing"]
            msg = f"the peer {' '.join(words[:2])} ended with {ended.returncode} and said {said[0]}"
            raise OSError(msg)
        return [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]


def loop_milliseconds(peers: Peers, calls: tuple[int, ...]) -> Mapping[int, float] | None:
    """CPU ms of one trivial call in langgraph's loop with its SQLite saver, by length of the run; None = no such peer."""
    if not peers.can_run("agent_loop.py", "langgraph.checkpoint.sqlite"):
        return None
    lengths = ",".join(map(str, calls))
    lines = peers.run("agent_loop.py", "langgraph_sqlite", "--calls", lengths, "--rounds", "3")
    return {int(line["calls"]): float(line["cpu_ms_per_call"]) for line in lines}


_OWN_TREE = 100
"""Pages of a tree Wagtail's script always makes: a second one of the same size would take the same address."""


def publish_milliseconds(peers: Peers, pages: int) -> float | None:
    """CPU ms Wagtail needs to update and publish one page, indexes off; None = no such peer."""
    line = wagtail_line(peers, "update_publish", pages)
    return None if line is None else float(line["cpu"]) / float(line["pages"]) * 1e3


def wagtail_line(peers: Peers, operation: str, pages: int) -> Mapping[str, Any] | None:
    """What Wagtail says of one operation on a fresh site with a tree of ``pages`` (101 for 100), indexes off: its last line.

    None = no such peer.
    """
    if not peers.can_run("peer_wagtail", "wagtail, wagtail_localize"):
        return None
    number = str(pages + 1 if pages == _OWN_TREE else pages)
    with tempfile.TemporaryDirectory(prefix="imprimatur-peer-") as folder:
        words = ("-m", "peer_wagtail.run", f"{folder}/peer.db", "--lite", "--only", operation, "--n", number)
        lines = peers.run(*words)
    return lines[-1] if lines else None


def versioned_seconds(peers: Peers, peer: str, rows: int) -> float | None:
    """CPU seconds ``peer`` ("reversion" or "plain") needs to insert versioned rows in one transaction; None = no such peer."""
    if not peers.can_run("versioned_peer.py", "reversion, sqlalchemy"):
        return None
    with tempfile.TemporaryDirectory(prefix="imprimatur-peer-") as folder:
        lines = peers.run("versioned_peer.py", peer, f"{folder}/peer.db", "--n", str(rows))
    return next((float(line["cpu"]) for line in lines if line["op"] == "insert"), None)
