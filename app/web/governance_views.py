"""Refusals in words: what was refused, by which rule, in which configuration; codes stay beside the words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from sqlalchemy.engine import Connection

from app.accounts import store as accounts
from app.agent import configurations
from app.agent.governance import GovernanceDecision, Refusal
from app.agent.tools.registry import ToolRegistry
from app.core.i18n import Text, ntext, text
from app.core.visible import visible
from app.policy.rules import below_pages, draft_workspace, read_before_write

DECISIONS: Mapping[str, Text] = {
    GovernanceDecision.INVOCATION_DENIED: text("A rule refused the step"),
    GovernanceDecision.TOOL_DENIED: text("The step is not offered"),
    GovernanceDecision.WRITE_UNAPPROVED: text("The step had no approval"),
    GovernanceDecision.APPROVER_DENIED: text("The person may not approve this step"),
    GovernanceDecision.RUNS_HALTED: text("Every assignment was halted"),
    GovernanceDecision.RUNS_RESUMED: text("Assignments go on again"),
}
RULES: Mapping[str, Text] = {
    draft_workspace.RULE_ID: text("Draft workspace required"),
    below_pages.RULE_ID: text("Only below one page"),
    read_before_write.RULE_ID: text("Read before write"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class RefusalView:
    """One row."""

    decision: str
    reason: str
    rule: str
    run_uuid: str
    at: int
    decision_words: Text | str
    rule_words: Text | str
    tool: Text | str
    configuration: Text | str
    person: str
    run_url: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class CountView:
    """How often one kind of refusal occurred."""

    decision_words: Text | str
    rule_words: Text | str
    reason: str
    times: Text


@dataclass(frozen=True, kw_only=True, slots=True)
class GovernanceView:
    """The page."""

    refusals: tuple[RefusalView, ...]
    counts: tuple[CountView, ...]
    choices: Mapping[str, tuple[tuple[str, Text | str], ...]]
    """For each filter the values to choose from, with their words."""


def governance_page(
    connection: Connection,
    refusals: Sequence[Refusal],
    *,
    counts: Sequence[tuple[str, str, str, int]],
    known: Mapping[str, Sequence[str]],
    registry: ToolRegistry,
) -> GovernanceView:
    """Refusals with the names of people, configurations and tools as they are now."""
    names = accounts.names_of(connection, sorted({refusal.user_id for refusal in refusals}))
    titles = {found.id: found.name for found in configurations.list_configurations(connection)}
    return GovernanceView(
        refusals=tuple(_refusal(refusal, names, titles, registry) for refusal in refusals),
        counts=tuple(
            CountView(
                decision_words=DECISIONS.get(decision) or visible(decision),
                rule_words=RULES.get(rule) or visible(rule),
                reason=reason,
                times=ntext("%(n)s time", "%(n)s times", times),
            )
            for decision, rule, reason, times in counts
        ),
        choices={
            "decision": tuple((value, DECISIONS.get(value) or visible(value)) for value in known["decision"]),
            "rule": tuple((value, RULES.get(value) or visible(value)) for value in known["rule"]),
            "reason": tuple((value, visible(value)) for value in known["reason"]),
            "tool": tuple((value, _tool(value, registry)) for value in known["tool"]),
            "configuration": tuple((str(number), visible(title)) for number, title in sorted(titles.items())),
        },
    )


def refusal_facts(refusal: Refusal) -> dict[str, str | int]:
    """A row as it is stored: codes and numbers only."""
    return asdict(refusal)


def _refusal(
    refusal: Refusal, names: Mapping[int, str], titles: Mapping[int, str], registry: ToolRegistry
) -> RefusalView:
    return RefusalView(
        decision=refusal.decision,
        reason=refusal.reason,
        rule=refusal.rule,
        run_uuid=refusal.run_uuid,
        at=refusal.at,
        decision_words=DECISIONS.get(refusal.decision) or visible(refusal.decision),
        rule_words=RULES.get(refusal.rule) or visible(refusal.rule),
        tool=_tool(refusal.tool, registry),
        configuration=_configuration(refusal.configuration_id, titles),
        person=names.get(refusal.user_id, "–"),
        run_url=f"/runs/{refusal.run_uuid}" if refusal.run_uuid else None,
    )


def _configuration(number: int, titles: Mapping[int, str]) -> Text | str:
    if not number:
        return "–"
    return visible(titles[number]) if number in titles else text("does not exist any more")


def _tool(name: str, registry: ToolRegistry) -> Text | str:
    tool = registry.find(name)
    return visible(name) if tool is None else tool.label
