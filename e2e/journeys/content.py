"""What the database holds, for tests that have to know what was not written."""

from __future__ import annotations

from sqlalchemy import func, select

from app.agent.models import ApprovalDecision
from app.content.schema import REGISTRY
from app.core.db import reading
from e2e.conftest import Server

Rows = dict[str, list[tuple[object, ...]]]


def content_of(server: Server, workspace_id: int | None = None) -> Rows:
    """Every record, or those of one workspace (0 = live)."""
    with server.app.app_context(), reading() as connection:
        found: Rows = {}
        for name, trait in REGISTRY.items():
            query = select(trait.table).order_by(trait.table.c.uid)
            if workspace_id is not None and "workspace_id" in trait.table.c:
                query = query.where(trait.table.c.workspace_id == workspace_id)
            found[name] = [tuple(row) for row in connection.execute(query)]
        return found


def decisions_of(server: Server) -> int:
    """How many decisions are recorded."""
    with server.app.app_context(), reading() as connection:
        return int(connection.execute(select(func.count()).select_from(ApprovalDecision.__table__)).scalar_one())
