"""The rehearsal: the calls of a turn really run, in order, in one transaction that is rolled back (D7, D19).

What was observed becomes the previews of a card; hashes and previews are built after the rollback, so the write lock
is short (rehearsal.md rule 12). Reads are not run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy.engine import Connection
from sqlalchemy.exc import OperationalError

from app.agent import policy_gate
from app.agent.call_context import tool_context, write_context
from app.agent.configurations import facts_of, find_configuration
from app.agent.effects import Effect, Names, Places, effect_of, find_places
from app.agent.policy_gate import explained
from app.agent.retrying import retrying
from app.agent.runtime import Runtime
from app.agent.tools.base import Plan, Tool, WriteTool
from app.agent.types import Call, Preview, PreviewKind, RunFacts
from app.content.errors import WriteRefused
from app.content.hooks import HOOKS
from app.content.types import ChangeSet
from app.content.writer import Batch, raise_clock
from app.core import canonical
from app.core.db import transaction
from app.core.i18n import text
from app.policy.decisions import Refused
from app.policy.identity import LIVE, Identity
from app.policy.invocation import ConfigurationFacts


@dataclass(frozen=True, kw_only=True, slots=True)
class Observed:
    """What one write did inside the transaction."""

    plan: Plan
    changes: ChangeSet
    places: Places


@dataclass(frozen=True, kw_only=True, slots=True)
class _Stage:
    """What every call of one rehearsal shares."""

    connection: Connection
    facts: RunFacts
    configuration: ConfigurationFacts
    acting: Identity | None
    runtime: Runtime


class _Rollback(Exception):
    """Ends the transaction of a rehearsal."""


def rehearse_turn(facts: RunFacts, calls: Sequence[Call], runtime: Runtime) -> tuple[Preview, ...]:
    """What ``calls`` would do now, one preview per call in their order; nothing stays.

    A call that is not offered, has unsuitable arguments, or is refused by a rule or by its tool becomes a REFUSED
    preview; one whose rehearsal raises a FAILED one. Both are tagged refused (CA-09). Raises
    ``sqlalchemy.exc.OperationalError`` when the database cannot be used.
    """
    return retrying(lambda: _rehearse(facts, calls, runtime))


def _rehearse(facts: RunFacts, calls: Sequence[Call], runtime: Runtime) -> tuple[Preview, ...]:
    found: list[Preview | Observed] = []
    try:
        with transaction() as connection:
            stage = _set_up(connection, facts, runtime)
            found.extend(_try(stage, call) for call in calls)
            raise _Rollback
    except _Rollback:
        pass
    names = Names()
    return tuple(
        item if isinstance(item, Preview) else shown_preview(facts, call.ordinal, item, names)
        for call, item in zip(calls, found, strict=True)
    )


def _set_up(connection: Connection, facts: RunFacts, runtime: Runtime) -> _Stage:
    raise_clock(connection)  # waits for other writers of content before anything is read (rehearsal.md rule 18)
    stored = find_configuration(connection, facts.configuration.id)
    return _Stage(
        connection=connection,
        facts=facts,
        configuration=facts.configuration if stored is None else facts_of(stored),
        acting=policy_gate.find_acting(connection, facts),
        runtime=runtime,
    )


def _try(stage: _Stage, call: Call) -> Preview | Observed:
    tool = stage.runtime.registry.find(call.tool)
    refused = _refuse(stage, call, tool)
    if refused is not None or tool is None:
        return refused_preview(
            stage.facts, call, tool, refused or Refused(rule=policy_gate.OFFER, reason="not_registered")
        )
    if not tool.facts.is_write:
        return _plain(stage.facts, call, tool, PreviewKind.READ)
    if tool.facts.is_remote or not isinstance(tool, WriteTool):
        return _plain(stage.facts, call, tool, PreviewKind.REMOTE)
    return _run(stage, call, tool)


def _refuse(stage: _Stage, call: Call, tool: Tool | None) -> Refused | None:
    refused = policy_gate.refuse_offer(stage.runtime, call.tool, stage.configuration, stage.acting)
    if refused is not None or tool is None:
        return refused
    return (
        policy_gate.ask_rules_early(
            stage.connection, stage.runtime, stage.facts, stage.configuration, tool, call, stage.acting
        )
        or policy_gate.refuse_arguments(call, tool)
        or policy_gate.refuse_owner(stage.facts, stage.acting)
    )


def _run(stage: _Stage, call: Call, tool: WriteTool) -> Preview | Observed:
    plan: Plan | None = None
    savepoint = stage.connection.begin_nested()
    try:
        context = tool_context(stage.connection, stage.facts, stage.acting)
        batch = Batch(stage.connection, write_context(stage.facts, call, context.acting, rehearsal=True))
        plan = tool.plan(context, call.arguments or {})
        tool.execute(context, plan, batch)
        changes = batch.finish()
        observed = Observed(plan=plan, changes=changes, places=find_places(stage.connection, changes))
        savepoint.commit()
    except OperationalError:
        raise  # the database, not the call: the whole rehearsal is repeated or given up
    except WriteRefused as error:
        savepoint.rollback()
        return tool_refusal_preview(stage.facts, call, tool, error, plan)
    except Exception as error:
        savepoint.rollback()
        return _failed(stage.facts, call, tool, error, plan)
    return observed


def shown_preview(facts: RunFacts, ordinal: int, observed: Observed, names: Names) -> Preview:
    """The preview of a write that works; names what it created in ``names``."""
    effect: Effect = effect_of(observed.changes, ordinal, names, observed.places)
    return Preview(
        ordinal=ordinal,
        kind=PreviewKind.SHOWN,
        heading=observed.plan.heading,
        generic_heading=observed.plan.generic_heading,
        named=observed.plan.named,
        workspace_id=facts.workspace_id or LIVE,
        language_id=observed.plan.language_id,
        records=effect.records,
        counts=effect.counts,
        effect_hash=effect.hash,
        has_after_hooks=HOOKS.has_after_commit,
    )


def refused_preview(facts: RunFacts, call: Call, tool: Tool | None, refused: Refused) -> Preview:
    """The preview of a call that will not be carried out: the explanation, no target (CA-04)."""
    plain = _plain(facts, call, tool, PreviewKind.REFUSED)
    return replace(plain, refused_rule=refused.rule, refused_reason=refused.reason[:64], explanation=explained(refused))


def tool_refusal_preview(facts: RunFacts, call: Call, tool: Tool, error: WriteRefused, plan: Plan | None) -> Preview:
    """The preview of a call its tool refuses."""
    refused = Refused(rule=policy_gate.TOOL, reason=error.reason, explanation=error.text)
    return _with_plan(refused_preview(facts, call, tool, refused), plan)


def _failed(facts: RunFacts, call: Call, tool: Tool, error: Exception, plan: Plan | None) -> Preview:
    reason = type(error).__name__
    refused = refused_preview(facts, call, tool, Refused(rule=policy_gate.REHEARSAL, reason=reason))
    return _with_plan(replace(refused, kind=PreviewKind.FAILED, effect_hash=canonical.sha256(f"failed:{reason}")), plan)


def _with_plan(preview: Preview, plan: Plan | None) -> Preview:
    if plan is None:
        return preview
    return replace(
        preview,
        heading=plan.heading,
        generic_heading=plan.generic_heading,
        named=plan.named,
        language_id=plan.language_id,
    )


def _plain(facts: RunFacts, call: Call, tool: Tool | None, kind: PreviewKind) -> Preview:
    heading = text("Use “%(tool)s”", tool=call.tool[:120]) if tool is None else tool.label
    return Preview(
        ordinal=call.ordinal,
        kind=kind,
        heading=heading,
        generic_heading=heading,
        workspace_id=facts.workspace_id or LIVE,
        language_id=None,
    )


_NOT_ON_PURPOSE = frozenset({policy_gate.TOOL, policy_gate.REHEARSAL})


def is_refused_on_purpose(preview: Preview) -> bool:
    """Whether a gate or rule refused before the card (DW-09), in contrast to the tool itself or a failed rehearsal
    (CA-06).
    """
    return preview.is_refused and preview.refused_rule not in _NOT_ON_PURPOSE


def needs_card(calls: Sequence[Call], previews: Sequence[Preview], runtime: Runtime) -> bool:
    """Whether the turn waits for a decision: one of its calls needs approval and is not refused on purpose (RT-02,
    RT-03, DW-09).
    """
    by_ordinal: Mapping[int, Preview] = {preview.ordinal: preview for preview in previews}
    return any(
        tool.facts.waits_for_approval and not is_refused_on_purpose(by_ordinal[call.ordinal])
        for call in calls
        if call.ordinal in by_ordinal and (tool := runtime.registry.find(call.tool)) is not None
    )


def differing_calls(approved: Sequence[Preview], fresh: Sequence[Preview]) -> tuple[int, ...]:
    """Ordinals of calls that were approved as working and would now do something else (RT-10).

    A call tagged refused stays refused whatever a rehearsal says (DW-15). One that a gate or rule refuses now is no
    difference either: execution refuses it with that reason (DW-12).
    """
    now = {preview.ordinal: preview for preview in fresh}
    return tuple(
        before.ordinal
        for before in approved
        if before.kind is PreviewKind.SHOWN
        and (after := now.get(before.ordinal)) is not None
        and not is_refused_on_purpose(after)
        and (after.kind is not before.kind or after.effect_hash != before.effect_hash)
    )
