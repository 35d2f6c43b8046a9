"""Alembic's environment: runs the migrations on the application's own engine, with its hooks.

Foreign keys are off while tables are rebuilt (a batch ALTER would delete children) and checked at the end (deps.md section 7).
"""

from __future__ import annotations

from typing import Any

from alembic import context
from sqlalchemy import text as sql
from sqlalchemy.engine import Connection

import app.accounts.models
import app.agent.models
import app.chat.models
import app.content.models  # noqa: F401
from app.core.db import db


def include_object(_object: Any, name: str | None, kind: str, _reflected: bool, _compare_to: Any) -> bool:
    """SQLite's own tables are no concern of migrations."""
    return not (kind == "table" and name is not None and name.startswith("sqlite_"))


def run() -> None:
    """Bring the database to the wanted revision in one transaction."""
    engine = db.engine
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            _foreign_keys(connection, on=False)
        context.configure(
            connection=connection,
            target_metadata=db.metadata,
            render_as_batch=True,
            compare_type=False,
            include_object=include_object,
        )
        with context.begin_transaction():
            context.run_migrations()
        if engine.dialect.name == "sqlite":
            _check(connection)
            _foreign_keys(connection, on=True)
        connection.commit()


def _foreign_keys(connection: Connection, *, on: bool) -> None:
    connection.rollback()
    raw: Any = connection.connection.driver_connection
    raw.execute(f"PRAGMA foreign_keys={'ON' if on else 'OFF'}")


def _check(connection: Connection) -> None:
    broken = connection.execute(sql("PRAGMA foreign_key_check")).fetchall()
    if broken:
        msg = f"{len(broken)} rows would point to nothing after the migration"
        raise RuntimeError(msg)


run()
