"""What a conversation says of its configuration before the first message, and the way to a draft workspace."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.accounts.preferences import choose_workspace
from app.agent.configurations import ConfigurationView, create_configuration, find_configuration, set_configuration
from app.agent.tools import built_in_tools
from app.chat.start_notes import StartView, start_view
from app.core.db import reading, transaction
from app.core.i18n import render
from app.policy.identity import GRANT_USE, Identity
from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments

PLAIN = ConfigurationView(
    id=7,
    name="Plain",
    model="builtin",
    prompt="",
    tool_groups=(),
    excluded_tools=(),
    allowed_groups=(),
    requires_second_approver=False,
    requires_draft_workspace=False,
    branch_page=0,
    requires_read_before_write=False,
    active=True,
    approval_days=None,
    budget_requests_day=0,
    budget_tokens_day=0,
    budget_cost_day=0,
)
DRAFTS = {1: "Relaunch", 4: "campaign"}


def person(workspace: int | None, drafts: dict[int, str] | None = None) -> Identity:
    return Identity(
        user_id=1,
        username="x",
        name="X",
        workspace_id=workspace,
        workspaces=DRAFTS if drafts is None else drafts,
        grants=frozenset({GRANT_USE}),
        may_work_live=True,
    )


def view(
    workspace: int | None = 0, *, drafts: dict[int, str] | None = None, branch: str | None = None, **changes: Any
) -> StartView | None:
    return start_view(replace(PLAIN, **changes), person(workspace, drafts), built_in_tools(), branch)


def said(found: StartView | None) -> dict[str, str]:
    assert found is not None
    return {note.name: render(note.sentence, "en") for note in found.notes}


def test_it_says_nothing_when_nothing_is_demanded() -> None:
    assert view() is None
    assert view(1, requires_draft_workspace=True) is None, "the person is in a draft already"


def test_it_offers_the_drafts_of_the_person_when_one_is_required() -> None:
    found = view(0, requires_draft_workspace=True)
    assert said(found)["draft"].startswith("The configuration requires a draft workspace, and you work live.")
    assert found is not None
    assert [(draft.id, draft.title) for draft in found.drafts] == [(4, "campaign"), (1, "Relaunch")]
    lost = view(None, requires_draft_workspace=True)
    assert "yours is not available any more" in said(lost)["draft"]
    none = view(0, drafts={}, requires_draft_workspace=True)
    assert none is not None
    assert (none.drafts, "none is available to you" in said(none)["draft"]) == ((), True)


def test_it_says_what_else_is_demanded() -> None:
    found = view(
        1,
        requires_second_approver=True,
        branch_page=5,
        tool_groups=("editing", "reading"),
        excluded_tools=("hide_record", "delete_record", "gone"),
    )
    assert said(found) == {
        "second": "A second person has to approve every step that writes.",
        "branch": "Changes are possible in one part of the page tree only.",
        "groups": "The AI assistant has tools of these groups only:",
        "excluded": "The AI assistant cannot use these tools here:",
    }
    assert found is not None
    items = [[render(item, "en") for item in note.items] for note in found.notes]
    assert items[2:] == [["Editing", "Reading"], ["Hide a record"]], "what is in no offered group needs no exclusion"


def test_it_names_a_few_tools_and_says_that_there_are_more() -> None:
    names = tuple(tool.facts.name for tool in built_in_tools())
    found = view(1, excluded_tools=names)
    assert found is not None
    (note,) = found.notes
    assert len(note.items) == 9
    assert render(note.items[-1], "en") == "further tools"


def test_it_says_when_the_configuration_cannot_be_used_any_more() -> None:
    assert list(said(view(active=False, requires_draft_workspace=True))) == ["unusable"]
    assert list(said(view(allowed_groups=(99,)))) == ["unusable"]
    assert list(said(start_view(None, person(0), (), None))) == ["unusable"]


@pytest.fixture
def strict(assignments: Assignments) -> Assignments:
    with transaction() as connection:
        set_configuration(connection, 1, requires_draft_workspace=True)
    return assignments


def stand_in(site: DemoSite, workspace: int) -> None:
    choose_workspace(site.people.users["anna"], workspace)


def test_only_a_conversation_without_messages_says_it(strict: Assignments, site: DemoSite) -> None:
    stand_in(site, 0)
    assert strict.page().start is not None
    strict.share("cem")
    assert strict.page("cem").start is None, "it is about the next message, which only the owner can write"
    strict.ask(DONE)
    assert strict.page().start is None


def test_it_names_the_page_to_those_who_may_see_it(assignments: Assignments, site: DemoSite) -> None:
    for name, sentence in (("visit", "only on the page “Visit” and below it"), ("staff", "in one part of the page")):
        with transaction() as connection:
            set_configuration(connection, 1, branch_page=site.pages[name])
        assert sentence in said(assignments.page().start)["branch"]


def test_a_configuration_that_was_switched_off_is_said_to_be_so(assignments: Assignments) -> None:
    with transaction() as connection:
        set_configuration(connection, 1, active=False)
        create_configuration(connection, "Other")
    with reading() as connection:
        assert find_configuration(connection, 1) is not None
    assert list(said(assignments.page().start)) == ["unusable"]


@pytest.mark.parametrize(
    ("left", "words"),
    [(3, "leaves 3 requests to"), (1, "leaves 1 request to"), (0, "is used up")],
)
def test_it_says_what_the_budget_leaves(left: int, words: str) -> None:
    found = start_view(PLAIN, person(1), (), None, left)
    assert words in said(found)["budget"]
