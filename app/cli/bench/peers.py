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
            msg = f"{words[0]} ended with {ended.returncode}"
            raise OSError(msg)
        return [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]


def loop_milliseconds(peers: Peers, calls: tuple[int, ...]) -> Mapping[int, float] | None:
    """CPU ms of one trivial call in langgraph's loop with its SQLite saver, by length of the run; None = no such peer."""
    if not peers.can_run("agent_loop.py", "langgraph.checkpoint.sqlite"):
        return None
    lengths = ",".join(map(str, calls))
    lines = peers.run("agent_loop.py", "langgraph_sqlite", "--calls", lengths, "--rounds", "3")
    return {int(line["calls"]): float(line["cpu_ms_per_call"]) for line in lines}


def publish_milliseconds(peers: Peers, pages: int) -> float | None:
    """CPU ms Wagtail needs to update and publish one page, indexes off; None = no such peer."""
    if not peers.can_run("peer_wagtail", "wagtail, wagtail_localize"):
        return None
    with tempfile.TemporaryDirectory(prefix="imprimatur-peer-") as folder:
        words = ("-m", "peer_wagtail.run", f"{folder}/peer.db", "--lite", "--only", "update_publish", "--n", str(pages))
        lines = peers.run(*words)
    return next((float(line["cpu"]) / pages * 1e3 for line in lines), None)
