"""``imprimatur db`` and ``imprimatur demo``: tables and a first content."""

from __future__ import annotations

import click
from alembic.script import ScriptDirectory
from flask import current_app
from flask_migrate import upgrade
from sqlalchemy import inspect

from app.cli.installation import Installation, in_application
from app.cli.seeding import add_demo
from app.core.db import db


@click.group("db")
def db_commands() -> None:
    """Tables of the database."""


@db_commands.command("upgrade")
@in_application
def upgrade_command(_installation: Installation) -> None:
    """Bring the tables to the newest form. Does nothing when they have it already."""
    upgrade_tables()


@click.command("demo")
@in_application
def demo(installation: Installation) -> None:
    """Fill an empty database with the demo museum and its people.

    Names and passwords are printed and kept in demo-people.txt of the data folder.
    """
    upgrade_tables()
    if not add_demo(installation):
        raise click.ClickException("This database holds a site already. The demo needs an empty one.")


def upgrade_tables() -> None:
    """Run the migrations that are missing, with a line for each."""
    scripts = ScriptDirectory.from_config(current_app.extensions["migrate"].migrate.get_config())
    reached = _reached(scripts, _revisions())
    pending = [step for step in scripts.walk_revisions() if step.revision not in reached]
    for step in reversed(pending):
        click.echo(f"Database: {step.revision} {step.doc or ''}".rstrip())
    if pending:
        upgrade(revision="heads")  # extensions bring branches of their own
    click.echo("Database: up to date.")


def _revisions() -> list[str]:
    with db.engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return []
        return [str(row[0]) for row in connection.exec_driver_sql("SELECT version_num FROM alembic_version")]


def _reached(scripts: ScriptDirectory, current: list[str]) -> set[str]:
    return {step.revision for revision in current for step in scripts.iterate_revisions(revision, "base")}
