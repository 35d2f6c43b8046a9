"""What the list says of writes that did not end well although their tool reported no error (CH-07, CH-08)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from app.agent.draining import RecordingDispatcher
from app.agent.runtime import Runtime
from app.agent.tools import built_in_tools
from app.agent.tools.base import Plan, ToolContext, WriteResult
from app.agent.tools.registry import ToolRegistry
from app.agent.tools.visibility import HideRecord
from app.content.hooks import HOOKS
from app.content.types import ChangeSet, WriteContext
from app.content.writer import Batch
from app.core.i18n import Text, render
from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments, facts_of
from tests.support.personas import IdentityOf


def labels(assignments: Assignments, locale: str = "en") -> list[str]:
    """The badges of the list in words."""
    found = [fact.label for record in assignments.changes().records for fact in record.facts]
    return [render(label, locale) if isinstance(label, Text) else label for label in found]


class HidesHalf(HideRecord):
    """Hides a record and says that it did not finish."""

    def execute(self, context: ToolContext, plan: Plan, batch: Batch) -> WriteResult:
        """Hides, and reports the write as not finished."""
        return replace(super().execute(context, plan, batch), completeness="partial")


def hide(site: DemoSite) -> tuple[str, Mapping[str, Any]]:
    """A call that hides the opening hours."""
    return ("hide_record", {"table": "pages", "uid": site.pages["hours"]})


@pytest.mark.behaviour("CH-07")
def test_a_hook_that_fails_after_the_write_marks_the_record(
    assignments: Assignments, site: DemoSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_context: WriteContext, _changes: ChangeSet) -> ChangeSet | None:
        raise OSError("mail server")

    monkeypatch.setattr(HOOKS, "after_commit", [fail])
    assignments.ask([hide(site)], DONE)
    assignments.decide()
    (record,) = facts_of(assignments.changes())
    assert (record["failed"], record["role"], record["hidden"]) == (True, "target", True)
    assert "Step failed after writing: check this record" in labels(assignments)
    assert "an extension failed afterwards" in assignments.model.seen[1].messages[-1].content
    assert assignments.page().view.has_changes


@pytest.mark.behaviour("CH-07")
def test_a_write_without_a_failing_hook_is_not_marked(assignments: Assignments, site: DemoSite) -> None:
    assignments.ask([hide(site)], DONE)
    assignments.decide()
    (record,) = facts_of(assignments.changes())
    assert "failed" not in record
    assert "partial" not in record


@pytest.mark.behaviour("CH-08")
def test_a_write_the_tool_did_not_finish_is_listed_as_such(
    runtime: Runtime, dispatcher: RecordingDispatcher, models: Any, identity_of: IdentityOf, site: DemoSite
) -> None:
    others = [tool for tool in built_in_tools() if tool.facts.name != "hide_record"]
    half = replace(runtime, registry=ToolRegistry([*others, HidesHalf()]))
    assignments = Assignments(half, dispatcher, models, identity_of)
    assignments.ask([hide(site)], DONE)
    assignments.decide()
    (record,) = facts_of(assignments.changes())
    assert (record["partial"], record["role"]) == (True, "target")
    assert "Write not finished" in labels(assignments)
    assert [str(step.outcome and render(step.outcome, "en")) for step in assignments.card().steps] == [
        "Write not finished"
    ]
