"""Names given on the command line become rows, or a sentence that says what there is."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import click
from sqlalchemy import select
from sqlalchemy.engine import Connection, RowMapping

from app.accounts import store as accounts
from app.agent.configurations import ConfigurationView, find_configuration_named
from app.content.store import list_languages
from app.core.errors import NotFound
from app.core.i18n import text


def user_named(connection: Connection, name: str) -> RowMapping:
    """The person with this sign-in name."""
    found = accounts.find_user_by_name(connection, name)
    if found is None:
        raise NotFound("user", text=text("There is no person with the name “%(name)s”.", name=name))
    return found


def group_named(connection: Connection, title: str) -> int:
    """Id of the group with this title."""
    found = accounts.find_group_by_title(connection, title)
    if found is None:
        raise NotFound("group", text=text("There is no group with the title “%(title)s”.", title=title))
    return int(found["id"])


def groups_named(connection: Connection, titles: Iterable[str]) -> list[int]:
    """Ids of several groups, in the order given."""
    return [group_named(connection, title) for title in titles]


def group_titles(connection: Connection) -> dict[int, str]:
    """Titles of all groups by id."""
    group = accounts.GROUP.c
    rows = connection.execute(select(group.id, group.title).where(group.deleted.is_(False)).order_by(group.id))
    return {row.id: row.title for row in rows}


def workspace_named(connection: Connection, name: str) -> int:
    """Number of the workspace with this title or number."""
    for row in accounts.list_workspaces_for(connection, 0, (), everyone=True):
        if name in {str(row["id"]), row["title"]}:
            return int(row["id"])
    raise NotFound("workspace", text=text("There is no workspace “%(name)s”.", name=name))


def configuration_named(connection: Connection, name: str) -> ConfigurationView:
    """The configuration with this name."""
    found = find_configuration_named(connection, name)
    if found is None:
        raise NotFound("configuration", text=text("There is no configuration “%(name)s”.", name=name))
    return found


def languages_by_code(connection: Connection, codes: Iterable[str]) -> dict[str, int]:
    """Numbers of the site's languages by the codes as given."""
    known = {language.code.lower(): language.id for language in list_languages(connection)}
    found: dict[str, int] = {}
    for code in codes:
        if code.lower() not in known:
            listed = ", ".join(known) or "none"
            raise click.UsageError(f"The site has no language “{code}”. It has: {listed}.")
        found[code] = known[code.lower()]
    return found


def filled(values: Iterable[str]) -> list[str]:
    """Values of a repeatable option without empty ones: ``--exclude-tool ""`` empties a list."""
    return [value for value in values if value]


def require_known(values: Iterable[str], known: Collection[str], what: str) -> None:
    """Refuse a value that does not exist, with the list of those that do."""
    for value in values:
        if value not in known:
            raise click.UsageError(f"There is no {what} “{value}”. There are: {', '.join(sorted(known))}.")
