"""Assignments under a configuration restricted to a branch, or one that wants a read before a write, through the loop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select

from app.agent.configurations import find_configuration_named, set_configuration
from app.agent.models import GovernanceEvent
from app.core.db import reading, transaction
from app.policy.decisions import ALLOWED, Decision
from app.policy.invocation import InvocationPolicy
from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments, facts_of

GOVERNANCE = GovernanceEvent.__table__


def configure(**values: Any) -> None:
    """Change the configuration the assignments run under."""
    with transaction() as connection:
        found = find_configuration_named(connection, "Editorial")
        assert found is not None
        set_configuration(connection, found.id, **values)


def denials() -> list[tuple[str, str]]:
    """Rule and reason of what the governance log says."""
    with reading() as connection:
        rows = connection.execute(select(GOVERNANCE).order_by(GOVERNANCE.c.id)).mappings().all()
    return [(row["rule"], row["reason"]) for row in rows]


def hide(uid: int, table: str = "pages") -> tuple[str, Mapping[str, Any]]:
    return "hide_record", {"table": table, "uid": uid}


def read(uid: int) -> tuple[str, Mapping[str, Any]]:
    return "read_record", {"table": "pages", "uid": uid}


def hidden_pages(assignments: Assignments) -> set[int]:
    return {fact["uid"] for fact in facts_of(assignments.changes()) if fact["table"] == "pages"}


def test_it_changes_pages_of_the_branch_and_refuses_others_without_a_card(
    assignments: Assignments, site: DemoSite
) -> None:
    configure(branch_page=site.pages["visit"])
    assignments.ask([hide(site.pages["hours"])], DONE, workspace=1)
    assignments.decide()
    assert hidden_pages(assignments)
    assignments.ask([hide(site.pages["press"])], DONE, workspace=1)
    assert assignments.page().view.status == "idle", "nobody is asked about a step the rule refuses"
    assert denials() == [("only_below_pages", "outside_branch")]
    told = str(assignments.model.seen[-1].messages[-1].content)
    assert "only on the page “Visit” and below it" in told, "the owner may see that page, so the sentence names it"


def test_it_names_no_page_the_owner_may_not_see(assignments: Assignments, site: DemoSite) -> None:
    configure(branch_page=site.pages["staff"])
    assignments.ask([hide(site.pages["press"])], DONE, workspace=1)
    told = str(assignments.model.seen[-1].messages[-1].content)
    assert "in one part of the page tree only" in told
    assert "Staff" not in told


def test_it_says_on_a_mixed_card_which_step_lies_outside(assignments: Assignments, site: DemoSite) -> None:
    configure(branch_page=site.pages["visit"])
    assignments.ask([hide(site.pages["hours"]), hide(site.pages["press"])], DONE, workspace=1)
    inside, outside = assignments.card().steps
    assert (inside.is_refused, outside.is_refused) == (False, True)
    assignments.decide()
    assert denials() == [("only_below_pages", "refused_on_card")]


def test_a_missing_record_and_one_outside_get_one_answer(assignments: Assignments, site: DemoSite) -> None:
    configure(branch_page=site.pages["visit"])
    answers = []
    for uid in (site.pages["press"], site.pages["staff"], 987_654):
        assignments.ask([hide(uid)], DONE, workspace=1)
        answers.append(str(assignments.model.seen[-1].messages[-1].content).replace(str(uid), "N"))
    assert len(set(answers)) == 1, answers


def test_a_restriction_set_while_a_card_waits_refuses_the_approved_step(
    assignments: Assignments, site: DemoSite
) -> None:
    assignments.ask([hide(site.pages["press"])], DONE, workspace=1)
    configure(branch_page=site.pages["visit"])
    assignments.decide()
    assert not hidden_pages(assignments)
    assert denials() == [("only_below_pages", "outside_branch")]


@pytest.mark.behaviour("DW-17")
def test_it_asks_for_a_read_only_when_the_step_runs(assignments: Assignments, site: DemoSite) -> None:
    configure(requires_read_before_write=True)
    assignments.ask([hide(site.pages["hours"])], DONE, workspace=1)
    assert assignments.page().view.status == "awaiting_approval", "before the card nothing of the turn has run"
    assignments.decide()
    assert not hidden_pages(assignments)
    assert denials() == [("read_before_write", "not_read")]


def test_it_passes_a_step_whose_record_was_read_before(assignments: Assignments, site: DemoSite) -> None:
    configure(requires_read_before_write=True)
    hours = site.pages["hours"]
    assignments.ask([read(hours)], [hide(hours)], DONE, workspace=1)
    assignments.decide()
    assert hidden_pages(assignments)
    assert denials() == []


@pytest.mark.behaviour("DW-25")
@pytest.mark.parametrize("opens", [transaction, reading])
def test_a_rule_opens_no_connection(assignments: Assignments, site: DemoSite, opens: Any) -> None:
    class Curious:
        id = "curious"

        def decide(self, _context: object) -> Decision:
            with opens():
                return ALLOWED

    assignments.runtime = replace(assignments.runtime, policy=InvocationPolicy([Curious()]))
    assignments.ask([hide(site.pages["hours"])], DONE, workspace=1)
    assignments.decide()
    assert not hidden_pages(assignments)
    assert denials() == [("curious", "rule_failed")]
