"""People and calls the tests of policy are about."""

from __future__ import annotations

from typing import Any

from app.policy.identity import Identity
from app.policy.invocation import ConfigurationFacts, InvocationContext, ToolEffect, ToolFacts

DRAFT, OTHER = 3, 4
READ = ToolFacts(name="read", group="g", effect=ToolEffect.READ)
WRITE = ToolFacts(name="write", group="g", effect=ToolEffect.WRITE)
IDEMPOTENT = ToolFacts(name="set", group="g", effect=ToolEffect.IDEMPOTENT_WRITE)
UNDECLARED = ToolFacts(name="u", group="g")
UNDECLARED_APPROVAL = ToolFacts(name="ua", group="g", needs_approval=True)
READ_APPROVAL = ToolFacts(name="ra", group="g", effect=ToolEffect.READ, needs_approval=True)
REMOTE = ToolFacts(name="r", group="g", effect=ToolEffect.WRITE, is_remote=True)
REMOTE_READ = ToolFacts(name="rr", group="g", effect=ToolEffect.READ, is_remote=True)
REMOTE_FREE = ToolFacts(name="rf", group="g", is_remote=True)


def person(**rights: Any) -> Identity:
    """Somebody in the draft workspace; ``rights`` are fields of ``Identity``."""
    given: dict[str, Any] = {
        "user_id": 7,
        "username": "anna",
        "name": "Anna",
        "workspace_id": DRAFT,
        "workspaces": {DRAFT: "Relaunch"},
    }
    return Identity(**{**given, **rights})


def call(
    tool: ToolFacts = WRITE, *, recorded: int | None = DRAFT, acting: Identity | None = None, required: bool = True
) -> InvocationContext:
    """A call of ``tool`` in a run that recorded ``recorded``."""
    configuration = ConfigurationFacts(id=1, name="Editorial", requires_draft_workspace=required)
    return InvocationContext(
        tool=tool, arguments={}, configuration=configuration, acting=acting, recorded_workspace=recorded
    )
