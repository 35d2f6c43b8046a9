"""Tools at work on the demo site: planned and executed through a real batch, as the runtime does it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from sqlalchemy import func, select

from app.accounts.service import find_identity
from app.agent.tools import built_in_tools
from app.agent.tools.base import Plan, ReadTool, ToolContext, WriteResult, WriteTool
from app.agent.tools.registry import ToolRegistry
from app.content.errors import WriteRefused
from app.content.models import RecordHistory
from app.content.schema import REGISTRY
from app.content.store import find_stored_row
from app.content.types import ChangeSet, Origin, WriteContext
from app.content.writer import Batch
from app.core import clock
from app.core.db import reading, transaction
from app.core.i18n import render
from app.seed.demo import DemoSite

LIVE = 0
TOOLS = ToolRegistry(built_in_tools())
_numbers = count(1)


@dataclass(frozen=True, kw_only=True)
class Done:
    """What a tool did."""

    plan: Plan
    result: WriteResult
    changes: ChangeSet

    @property
    def content(self) -> Mapping[str, Any]:
        """What the model reads."""
        return self.result.content

    @property
    def heading(self) -> str:
        """The step in English words."""
        return render(self.plan.heading, "en")


class Bench:
    """Runs tools as the demo's people; ``draft`` is the workspace Relaunch."""

    def __init__(self, site: DemoSite) -> None:
        self.site = site
        self.draft = site.people.workspaces["Relaunch"]

    def write(self, tool: str, who: str = "anna", workspace: int = LIVE, **arguments: Any) -> Done:
        """Plan and execute in one transaction; nothing stays when the tool refuses."""
        found = self._tool(tool, arguments)
        assert isinstance(found, WriteTool)
        with transaction() as connection:
            context = self._context(connection, who, workspace)
            plan = found.plan(context, arguments)
            batch = Batch(connection, self._write_context(context))
            result = found.execute(context, plan, batch)
            changes = batch.finish()
        json.dumps(dict(result.content))
        return Done(plan=plan, result=result, changes=changes)

    def read(self, tool: str, who: str = "anna", workspace: int = LIVE, **arguments: Any) -> Mapping[str, Any]:
        """The answer of a tool that reads, as plain data."""
        found = self._tool(tool, arguments)
        assert isinstance(found, ReadTool)
        with reading() as connection:
            answer = found.read(self._context(connection, who, workspace), arguments)
        return dict(json.loads(json.dumps(dict(answer))))

    def refused(self, tool: str, who: str = "anna", workspace: int = LIVE, **arguments: Any) -> tuple[str, str]:
        """Reason and English sentence of a refusal; nothing of the call may have stayed."""
        before = self.state()
        use = self.write if isinstance(TOOLS.find(tool), WriteTool) else self.read
        with pytest.raises(WriteRefused) as caught:
            use(tool, who, workspace, **arguments)
        assert self.state() == before
        return caught.value.reason, render(caught.value.text, "en")

    def _tool(self, name: str, arguments: Mapping[str, Any]) -> Any:
        found = TOOLS.find(name)
        assert found is not None
        Draft202012Validator(found.parameters).validate(arguments)
        return found

    def _context(self, connection: Any, who: str, workspace: int) -> ToolContext:
        acting = find_identity(connection, self.site.people.users[who], workspace_id=workspace)
        assert acting is not None
        return ToolContext(connection=connection, acting=acting, workspace_id=workspace, language=acting.language)

    @staticmethod
    def _write_context(context: ToolContext) -> WriteContext:
        return WriteContext(
            actor=context.acting,
            workspace_id=context.workspace_id,
            origin=Origin.RUN,
            correlation=f"test/{next(_numbers)}",
            now=clock.now(),
        )

    def page(self, key: str) -> int:
        """Number of a demo page."""
        return self.site.pages[key]

    def one(self, table: str, **equal: Any) -> int:
        """Number of the only live row with these values."""
        (found,) = self.rows(table, workspace_id=LIVE, **equal) if table != "files" else self.rows(table, **equal)
        return int(found["uid"])

    def rows(self, table: str, **equal: Any) -> list[Mapping[str, Any]]:
        """Stored rows with these values."""
        rows = REGISTRY[table].table
        with reading() as connection:
            query = select(rows).where(*(rows.c[name] == value for name, value in equal.items())).order_by(rows.c.uid)
            return [dict(row) for row in connection.execute(query).mappings()]

    def row(self, table: str, uid: int) -> Mapping[str, Any]:
        """One stored row."""
        with reading() as connection:
            found = find_stored_row(connection, table, uid)
        assert found is not None
        return found.values

    def live(self) -> list[Any]:
        """Every column of every live row."""
        return [row for name in REGISTRY for row in self.rows(name) if row.get("workspace_id", LIVE) == LIVE]

    def state(self) -> list[Any]:
        """Every row, and how much history there is."""
        with reading() as connection:
            history = connection.execute(select(func.count()).select_from(RecordHistory)).scalar_one()
        return [history, *(self.rows(name) for name in REGISTRY)]
