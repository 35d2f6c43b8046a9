"""``imprimatur workspace``: draft workspaces and who works in them."""

from __future__ import annotations

from dataclasses import replace

import click
from sqlalchemy import select
from sqlalchemy.engine import Connection

from app.accounts import service as accounts
from app.accounts import store
from app.chat.workspaces import delete_workspace
from app.cli.installation import Installation, echo_table, in_application
from app.cli.lookups import group_named, user_named, workspace_named
from app.core.db import reading, transaction
from app.seed.installation import seed_actor


@click.group()
def workspace() -> None:
    """Draft workspaces."""


@workspace.command("create")
@click.argument("title")
@click.option(
    "--page-mount",
    "page_mounts",
    type=int,
    multiple=True,
    metavar="UID",
    help="Limit it to the branch of a page; repeatable.",
)
@in_application
def create(_installation: Installation, title: str, page_mounts: tuple[int, ...]) -> None:
    """Add a draft workspace and print its number."""
    with transaction() as connection:
        number = accounts.create_workspace(connection, title, page_mounts=page_mounts)
    click.echo(f"Created workspace {title} (number {number}).")


@workspace.command("list")
@in_application
def list_workspaces(_installation: Installation) -> None:
    """List draft workspaces. Live is number 0 and not listed."""
    with reading() as connection:
        rows = store.list_workspaces_for(connection, 0, (), everyone=True)
        members = _members(connection)
    echo_table(
        ("NUMBER", "TITLE", "MEMBERS"),
        ((row["id"], row["title"], ", ".join(members.get(row["id"], ()))) for row in rows),
    )


@workspace.command("delete")
@click.argument("workspace_name", metavar="WORKSPACE")
@click.confirmation_option(prompt="Everything the workspace holds is discarded for good. Delete it?")
@in_application
def delete(_installation: Installation, workspace_name: str) -> None:
    """Delete a draft workspace (title or number) with everything in it."""
    with reading() as connection:
        number = workspace_named(connection, workspace_name)
        title = accounts.workspace_title(connection, number) or workspace_name
    actor = replace(seed_actor(), workspaces={number: title}, workspace_id=number)
    done = delete_workspace(actor, number)
    click.echo(
        f"Deleted workspace {title}: {done.discarded} drafts discarded, "
        f"{done.moved_people} people moved to their default workspace."
    )
    if done.is_extension_failed:
        click.echo("An extension failed afterwards.", err=True)


@workspace.command("add-member")
@click.argument("workspace_name", metavar="WORKSPACE")
@click.option("--user", "username", metavar="NAME", help="Person.")
@click.option("--group", "title", metavar="TITLE", help="Group.")
@click.option("--owner", is_flag=True, help="As owner of the workspace.")
@in_application
def add_member(
    _installation: Installation, workspace_name: str, username: str | None, title: str | None, owner: bool
) -> None:
    """Let a person or a group work in a workspace (title or number)."""
    if (username is None) == (title is None):
        raise click.UsageError("Name a person with --user or a group with --group.")
    with transaction() as connection:
        number = workspace_named(connection, workspace_name)
        user_id = 0 if username is None else int(user_named(connection, username)["id"])
        group_id = 0 if title is None else group_named(connection, title)
        if _is_member(connection, number, user_id, group_id):
            click.echo(f"{username or title} is a member of {workspace_name} already.")
            return
        accounts.add_to_workspace(connection, number, user_id=user_id, group_id=group_id, is_owner=owner)
    click.echo(f"{username or title} may now work in {workspace_name}.")


def _is_member(connection: Connection, workspace_id: int, user_id: int, group_id: int) -> bool:
    member = store.WORKSPACE_MEMBER.c
    query = select(member.id).where(
        member.workspace_id == workspace_id, member.user_id == user_id, member.group_id == group_id
    )
    return connection.execute(query).first() is not None


def _members(connection: Connection) -> dict[int, list[str]]:
    member, user, group = store.WORKSPACE_MEMBER, store.USER, store.GROUP
    query = (
        select(member.c.workspace_id, user.c.username, group.c.title)
        .outerjoin(user, user.c.id == member.c.user_id)
        .outerjoin(group, group.c.id == member.c.group_id)
        .order_by(member.c.id)
    )
    found: dict[int, list[str]] = {}
    for row in connection.execute(query):
        found.setdefault(row.workspace_id, []).append(row.username or row.title or "?")
    return found
