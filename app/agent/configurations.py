"""Configurations: what administrators set for a kind of assignment, and what the runtime reads of them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

from sqlalchemy import Table, insert, select, update
from sqlalchemy.engine import Connection

from app.agent.llm.registry import is_model_name
from app.agent.models import Configuration
from app.core import canonical, clock, errors
from app.core.i18n import text
from app.policy.identity import GRANT_USE, Identity
from app.policy.invocation import ConfigurationFacts

_table: Table = Configuration.__table__
NAME_LENGTH = 80
MODEL_LENGTH = 120
_LISTS = ("tool_groups", "excluded_tools", "allowed_groups")


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigurationView:
    """One configuration as stored."""

    id: int
    name: str
    model: str
    prompt: str
    tool_groups: tuple[str, ...]
    """Groups of tools offered; empty = no restriction."""
    excluded_tools: tuple[str, ...]
    allowed_groups: tuple[int, ...]
    """Groups of people who may use it; empty = everybody with the grant."""
    requires_second_approver: bool
    requires_draft_workspace: bool
    branch_page: int
    """Writes are restricted to this page and what lies below it; 0 = no restriction."""
    requires_read_before_write: bool
    active: bool


class ConfigurationValues(TypedDict, total=False):
    """What ``create_configuration`` and ``set_configuration`` take; what is left out stays as it is."""

    name: str
    model: str
    prompt: str
    tool_groups: Collection[str]
    excluded_tools: Collection[str]
    allowed_groups: Collection[int]
    requires_second_approver: bool
    requires_draft_workspace: bool
    branch_page: int
    requires_read_before_write: bool
    active: bool


def create_configuration(connection: Connection, name: str, /, **values: Unpack[ConfigurationValues]) -> int:
    """Insert a configuration and return its id; what is left out takes the defaults of the table (DW-01).

    Raises ``errors.Invalid`` for an empty or overlong name or something that is no name of a model, and ``errors.Conflict``
    for a name that is taken.
    """
    stored = _stored(connection, {**values, "name": name}, own_id=0)
    connection.execute(insert(_table).values(created_at=clock.now(), **stored))
    return int(connection.execute(select(_table.c.id).where(_table.c.name == stored["name"])).scalar_one())


def set_configuration(connection: Connection, configuration_id: int, **values: Unpack[ConfigurationValues]) -> None:
    """Change a configuration; running runs follow at their next call (I27).

    Raises ``errors.NotFound``, and ``Invalid`` or ``Conflict`` as above.
    """
    if find_configuration(connection, configuration_id) is None:
        raise errors.NotFound(f"configuration {configuration_id}")
    stored = _stored(connection, values, own_id=configuration_id)
    if stored:
        connection.execute(update(_table).where(_table.c.id == configuration_id).values(**stored))


def find_configuration(connection: Connection, configuration_id: int) -> ConfigurationView | None:
    """The configuration of that id."""
    row = connection.execute(select(_table).where(_table.c.id == configuration_id)).mappings().first()
    return None if row is None else _view(row)


def find_configuration_named(connection: Connection, name: str) -> ConfigurationView | None:
    """The configuration of exactly that name."""
    row = connection.execute(select(_table).where(_table.c.name == name)).mappings().first()
    return None if row is None else _view(row)


def list_configurations(connection: Connection) -> tuple[ConfigurationView, ...]:
    """Every configuration, oldest first."""
    rows = connection.execute(select(_table).order_by(_table.c.id)).mappings().all()
    return tuple(_view(row) for row in rows)


def list_usable_configurations(connection: Connection, identity: Identity) -> tuple[ConfigurationView, ...]:
    """The configurations a person may start an assignment with, oldest first."""
    return tuple(found for found in list_configurations(connection) if may_use_configuration(identity, found))


def may_use_configuration(identity: Identity, configuration: ConfigurationView) -> bool:
    """Whether a person may start an assignment with it: the grant, an active configuration, and its groups of people."""
    if not configuration.active or not identity.may(GRANT_USE):
        return False
    allowed = configuration.allowed_groups
    return identity.is_admin or not allowed or not set(allowed).isdisjoint(identity.group_ids)


def facts_of(configuration: ConfigurationView) -> ConfigurationFacts:
    """What rules and gates may know of a configuration."""
    return ConfigurationFacts(
        id=configuration.id,
        name=configuration.name,
        requires_draft_workspace=configuration.requires_draft_workspace,
        requires_second_approver=configuration.requires_second_approver,
        tool_groups=frozenset(configuration.tool_groups) or None,
        excluded_tools=frozenset(configuration.excluded_tools),
        branch_page=configuration.branch_page,
        requires_read_before_write=configuration.requires_read_before_write,
    )


def _stored(connection: Connection, values: Mapping[str, Any], *, own_id: int) -> dict[str, Any]:
    stored = {name: canonical.dumps(sorted(set(value))) if name in _LISTS else value for name, value in values.items()}
    if "name" in stored:
        stored["name"] = _free_name(connection, stored["name"], own_id)
    if "model" in stored:
        stored["model"] = _model_name(stored["model"])
    return stored


def _model_name(name: str) -> str:
    tidy = name.strip()
    if not is_model_name(tidy) or len(tidy) > MODEL_LENGTH:
        sentence = text("Enter builtin, openai:NAME or anthropic:NAME, at most %(max)s characters.", max=MODEL_LENGTH)
        raise errors.Invalid(fields={"model": sentence})
    return tidy


def _free_name(connection: Connection, name: str, own_id: int) -> str:
    tidy = name.strip()
    if not tidy or len(tidy) > NAME_LENGTH:
        raise errors.Invalid(fields={"name": text("Enter a name of at most %(max)s characters.", max=NAME_LENGTH)})
    taken = find_configuration_named(connection, tidy)
    if taken is not None and taken.id != own_id:
        raise errors.Conflict(text=text("There is already a configuration with this name."))
    return tidy


def _view(row: Mapping[Any, Any]) -> ConfigurationView:
    return ConfigurationView(
        id=row["id"],
        name=row["name"],
        model=row["model"],
        prompt=row["prompt"],
        tool_groups=tuple(json.loads(row["tool_groups"])),
        excluded_tools=tuple(json.loads(row["excluded_tools"])),
        allowed_groups=tuple(json.loads(row["allowed_groups"])),
        requires_second_approver=row["requires_second_approver"],
        requires_draft_workspace=row["requires_draft_workspace"],
        branch_page=row["branch_page"],
        requires_read_before_write=row["requires_read_before_write"],
        active=row["active"],
    )
