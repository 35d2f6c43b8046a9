"""Reports of an assignment's writes, made directly through the writer: for cases no tool of the product makes.

Anna owns the conversation. Each ``report`` is one call: a batch with its ``tool_changes`` event, exactly as the runtime
records it; ``acting`` may be somebody with other rights (an extension of an administrator, say).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, cast

from sqlalchemy import select
from sqlalchemy.engine import Connection

from app.agent.execution.recording import Desk, record_changes, record_write
from app.agent.runtime import Runtime
from app.agent.tools.base import WriteResult
from app.agent.types import Call, RunFacts
from app.chat.view_models import ChangeListView
from app.content.errors import WriteRefused
from app.content.schema import REGISTRY
from app.content.types import ChangeSet, Origin, RecordRef, WriteContext
from app.content.writer import Batch, PublishOutcome, discard_records, publish_records
from app.core import clock, ids
from app.core.db import reading, transaction
from app.policy.identity import Identity
from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments, facts_of, notes_of

Act = Callable[[Batch], Any]
LIVE, RELAUNCH, CAMPAIGN, OLD_DRAFT = 0, 1, 2, 3


class Reports:
    """One conversation of Anna and what its calls reported."""

    def __init__(self, assignments: Assignments, site: DemoSite) -> None:
        self.assignments, self.site = assignments, site
        assignments.ask([("get_page_tree", {})], DONE)
        self.run = assignments.run_uuid
        self._numbers = count(1)

    def report(
        self,
        *acts: Act,
        workspace: int = RELAUNCH,
        acting: str = "admin",
        target: RecordRef | None = None,
        failed: bool = False,
        partial: bool = False,
    ) -> ChangeSet:
        """One call: each of ``acts`` is a batch of its own; the call stops at the first that is refused."""
        ordinal = next(self._numbers)
        changes: list[Any] = []
        for act in acts:
            try:
                changes += self._commit(act, workspace, acting, ordinal, target)
            except WriteRefused:
                failed = True
                break
        found = ChangeSet(changes=tuple(changes))
        with transaction() as connection:
            desk = Desk(connection=connection, facts=cast(RunFacts, None), runtime=cast(Runtime, None))
            call = cast(Call, _CallOf(self.run, ordinal))
            record_changes(desk, call, found, failed=failed)
            if partial and target is not None:
                result = WriteResult(content={}, target=target, kind="update", completeness="partial")
                record_write(desk, call, result)
        return found

    def _commit(self, act: Act, workspace: int, acting: str, ordinal: int, target: RecordRef | None) -> Sequence[Any]:
        context = WriteContext(
            actor=replace(self.person(acting), workspace_id=workspace),
            workspace_id=workspace,
            origin=Origin.RUN,
            correlation=f"{self.run}/1/{ordinal}",
            now=clock.now(),
        )
        with transaction() as connection:
            batch = Batch(connection, context)
            made = act(batch)
            named = target or (made if isinstance(made, RecordRef) else None)
            if named is not None:
                batch.mark_target(named)
            return batch.finish().changes

    def person(self, name: str, workspace: int | None = None) -> Identity:
        return self.assignments.identity_of(name, workspace)

    def by_hand(self, act: Callable[[Connection, WriteContext], Any], workspace: int = RELAUNCH) -> Any:
        """Something an administrator does meanwhile."""
        context = WriteContext(
            actor=replace(self.person("admin"), workspace_id=workspace),
            workspace_id=workspace,
            origin=Origin.PERSON,
            correlation=f"person/{ids.new_uuid()}",
            now=clock.now(),
        )
        with transaction() as connection:
            return act(connection, context)

    def write_by_hand(self, act: Act, workspace: int = LIVE) -> None:
        """A batch of an administrator, not part of the assignment."""

        def run(connection: Connection, context: WriteContext) -> None:
            batch = Batch(connection, context)
            act(batch)
            batch.finish()

        self.by_hand(run, workspace)

    def publish(self, *refs: RecordRef, workspace: int = RELAUNCH) -> PublishOutcome:
        """Publish ``refs``, or everything."""
        found = self.by_hand(lambda c, context: publish_records(c, context, refs or None), workspace)
        return cast(PublishOutcome, found)

    def discard(self, *refs: RecordRef, workspace: int = RELAUNCH) -> None:
        """Discard ``refs``, or everything."""
        self.by_hand(lambda c, context: discard_records(c, context, refs or None), workspace)

    def run_sql(self, *statements: Any) -> None:
        """Changes of rights, made directly."""
        with transaction() as connection:
            for statement in statements:
                connection.execute(statement)

    def view(self, viewer: str = "anna") -> ChangeListView:
        """The list as somebody sees it now."""
        if viewer != "anna":
            self.assignments.share(viewer)
        return self.assignments.changes(viewer)

    def seen(self, viewer: str = "anna") -> list[dict[str, Any]]:
        """The records of the list as data."""
        return facts_of(self.view(viewer))

    def note(self, name: str, viewer: str = "anna") -> int:
        """The number of a note; 0 when it is not there."""
        return notes_of(self.view(viewer)).get(name, 0)

    def page(self, key: str) -> int:
        return self.site.pages[key]

    def element(self, header: str) -> int:
        """The live element with this heading."""
        return int(self.row("content_elements", header=header, workspace_id=0)["uid"])

    def row(self, table: str, **equal: Any) -> dict[str, Any]:
        """The one stored row with these columns."""
        (found,) = self.rows(table, **equal)
        return found

    def rows(self, table: str, **equal: Any) -> list[dict[str, Any]]:
        """Stored rows with these columns, by uid."""
        rows = REGISTRY[table].table
        statement = select(rows).where(*(rows.c[name] == value for name, value in equal.items())).order_by(rows.c.uid)
        with reading() as connection:
            return [dict(row) for row in connection.execute(statement).mappings()]

    def add_run(self) -> None:
        """A second run of the conversation; what is reported next belongs to it."""
        first = self.run
        self.assignments.ask([("get_page_tree", {})], DONE)
        self.run = self.assignments.run_uuid
        assert self.run != first


class _CallOf:
    """What recording reads of a call."""

    def __init__(self, run_uuid: str, ordinal: int) -> None:
        self.run_uuid, self.turn, self.ordinal, self.tool = run_uuid, 1, ordinal, "test"
