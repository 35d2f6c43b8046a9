"""The command line: ``imprimatur``. Parses, opens the application, calls use cases, prints. English only.

On top of everything like ``seed``: may import every other package.
"""

from __future__ import annotations

import os
from typing import Any

import click
from sqlalchemy.exc import OperationalError, ProgrammingError

from app.cli import (
    bench,
    budgets,
    configurations,
    connections,
    conversations,
    database,
    evaluation,
    exports,
    files,
    groups,
    imports,
    keys,
    people,
    running,
    settings,
    workspaces,
)
from app.cli.installation import Installation
from app.core.errors import AppError, Invalid
from app.core.i18n import SOURCE_LOCALE, render

_PRIVATE = 0o077
"""What is written holds keys, content and passwords: for the owner only."""


class Commands(click.Group):
    """The commands; what the product refuses on purpose ends with one sentence and exit code 1."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except AppError as error:
            raise click.ClickException(sentences(error)) from error
        except (OperationalError, ProgrammingError) as error:
            raise click.ClickException(_about_database(str(error.orig).lower())) from error


def sentences(error: AppError) -> str:
    """What a person may read of ``error``, in English."""
    if isinstance(error, Invalid) and error.fields:
        return " ".join(render(sentence, SOURCE_LOCALE) for sentence in error.fields.values())
    return render(error.text, SOURCE_LOCALE)


def _about_database(reason: str) -> str:
    if "no such table" in reason or ("relation" in reason and "does not exist" in reason):
        return "The database has no tables yet. Run “imprimatur db upgrade” first."
    if "locked" in reason or "timeout" in reason:
        return "The database is busy. Nothing was changed. Try again in a moment."
    return "The database cannot be reached. Check IMPRIMATUR_DATABASE_URL and the data folder."


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--data", metavar="DIR", help="Data folder, instead of IMPRIMATUR_DATA.")
@click.pass_context
def main(ctx: click.Context, data: str | None) -> None:
    """Imprimatur: an assistant that proposes changes to a website, and people who approve them."""
    os.umask(_PRIVATE)
    ctx.obj = Installation(data=data)
    ctx.call_on_close(ctx.obj.close)


for command in (
    bench.bench,
    database.db_commands,
    database.demo,
    people.user,
    groups.group,
    workspaces.workspace,
    configurations.configuration,
    conversations.conversation,
    evaluation.evaluate,
    files.file,
    exports.export_commands,
    imports.import_commands,
    keys.keys,
    running.run,
    running.runs,
    settings.settings,
):
    main.add_command(command)
configurations.configuration.add_command(connections.test_command)
configurations.configuration.add_command(budgets.budget_command)
