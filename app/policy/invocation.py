"""What a rule may know of a tool call, and the chain of rules asked for it (seed record on draft workspaces, runtime.md 16.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from app.policy.decisions import ALLOWED, Decision, Refused
from app.policy.identity import Identity


class ToolEffect(StrEnum):
    """What a tool does to records; a property of code, never configurable."""

    READ = "read"
    IDEMPOTENT_WRITE = "idempotent_write"
    WRITE = "write"


@dataclass(frozen=True, kw_only=True, slots=True)
class InvocationTarget:
    """The record a call is about; identifiers only."""

    table: str
    uid: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolFacts:
    """What is declared of a tool."""

    name: str
    group: str
    effect: ToolEffect | None = None
    """None = not declared."""
    needs_approval: bool = False
    is_remote: bool = False
    requires_admin: bool = False

    @property
    def is_write(self) -> bool:
        """A declared write, or approval needed without a declared effect, or anything remote (DW-05, DW-06)."""
        if self.is_remote:
            return True
        if self.effect is None:
            return self.needs_approval
        return self.effect is not ToolEffect.READ

    @property
    def waits_for_approval(self) -> bool:
        """Whether a call of this tool suspends its turn (RT-02)."""
        return self.needs_approval or (not self.is_remote and self.is_write)


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigurationFacts:
    """What a configuration demands."""

    id: int
    name: str
    requires_draft_workspace: bool = False
    requires_second_approver: bool = False
    tool_groups: frozenset[str] | None = None
    """Groups of tools that are offered; None = no restriction."""
    excluded_tools: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True, slots=True)
class InvocationContext:
    """Everything a rule may know of one call."""

    tool: ToolFacts
    arguments: Mapping[str, Any]
    configuration: ConfigurationFacts
    acting: Identity | None
    """The owner of the run as the database knows them now, set up in the run's workspace; None = no acting user."""
    recorded_workspace: int | None
    """The workspace the run recorded at its start; None = an older run that recorded nothing."""
    target: InvocationTarget | None = None
    history: Sequence[Mapping[str, Any]] | None = field(default=None)
    """Earlier calls of the run; None = not known completely."""


class InvocationRule(Protocol):
    """A rule can only restrict. ``id`` is unique in a chain."""

    id: str

    def decide(self, context: InvocationContext) -> Decision:
        """Allowed, or refused with a reason code of this rule."""
        ...


@runtime_checkable
class PreApprovalRule(Protocol):
    """Marker: the answer comes from call, configuration and context alone and the rule writes nothing (DW-17)."""

    answers_before_approval: bool


class InvocationPolicy:
    """An ordered chain of rules; the first refusal wins."""

    def __init__(self, rules: Sequence[InvocationRule]) -> None:
        self._rules = tuple(rules)

    def decide(self, context: InvocationContext) -> Decision:
        """The decision right before a call runs (DW-12): every rule is asked."""
        return self._ask(self._rules, context)

    def decide_before_approval(self, context: InvocationContext) -> Decision:
        """The early answer, only of rules with the marker; asking records nothing (DW-13, DW-17)."""
        return self._ask([rule for rule in self._rules if isinstance(rule, PreApprovalRule)], context)

    def _ask(self, rules: Sequence[InvocationRule], context: InvocationContext) -> Decision:
        for rule in rules:
            try:
                decision = rule.decide(context)
            except Exception:
                return Refused(rule=rule.id, reason="rule_failed")
            if isinstance(decision, Refused):
                return decision
        return ALLOWED
