"""``imprimatur file``: whether records and bytes of the storages belong together."""

from __future__ import annotations

import click

from app.cli.installation import Installation, in_application
from app.content.files.checking import check_storages
from app.seed.installation import seed_actor

_SHOWN = 20


@click.group("file")
def file() -> None:
    """Files and their storages."""


@file.command("check")
@click.option("--repair", is_flag=True, help="Mark what is missing, remove bytes no file uses.")
@in_application
def check(installation: Installation, repair: bool) -> None:
    """Compare every file with what is on disk."""
    found = check_storages(seed_actor(), installation.settings.data_folder, repair=repair)
    for heading, paths in (("Without bytes:", found.gone), ("Marked missing, but there:", found.back)):
        for path in paths[:_SHOWN]:
            click.echo(f"{heading} {path!a}")
        if len(paths) > _SHOWN:
            click.echo(f"{heading} … and {len(paths) - _SHOWN} more")
    click.echo(f"files {found.files}, missing {len(found.gone)}, back {len(found.back)}, unused bytes {found.unused}")
    if not repair and (found.gone or found.back or found.unused):
        click.echo("Nothing was changed. --repair marks what is missing and removes unused bytes.")
