"""Deleting a draft workspace: its records, its row and whoever stands in it, in one transaction (cms.md section 9)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from sqlalchemy import Table, func, select
from sqlalchemy.engine import Connection

from app.accounts import service as accounts
from app.accounts import store
from app.agent.models import Run
from app.agent.types import RunStatus
from app.content.hooks import run_after_commit
from app.content.schema import REGISTRY
from app.content.types import Origin, WriteContext
from app.content.writer import discard_workspace
from app.core import clock, errors, ids
from app.core.db import transaction
from app.policy.identity import Identity

_RUN = cast(Table, Run.__table__)
_LIVING = tuple(status.value for status in RunStatus if not status.is_final)


@dataclass(frozen=True, kw_only=True, slots=True)
class DeletionPlan:
    """What the deletion of a workspace brings about."""

    title: str
    records: int
    """Rows it holds, whoever may see them; they are gone for good."""
    runs: int
    """Assignments that have not ended and would write there: their steps will be refused."""
    people: int
    """Who stands in it and goes to their default workspace."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Deletion:
    """What it brought about."""

    discarded: int
    moved_people: int
    is_extension_failed: bool
    """A hook that follows a commit failed; the workspace is gone all the same."""


def plan_deletion(connection: Connection, identity: Identity, workspace_id: int) -> DeletionPlan:
    """The consequences, for administrators and owners. Raises ``NotFound``, and ``Forbidden`` for other members."""
    _demand(identity, workspace_id)
    held = [
        select(func.count()).select_from(trait.table).where(trait.table.c.workspace_id == workspace_id)
        for trait in REGISTRY.values()
        if trait.versioned
    ]
    living = select(func.count()).select_from(_RUN)
    living = living.where(_RUN.c.workspace_id == workspace_id, _RUN.c.status.in_(_LIVING))
    return DeletionPlan(
        title=identity.workspaces[workspace_id],
        records=sum(int(connection.execute(query).scalar_one()) for query in held),
        runs=int(connection.execute(living).scalar_one()),
        people=len(store.list_standing_in(connection, workspace_id)),
    )


def delete_workspace(identity: Identity, workspace_id: int) -> Deletion:
    """Discard every row of a workspace, delete it, and let its members fall to their default workspace.

    Runs that recorded it keep doing so; their steps are refused from now on (DW-23). Raises as ``plan_deletion``.
    """
    _demand(identity, workspace_id)
    context = WriteContext(
        actor=replace(identity, workspace_id=workspace_id),
        workspace_id=workspace_id,
        origin=Origin.PERSON,
        correlation=f"person/{ids.new_uuid()}",
        now=clock.now(),
    )
    with transaction() as connection:
        changes = discard_workspace(connection, context)
        moved = accounts.close_workspace(connection, workspace_id)
    results = run_after_commit(context, changes) if changes else ()
    return Deletion(
        discarded=len(changes.changes),
        moved_people=moved,
        is_extension_failed=any(result.error is not None for result in results),
    )


def _demand(identity: Identity, workspace_id: int) -> None:
    if not identity.may_use_workspace(workspace_id) or workspace_id not in identity.workspaces:
        raise errors.NotFound(f"workspace {workspace_id}")
    if not identity.owns_workspace(workspace_id):
        raise errors.Forbidden(f"workspace {workspace_id}")
