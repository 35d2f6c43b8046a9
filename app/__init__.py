"""Imprimatur: the composition root. Wiring only."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from alembic.config import Config
from flask import Flask
from flask_migrate import Migrate

from app.agent.dispatch import make_dispatcher
from app.agent.extensions import installed_policy
from app.agent.llm.registry import make_model
from app.agent.runtime import Runtime, Services
from app.agent.tools import built_in_tools
from app.agent.tools.registry import ToolRegistry
from app.chat import install as install_chat
from app.config import Settings
from app.content.extensions import install_extensions, migration_folders
from app.core import crypto
from app.core.db import READING, db, engine_options, install_hooks, reading_options
from app.web import install as install_web

ROOT = Path(__file__).resolve().parent.parent
MIGRATIONS = ROOT / "app" / "migrations"


def create_app(settings: Settings | None = None, *, runtime: Runtime | None = None) -> Flask:
    """The application for ``settings`` (default: from the environment).

    ``runtime`` replaces the wired one: tests bring scripted models and a dispatcher of their own.
    """
    settings = settings or Settings.from_environment()
    settings.data_folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    keys = crypto.load_keys(settings.data_folder)
    app = Flask(
        "app", root_path=str(ROOT / "app"), template_folder=str(ROOT / "templates"), static_folder=str(ROOT / "static")
    )
    app.config.update(
        SECRET_KEY=keys.secret_key,
        SQLALCHEMY_DATABASE_URI=settings.database,
        SQLALCHEMY_ENGINE_OPTIONS=engine_options(settings.database),
        SQLALCHEMY_BINDS={READING: {"url": settings.database, **reading_options(settings.database)}},
    )
    db.init_app(app)
    _install_migrations(app)
    install_extensions()
    with app.app_context():
        install_hooks(db.engine, db.engines[READING])
    services = Services(runtime=runtime or _wire(settings, keys), settings=settings)
    app.extensions["imprimatur"] = services
    install_chat()
    install_web(app, services)
    return app


def _install_migrations(app: Flask) -> None:
    migrate = Migrate(app, db, directory=str(MIGRATIONS), render_as_batch=True)

    @migrate.configure  # type: ignore[untyped-decorator]  # Flask-Migrate publishes no types
    def name_folders(config: Config) -> Config:
        """The product's own revisions and those of installed extensions."""
        folders = (MIGRATIONS / "versions", *migration_folders())
        config.set_main_option("path_separator", "newline")
        config.set_main_option("version_locations", "\n".join(str(folder) for folder in folders))
        return config


def _wire(settings: Settings, keys: crypto.Keys) -> Runtime:
    return Runtime(
        registry=ToolRegistry(built_in_tools()),
        policy=installed_policy(),
        cipher=crypto.Cipher(keys, reload=partial(crypto.load_keys, settings.data_folder)),
        make_model=partial(make_model, settings=settings),
        wake=make_dispatcher(settings).wake,
        settings=settings,
    )
