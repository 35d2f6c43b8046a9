"""``imprimatur configuration``: what administrators set for a kind of assignment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import click
from sqlalchemy.engine import Connection

from app.accounts.identities import find_identity
from app.agent.configuration_checks import check_configuration
from app.agent.configurations import (
    ConfigurationValues,
    ConfigurationView,
    create_configuration,
    list_configurations,
    may_use_configuration,
    set_configuration,
)
from app.chat.prompting import shown_prompt
from app.cli.installation import Installation, echo_table, in_application, yes
from app.cli.lookups import configuration_named, filled, group_titles, groups_named, require_known, user_named
from app.core.db import reading, transaction

_OPTIONS = (
    click.option("--model", help="builtin, openai:NAME or anthropic:NAME."),
    click.option("--prompt", help="What the model is told about the site and its style."),
    click.option("--tool-group", "tool_groups", multiple=True, help="Group of tools offered; repeatable, none = all."),
    click.option(
        "--exclude-tool", "excluded_tools", multiple=True, metavar="TOOL", help="Tool that is not offered; repeatable."
    ),
    click.option(
        "--allow-group",
        "allowed_groups",
        multiple=True,
        metavar="TITLE",
        help="Group that may use it; repeatable, none = all.",
    ),
    click.option(
        "--require-draft-workspace/--no-require-draft-workspace",
        "requires_draft_workspace",
        default=None,
        help="The assistant writes into draft workspaces only. Forms, imports and commands do not ask this.",
    ),
    click.option(
        "--second-approver/--no-second-approver",
        "requires_second_approver",
        default=None,
        help="Somebody else than the person who asked must approve.",
    ),
    click.option(
        "--branch-page",
        "branch_page",
        type=click.IntRange(min=0),
        metavar="UID",
        help="The assistant changes this page and what lies below it only; 0 = no restriction.",
    ),
    click.option(
        "--read-before-write/--no-read-before-write",
        "requires_read_before_write",
        default=None,
        help="The assistant must have read a record before it changes it.",
    ),
    click.option(
        "--approval-days",
        "approval_days",
        type=click.IntRange(min=0, max=3650),
        help="Days a card waits before it expires; 0 = for ever. Not named: as the setting of the installation says.",
    ),
    click.option("--active/--inactive", "active", default=None, help="May be chosen for new conversations."),
)


def _with_options(command: Callable[..., None]) -> Callable[..., None]:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.group()
def configuration() -> None:
    """Configurations of the assistant."""


@configuration.command("create")
@click.argument("name")
@_with_options
@in_application
def create(installation: Installation, /, name: str, **options: Any) -> None:
    """Add a configuration."""
    with transaction() as connection:
        values = _values(installation, connection, options, before=None)
        create_configuration(connection, name, **values)
    click.echo(f"Created configuration {name}.")


@configuration.command("set")
@click.argument("current", metavar="NAME")
@click.option("--name", help="New name.")
@_with_options
@in_application
def set_command(installation: Installation, /, current: str, **options: Any) -> None:
    """Change a configuration. A list that is named is replaced; "" empties it. What is not named stays."""
    with transaction() as connection:
        found = configuration_named(connection, current)
        values = _values(installation, connection, options, before=found)
        set_configuration(connection, found.id, **values)
    click.echo(f"Changed configuration {options['name'] or current}.")


@configuration.command("list")
@in_application
def list_command(_installation: Installation) -> None:
    """List configurations."""
    with reading() as connection:
        found = list_configurations(connection)
        titles = group_titles(connection)
    echo_table(
        ("NAME", "MODEL", "ACTIVE", "DRAFT WORKSPACE", "SECOND APPROVER", "TOOL GROUPS", "EXCLUDED TOOLS", "GROUPS"),
        (
            (
                view.name,
                view.model,
                yes(view.active),
                yes(view.requires_draft_workspace),
                yes(view.requires_second_approver),
                ", ".join(view.tool_groups) or "all",
                ", ".join(view.excluded_tools) or "–",
                ", ".join(titles.get(group_id, "?") for group_id in view.allowed_groups) or "all",
            )
            for view in found
        ),
    )


@configuration.command("show-prompt")
@click.argument("name")
@click.option("--user", "username", required=True, metavar="NAME", help="Whose rights, language and workspace count.")
@in_application
def show_prompt(installation: Installation, /, name: str, username: str) -> None:
    """Print what the AI assistant is told in a configuration when this person asks now."""
    with reading() as connection:
        found = configuration_named(connection, name)
        person = find_identity(connection, user_named(connection, username)["id"])
        if person is None:
            raise click.ClickException(f"{username} may not sign in at the moment, so nothing would be told.")
        prompt = shown_prompt(connection, person, found, installation.services.runtime)
    click.echo(prompt.words)
    if not may_use_configuration(person, found):
        click.echo(f"{username} may not use this configuration.", err=True)


def _values(
    installation: Installation, connection: Connection, options: dict[str, Any], *, before: ConfigurationView | None
) -> ConfigurationValues:
    values = {option: value for option, value in options.items() if value not in (None, ())}
    tools = list(installation.services.runtime.registry)
    for option, known, what in (
        ("excluded_tools", {tool.facts.name for tool in tools}, "tool"),
        ("tool_groups", {str(tool.facts.group) for tool in tools}, "tool group"),
    ):
        if option in values:
            values[option] = filled(values[option])
            require_known(values[option], known, what)
    if "allowed_groups" in values:
        values["allowed_groups"] = groups_named(connection, filled(values["allowed_groups"]))
    given = cast("ConfigurationValues", values)
    check_configuration(connection, installation.services.runtime.registry, given, before=before)
    return given
