"""In whose name, where and when a call works: the same for its rehearsal and its execution."""

from __future__ import annotations

from sqlalchemy.engine import Connection

from app.agent.tools.base import ToolContext
from app.agent.types import Call, RunFacts
from app.content.types import Origin, WriteContext
from app.core import clock
from app.policy.identity import LIVE, Identity


def tool_context(connection: Connection, facts: RunFacts, acting: Identity | None) -> ToolContext:
    """In whose name and where a call of the run works; the caller has asked ``policy_gate.refuse_owner`` before."""
    if acting is None:
        raise LookupError("no acting user")
    return ToolContext(
        connection=connection, acting=acting, workspace_id=facts.workspace_id or LIVE, language=facts.language
    )


def write_context(facts: RunFacts, call: Call, acting: Identity, *, rehearsal: bool) -> WriteContext:
    """Who writes, where and why, for the content service."""
    return WriteContext(
        actor=acting,
        workspace_id=facts.workspace_id or LIVE,
        origin=Origin.RUN,
        correlation=call.correlation,
        now=clock.now(),
        rehearsal=rehearsal,
    )
