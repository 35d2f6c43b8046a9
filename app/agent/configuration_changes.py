"""Who changed which setting of a configuration, and when; written in the transaction of the change itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Table, func, insert, select
from sqlalchemy.engine import Connection

from app.agent.models import ConfigurationChange
from app.core import canonical, clock

_table: Table = ConfigurationChange.__table__
COMMAND = 0
"""The "person" of changes that a command or the set-up of the installation made."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SettingsChange:
    """One entry of the history."""

    id: int
    at: int
    user_id: int
    """``COMMAND`` = a command or the set-up."""
    changes: Mapping[str, tuple[Any, Any]]
    """Setting -> before and after as plain JSON values; before is None in the entry of the creation."""

    @property
    def is_creation(self) -> bool:
        """Whether the configuration came into being with this entry."""
        before, _ = self.changes.get("name", ("", ""))
        return before is None


def record_change(
    connection: Connection,
    configuration_id: int,
    actor_id: int,
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any],
) -> bool:
    """Keep the settings in which ``before`` and ``after`` differ; nothing when they are the same. Whether they differ.

    ``before`` None = the configuration is new: then what it starts with is kept, without empty settings.
    """
    if before is None:
        changes = {name: (None, value) for name, value in after.items() if value}
    else:
        changes = {name: (before[name], value) for name, value in after.items() if before[name] != value}
    if not changes:
        return False
    plain = {name: [_plain(value) for value in pair] for name, pair in changes.items()}
    row = {
        "configuration_id": configuration_id,
        "at": clock.now(),
        "user_id": actor_id,
        "changes": canonical.dumps(plain),
    }
    connection.execute(insert(_table).values(**row))
    return True


def newest_change(connection: Connection, configuration_id: int) -> int:
    """Number of the newest entry, which tells one state of a configuration from the next; 0 = there is none."""
    newest = select(func.max(_table.c.id)).where(_table.c.configuration_id == configuration_id)
    return int(connection.execute(newest).scalar() or 0)


def list_changes(
    connection: Connection, configuration_id: int, *, limit: int, before_id: int | None = None
) -> tuple[SettingsChange, ...]:
    """The entries of a configuration, newest first; with ``before_id`` those older than that one."""
    query = select(_table).where(_table.c.configuration_id == configuration_id)
    if before_id is not None:
        query = query.where(_table.c.id < before_id)
    rows = connection.execute(query.order_by(_table.c.id.desc()).limit(limit)).mappings().all()
    return tuple(
        SettingsChange(
            id=row["id"],
            at=row["at"],
            user_id=row["user_id"],
            changes={name: (pair[0], pair[1]) for name, pair in json.loads(row["changes"]).items()},
        )
        for row in rows
    )


def has_changed_since(connection: Connection, configuration_id: int, setting: str, at: int) -> bool:
    """Whether a setting was changed at ``at`` (seconds) or later."""
    query = select(_table.c.changes).where(_table.c.configuration_id == configuration_id, _table.c.at >= at)
    found = (json.loads(words) for words in connection.execute(query).scalars())
    return any(setting in changes and changes[setting][0] is not None for changes in found)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
