"""``imprimatur configuration test``: does the model of a configuration answer, and if not, why."""

from __future__ import annotations

import click

from app.agent.llm.base import ModelError
from app.agent.llm.checking import check_model, sentence_about
from app.cli.installation import Installation, in_application
from app.cli.lookups import configuration_named
from app.core.db import reading
from app.core.i18n import SOURCE_LOCALE, render

_SAID_BY_PROVIDER = ("auth", "client", "rate_limit", "server")
"""Failures for which the provider gave a reason of its own; it is shown shortened and without the key."""


@click.command("test")
@click.argument("name")
@in_application
def test_command(installation: Installation, /, name: str) -> None:
    """Ask the model of a configuration for a word: whether it answers, or in a sentence what is wrong."""
    with reading() as connection:
        model = configuration_named(connection, name).model
    try:
        checked = check_model(installation.services.runtime.make_model(model), model)
    except ModelError as failure:
        sentence = render(sentence_about(failure), SOURCE_LOCALE)
        told = failure.detail if failure.kind in _SAID_BY_PROVIDER else ""
        reason = f" The provider says: “{told}”" if told else ""
        raise click.ClickException(f"{model}: {sentence}{reason}") from None
    click.echo(f"{model} answers ({checked.seconds:.1f} s).")
