"""``imprimatur settings``: every setting with its default and meaning."""

from __future__ import annotations

from dataclasses import fields

import click

from app.cli.installation import echo_table
from app.config import PREFIX, Settings


@click.command()
def settings() -> None:
    """List the settings an installation reads from the environment."""
    echo_table(
        ("SETTING", "DEFAULT", "MEANING"),
        (
            (PREFIX + item.name.upper(), "(empty)" if item.default == "" else item.default, item.metadata["meaning"])
            for item in fields(Settings)
        ),
    )
