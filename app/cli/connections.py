"""``imprimatur configuration test``: does the model of a configuration answer, and if not, why."""

from __future__ import annotations

import click

from app.agent.connections import check_connection
from app.cli.installation import Installation, in_application
from app.cli.lookups import configuration_named
from app.core.db import reading
from app.core.i18n import SOURCE_LOCALE, render


@click.command("test")
@click.argument("name")
@in_application
def test_command(installation: Installation, /, name: str) -> None:
    """Ask the model of a configuration for a word: whether it answers, or in a sentence what is wrong."""
    with reading() as connection:
        model = configuration_named(connection, name).model
    checked = check_connection(model, installation.services.runtime)
    if checked.problem is not None:
        said = f" The provider says: “{checked.said}”" if checked.said else ""
        raise click.ClickException(f"{model}: {render(checked.problem, SOURCE_LOCALE)}{said}")
    click.echo(f"{model} answers ({checked.seconds:.1f} s).")
