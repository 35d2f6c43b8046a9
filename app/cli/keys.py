"""``imprimatur keys``: the keys that encrypt what assignments keep."""

from __future__ import annotations

import click

from app.agent.rotation import seal_again
from app.cli.installation import Installation, in_application
from app.core import crypto


@click.group()
def keys() -> None:
    """Keys of the data folder."""


@keys.command("rotate")
@in_application
def rotate(installation: Installation) -> None:
    """Make a fresh key and seal everything stored with it. Server and workers may go on meanwhile.

    Back the file “keys” of the data folder up before: without its keys waiting approvals cannot be opened.
    """
    fresh = crypto.add_key(installation.settings.data_folder)
    _seal(fresh)


@keys.command("drop")
@in_application
def drop(installation: Installation) -> None:
    """Throw away every key but the current one. Start server and workers anew before: they may still use an earlier key."""
    folder = installation.settings.data_folder
    if _seal(crypto.load_keys(folder)):
        raise click.ClickException("Some values cannot be opened, so the earlier keys were kept.")
    crypto.drop_earlier_keys(folder)
    click.echo("The earlier keys are gone.")


def _seal(found: crypto.Keys) -> int:
    """Seal what earlier keys sealed; how many values no key opens."""
    done = seal_again(crypto.Cipher(found))
    click.echo(f"Key {found.current} is in use. Sealed again {done.sealed}, unreadable {done.unreadable}.")
    return done.unreadable
