"""The refusals of cms.md section 17, each through the whole loop, for the owner's language, before the card and at execution."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest
from sqlalchemy import delete, select, update

from app.accounts.models import User, WorkspaceMember
from app.accounts.service import close_workspace
from app.agent.configurations import find_configuration_named, set_configuration
from app.agent.models import GovernanceEvent, RunEvent
from app.agent.tools import built_in_tools
from app.agent.tools.registry import ToolRegistry
from app.core.db import reading, transaction
from app.core.i18n import render
from app.policy.invocation import ToolEffect, ToolFacts
from app.policy.rules.draft_workspace import EXPLANATIONS, RULE_ID
from app.seed.demo import DemoSite
from tests.agent.execution_world import FakeRead
from tests.support.assignments import DONE, Assignments, facts_of

USERS, MEMBERS = User.__table__, WorkspaceMember.__table__
GOVERNANCE, EVENTS = GovernanceEvent.__table__, RunEvent.__table__
REMOTE = ToolFacts(name="mcp_crm_add", group="editing", effect=ToolEffect.WRITE, is_remote=True, needs_approval=True)
Step = tuple[str, Mapping[str, Any]]


def configure(**values: Any) -> None:
    with transaction() as connection:
        found = find_configuration_named(connection, "Editorial")
        assert found is not None
        set_configuration(connection, found.id, **values)


def speak(site: DemoSite, username: str, language: str) -> None:
    with transaction() as connection:
        chosen = USERS.c.id == site.people.users[username]
        connection.execute(update(USERS).where(chosen).values(language=language))


def leave(site: DemoSite) -> None:
    """Anna is no member of Relaunch any more."""
    with transaction() as connection:
        here = MEMBERS.c.workspace_id == site.people.workspaces["Relaunch"]
        connection.execute(delete(MEMBERS).where(here))


def close(site: DemoSite) -> None:
    """Relaunch is deleted."""
    with transaction() as connection:
        close_workspace(connection, site.people.workspaces["Relaunch"])


def denials() -> list[tuple[str, str]]:
    with reading() as connection:
        rows = connection.execute(select(GOVERNANCE.c.rule, GOVERNANCE.c.reason).order_by(GOVERNANCE.c.id)).all()
    return [(row.rule, row.reason) for row in rows]


def recorded() -> str:
    """Everything logs and events keep."""
    with reading() as connection:
        return repr(connection.execute(select(GOVERNANCE)).all()) + repr(connection.execute(select(EVENTS)).all())


def told(assignments: Assignments) -> str:
    """The last result the model read."""
    return str(assignments.model.seen[-1].messages[-1].content)


def hide(site: DemoSite) -> Step:
    return "hide_record", {"table": "pages", "uid": site.pages["hours"]}


def redirect(site: DemoSite) -> Step:
    return "create_redirect", {"source": "/old", "target": site.pages["hours"]}


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """A line of the table: who asks where for what, and the reason it is refused for before any card."""

    step: Callable[[DemoSite], Step]
    workspace: int
    reason: str
    owner: str = "anna"


LINES = {
    "live, editor": Refusal(step=hide, workspace=0, reason="live_workspace"),
    "live, administrator": Refusal(step=hide, workspace=0, reason="live_workspace", owner="admin"),
    "live, unversioned table": Refusal(step=redirect, workspace=0, reason="live_workspace"),
    "live, remote": Refusal(step=lambda _site: (REMOTE.name, {}), workspace=0, reason="remote_write"),
    "draft, remote": Refusal(step=lambda _site: (REMOTE.name, {}), workspace=1, reason="remote_write"),
}


@pytest.fixture
def strict(assignments: Assignments) -> Assignments:
    """Anna's assignments under a configuration that requires a draft workspace; a remote tool is offered too."""
    configure(requires_draft_workspace=True)
    registry = ToolRegistry([*built_in_tools(), FakeRead(facts=REMOTE)])
    assignments.runtime = replace(assignments.runtime, registry=registry)
    return assignments


