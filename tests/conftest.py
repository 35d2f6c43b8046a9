"""Fixtures of the whole suite: a fresh database per test, the demo's people and pages, a clock and a runtime to script."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask import Flask

from app import create_app
from app.agent.draining import RecordingDispatcher
from app.agent.llm.base import LanguageModel
from app.agent.runtime import Runtime
from app.agent.tools import built_in_tools
from app.agent.tools.registry import ToolRegistry
from app.config import Settings
from app.core import clock as core_clock
from app.core import crypto
from app.core.db import READING, db, transaction
from app.policy.rules import built_in_policy
from app.seed.demo import DemoSite, install_demo
from tests.support.assignments import Assignments
from tests.support.clock import FakeClock
from tests.support.database import migrate
from tests.support.personas import IdentityOf


class ScriptedModels:
    """Models by configuration name; a test puts its own in."""

    def __init__(self) -> None:
        self.by_name: dict[str, LanguageModel] = {}

    def make(self, name: str) -> LanguageModel:
        from app.agent.llm.registry import make_model

        return self.by_name[name] if name in self.by_name else make_model(name)


@pytest.fixture
def clock() -> Iterator[FakeClock]:
    """A clock that moves only when told to."""
    fake = FakeClock()
    before = core_clock.use_source(fake)
    yield fake
    core_clock.use_source(before)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings of a fresh installation in a temporary folder."""
    return Settings.from_environment({}, data=str(tmp_path / "data"), workers=0)


@pytest.fixture
def models() -> ScriptedModels:
    """Where a test puts scripted models; "builtin" is the real built-in assistant unless replaced."""
    return ScriptedModels()


@pytest.fixture
def dispatcher() -> RecordingDispatcher:
    """Remembers woken runs; ``drain(runtime)`` works them off in the test."""
    return RecordingDispatcher()


@pytest.fixture
def runtime(settings: Settings, models: ScriptedModels, dispatcher: RecordingDispatcher) -> Runtime:
    """The product's runtime with scripted models and a recording dispatcher."""
    settings.data_folder.mkdir(parents=True, exist_ok=True)
    return Runtime(
        registry=ToolRegistry(built_in_tools()),
        policy=built_in_policy(),
        cipher=crypto.Cipher(crypto.load_keys(settings.data_folder)),
        make_model=models.make,
        wake=dispatcher.wake,
        settings=settings,
    )


@pytest.fixture(scope="session")
def demo_template(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, DemoSite]:
    """The migrated demo database, made once and copied for each test."""
    folder = tmp_path_factory.mktemp("template")
    settings = Settings.from_environment({}, data=str(folder), workers=0)
    app = create_app(settings)
    with app.app_context():
        migrate()
        with transaction() as connection:
            site = install_demo(connection, settings)
        with transaction() as connection:
            connection.exec_driver_sql("SELECT 1")
        assert site is not None
        _checkpoint()
    return folder, site


def _checkpoint() -> None:
    raw = db.engine.raw_connection()
    raw.driver_connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw.close()


@pytest.fixture
def app(settings: Settings, runtime: Runtime, demo_template: tuple[Path, DemoSite]) -> Iterator[Flask]:
    """The application on a fresh copy of the demo, with its context pushed."""
    folder, _ = demo_template
    settings.data_folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(folder / "imprimatur.db", settings.data_folder / "imprimatur.db")
    shutil.copytree(folder / "files", settings.data_folder / "files", dirs_exist_ok=True)
    application = create_app(settings, runtime=runtime)
    application.config["TESTING"] = True
    with application.app_context():
        yield application
        db.engine.dispose()
        db.engines[READING].dispose()


@pytest.fixture
def site(app: Flask, demo_template: tuple[Path, DemoSite]) -> DemoSite:
    """Pages and people of the demo by name."""
    return demo_template[1]


@pytest.fixture
def identity_of(site: DemoSite) -> IdentityOf:
    """Identities of the demo's people as the database knows them now."""
    return IdentityOf(site)


@pytest.fixture
def assignments(
    runtime: Runtime, dispatcher: RecordingDispatcher, models: ScriptedModels, identity_of: IdentityOf
) -> Assignments:
    """A conversation of Anna in the configuration "Editorial", with a scripted model."""
    return Assignments(runtime, dispatcher, models, identity_of)


@pytest.fixture
def make_assignments(
    runtime: Runtime, dispatcher: RecordingDispatcher, models: ScriptedModels, identity_of: IdentityOf
) -> Callable[..., Assignments]:
    """Conversations of other people or configurations: ``make_assignments(owner="ben")``."""

    def make(**options: str) -> Assignments:
        return Assignments(runtime, dispatcher, models, identity_of, **options)

    return make
