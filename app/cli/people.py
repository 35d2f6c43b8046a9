"""``imprimatur user``: people who sign in."""

from __future__ import annotations

import sys
from typing import Any

import click
from sqlalchemy import delete
from sqlalchemy.engine import Connection

from app.accounts import passwords, store
from app.accounts import service as accounts
from app.accounts.administration import update_person
from app.accounts.group_administration import join_group
from app.cli.installation import Installation, echo_table, in_application, yes
from app.cli.lookups import group_named, groups_named, user_named
from app.core.db import reading, transaction
from app.core.i18n import known_locales

_LANGUAGE = click.Choice(known_locales())


@click.group()
def user() -> None:
    """People who sign in."""


@user.command("create")
@click.argument("name")
@click.option("--name", "full_name", default="", help="Full name, as others read it.")
@click.option("--language", type=_LANGUAGE, default="en", show_default=True, help="Language of the interface.")
@click.option("--email", default="", help="E-mail address.")
@click.option("--admin", is_flag=True, help="May administer everything.")
@click.option(
    "--group", "groups", multiple=True, metavar="TITLE", help="Group; repeatable, the first one owns new pages."
)
@click.option(
    "--password-stdin", is_flag=True, help="Read the password from standard input instead of printing a link."
)
@in_application
def create(
    installation: Installation,
    name: str,
    full_name: str,
    language: str,
    email: str,
    admin: bool,
    groups: tuple[str, ...],
    password_stdin: bool,
) -> None:
    """Add a person. Prints a link with which they set their password."""
    hashed = _hash_from_stdin(name) if password_stdin else None
    with transaction() as connection:
        user_id = accounts.create_user(
            connection, username=name, name=full_name, is_admin=admin, language=language, email=email
        )
        for position, group_id in enumerate(groups_named(connection, groups)):
            accounts.add_member(connection, user_id, group_id, position)
        token = _give_password(connection, user_id, hashed)
    click.echo(f"Created {name}.")
    _echo_link(installation, name, token)


@user.command("set")
@click.argument("name")
@click.option("--name", "full_name", help="Full name.")
@click.option("--language", type=_LANGUAGE, help="Language of the interface.")
@click.option("--email", help="E-mail address.")
@click.option("--admin/--no-admin", "is_admin", default=None, help="May administer everything.")
@click.option("--disabled/--no-disabled", default=None, help="May not sign in; open sign-ins end at once.")
@click.option("--add-group", multiple=True, metavar="TITLE", help="Put into a group; repeatable.")
@click.option("--remove-group", multiple=True, metavar="TITLE", help="Take out of a group; repeatable.")
@click.option("--password-link", is_flag=True, help="Print a new link for setting the password.")
@click.option("--password-stdin", is_flag=True, help="Read a new password from standard input.")
@in_application
def set_user(
    installation: Installation,
    /,
    name: str,
    add_group: tuple[str, ...],
    remove_group: tuple[str, ...],
    password_link: bool,
    password_stdin: bool,
    **columns: Any,
) -> None:
    """Change a person. What is not named stays."""
    hashed = _hash_from_stdin(name) if password_stdin else None
    renamed = {"full_name": "name"}
    values = {renamed.get(column, column): value for column, value in columns.items() if value is not None}
    token = None
    with transaction() as connection:
        user_id = int(user_named(connection, name)["id"])
        if values:
            update_person(connection, user_id, values)
        for title in add_group:
            join_group(connection, user_id, group_named(connection, title))
        for title in remove_group:
            _leave(connection, user_id, group_named(connection, title))
        if password_link or hashed is not None:
            token = _give_password(connection, user_id, hashed)
    click.echo(f"Changed {name}.")
    _echo_link(installation, name, token)


@user.command("list")
@in_application
def list_users(_installation: Installation) -> None:
    """List everybody."""
    with reading() as connection:
        people = store.list_users(connection)
        groups = {row["id"]: store.list_groups_of(connection, row["id"]) for row in people}
    echo_table(
        ("NAME", "FULL NAME", "LANGUAGE", "ADMIN", "DISABLED", "PASSWORD", "GROUPS"),
        (
            (
                row["username"],
                row["name"],
                row["language"],
                yes(row["is_admin"]),
                yes(row["disabled"]),
                yes(row["password_hash"]),
                ", ".join(group["title"] for group in groups[row["id"]]),
            )
            for row in people
        ),
    )


def _hash_from_stdin(username: str) -> str:
    password = sys.stdin.readline().rstrip("\r\n")
    accounts.check_new_password(password, password, username)
    return passwords.hash_password(password)


def _give_password(connection: Connection, user_id: int, hashed: str | None) -> str | None:
    if hashed is None:
        return accounts.create_link(connection, "password", user_id)
    accounts.set_password(connection, user_id, hashed)
    return None


def _echo_link(installation: Installation, name: str, token: str | None) -> None:
    if token is not None:
        click.echo(f"{name} sets a password here within {accounts.LINK_DAYS} days:")
        click.echo(installation.link(f"/password/{token}"))


def _leave(connection: Connection, user_id: int, group_id: int) -> None:
    member = store.MEMBER.c
    connection.execute(delete(store.MEMBER).where(member.user_id == user_id, member.group_id == group_id))
