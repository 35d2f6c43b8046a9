"""Starting, stopping and starting again, in a process of its own as ``bin/start`` does it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_COMMAND = "from app.cli import main; main(prog_name='imprimatur')"
_PATIENCE = 90


class Process:
    """A started command; its lines are read until one begins with a word."""

    def __init__(self, *words: str, **environment: str) -> None:
        self.lines: list[str] = []
        clean = {name: value for name, value in os.environ.items() if not name.startswith("IMPRIMATUR_")}
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-c", _COMMAND, *words],
            cwd=ROOT,
            env={**clean, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def read_until(self, word: str) -> str:
        """The first line that begins with ``word``."""
        assert self._process.stdout is not None
        alarm = threading.Timer(_PATIENCE, self._process.kill)
        alarm.start()
        try:
            for line in self._process.stdout:
                self.lines.append(line.rstrip("\n"))
                if line.startswith(word):
                    return self.lines[-1]
        finally:
            alarm.cancel()
        raise AssertionError("\n".join(self.lines))

    def stop(self) -> int:
        """Ask it to stop and return its exit code."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        return self.end()

    def end(self) -> int:
        """Its exit code, once it has ended by itself."""
        rest, _ = self._process.communicate(timeout=_PATIENCE)
        self.lines += rest.splitlines()
        return self._process.returncode


@pytest.fixture
def started() -> Iterator[Callable[..., Process]]:
    """Starts commands and ends them."""
    found: list[Process] = []

    def start(*words: str, **environment: str) -> Process:
        found.append(Process(*words, **environment))
        return found[-1]

    yield start
    for process in found:
        process.stop()


def address(process: Process) -> str:
    """Where it serves."""
    ready = process.read_until("Ready: ")
    assert re.fullmatch(r"Ready: http://127\.0\.0\.1:[1-9]\d*", ready)
    return ready.removeprefix("Ready: ")


def test_it_sets_up_a_new_installation_and_ends_cleanly(started: Callable[..., Process], tmp_path: Path) -> None:
    process = started("run", "start", "--port", "0", "--data", str(tmp_path / "new"))

    base = address(process)
    assert process.lines[0].startswith("Database: 0001 ")
    link = process.lines[-2]
    assert re.fullmatch(rf"{base}/setup/[\w-]{{40,}}", link)
    with urllib.request.urlopen(f"{base}/sign-in", timeout=20) as answer:  # noqa: S310
        assert answer.status == 200
    assert process.stop() == 0
    assert "Traceback" not in "\n".join(process.lines)


def test_it_keeps_the_people_of_the_demo(started: Callable[..., Process], tmp_path: Path) -> None:
    words = ("run", "start", "--demo", "--port", "0", "--data", str(tmp_path / "demo"))
    first = started(*words)
    address(first)
    assert first.stop() == 0
    people = (tmp_path / "demo" / "demo-people.txt").read_text(encoding="utf-8")
    keys = (tmp_path / "demo" / "keys").read_bytes()

    second = started(*words)
    address(second)
    assert second.stop() == 0

    assert any(line.startswith("The demo is there already") for line in second.lines)
    assert not any("/setup/" in line for line in second.lines)
    assert (tmp_path / "demo" / "demo-people.txt").read_text(encoding="utf-8") == people
    assert (tmp_path / "demo" / "keys").read_bytes() == keys

    public = started("run", "serve", "--port", "0", IMPRIMATUR_DATA=str(tmp_path / "demo"), IMPRIMATUR_HOST="0.0.0.0")  # noqa: S104
    public.read_until("Error: The demo is served on this machine only")
    assert public.end() == 1


def test_it_works_in_a_process_of_its_own(started: Callable[..., Process], tmp_path: Path) -> None:
    upgraded = started("--data", str(tmp_path / "new"), "db", "upgrade")
    upgraded.read_until("Database: up to date.")
    assert upgraded.end() == 0

    process = started("--data", str(tmp_path / "new"), "run", "worker", "--threads", "1")
    process.read_until("Worker ready.")

    assert process.stop() == 0
