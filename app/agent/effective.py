"""What a configuration lets a person's assistant do in a workspace: per tool, by the runtime's own gates and rules.

Asking records nothing (DW-13). What depends on the single step (where it writes, what was read before) is named as a
condition instead of being guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.agent.policy_gate import OWNER, explained, refuse_offer
from app.agent.runtime import Runtime
from app.agent.tools.base import Tool
from app.core.i18n import Text
from app.policy.decisions import Refused
from app.policy.identity import LIVE, Identity
from app.policy.invocation import (
    ConfigurationFacts,
    HistoryRule,
    InvocationContext,
    InvocationPolicy,
    InvocationRule,
    PlaceRule,
)


class Standing(StrEnum):
    """How a tool stands."""

    FREE = "free"
    """Runs without anybody being asked."""
    APPROVAL = "approval"
    """Waits for an approval; the person may give it themselves."""
    SECOND_PERSON = "second_person"
    """Waits for the approval of somebody else."""
    NOT_OFFERED = "not_offered"
    REFUSED = "refused"


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolStanding:
    """One line of the effective policy."""

    tool: str
    group: str
    label: Text
    standing: Standing
    rule: str = ""
    """What refuses it: a rule's id, or ``offer``."""
    reason: str = ""
    explanation: Text | None = None
    conditions: tuple[str, ...] = ()
    """Ids of rules that decide step by step."""


def effective_policy(
    runtime: Runtime, configuration: ConfigurationFacts | None, person: Identity | None, recorded_workspace: int | None
) -> tuple[ToolStanding, ...]:
    """Every registered tool for ``person`` (None = somebody who cannot act), in an assignment that starts in the workspace.

    ``person`` must be resolved for exactly that workspace, as a run resolves its owner. ``configuration`` None = it is
    switched off, which refuses every step.
    """
    return tuple(_standing(runtime, configuration, person, recorded_workspace, tool) for tool in runtime.registry)


def _standing(
    runtime: Runtime,
    configuration: ConfigurationFacts | None,
    person: Identity | None,
    workspace: int | None,
    tool: Tool,
) -> ToolStanding:
    refused = refuse_offer(runtime, tool.facts.name, configuration, person)
    if refused is not None or configuration is None:
        return _line(tool, Standing.NOT_OFFERED, refused)
    context = InvocationContext(
        tool=tool.facts, arguments={}, configuration=configuration, acting=person, recorded_workspace=workspace
    )
    conditions: list[str] = []
    for rule in runtime.policy.rules:
        if _decides_step_by_step(rule, configuration):
            conditions += [rule.id] if tool.facts.is_write else []
            continue
        # Through a chain of one, so that a rule that raises counts as it would in a run.
        found = InvocationPolicy([rule]).decide(context)
        if isinstance(found, Refused):
            return _line(tool, Standing.REFUSED, found)
    refused = _refuse_owner(person, workspace)
    if refused is not None:
        return _line(tool, Standing.REFUSED, refused)
    return _line(tool, _approval(tool, configuration), None, tuple(conditions))


def _refuse_owner(person: Identity | None, workspace: int | None) -> Refused | None:
    """The owner gate, which a run asks after its rules: who cannot act, or not in that workspace, can do nothing."""
    if person is None:
        return Refused(rule=OWNER, reason="no_acting_user")
    if person.workspace_id != (workspace or LIVE):
        return Refused(rule=OWNER, reason="workspace_unavailable")
    return None


def _decides_step_by_step(rule: InvocationRule, configuration: ConfigurationFacts) -> bool:
    return (isinstance(rule, PlaceRule) and rule.reads_places(configuration)) or (
        isinstance(rule, HistoryRule) and rule.reads_history(configuration)
    )


def _approval(tool: Tool, configuration: ConfigurationFacts) -> Standing:
    if not tool.facts.waits_for_approval:
        return Standing.FREE
    return Standing.SECOND_PERSON if configuration.requires_second_approver else Standing.APPROVAL


def _line(tool: Tool, standing: Standing, refused: Refused | None, conditions: tuple[str, ...] = ()) -> ToolStanding:
    return ToolStanding(
        tool=tool.facts.name,
        group=tool.facts.group,
        label=tool.label,
        standing=standing,
        rule=refused.rule if refused else "",
        reason=refused.reason if refused else "",
        explanation=explained(refused) if refused else None,
        conditions=conditions,
    )
