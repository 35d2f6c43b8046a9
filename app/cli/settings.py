"""``imprimatur settings``: every setting with its default and meaning; of a key only whether it is set."""

from __future__ import annotations

from dataclasses import Field, fields

import click

from app.cli.installation import Installation, echo_table
from app.config import PREFIX, Settings


@click.command()
@click.pass_obj
def settings(installation: Installation) -> None:
    """List the settings an installation reads from the environment. Of a key it says whether it is set."""
    echo_table(
        ("SETTING", "DEFAULT", "MEANING"),
        (
            (PREFIX + item.name.upper(), _shown(item, installation), item.metadata["meaning"])
            for item in fields(Settings)
        ),
    )


def _shown(item: Field[object], installation: Installation) -> object:
    """The default, or for a key "set" or "not set": what it holds is printed nowhere."""
    if item.metadata["secret"]:
        return "set" if getattr(installation.settings, item.name) else "not set"
    return "(empty)" if item.default == "" else item.default
