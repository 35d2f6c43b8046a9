"""The draft rule through the whole loop: mixed turns, excluded tools, the tool that clears the hidden mark, other writers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask
from sqlalchemy import select

from app.agent.configurations import set_configuration
from app.agent.llm.base import ToolMessage
from app.agent.models import CallOutcome, GovernanceEvent
from app.agent.tools import built_in_tools
from app.agent.tools.registry import ToolRegistry
from app.cli import main
from app.content import editing
from app.content.models import Page
from app.core.db import reading, transaction
from app.core.i18n import render
from app.policy.decisions import Decision
from app.policy.invocation import InvocationContext, InvocationPolicy, ToolEffect, ToolFacts
from app.policy.rules.draft_workspace import EXPLANATIONS, RULE_ID
from app.seed.demo import DemoSite
from tests.agent.execution_world import FakeRead
from tests.support.assignments import DONE, Assignments
from tests.support.visitor import Visitor, one, tree

GOVERNANCE, OUTCOMES, PAGES = GovernanceEvent.__table__, CallOutcome.__table__, Page.__table__
REMOTE = ToolFacts(name="mcp_crm_add", group="editing", effect=ToolEffect.WRITE, is_remote=True, needs_approval=True)
MARKDOWN = Path(__file__).resolve().parents[1] / "fixtures" / "markdown_site"
Step = tuple[str, Mapping[str, Any]]


def configure(**values: Any) -> None:
    with transaction() as connection:
        for number in (1, 2):
            set_configuration(connection, number, **values)


def denials() -> list[tuple[str, str]]:
    with reading() as connection:
        rows = connection.execute(select(GOVERNANCE.c.rule, GOVERNANCE.c.reason).order_by(GOVERNANCE.c.id)).all()
    return [(row.rule, row.reason) for row in rows]


def outcomes(uuid: str) -> list[tuple[int, str]]:
    with reading() as connection:
        query = select(OUTCOMES.c.turn, OUTCOMES.c.state).where(OUTCOMES.c.run_uuid == uuid)
        return [
            (row.turn, row.state) for row in connection.execute(query.order_by(OUTCOMES.c.turn, OUTCOMES.c.ordinal))
        ]


def results(assignments: Assignments) -> list[str]:
    """The results of the last turn as the model read them."""
    messages = assignments.model.seen[-1].messages
    return [message.content for message in messages if isinstance(message, ToolMessage)]


def hide(site: DemoSite, name: str) -> Step:
    return "hide_record", {"table": "pages", "uid": site.pages[name]}


def title_of(uid: int) -> str:
    with reading() as connection:
        return str(connection.execute(select(PAGES.c.title).where(PAGES.c.uid == uid)).scalar_one())


@pytest.fixture
def strict(assignments: Assignments) -> Assignments:
    """Anna's assignments under the draft rule; a remote tool is offered too."""
    configure(requires_draft_workspace=True)
    registry = ToolRegistry([*built_in_tools(), FakeRead(facts=REMOTE)])
    assignments.runtime = replace(assignments.runtime, registry=registry)
    return assignments


@pytest.mark.behaviour("DW-22")
def test_a_mixed_turn_is_refused_step_by_step_and_the_model_may_propose_again(
    strict: Assignments, site: DemoSite
) -> None:
    read = ("read_record", {"table": "pages", "uid": site.pages["hours"]})
    strict.ask(
        [read, (REMOTE.name, {}), hide(site, "hours")],
        [hide(site, "press")],
        DONE,
        workspace=1,
    )
    assert [step.is_refused for step in strict.card().steps] == [True, False], "a read needs no place on the card"
    strict.decide()
    told = results(strict)
    sentence = render(EXPLANATIONS["remote_write"], "en")
    assert len(told) == 3, "each step has a result of its own"
    assert [sentence in words for words in told] == [False, True, False]
    assert "refused_on_card" in told[1]
    assert strict.page().view.status == "awaiting_approval", "the second proposal waits for a decision of its own"
    strict.decide(token="another press")
    assert outcomes(strict.run_uuid) == [(1, "done"), (1, "refused_on_card"), (1, "done"), (2, "done")]
    assert denials() == [(RULE_ID, "refused_on_card")]


@pytest.mark.behaviour("DW-22")
def test_a_turn_of_refused_writes_and_a_read_gives_each_its_own_result(strict: Assignments, site: DemoSite) -> None:
    read = ("read_record", {"table": "pages", "uid": site.pages["hours"]})
    strict.ask([hide(site, "hours"), read, hide(site, "press")], [hide(site, "hours")], DONE, workspace=0)
    assert strict.page().view.status == "idle", "nobody was asked"
    assert outcomes(strict.run_uuid) == [(1, "refused"), (1, "done"), (1, "refused"), (2, "refused")]
    assert denials() == [(RULE_ID, "live_workspace")] * 3
    assert "Opening hours" in results(strict)[1]


