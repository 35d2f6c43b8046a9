"""Fixtures of the runtime's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from app.agent.draining import RecordingDispatcher
from app.agent.runtime import Runtime
from app.core.db import READING, db
from tests.agent.execution_world import World, make_app, make_world
from tests.agent.scenes import Scene
from tests.support.clock import FakeClock


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A small site and two people on a fresh SQLite file."""
    flask = make_app(f"sqlite:///{tmp_path / 'world.db'}")
    with flask.app_context():
        yield make_world(tmp_path / "data")
        db.engine.dispose()
        db.engines[READING].dispose()


@pytest.fixture
def postgres_world(tmp_path: Path, postgres_url: str) -> Iterator[World]:
    """The same on PostgreSQL."""
    flask = make_app(postgres_url)
    with flask.app_context():
        yield make_world(tmp_path / "data")
        db.engine.dispose()
        db.engines[READING].dispose()


@pytest.fixture
def scene(app: Flask, runtime: Runtime, models: Any, dispatcher: RecordingDispatcher, clock: FakeClock) -> Scene:
    """Runs on the demo site with a scripted model."""
    return Scene(runtime, models, dispatcher)
