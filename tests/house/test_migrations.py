"""The migrations build exactly the tables the models describe, and can be taken back."""

from __future__ import annotations

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from flask import Flask
from flask_migrate import downgrade, upgrade
from sqlalchemy import Column, Integer, MetaData, Table, inspect
from sqlalchemy.engine import Engine

from app import create_app
from app.config import Settings
from app.core.db import READING, Base, db


def differences(engine: Engine, metadata: MetaData) -> list[object]:
    """What would have to be migrated for the database to be what ``metadata`` describes.

    Column types are compared on PostgreSQL; SQLite keeps every type as one of four, so there they say nothing.
    """
    options = {"compare_type": engine.dialect.name != "sqlite", "target_metadata": metadata}
    with engine.connect() as connection:
        return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))


def _tables(engine: Engine) -> set[str]:
    return {table for table in inspect(engine).get_table_names() if not table.startswith("sqlite_")}


@pytest.fixture
def sqlite_app(tmp_path: Path) -> Flask:
    """The product on an empty SQLite database, with its own engine hooks."""
    return create_app(Settings(data=str(tmp_path / "data"), workers=0))


def _check_up_and_down(app: Flask) -> None:
    with app.app_context():
        upgrade()
        found = differences(db.engine, Base.metadata)
        assert not found, f"the models have changed without a migration (or the other way round): {found}"
        downgrade(revision="base")
        left = _tables(db.engine) - {"alembic_version"}
        assert not left, f"a migration that cannot be taken back leaves these tables: {left}"
        upgrade()
        assert not differences(db.engine, Base.metadata), "up, down and up again ends in other tables"
        db.engine.dispose()
        db.engines[READING].dispose()


def test_it_migrates_sqlite_up_and_down(sqlite_app: Flask) -> None:
    _check_up_and_down(sqlite_app)


@pytest.mark.postgres
def test_it_migrates_postgresql_up_and_down(tmp_path: Path, postgres_url: str) -> None:
    _check_up_and_down(create_app(Settings(data=str(tmp_path / "data"), database_url=postgres_url, workers=0)))


def test_it_makes_strict_tables_on_sqlite(sqlite_app: Flask) -> None:
    with sqlite_app.app_context():
        upgrade()
        with db.engine.connect() as connection:
            rows = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'table'").all()
    own = {table: str(statement) for table, statement in rows if not table.startswith(("sqlite_", "alembic_"))}
    loose = sorted(table for table, statement in own.items() if not statement.rstrip().upper().endswith("STRICT"))
    assert not loose, f"a table that is not STRICT takes a text where a number belongs: {loose}"


def test_it_notices_a_difference(sqlite_app: Flask) -> None:
    other = MetaData()
    Table("only_in_the_models", other, Column("id", Integer, primary_key=True))
    with sqlite_app.app_context():
        assert differences(db.engine, other)
