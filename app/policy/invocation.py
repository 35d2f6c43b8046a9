"""What a rule may know of a tool call, and the chain of rules asked for it (seed record on draft workspaces, runtime.md 16.1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Protocol, runtime_checkable

from app.policy.decisions import ALLOWED, Allowed, Decision, Refused
from app.policy.identity import Identity

SLOWEST_ANSWER: Final = 1.0
"""Seconds a rule may take; a slower one counts as failed when it returns (DW-25)."""
_ID = re.compile(r"[a-z][a-z0-9_.-]{0,63}")


class ToolEffect(StrEnum):
    """What a tool does to records; a property of code, never configurable."""

    READ = "read"
    IDEMPOTENT_WRITE = "idempotent_write"
    WRITE = "write"


@dataclass(frozen=True, kw_only=True, slots=True)
class InvocationTarget:
    """A record a call is about; identifiers only."""

    table: str
    uid: int


@dataclass(frozen=True, kw_only=True, slots=True)
class EarlierCall:
    """A call of the same run that has ended, refused ones included; identifiers only."""

    tool: str
    outcome: str
    """State of the outcome: ``done``, ``unchanged``, ``read``, ``refused`` …"""
    targets: tuple[InvocationTarget, ...] = ()
    turn: int = 0
    ordinal: int = 0


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
    branch_page: int = 0
    """Writes are restricted to this page and what lies below it; 0 = no restriction."""
    requires_read_before_write: bool = False


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
    targets: tuple[InvocationTarget, ...] = ()
    """The records the call names, as far as its arguments tell; empty = unknown."""
    places: tuple[frozenset[int], ...] | None = None
    """For each place the call writes to: its page and all pages above, by uid. None = unknown, or not asked for by a
    rule (``PlaceRule``); records that do not exist and records the acting person may not see are both unknown."""
    history: Sequence[EarlierCall] | None = None
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


@runtime_checkable
class HistoryRule(Protocol):
    """A rule that asks for the calls before; never asked early, for none of a turn has run before its card (DW-17)."""

    def reads_history(self, configuration: ConfigurationFacts) -> bool:
        """Whether the rule needs ``InvocationContext.history`` under this configuration; when it cannot be had, the
        call is refused ``history_incomplete``.
        """
        ...


@runtime_checkable
class PlaceRule(Protocol):
    """A rule that asks where in the page tree a call writes: only then it is looked up."""

    def reads_places(self, configuration: ConfigurationFacts) -> bool:
        """Whether the rule needs ``InvocationContext.places`` under this configuration."""
        ...


class UnsuitableRule(ValueError):
    """A rule whose id is malformed or taken: the start stops with this sentence."""


class InvocationPolicy:
    """An ordered chain of rules; the first refusal wins.

    ``timer`` gives seconds that only go forward; with it a rule slower than ``SLOWEST_ANSWER`` has failed. Raises
    ``UnsuitableRule`` for ids that are malformed or used twice (DW-24).
    """

    def __init__(self, rules: Sequence[InvocationRule], *, timer: Callable[[], float] | None = None) -> None:
        self._rules = tuple(rules)
        self._timer = timer
        seen: set[str] = set()
        for rule in self._rules:
            name = getattr(rule, "id", None)
            if not isinstance(name, str) or not _ID.fullmatch(name):
                msg = f"The invocation rule {type(rule).__name__} has no well-formed id."
                raise UnsuitableRule(msg)
            if name in seen:
                msg = f"Two invocation rules have the id {name}."
                raise UnsuitableRule(msg)
            seen.add(name)

    @property
    def rules(self) -> tuple[InvocationRule, ...]:
        """The rules in the order in which they are asked."""
        return self._rules

    def reads_places(self, configuration: ConfigurationFacts) -> bool:
        """Whether any rule needs to know where a call writes under this configuration."""
        return any(rule.reads_places(configuration) for rule in self._rules if isinstance(rule, PlaceRule))

    def reads_history(self, configuration: ConfigurationFacts) -> bool:
        """Whether any rule needs the calls before under this configuration."""
        return any(rule.reads_history(configuration) for rule in self._rules if isinstance(rule, HistoryRule))

    def decide(self, context: InvocationContext) -> Decision:
        """The decision right before a call runs (DW-12): every rule is asked."""
        return self._ask(self._rules, context)

    def decide_before_approval(self, context: InvocationContext) -> Decision:
        """The early answer, only of rules with the marker; asking records nothing (DW-13, DW-17)."""
        early = [rule for rule in self._rules if getattr(rule, "answers_before_approval", False) is True]
        return self._ask([rule for rule in early if not isinstance(rule, HistoryRule)], context)

    def _ask(self, rules: Sequence[InvocationRule], context: InvocationContext) -> Decision:
        for rule in rules:
            decision = self._answer(rule, context)
            if decision is not ALLOWED:
                return decision
        return ALLOWED

    def _answer(self, rule: InvocationRule, context: InvocationContext) -> Decision:
        began = self._timer() if self._timer else 0.0
        try:
            if context.history is None and isinstance(rule, HistoryRule) and rule.reads_history(context.configuration):
                return Refused(rule=rule.id, reason="history_incomplete")
            decision = rule.decide(context)
        except Exception:  # its text is never repeated (DW-24)
            return Refused(rule=rule.id, reason="rule_failed")
        if self._timer and self._timer() - began > SLOWEST_ANSWER:
            return Refused(rule=rule.id, reason="rule_failed")
        return _checked(rule.id, decision)


def _checked(rule: str, decision: object) -> Decision:
    """Only a clear answer counts; a refusal carries the id of the rule that gave it and a well-formed code (I12)."""
    if isinstance(decision, Allowed):
        return ALLOWED
    if not isinstance(decision, Refused) or not _ID.fullmatch(str(decision.reason)):
        return Refused(rule=rule, reason="rule_failed")
    return Refused(rule=rule, reason=decision.reason, explanation=decision.explanation)
