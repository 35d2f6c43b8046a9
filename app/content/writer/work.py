"""What every step of a batch needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection

from app.content.errors import WriteRefused
from app.content.hooks import Hooks
from app.content.schema import REGISTRY, TableTrait
from app.content.types import WriteContext
from app.content.writer.observe import Observation
from app.core.i18n import text
from app.policy.identity import Identity


@dataclass(frozen=True, kw_only=True, slots=True)
class Work:
    """The open transaction, who writes in it, what asks to be heard, and what was observed so far."""

    connection: Connection
    context: WriteContext
    hooks: Hooks
    observed: Observation

    @property
    def actor(self) -> Identity:
        """The acting person."""
        return self.context.actor

    @property
    def workspace_id(self) -> int:
        """Where the batch writes; 0 = live."""
        return self.context.workspace_id

    @property
    def in_draft(self) -> bool:
        """Whether the batch writes into a draft workspace."""
        return self.context.workspace_id > 0

    def ask_before(self, trait: TableTrait, uid: int, values: dict[str, Any]) -> None:
        """Give every before hook the chance to veto; the values cannot be changed there."""
        for hook in self.hooks.before:
            hook(self.context, trait.name, uid, MappingProxyType(values))

    def ask_before_inserting(self, trait: TableTrait, rows: Sequence[Mapping[str, Any]]) -> None:
        """The same for whole rows about to be inserted."""
        if self.hooks.before:
            for row in rows:
                self.ask_before(trait, 0, {field.name: row[field.name] for field in trait.fields})


def trait_of(table: str) -> TableTrait:
    """The registry entry of ``table``; raises ``WriteRefused("unknown_table")``: what is not registered cannot be
    rehearsed.
    """
    trait = REGISTRY.get(table)
    if trait is None:
        raise WriteRefused("unknown_table", text("There is no such kind of record."))
    return trait