@pytest.mark.behaviour("DW-02", "DW-03", "DW-06", "DW-07", "DW-08", "DW-09")
@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("line", LINES.values(), ids=LINES.keys())
def test_it_refuses_before_the_card_and_says_why_in_the_owners_language(
    strict: Assignments, make_assignments: Callable[..., Assignments], site: DemoSite, line: Refusal, language: str
) -> None:
    speak(site, line.owner, language)
    asked = strict
    if line.owner != strict.owner:
        asked = make_assignments(owner=line.owner)
        asked.runtime = strict.runtime
    asked.ask([line.step(site)], DONE, workspace=line.workspace)
    assert asked.page().view.status == "idle", "no card"
    assert denials() == [(RULE_ID, line.reason)], "recorded exactly once"
    sentence = render(EXPLANATIONS[line.reason], language)
    assert sentence in told(asked)
    assert sentence not in recorded()
    assert facts_of(asked.changes()) == []


@pytest.mark.behaviour("DW-05")
@pytest.mark.parametrize("workspace", [0, 1])
def test_it_lets_reads_pass_in_every_workspace(strict: Assignments, site: DemoSite, workspace: int) -> None:
    strict.ask([("read_record", {"table": "pages", "uid": site.pages["hours"]})], DONE, workspace=workspace)
    assert denials() == []
    assert "Opening hours" in told(strict)


@pytest.mark.behaviour("DW-02")
def test_it_lets_a_local_write_pass_in_the_recorded_draft(strict: Assignments, site: DemoSite) -> None:
    strict.ask([hide(site)], DONE, workspace=1)
    strict.decide()
    assert [fact["workspace"] for fact in facts_of(strict.changes())] == [1]
    assert denials() == []


@pytest.mark.behaviour("DW-21")
def test_a_tool_for_an_unversioned_table_refuses_in_a_draft_by_itself(strict: Assignments, site: DemoSite) -> None:
    strict.ask([redirect(site)], DONE, workspace=1)
    assert facts_of(strict.changes()) == []
    assert denials() != [(RULE_ID, "live_workspace")]
    assert [rule for rule, _ in denials()] != [RULE_ID], "the rule lets it pass; the tool refuses"


@pytest.mark.behaviour("DW-04", "DW-12")
@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("withdraw", [leave, close])
def test_it_refuses_an_approved_step_whose_workspace_was_withdrawn_while_it_waited(
    strict: Assignments, site: DemoSite, withdraw: Callable[[DemoSite], None], language: str
) -> None:
    speak(site, "anna", language)
    strict.ask([hide(site)], DONE, workspace=1)
    withdraw(site)
    strict.decide(by="admin", digest=strict.card("admin").digest)
    assert denials() == [(RULE_ID, "workspace_unavailable")]
    sentence = render(EXPLANATIONS["workspace_unavailable"], language)
    assert sentence in told(strict)
    assert sentence not in recorded()


@pytest.mark.behaviour("DW-12")
def test_it_refuses_an_approved_step_when_the_setting_was_switched_on_while_it_waited(
    assignments: Assignments, site: DemoSite
) -> None:
    assignments.ask([hide(site)], DONE, workspace=0)
    configure(requires_draft_workspace=True)
    assignments.decide()
    assert denials() == [(RULE_ID, "live_workspace")]
    assert facts_of(assignments.changes()) == []


@pytest.mark.behaviour("DW-15")
def test_a_step_refused_on_its_card_stays_refused_when_the_setting_is_switched_off(
    strict: Assignments, site: DemoSite
) -> None:
    strict.ask([(REMOTE.name, {}), hide(site)], DONE, workspace=1)
    configure(requires_draft_workspace=False)
    strict.decide()
    assert denials() == [(RULE_ID, "refused_on_card")]
    assert len(facts_of(strict.changes())) == 1


@pytest.mark.behaviour("DW-01")
def test_without_the_setting_none_of_it_applies(assignments: Assignments, site: DemoSite) -> None:
    assignments.ask([hide(site)], DONE, workspace=0)
    assert assignments.page().view.status == "awaiting_approval"
    assert denials() == []
