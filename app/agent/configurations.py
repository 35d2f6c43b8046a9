"""Configurations: what administrators set for a kind of assignment, and what the runtime reads of them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypedDict, Unpack

from sqlalchemy import Table, insert, select, update
from sqlalchemy.engine import Connection

from app.agent.configuration_changes import newest_change, record_change
from app.agent.llm.registry import is_model_name
from app.agent.models import Configuration
from app.core import canonical, clock, errors
from app.core.i18n import Text, text
from app.policy.identity import GRANT_USE, Identity
from app.policy.invocation import ConfigurationFacts

_table: Table = Configuration.__table__
NAME_LENGTH = 80
MODEL_LENGTH = 120
PROMPT_LENGTH = 20_000
NAME_TAKEN = text("There is already a configuration with this name.")
CHANGED_MEANWHILE = text("Somebody else has changed this meanwhile. Check the current values, then save again.")
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
    approval_days: int | None
    """Days a card waits before it expires, 0 = for ever; None = as the installation's setting says."""
    budget_requests_day: int
    """Requests to the model on one day (UTC); 0 = no limit, as with the others."""
    budget_tokens_day: int
    budget_cost_day: int
    """In hundredths of the currency of the prices."""
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
    approval_days: int | None
    budget_requests_day: int
    budget_tokens_day: int
    budget_cost_day: int
    active: bool


def create_configuration(
    connection: Connection, name: str, /, *, actor_id: int = 0, **values: Unpack[ConfigurationValues]
) -> int:
    """Insert a configuration and return its id; what is left out takes the defaults of the table (DW-01).

    ``actor_id`` is the person who adds it, 0 = a command or the set-up; the history of changes begins with it. Raises
    ``errors.Invalid`` for an empty or overlong name or something that is no name of a model, and ``errors.Conflict``
    for a name that is taken.
    """
    stored = _stored(connection, {**values, "name": name}, own_id=0)
    connection.execute(insert(_table).values(created_at=clock.now(), **stored))
    made = find_configuration_named(connection, stored["name"])
    if made is None:
        raise errors.NotFound(f"configuration {name!r}")
    record_change(connection, made.id, actor_id, None, _settings(made))
    return made.id


def set_configuration(
    connection: Connection,
    configuration_id: int,
    *,
    actor_id: int = 0,
    seen: int | None = None,
    **values: Unpack[ConfigurationValues],
) -> bool:
    """Change a configuration and record the change, in the caller's transaction; whether anything was changed.

    Running runs follow at their next call (I27). ``seen`` is the newest change the person knew (``newest_change``).
    Raises ``errors.NotFound``, ``Conflict`` when somebody else was faster, and ``Invalid`` or ``Conflict`` as above.
    """
    # The row is locked before its changes are read: of two people who save at once the second one is told.
    connection.execute(select(_table.c.id).where(_table.c.id == configuration_id).with_for_update())
    before = find_configuration(connection, configuration_id)
    if before is None:
        raise errors.NotFound(f"configuration {configuration_id}")
    if seen is not None and seen != newest_change(connection, configuration_id):
        raise errors.Conflict(f"configuration {configuration_id}", text=CHANGED_MEANWHILE)
    stored = _stored(connection, values, own_id=configuration_id)
    if stored:
        connection.execute(update(_table).where(_table.c.id == configuration_id).values(**stored))
    after = find_configuration(connection, configuration_id) or before
    return record_change(connection, configuration_id, actor_id, _settings(before), _settings(after))


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


def name_problem(connection: Connection, name: str, own_id: int) -> Text | None:
    """Why a configuration cannot have this name; ``own_id`` is its own number, 0 for a new one."""
    tidy = name.strip()
    if not tidy or len(tidy) > NAME_LENGTH:
        return text("Enter a name of at most %(max)s characters.", max=NAME_LENGTH)
    taken = find_configuration_named(connection, tidy)
    return NAME_TAKEN if taken is not None and taken.id != own_id else None


def model_problem(name: str) -> Text | None:
    """Why this is no name of a model."""
    tidy = name.strip()
    if is_model_name(tidy) and len(tidy) <= MODEL_LENGTH:
        return None
    return text("Enter builtin, openai:NAME or anthropic:NAME, at most %(max)s characters.", max=MODEL_LENGTH)


def prompt_problem(words: str) -> Text | None:
    """Why the model cannot be told this."""
    if len(words) <= PROMPT_LENGTH:
        return None
    return text("Enter at most %(max)s characters.", max=PROMPT_LENGTH)


def _stored(connection: Connection, values: Mapping[str, Any], *, own_id: int) -> dict[str, Any]:
    stored = {name: canonical.dumps(sorted(set(value))) if name in _LISTS else value for name, value in values.items()}
    for name in {"name", "model"} & stored.keys():
        stored[name] = stored[name].strip()
    problems = {
        "name": name_problem(connection, stored["name"], own_id) if "name" in stored else None,
        "model": model_problem(stored["model"]) if "model" in stored else None,
        "prompt": prompt_problem(stored["prompt"]) if "prompt" in stored else None,
    }
    if problems["name"] is NAME_TAKEN:
        raise errors.Conflict(text=NAME_TAKEN)
    wrong = {name: sentence for name, sentence in problems.items() if sentence is not None}
    if wrong:
        raise errors.Invalid("configuration", fields=wrong)
    return stored


def _settings(view: ConfigurationView) -> dict[str, Any]:
    """What the history of changes compares."""
    return {name: value for name, value in asdict(view).items() if name != "id"}


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
        approval_days=row["approval_days"],
        budget_requests_day=row["budget_requests_day"],
        budget_tokens_day=row["budget_tokens_day"],
        budget_cost_day=row["budget_cost_day"],
        active=row["active"],
    )
