"""The gates of one call at the moment it runs, in order, read inside its transaction (reliability.md 2.1, 3.2)."""

from __future__ import annotations

from dataclasses import dataclass

from app.agent import policy_gate
from app.agent.configurations import facts_of, find_configuration
from app.agent.execution.approval import Approval
from app.agent.execution.recording import Desk
from app.agent.governance import GovernanceDecision
from app.agent.tools.base import Tool
from app.agent.types import Call, CallState, RunFacts
from app.policy.decisions import Refused
from app.policy.identity import Identity
from app.policy.invocation import ConfigurationFacts


@dataclass(frozen=True, kw_only=True, slots=True)
class Passed:
    """No gate refuses: who acts."""

    tool: Tool
    acting: Identity


@dataclass(frozen=True, kw_only=True, slots=True)
class Stopped:
    """A gate refuses; ``decision`` is how the governance log files it, None = by the rule's name."""

    refused: Refused
    state: CallState = CallState.REFUSED
    decision: GovernanceDecision | None = None


def pass_gates(desk: Desk, call: Call, approval: Approval, *, on_card: bool) -> Passed | Stopped:
    """Whether ``call`` may run now. ``on_card`` says that its turn was suspended for a card."""
    if approval.preview is not None and approval.preview.is_refused:
        return _refused_on_card(approval)
    tool = desk.runtime.registry.find(call.tool)
    if tool is not None and tool.facts.is_write and on_card and approval.decision is None:
        return _UNAPPROVED
    stored = find_configuration(desk.connection, desk.facts.configuration.id)
    configuration = facts_of(stored) if stored is not None and stored.active else None
    acting = policy_gate.find_acting(desk.connection, desk.facts)
    offer = policy_gate.refuse_offer(desk.runtime, call.tool, configuration, acting)
    if offer is not None or configuration is None or tool is None:
        return Stopped(refused=offer or Refused(rule=policy_gate.OFFER, reason=policy_gate.CONFIGURATION_GONE))
    refused = _ask(desk, call, tool, configuration, acting, approval)
    if refused is not None:
        return Stopped(refused=refused)
    if acting is None:
        return Stopped(refused=Refused(rule=policy_gate.OWNER, reason="no_acting_user"))
    if tool.facts.is_write and approval.decision is None:
        return _UNAPPROVED  # refused before the card, and the rule has changed its mind since (DW-10, DW-18)
    return Passed(tool=tool, acting=acting)


_UNAPPROVED = Stopped(
    refused=Refused(rule=policy_gate.APPROVAL, reason=policy_gate.WRITE_UNAPPROVED),
    decision=GovernanceDecision.WRITE_UNAPPROVED,
)


def _refused_on_card(approval: Approval) -> Stopped:
    """What the approver read was an explanation, not an effect: refused whatever the rule says by now (DW-15)."""
    preview = approval.preview
    refused = Refused(
        rule=preview.refused_rule if preview else "",
        reason=policy_gate.REFUSED_ON_CARD,
        explanation=preview.explanation if preview else None,
    )
    return Stopped(refused=refused, state=CallState.REFUSED_ON_CARD, decision=GovernanceDecision.INVOCATION_DENIED)


def _ask(
    desk: Desk, call: Call, tool: Tool, configuration: ConfigurationFacts, acting: Identity | None, approval: Approval
) -> Refused | None:
    """Rules first, for they explain best why an owner cannot act (DW-04); then arguments, owner and approver."""
    return (
        policy_gate.ask_rules(desk.connection, desk.runtime, desk.facts, configuration, tool, call, acting)
        or policy_gate.refuse_arguments(call, tool)
        or policy_gate.refuse_owner(desk.facts, acting)
        or _ask_approver(desk, desk.facts, configuration, tool, approval)
    )


def _ask_approver(
    desk: Desk, facts: RunFacts, configuration: ConfigurationFacts, tool: Tool, approval: Approval
) -> Refused | None:
    if approval.decision is None or not tool.facts.is_write:
        return None
    return policy_gate.refuse_approver(
        desk.connection, desk.runtime, facts, configuration, tool.facts.name, approval.decision.decided_by
    )
