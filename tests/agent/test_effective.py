"""The effective policy of a configuration, and what a change of it would have done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from app.agent.configurations import facts_of, find_configuration_named
from app.agent.effective import Standing, ToolStanding, effective_policy
from app.agent.replay import Effect, Replay, replay_change
from app.agent.runtime import Runtime
from app.core.db import reading
from app.policy.identity import Identity
from app.policy.invocation import ConfigurationFacts
from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments
from tests.support.clock import FakeClock
from tests.web.test_census import checksums

IdentityOf = Callable[..., Identity]


def editorial(**changes: Any) -> ConfigurationFacts:
    with reading() as connection:
        found = find_configuration_named(connection, "Editorial")
    assert found is not None
    return replace(facts_of(found), **changes)


def lines(
    runtime: Runtime, configuration: ConfigurationFacts, person: Identity | None, workspace: int
) -> dict[str, ToolStanding]:
    return {line.tool: line for line in effective_policy(runtime, configuration, person, workspace)}


def test_it_tells_for_each_tool_how_it_stands(assignments: Assignments, identity_of: IdentityOf) -> None:
    found = lines(assignments.runtime, editorial(), identity_of("anna", 1), 1)
    assert found.keys() == {tool.facts.name for tool in assignments.runtime.registry}
    assert (found["read_record"].standing, found["hide_record"].standing) == (Standing.FREE, Standing.APPROVAL)
    second = lines(assignments.runtime, editorial(requires_second_approver=True), identity_of("anna", 1), 1)
    assert second["hide_record"].standing is Standing.SECOND_PERSON
    narrow = lines(assignments.runtime, editorial(tool_groups=frozenset({"reading"})), identity_of("anna", 1), 1)
    assert (narrow["hide_record"].standing, narrow["hide_record"].reason) == (
        Standing.NOT_OFFERED,
        "configuration_group",
    )


def test_it_names_the_rule_that_refuses_and_those_that_decide_step_by_step(
    assignments: Assignments, identity_of: IdentityOf
) -> None:
    draft = editorial(requires_draft_workspace=True)
    live = lines(assignments.runtime, draft, identity_of("anna", 0), 0)["hide_record"]
    assert (live.standing, live.rule, live.reason) == (Standing.REFUSED, "draft_workspace_required", "live_workspace")
    assert live.explanation is not None
    assert lines(assignments.runtime, draft, identity_of("anna", 1), 1)["hide_record"].standing is Standing.APPROVAL
    both = editorial(branch_page=2, requires_read_before_write=True)
    found = lines(assignments.runtime, both, identity_of("anna", 1), 1)
    assert found["hide_record"].conditions == ("only_below_pages", "read_before_write")
    assert found["read_record"].conditions == ()


@pytest.fixture
def history(clock: FakeClock, assignments: Assignments, site: DemoSite) -> Assignments:
    """Two steps on different branches, one of them after a read."""
    hours, press = site.pages["hours"], site.pages["press"]
    assignments.ask(
        [("read_record", {"table": "pages", "uid": hours})],
        [("hide_record", {"table": "pages", "uid": hours})],
        DONE,
        workspace=1,
    )
    assignments.decide()
    assignments.ask([("hide_record", {"table": "pages", "uid": press})], DONE, workspace=1)
    assignments.decide()
    return assignments


def replayed(assignments: Assignments, **changes: Any) -> Replay:
    with reading() as connection:
        return replay_change(connection, assignments.runtime, editorial(), editorial(**changes))


def test_it_replays_past_calls_through_a_change(history: Assignments, site: DemoSite) -> None:
    assert replayed(history).counts == {Effect.SAME: 3}
    found = replayed(history, branch_page=site.pages["visit"])
    assert found.counts == {Effect.SAME: 2, Effect.NEWLY_REFUSED: 1}
    assert [(example.tool, example.rule) for example in found.examples] == [("hide_record", "only_below_pages")]
    assert replayed(history, requires_read_before_write=True).counts == {Effect.SAME: 2, Effect.NEWLY_REFUSED: 1}
    assert replayed(history, requires_draft_workspace=True).counts == {Effect.SAME: 3}
    second = replayed(history, requires_second_approver=True)
    assert second.counts == {Effect.SAME: 1, Effect.NEWLY_SECOND_PERSON: 2}
    excluded = replayed(history, excluded_tools=frozenset({"hide_record"}))
    assert excluded.counts == {Effect.SAME: 1, Effect.NEWLY_REFUSED: 2}
    with reading() as connection:
        back = replay_change(
            connection, history.runtime, editorial(excluded_tools=frozenset({"hide_record"})), editorial()
        )
    assert back.counts == {Effect.SAME: 1, Effect.NEWLY_ALLOWED: 2}


def test_it_leaves_out_older_calls_and_other_configurations(history: Assignments, clock: FakeClock) -> None:
    clock.advance(31 * 86_400)
    assert replayed(history).calls == 0
    clock.advance(-31 * 86_400)
    with reading() as connection:
        other = replace(editorial(), id=99)
        assert replay_change(connection, history.runtime, other, other).calls == 0


def test_asking_records_nothing(history: Assignments, site: DemoSite, identity_of: IdentityOf) -> None:
    before = checksums()
    replayed(history, branch_page=site.pages["visit"], requires_read_before_write=True)
    lines(history.runtime, editorial(requires_draft_workspace=True), identity_of("anna", 0), 0)
    assert checksums() == before


def test_it_says_when_nobody_can_act_or_the_configuration_is_switched_off(
    assignments: Assignments, identity_of: IdentityOf, site: DemoSite
) -> None:
    campaign = site.people.workspaces["Campaign"]
    outside = lines(assignments.runtime, editorial(), identity_of("anna", campaign), campaign)
    assert {(line.standing, line.rule, line.reason) for line in outside.values()} == {
        (Standing.REFUSED, "owner", "workspace_unavailable")
    }
    nobody = lines(assignments.runtime, editorial(), None, 1)
    assert {line.reason for line in nobody.values()} == {"no_acting_user"}
    off = effective_policy(assignments.runtime, None, identity_of("anna", 1), 1)
    assert {(line.standing, line.reason) for line in off} == {(Standing.NOT_OFFERED, "configuration_gone")}


def test_switching_off_refuses_every_past_call(history: Assignments) -> None:
    with reading() as connection:
        off = replay_change(connection, history.runtime, editorial(), editorial(), is_active=False)
        back = replay_change(connection, history.runtime, editorial(), editorial(), was_active=False)
    assert (off.counts, back.counts) == ({Effect.NEWLY_REFUSED: 3}, {Effect.NEWLY_ALLOWED: 3})
