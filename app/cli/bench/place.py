"""A throw-away installation in a temporary folder: the demo's people and pages, gone when the figures are taken."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from flask import Flask
from flask_migrate import upgrade
from sqlalchemy import event

from app import create_app
from app.accounts.identities import find_identity
from app.agent.draining import RecordingDispatcher
from app.agent.llm.base import LanguageModel
from app.agent.runtime import Runtime
from app.agent.tools import built_in_tools
from app.agent.tools.base import ToolContext
from app.agent.tools.registry import ToolRegistry
from app.agent.tools.schemas import arguments, line
from app.cli.bench.servers import is_server, temporary_database
from app.config import Settings
from app.core import crypto
from app.core.db import READING, db, reading, transaction
from app.core.i18n import text
from app.policy.identity import Identity
from app.policy.invocation import ToolEffect, ToolFacts
from app.policy.rules import built_in_policy
from app.seed.demo import DemoSite, install_demo

UNLIMITED = 1_000_000
EDITOR = "anna"
"""An editor of the demo who may write live and in the draft Relaunch: rights are really asked."""


class TrivialRead:
    """A tool that reads nothing, so that what is left is the loop around it."""

    facts = ToolFacts(name="trivial_read", group="reading", effect=ToolEffect.READ)
    description = "Answers at once."
    parameters = arguments(table=line("Kind of record."), uid={"type": "integer"}, title=line("A title."))
    label = text("Read a record")
    sentence = text("Reads one record with its fields.")

    def read(self, context: ToolContext, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """See ``ReadTool``."""
        return {"saved": f"{arguments.get('table')}:{arguments.get('uid')}"}


@dataclass(kw_only=True, slots=True)
class Stage:
    """Which model answers at the moment."""

    model: LanguageModel | None = None

    def make(self, _name: str) -> LanguageModel:
        """The model of the moment, whatever the configuration names."""
        if self.model is None:
            raise LookupError("model")
        return self.model


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """The installation with its application context pushed."""

    app: Flask
    settings: Settings
    runtime: Runtime
    site: DemoSite
    dispatcher: RecordingDispatcher
    stage: Stage = field(default_factory=Stage)

    def identity(self, workspace_id: int = 0, name: str = EDITOR) -> Identity:
        """A person of the demo standing in a workspace."""
        with reading() as connection:
            found = find_identity(connection, self.site.people.users[name], workspace_id=workspace_id)
        if found is None:
            raise LookupError(name)
        return found


@contextmanager
def temporary_place(server_url: str = "") -> Iterator[Place]:
    """A fresh, migrated demo on SQLite or on a server; its folder, database and connections are gone at the end."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="imprimatur-bench-"))
        url = stack.enter_context(temporary_database(server_url)) if is_server(server_url) else ""
        settings = Settings.from_environment(
            {},
            data=folder,
            database_url=url,
            workers=0,
            max_rounds=UNLIMITED,
            messages_per_minute=UNLIMITED,
            decisions_per_minute=UNLIMITED,
        )
        model_stage, dispatcher = Stage(), RecordingDispatcher()
        runtime = Runtime(
            registry=ToolRegistry([*built_in_tools(), TrivialRead()]),
            policy=built_in_policy(),
            cipher=crypto.Cipher(crypto.load_keys(settings.data_folder)),
            make_model=model_stage.make,
            wake=dispatcher.wake,
            settings=settings,
        )
        app = create_app(settings, runtime=runtime)
        stack.enter_context(app.app_context())
        stack.callback(_dispose)
        upgrade(revision="heads")
        with transaction() as connection:
            site = install_demo(connection, settings)
        if site is None:
            raise LookupError("demo")
        yield Place(app=app, settings=settings, runtime=runtime, site=site, dispatcher=dispatcher, stage=model_stage)


def _dispose() -> None:
    db.engine.dispose()
    db.engines[READING].dispose()


@contextmanager
def counted_statements() -> Iterator[list[str]]:
    """The statements both engines send meanwhile."""
    seen: list[str] = []

    def remember(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        seen.append(statement)

    engines: Sequence[Any] = (db.engine, db.engines[READING])
    for engine in engines:
        event.listen(engine, "before_cursor_execute", remember)
    try:
        yield seen
    finally:
        for engine in engines:
            event.remove(engine, "before_cursor_execute", remember)
