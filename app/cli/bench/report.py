"""How readings are printed: a table for people, one JSON object for programs."""

from __future__ import annotations

import json
import os
import platform
import sqlite3
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from typing import Any

import click

from app.cli.bench.figures import Reading
from app.cli.installation import echo_table
from app.core.db import engine_options

_HEAD = ("FIGURE", "WHAT", "MEASURED", "BAR", "AIM", "VERDICT")
_PACKAGES = ("flask", "sqlalchemy", "waitress")


def echo_readings(readings: Sequence[Reading]) -> None:
    """One line a reading, and below it what our side needed alone."""
    echo_table(_HEAD, (_row(reading) for reading in readings))
    for reading in readings:
        if reading.own:
            numbers = ", ".join(f"{name} {shown(value)}" for name, value in reading.own.items())
            click.echo(f"{reading.figure} {reading.what}: {numbers}")


def _row(reading: Reading) -> Iterable[object]:
    if reading.ratio is None or reading.best is None:
        measured = f"- {reading.unit}"
    else:
        best = f" (best {shown(reading.best)})" if len(reading.values) > 1 else ""
        measured = f"{shown(reading.ratio)} {reading.unit}{best}"
    return (
        reading.figure,
        reading.what,
        measured,
        f"<= {shown(reading.bar)}",
        f"<= {shown(reading.aim)}",
        reading.verdict.value,
    )


def shown(value: float) -> str:
    """A number with three digits that matter."""
    return f"{value:.0f}" if value == int(value) or value >= 1000 else f"{value:.3g}"


def as_json(readings: Sequence[Reading], rounds: int) -> str:
    """Machine and readings as one object."""
    return json.dumps({"machine": machine(), "rounds": rounds, "readings": [_plain(reading) for reading in readings]})


def _plain(reading: Reading) -> dict[str, Any]:
    return {
        "figure": reading.figure,
        "what": reading.what,
        "unit": reading.unit,
        "ratio": reading.ratio,
        "best": reading.best,
        "rounds": list(reading.values),
        "bar": reading.bar,
        "aim": reading.aim,
        "verdict": reading.verdict.value,
        "own": dict(reading.own),
    }


def machine() -> dict[str, Any]:
    """What the figures depend on: cores and versions."""
    driver = engine_options("sqlite://").get("module") or sqlite3
    return {
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "python": platform.python_version(),
        "sqlite": driver.sqlite_version,
        **{name: version(name) for name in _PACKAGES},
    }
