"""Short ways to publish and discard in tests of the small site."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from itertools import count
from typing import Any, TypeVar

from sqlalchemy import Connection

from app.content.hooks import Hooks
from app.content.types import ChangeSet, Origin, RecordRef, WriteContext
from app.content.writer import PublishOutcome, PublishPlan, discard_records, plan_publish, publish_records
from app.policy.identity import Identity
from tests.content.writer.fixtures import ADMIN, DRAFT, NOW, Store

T = TypeVar("T")
_numbers = count(1)


def context_of(workspace_id: int = DRAFT, actor: Identity = ADMIN) -> WriteContext:
    """A person's own publish or discard."""
    return WriteContext(
        actor=replace(actor, workspace_id=workspace_id),
        workspace_id=workspace_id,
        origin=Origin.PERSON,
        correlation=f"person/{next(_numbers)}",
        now=NOW + 100,
    )


def in_transaction(store: Store, act: Callable[[Connection], T]) -> T:
    """Run ``act`` in a transaction of its own."""
    with store.engine.begin() as connection:
        store.statements.clear()
        return act(connection)


def publish(
    store: Store,
    refs: Iterable[RecordRef] | None = None,
    *,
    workspace_id: int = DRAFT,
    actor: Identity = ADMIN,
    overwrite: Collection[RecordRef] = (),
    hooks: Hooks | None = None,
) -> PublishOutcome:
    """Publish ``refs`` of a draft; None = the whole draft."""
    asked = None if refs is None else list(refs)
    context = context_of(workspace_id, actor)
    return in_transaction(
        store, lambda c: publish_records(c, context, asked, overwrite=overwrite, hooks=hooks or Hooks())
    )


def plan(store: Store, refs: Iterable[RecordRef] | None = None, *, actor: Identity = ADMIN) -> PublishPlan:
    """What a publish would do."""
    asked = None if refs is None else list(refs)
    return in_transaction(store, lambda c: plan_publish(c, actor, DRAFT, asked))


def discard(
    store: Store, refs: Iterable[RecordRef] | None = None, *, workspace_id: int = DRAFT, actor: Identity = ADMIN
) -> ChangeSet:
    """Discard ``refs`` of a draft; None = the whole draft."""
    asked = None if refs is None else list(refs)
    return in_transaction(store, lambda c: discard_records(c, context_of(workspace_id, actor), asked, hooks=Hooks()))


def held(store: Store, table: str, workspace_id: int = DRAFT, **equal: Any) -> list[RecordRef]:
    """References to the rows a draft holds of a table."""
    return [RecordRef(table=table, uid=row["uid"]) for row in store.rows(table, workspace_id=workspace_id, **equal)]
