"""What a changed configuration would have done with the calls of the last weeks. Reads only; nothing is recorded.

Calls are asked again with the rights their owners have today, so the answer is about the change and not about rights
that have moved since: both sides, before and after, are asked in the same way.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import Table, select
from sqlalchemy.engine import Connection

from app.accounts.service import find_identity
from app.agent import models
from app.agent.earlier_calls import find_history
from app.agent.policy_gate import refuse_offer
from app.agent.previews import purpose
from app.agent.runtime import Runtime
from app.agent.targets import find_places, named_targets
from app.agent.tools.base import Tool
from app.core import clock
from app.core.crypto import Unreadable
from app.policy.decisions import Refused
from app.policy.identity import LIVE, Identity
from app.policy.invocation import ConfigurationFacts, EarlierCall, InvocationContext

_calls: Table = models.ToolCall.__table__
_run: Table = models.Run.__table__
DAYS = 30
MOST_CALLS = 1_000
MOST_EXAMPLES = 10
_DAY = 86_400


class Effect(StrEnum):
    """What the change makes of a call."""

    NEWLY_REFUSED = "newly_refused"
    NEWLY_ALLOWED = "newly_allowed"
    NEWLY_SECOND_PERSON = "newly_second_person"
    """It would have needed the approval of somebody else."""
    NO_SECOND_PERSON = "no_second_person"
    SAME = "same"


@dataclass(frozen=True, kw_only=True, slots=True)
class Example:
    """One call the change would have touched; identifiers only."""

    effect: Effect
    run_uuid: str
    tool: str
    owner_id: int
    at: int
    rule: str
    """What refuses it now or did before; empty for a second person."""
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Replay:
    """The answer: calls counted by effect, with the newest examples of those that are not the same."""

    calls: int
    counts: Mapping[Effect, int]
    examples: tuple[Example, ...]
    unreadable: int
    """Calls that cannot be opened any more and were left out."""
    is_cut: bool
    """Whether there were more calls than the newest 1,000."""


def replay_change(
    connection: Connection,
    runtime: Runtime,
    before: ConfigurationFacts,
    after: ConfigurationFacts,
    *,
    was_active: bool = True,
    is_active: bool = True,
    days: int = DAYS,
) -> Replay:
    """Ask ``before`` and ``after`` about every call of that configuration in the last ``days`` days, newest first.

    ``was_active`` and ``is_active``: a configuration that is switched off refuses every step.
    """
    rows = _recent_calls(connection, before.id, clock.now() - days * _DAY)
    world = _World(connection=connection, runtime=runtime)
    sides = _Side(facts=before, is_active=was_active), _Side(facts=after, is_active=is_active)
    counts: Counter[Effect] = Counter()
    examples: list[Example] = []
    unreadable = 0
    for row in rows[:MOST_CALLS]:
        found = _compare(world, row, *sides)
        if found is None:
            unreadable += 1
            continue
        counts[found.effect] += 1
        if found.effect is not Effect.SAME and len(examples) < MOST_EXAMPLES:
            examples.append(found)
    return Replay(
        calls=min(len(rows), MOST_CALLS) - unreadable,
        counts=dict(counts),
        examples=tuple(examples),
        unreadable=unreadable,
        is_cut=len(rows) > MOST_CALLS,
    )


def _recent_calls(connection: Connection, configuration_id: int, since: int) -> list[Mapping[Any, Any]]:
    statement = (
        select(_calls, _run.c.owner_id, _run.c.workspace_id, _run.c.created_at)
        .join(_run, _run.c.uuid == _calls.c.run_uuid)
        .where(_run.c.configuration_id == configuration_id, _run.c.created_at >= since, _calls.c.arguments_valid)
        .order_by(_run.c.created_at.desc(), _calls.c.run_uuid, _calls.c.turn.desc(), _calls.c.ordinal.desc())
        .limit(MOST_CALLS + 1)
    )
    return list(connection.execute(statement).mappings().all())


@dataclass(frozen=True, kw_only=True, slots=True)
class _Side:
    """The configuration before or after the change."""

    facts: ConfigurationFacts
    is_active: bool


class _World:
    """People and earlier calls, read once each."""

    def __init__(self, *, connection: Connection, runtime: Runtime) -> None:
        self.connection, self.runtime = connection, runtime
        self._people: dict[tuple[int, int], Identity | None] = {}
        self._histories: dict[str, tuple[EarlierCall, ...] | None] = {}

    def acting(self, owner_id: int, workspace_id: int) -> Identity | None:
        """The owner as a run would resolve them now."""
        key = owner_id, workspace_id
        if key not in self._people:
            self._people[key] = find_identity(self.connection, owner_id, workspace_id=workspace_id)
        return self._people[key]

    def history(self, uuid: str, turn: int, ordinal: int) -> tuple[EarlierCall, ...] | None:
        """The calls of the run before this one; None when they cannot be read."""
        if uuid not in self._histories:
            self._histories[uuid] = find_history(self.connection, uuid, self.runtime.cipher)
        found = self._histories[uuid]
        return None if found is None else tuple(call for call in found if (call.turn, call.ordinal) < (turn, ordinal))


def _compare(world: _World, row: Mapping[Any, Any], before: _Side, after: _Side) -> Example | None:
    uuid = row["run_uuid"]
    try:
        words = world.runtime.cipher.open(row["arguments_sealed"], purpose("tool_call.arguments", uuid))
        arguments = json.loads(words)
    except (Unreadable, ValueError):
        return None
    tool = world.runtime.registry.find(row["tool"])
    was, now = (_answer(world, row, side, tool, arguments) for side in (before, after))
    effect, refused = _effect(was, now, tool, before.facts, after.facts)
    return Example(
        effect=effect,
        run_uuid=uuid,
        tool=row["tool"],
        owner_id=row["owner_id"],
        at=row["created_at"],
        rule=refused.rule if refused else "",
        reason=refused.reason if refused else "",
    )


def _answer(world: _World, row: Mapping[Any, Any], side: _Side, tool: Tool | None, arguments: Any) -> Refused | None:
    configuration = side.facts
    workspace_id = row["workspace_id"] or LIVE
    acting = world.acting(row["owner_id"], workspace_id)
    refused = refuse_offer(world.runtime, row["tool"], configuration if side.is_active else None, acting)
    if refused is not None or tool is None:
        return refused
    policy, places, history = world.runtime.policy, None, None
    if tool.facts.is_write and policy.reads_places(configuration):
        places = find_places(world.connection, acting, workspace_id, tool.facts.name, arguments)
    if policy.reads_history(configuration):
        history = world.history(row["run_uuid"], row["turn"], row["ordinal"])
    found = policy.decide(
        InvocationContext(
            tool=tool.facts,
            arguments=arguments,
            configuration=configuration,
            acting=acting,
            recorded_workspace=row["workspace_id"],
            targets=named_targets(arguments),
            places=places,
            history=history,
        )
    )
    return found if isinstance(found, Refused) else None


def _effect(
    was: Refused | None, now: Refused | None, tool: Tool | None, before: ConfigurationFacts, after: ConfigurationFacts
) -> tuple[Effect, Refused | None]:
    if was is None and now is not None:
        return Effect.NEWLY_REFUSED, now
    if was is not None and now is None:
        return Effect.NEWLY_ALLOWED, was
    waits = now is None and tool is not None and tool.facts.waits_for_approval
    if waits and after.requires_second_approver and not before.requires_second_approver:
        return Effect.NEWLY_SECOND_PERSON, None
    if waits and before.requires_second_approver and not after.requires_second_approver:
        return Effect.NO_SECOND_PERSON, None
    return Effect.SAME, None
