"""``imprimatur group``: groups of people and their rights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
from sqlalchemy import select
from sqlalchemy.engine import Connection

from app.accounts import service as accounts
from app.accounts import store
from app.accounts.group_administration import FILE_PERMISSIONS, GRANTS, set_inclusions, title_problem
from app.accounts.mounts import mount_on
from app.cli.installation import Installation, echo_table, in_application, yes
from app.cli.lookups import filled, group_named, groups_named, languages_by_code, require_known
from app.content.grantable import FIELDS, TABLES
from app.core.db import reading, transaction
from app.core.errors import Invalid

_OPTIONS = (
    click.option("--grant", "grants", multiple=True, help=f"One of: {', '.join(GRANTS)}."),
    click.option("--select", "tables_select", multiple=True, metavar="TABLE", help="Table its people read."),
    click.option("--modify", "tables_modify", multiple=True, metavar="TABLE", help="Table its people write."),
    click.option("--field", "field_grants", multiple=True, help=f"Field that needs a grant: {', '.join(FIELDS)}."),
    click.option("--language", "languages", multiple=True, metavar="CODE", help="Language its people are limited to."),
    click.option("--page-mount", "page_mounts", multiple=True, metavar="UID", help="Page whose branch they work in."),
    click.option(
        "--file-mount", "file_mounts", multiple=True, metavar="STORAGE:/FOLDER/[:ro]", help="Folder of files."
    ),
    click.option(
        "--file-permission", "file_permissions", multiple=True, help=f"One of: {', '.join(FILE_PERMISSIONS)}."
    ),
    click.option("--live/--no-live", default=None, help="May work in the live workspace."),
    click.option(
        "--include", "includes", multiple=True, metavar="TITLE", help="Group whose rights its people have too."
    ),
)
_KNOWN = {
    "grants": (GRANTS, "grant"),
    "tables_select": (TABLES, "table"),
    "tables_modify": (TABLES, "table"),
    "field_grants": (tuple(FIELDS), "field that needs a grant"),
    "file_permissions": (FILE_PERMISSIONS, "file permission"),
}


def _with_rights(command: Callable[..., None]) -> Callable[..., None]:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.group()
def group() -> None:
    """Groups of people and their rights. Rights of several groups unite."""


@group.command("create")
@click.argument("title")
@_with_rights
@in_application
def create(_installation: Installation, /, title: str, includes: tuple[str, ...], **options: Any) -> None:
    """Add a group. Every option but --live is repeatable."""
    with transaction() as connection:
        included = groups_named(connection, filled(includes))
        problem = title_problem(connection, title)
        if problem is not None:
            raise Invalid("group", text=problem)
        group_id = accounts.create_group(connection, title, **_rights(connection, options))
        set_inclusions(connection, group_id, included)
    click.echo(f"Created group {title}.")


@group.command("set")
@click.argument("title")
@_with_rights
@in_application
def set_group(_installation: Installation, /, title: str, includes: tuple[str, ...], **options: Any) -> None:
    """Change a group. A list that is named is replaced; "" empties it. What is not named stays."""
    with transaction() as connection:
        group_id = group_named(connection, title)
        rights = _rights(connection, options)
        if rights:
            accounts.update_group(connection, group_id, **rights)
        if includes:
            set_inclusions(connection, group_id, groups_named(connection, filled(includes)))
    click.echo(f"Changed group {title}.")


@group.command("list")
@in_application
def list_groups(_installation: Installation) -> None:
    """List groups with their rights."""
    with reading() as connection:
        query = select(store.GROUP).where(store.GROUP.c.deleted.is_(False)).order_by(store.GROUP.c.title)
        rows = connection.execute(query).mappings().all()
    echo_table(
        ("TITLE", "LIVE", "GRANTS", "PAGE MOUNTS", "WRITES"),
        (
            (
                row["title"],
                yes(row["live"]),
                _words(row["grants"]),
                _words(row["page_mounts"]),
                _words(row["tables_modify"]),
            )
            for row in rows
        ),
    )


def _rights(connection: Connection, options: dict[str, Any]) -> dict[str, Any]:
    rights: dict[str, Any] = {name: filled(value) for name, value in options.items() if name != "live" and value}
    for name, (allowed, what) in _KNOWN.items():
        if name in rights:
            require_known(rights[name], allowed, what)
    if options["live"] is not None:
        rights["live"] = options["live"]
    if "languages" in rights:
        rights["languages"] = list(languages_by_code(connection, rights["languages"]).values())
    if "page_mounts" in rights:
        rights["page_mounts"] = [_number(value) for value in rights["page_mounts"]]
    if "file_mounts" in rights:
        rights["file_mounts"] = [_file_mount(value) for value in rights["file_mounts"]]
    return rights


def _file_mount(value: str) -> dict[str, Any]:
    storage, _, rest = value.partition(":")
    folder = rest.removesuffix(":ro")
    if not storage.isdigit() or not folder.startswith("/"):
        raise click.UsageError("Write a mount as STORAGE:/folder/ or STORAGE:/folder/:ro, for example 1:/press/.")
    mount = mount_on(int(storage), folder, read_only=rest != folder)
    return {"storage": mount.storage_id, "folder": mount.folder, "read_only": mount.read_only}


def _number(value: str) -> int:
    if not value.isdigit():
        raise click.UsageError(f"A page mount is the number of a page, not “{value}”.")
    return int(value)


def _words(stored: str) -> str:
    return ", ".join(str(value) for value in store.decode_list(stored)) or "–"
