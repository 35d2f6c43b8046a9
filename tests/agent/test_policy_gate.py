from __future__ import annotations

import pytest

from app.agent import policy_gate
from app.agent.policy_gate import explained
from app.core.db import reading
from app.core.i18n import text
from app.policy.decisions import ALLOWED, Refused
from app.policy.invocation import ConfigurationFacts
from tests.agent.execution_world import Breaks, Says, World

UPDATE = "update_page_metadata"


@pytest.mark.behaviour("DW-16")
def test_it_has_a_sentence_for_every_refusal() -> None:
    for rule in ("offer", "arguments", "owner", "approver", "approval", "rehearsal", "somebody_elses"):
        sentence = explained(Refused(rule=rule, reason="whatever"))
        assert "Nothing was changed." in sentence.message
    own = text("My own words.")
    assert explained(Refused(rule="offer", reason="excluded", explanation=own)) == own


@pytest.mark.behaviour("DW-19", "RT-03")
def test_it_offers_what_the_configuration_offers_now(world: World) -> None:
    def reason(**values: object) -> str | None:
        configuration = ConfigurationFacts(id=1, name="x", **values)  # type: ignore[arg-type]
        found = policy_gate.refuse_offer(world.runtime, UPDATE, configuration, None)
        return None if found is None else found.reason

    assert reason() is None
    assert reason(tool_groups=frozenset({"editing"})) is None
    assert reason(tool_groups=frozenset({"reading"})) == "configuration_group"
    assert reason(excluded_tools=frozenset({UPDATE})) == "excluded"
    gone = policy_gate.refuse_offer(world.runtime, UPDATE, None, None)
    assert gone is not None
    assert gone.reason == "configuration_gone"


@pytest.mark.behaviour("DW-11", "DW-17")
def test_it_asks_early_only_rules_that_may_be_asked_and_hears_no_failure_as_refusal(world: World) -> None:
    class WithoutMarker:
        id = "late"

        def decide(self, context: object) -> Refused:
            return Refused(rule="late", reason="no")

    facts = world.start()
    (call,) = world.propose(facts, (UPDATE, {"page": 1, "title": "A"}))
    tool = world.runtime.registry.find(UPDATE)
    assert tool is not None

    def early() -> Refused | None:
        with reading() as connection:
            return policy_gate.ask_rules_early(connection, world.runtime, facts, facts.configuration, tool, call, None)

    def now() -> Refused | None:
        with reading() as connection:
            return policy_gate.ask_rules(connection, world.runtime, facts, facts.configuration, tool, call, None)

    world.with_rules(WithoutMarker())
    assert (early(), now()) == (None, Refused(rule="late", reason="no"))
    world.with_rules(Breaks())
    assert (early(), now()) == (None, Refused(rule="breaks", reason="rule_failed"))
    world.with_rules(Says(ALLOWED))
    assert (early(), now()) == (None, None)


@pytest.mark.behaviour("DW-23")
def test_it_sets_the_owner_up_in_the_recorded_workspace_or_nowhere(world: World) -> None:
    for workspace, expected in ((0, 0), (None, 0), (world.draft, world.draft), (999, None)):
        facts = world.start(workspace=workspace)
        with reading() as connection:
            acting = policy_gate.find_acting(connection, facts)
        assert acting is not None
        assert acting.workspace_id == expected
        refused = policy_gate.refuse_owner(facts, acting)
        assert (refused is not None) == (expected is None)
    assert policy_gate.refuse_owner(facts, None) == Refused(rule="owner", reason="no_acting_user")