@pytest.mark.behaviour("DW-20")
def test_the_hidden_mark_is_cleared_only_in_a_draft_and_with_a_heading_of_its_own(
    strict: Assignments, site: DemoSite
) -> None:
    with reading() as connection:
        hidden = connection.execute(
            select(PAGES.c.uid).where(PAGES.c.hidden, PAGES.c.workspace_id == 0, PAGES.c.language_id == 0)
        ).scalars()
        archive = next(uid for uid in hidden if uid == site.pages["archive"])
    publish = "publish_record", {"table": "pages", "uid": archive}
    strict.ask([publish], DONE, workspace=0)
    assert denials() == [(RULE_ID, "live_workspace")]
    strict.ask([publish], DONE, workspace=1)
    (step,) = strict.card().steps
    assert render(step.heading, "en").startswith("Clear the hidden mark of the page “")  # type: ignore[arg-type]
    strict.decide()
    with reading() as connection:
        rows = connection.execute(
            select(PAGES.c.workspace_id, PAGES.c.hidden).where((PAGES.c.uid == archive) | (PAGES.c.live_uid == archive))
        ).all()
    assert sorted((row.workspace_id, bool(row.hidden)) for row in rows) == [(0, True), (1, False)], "live stays hidden"


@pytest.mark.behaviour("DW-20", "DW-19")
def test_an_excluded_tool_is_not_offered_and_refused_when_asked_for_all_the_same(
    strict: Assignments, site: DemoSite
) -> None:
    publish = "publish_record", {"table": "pages", "uid": site.pages["archive"]}
    strict.ask([publish], DONE, workspace=1)
    assert "publish_record" in {tool.name for tool in strict.model.seen[0].tools}
    strict.decide(work=False)
    configure(excluded_tools=["publish_record"])
    strict.work()
    assert denials() == [("offer", "excluded")], "excluded after its approval and before it ran"
    strict.ask([publish], DONE, workspace=1)
    assert "publish_record" not in {tool.name for tool in strict.model.seen[0].tools}
    assert strict.page().view.status == "idle"
    assert denials()[-1] == ("offer", "excluded")


@pytest.mark.behaviour("DW-10", "DW-18")
def test_a_setting_switched_off_between_the_early_question_and_the_step_lets_nothing_through(
    strict: Assignments, site: DemoSite
) -> None:
    """The step was refused before a card; when it is to run the rule would allow it, but nobody approved it."""

    class Flipped(InvocationPolicy):
        def decide(self, context: InvocationContext) -> Decision:
            relaxed = replace(context.configuration, requires_draft_workspace=False)
            return super().decide(replace(context, configuration=relaxed))

    strict.runtime = replace(strict.runtime, policy=Flipped(strict.runtime.policy.rules))
    strict.ask([hide(site, "hours")], DONE, workspace=0)
    assert strict.page().view.status == "idle"
    assert denials() == [("approval", "write_unapproved")]
    assert outcomes(strict.run_uuid) == [(1, "refused")]


@pytest.mark.behaviour("DW-26")
def test_forms_of_people_do_not_ask_the_rules(app: Flask, strict: Assignments, site: DemoSite) -> None:
    configure(branch_page=site.pages["visit"], requires_read_before_write=True, excluded_tools=["hide_record"])
    uid = site.pages["press"]
    admin = Visitor(app, site, "admin")
    form = one(tree(admin.get(f"/records/pages/{uid}")), "#record-form")
    fields = {str(field["name"]): str(field.get("value", "")) for field in form.select("input[type=hidden]")}
    assert admin.post(f"/records/pages/{uid}", **{**fields, "title": "By hand"}).status_code == 303
    assert title_of(uid) == "By hand"
    editing.set_hidden(strict.identity_of("admin", 0), 0, "pages", uid, hidden=True)
    with reading() as connection:
        assert connection.execute(select(PAGES.c.hidden).where(PAGES.c.uid == uid)).scalar_one()
    assert denials() == []


@pytest.mark.behaviour("DW-26")
def test_imports_and_commands_do_not_ask_the_rules(app: Flask, strict: Assignments) -> None:
    folder = str(app.extensions["imprimatur"].settings.data_folder)
    configure(requires_draft_workspace=True, requires_second_approver=True, tool_groups=["reading"])
    imported = CliRunner().invoke(main, ["--data", folder, "import", "markdown", str(MARKDOWN)], catch_exceptions=False)
    assert imported.exit_code == 0, imported.output
    assert imported.output.splitlines()[-1].endswith("failed 0")
    assert denials() == []
