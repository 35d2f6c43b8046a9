"""Installing the demo with passwords nobody knew before."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from pathlib import Path

import click

from app.accounts import passwords
from app.accounts import service as accounts
from app.cli.installation import Installation
from app.core import ids
from app.core.db import reading, transaction
from app.seed.demo import install_demo
from app.seed.installation import is_installed
from app.seed.people import NAMES

PEOPLE_FILE = "demo-people.txt"
_PASSWORD_LENGTH = 16


def add_demo(installation: Installation) -> bool:
    """Install the demo into an empty database, print and keep its passwords; False when there is a site already."""
    require_loopback(installation.settings.host)
    with reading() as connection:
        if is_installed(connection):
            return False
    words = {name: ids.new_token()[:_PASSWORD_LENGTH] for name in NAMES}
    # Hashing takes its time and stays outside of the transaction.
    hashes = {name: passwords.hash_password(word) for name, word in words.items()}
    path = installation.settings.data_folder / PEOPLE_FILE
    with transaction() as connection:
        site = install_demo(connection, installation.settings)
        if site is None:
            return False
        for name, user_id in site.people.users.items():
            accounts.set_password(connection, user_id, hashes[name])
        # The last step before the commit: passwords that are in force are never unknown.
        _write(path, words)
    click.echo("Demo people (name and password):")
    for name, word in words.items():
        click.echo(f"  {name:<6} {word}")
    click.echo(f"They are kept in {path}.")
    return True


def require_loopback(host: str) -> None:
    """Demo people and their passwords are for one machine only (D17)."""
    if not _is_loopback(host):
        raise click.ClickException(
            f"The demo is served on this machine only, not on {host}. Set IMPRIMATUR_HOST to 127.0.0.1."
        )


def has_demo_people(data_folder: Path) -> bool:
    """Whether this data folder was filled by the demo."""
    return (data_folder / PEOPLE_FILE).exists()


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _write(path: Path, words: Mapping[str, str]) -> None:
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as target:
        target.writelines(f"{name} {word}\n" for name, word in words.items())
    part.replace(path)
