"""W8: polls and runs beside a copy of a large branch that holds the write lock."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import app
from app.cli.bench import traffic
from app.cli.bench.copies import copy_once
from app.cli.bench.figures import Reading, Setup
from app.cli.bench.place import Place, temporary_place
from app.cli.bench.reading import ended_run
from app.cli.bench.runs import Assignment
from app.cli.bench.timing import median
from app.cli.bench.trees import grow_tree
from app.core.db import transaction
from app.policy.identity import LIVE

_THREADS = 4
_START = f"from {traffic.__name__} import main; main()"
_ROOT = Path(app.__file__).resolve().parents[1]


def polls_beside_copy(setup: Setup) -> list[Reading]:
    """W8: how long polls and runs wait while a branch is copied, to how long without; wall times, so the ratio only counts."""
    seconds = setup.scale.seconds
    ratios: list[float] = []
    longest: list[float] = []
    errors: list[str] = []
    with temporary_place(setup.server_url) as place:
        top = grow_tree(place, setup.scale.pages)
        for _ in range(setup.rounds):
            alone = _measure(place, seconds, None)
            beside = _measure(place, seconds, top)
            ratios.append(percentile(beside.polls, 0.99) / percentile(alone.polls, 0.99))
            longest.append(max(beside.runs, default=0.0) / beside.copy_seconds)
            errors += [*alone.errors, *beside.errors]
    own = {
        "ms a poll, p99": percentile(beside.polls, 0.99) * 1e3,
        "ms the copy": beside.copy_seconds * 1e3,
        "longest wait of a run, in copies": median(longest),
    }
    return [
        Reading(
            figure="W8", what="polls beside a copy, p99", unit="x alone", bar=2, aim=1.2, values=tuple(ratios), own=own
        ),
        Reading(
            figure="W8", what=f"lock errors of {_THREADS} runs", unit="errors", bar=0, aim=0, values=(len(errors),)
        ),
    ]


@dataclass(kw_only=True, slots=True)
class _Waits:
    """What one stretch of traffic saw, in seconds."""

    polls: list[float] = field(default_factory=list)
    runs: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    copy_seconds: float = 0.0


def _measure(place: Place, seconds: float, top: int | None) -> _Waits:
    """Four pollers and four runs for some seconds; with ``top``, that branch is copied in the middle of it."""
    waits = _Waits()
    actor = place.identity(LIVE)
    polled = [f"{actor.user_id}/{Assignment(place).conversation_id}" for _ in range(_THREADS)]
    with ExitStack() as stack:
        polls = stack.enter_context(_traffic(place, traffic.POLLS, seconds, polled))
        runs = stack.enter_context(_traffic(place, traffic.RUNS, seconds, _runs(place)))
        for process in (polls, runs):
            _stream(process.stdin).write("\n")
            _stream(process.stdin).flush()
        if top is not None:
            time.sleep(seconds / 3)
            began = time.perf_counter()
            copy_once(place, top)
            waits.copy_seconds = time.perf_counter() - began
        for process, kept in ((polls, waits.polls), (runs, waits.runs)):
            said = json.loads(_stream(process.stdout).readline() or '{"waits": [0.0], "errors": ["no answer"]}')
            kept += said["waits"]
            waits.errors += said["errors"]
    return waits


def _runs(place: Place) -> list[str]:
    with transaction() as connection:
        return [ended_run(connection, place) for _ in range(_THREADS)]


@contextmanager
def _traffic(place: Place, role: str, seconds: float, names: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    words = [sys.executable, "-c", _START, str(place.settings.data_folder), role, str(seconds), *names]
    with subprocess.Popen(  # noqa: S603  our own module
        words, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            _stream(process.stdin).write(f"{place.settings.database_url}\n")  # not an argument: it holds a password
            _stream(process.stdin).flush()
            if _stream(process.stdout).readline().strip() != "ready":
                raise OSError(role)
            yield process
        finally:
            process.terminate()


def _stream(stream: IO[Any] | None) -> IO[Any]:
    if stream is None:
        raise OSError("traffic")
    return stream


def percentile(values: Sequence[float], part: float) -> float:
    """The value below which ``part`` (0 to 1) of ``values`` lie; the smallest clock tick for none."""
    ordered = sorted(values)
    return max(ordered[min(len(ordered) - 1, round(part * (len(ordered) - 1)))], 1e-9) if ordered else 1e-9
