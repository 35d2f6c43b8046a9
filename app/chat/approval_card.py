"""The approval card as one viewer sees it: every value on it passes that viewer's rights, the owner's too (D7, CA-01 to CA-10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.engine import Connection

from app.accounts import store as accounts
from app.agent import configurations, runs
from app.agent import store as agent
from app.agent.card_reading import find_outcome_states, list_cards
from app.agent.cards import CardRow, DecisionRow
from app.agent.configuration_changes import has_changed_since
from app.agent.configurations import ConfigurationView
from app.agent.explaining import named_explanation
from app.agent.objections import Ground, find_objection
from app.agent.run_rows import RunView
from app.agent.runtime import Runtime
from app.agent.types import Call, Preview, PreviewKind, TurnState
from app.chat import links, store
from app.chat.card_steps import StepContext, step_view
from app.chat.facts import WordsOf
from app.chat.news import conversation_of
from app.chat.view_models import ApprovalCardView, StepView
from app.content import store as content
from app.core import ids
from app.core.crypto import NotKept, Unreadable
from app.core.errors import NotFound
from app.core.i18n import Text, ntext, text
from app.core.moments import Moment
from app.policy.identity import Identity
from app.policy.rules import below_pages

CAUSES = {
    "target_changed": text(
        "A record has changed since the earlier card. Nothing was carried out. Check this card anew."
    ),
    "effect_differs": text(
        "The step would now change something else than the earlier card showed. It was not carried out. Check this card anew."
    ),
    "stopped": text("An earlier step did not end as approved. The remaining steps were not carried out."),
}
NOT_KEPT = text("What this approval showed was not kept")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Loaded:
    run: RunView
    card: CardRow
    number: int
    configuration: ConfigurationView | None
    calls: tuple[Call, ...]
    previews: tuple[Preview, ...] | None
    """None = the stored card cannot be read."""
    is_kept: bool
    """Whether what the card held is still stored; its decision and outcomes are in any case."""
    decision: DecisionRow | None
    is_reader: bool


def read_card(
    connection: Connection, identity: Identity, run_uuid: str, runtime: Runtime, *, card: int | None = None
) -> ApprovalCardView:
    """Card number ``card`` of a run (default: the newest) for ``identity``.

    Raises ``NotFound`` for people who may neither decide it nor read its conversation.
    """
    run = runs.find_run(connection, run_uuid)
    if run is None:
        raise NotFound(f"run {run_uuid}")
    is_reader = _may_read_conversation(connection, identity, run)
    if not (is_reader or runs.may_act_on_turn(identity, run)):
        raise NotFound(f"run {run_uuid}")
    loaded = _load(connection, run, runtime, card, is_reader=is_reader)
    return _present(connection, identity, loaded, runtime)


def _may_read_conversation(connection: Connection, identity: Identity, run: RunView) -> bool:
    number = conversation_of(run.subject)
    if number is None:
        return run.owner_id == identity.user_id
    return store.find_readable(connection, number, identity.user_id, identity.group_ids) is not None


def _load(connection: Connection, run: RunView, runtime: Runtime, number: int | None, *, is_reader: bool) -> _Loaded:
    every = list_cards(connection, run.uuid)
    if not every or (number is not None and not 1 <= number <= len(every)):
        raise NotFound(f"card of {run.uuid}")
    position = len(every) if number is None else number
    found = every[position - 1]
    calls: tuple[Call, ...] = ()
    previews: tuple[Preview, ...] | None = None
    is_kept = True
    try:
        previews = agent.load_previews(connection, run.uuid, found.turn, found.revision, runtime.cipher)
        calls = agent.load_calls(connection, run.uuid, found.turn, runtime.cipher)
    except NotKept:
        previews, is_kept = None, False
    except Unreadable:
        previews = None
    return _Loaded(
        run=run,
        card=found,
        number=position,
        configuration=configurations.find_configuration(connection, run.configuration_id),
        calls=calls,
        previews=previews,
        is_kept=is_kept,
        decision=agent.find_decision(connection, run.uuid, found.turn, found.revision),
        is_reader=is_reader,
    )


def _present(connection: Connection, identity: Identity, loaded: _Loaded, runtime: Runtime) -> ApprovalCardView:
    run, card = loaded.run, loaded.card
    steps = _steps(connection, identity, loaded)
    carried = [step for step in steps if not step.is_refused]
    is_waiting = card.state is TurnState.WAITING
    blocked = _blocked(connection, identity, loaded, runtime) if is_waiting else None
    may_approve = is_waiting and blocked is None
    return ApprovalCardView(
        dom_id=links.card_dom_id(run.uuid, loaded.number),
        run_uuid=run.uuid,
        url=links.card_url(run.uuid, loaded.number),
        state=card.state.value,
        heading=heading(card.state, len(carried), len(steps), readable=loaded.previews is not None)
        if loaded.is_kept
        else NOT_KEPT,
        configuration=loaded.configuration.name if loaded.configuration else "",
        cause=CAUSES.get(card.cause),
        steps=tuple(steps),
        digest=card.digest if is_waiting else "",
        token=ids.new_token() if is_waiting else "",
        approve_label=_approve_label(carried) if may_approve else None,
        approves=_approves(carried) if may_approve else None,
        blocked=blocked,
        is_all_refused=loaded.previews is not None and not carried,
        may_decline=is_waiting and runs.may_act_on_turn(identity, run),
        decided=_decided(connection, loaded.decision),
        reason=_reason(loaded, runtime),
        seq=store.find_card_seq(connection, run.uuid, card.turn, card.revision) if loaded.is_reader else 0,
        at=card.created_at,
        number=loaded.number,
    )


def _steps(connection: Connection, identity: Identity, loaded: _Loaded) -> list[StepView]:
    languages = {language.id: (language.code, language.title) for language in content.list_languages(connection)}
    previews = [preview for preview in loaded.previews or () if preview.kind is not PreviewKind.READ]
    context = StepContext.load(
        connection,
        identity,
        previews,
        words=WordsOf(identity=identity, languages=languages),
        calls={call.ordinal: call.tool for call in loaded.calls},
        outcomes=find_outcome_states(connection, loaded.run.uuid, loaded.card.turn),
        draft_required=bool(loaded.configuration and loaded.configuration.requires_draft_workspace),
        is_settled=loaded.card.state in (TurnState.APPROVED, TurnState.DECLINED),
        named=_named_refusals(connection, identity, loaded, previews),
    )
    return [step_view(context, preview, number) for number, preview in enumerate(previews, start=1)]


def _named_refusals(
    connection: Connection, identity: Identity, loaded: _Loaded, previews: Sequence[Preview]
) -> Mapping[str, Text]:
    """The sentences that name a page, by rule, as far as the viewer may see it.

    Stored is the plain sentence, and the page is the configuration's own: once that was changed, nothing tells which page the
    card was about, so the plain sentence stays.
    """
    configuration, refused = loaded.configuration, {preview.refused_rule for preview in previews}
    if configuration is None or below_pages.RULE_ID not in refused:
        return {}
    if has_changed_since(connection, configuration.id, "branch_page", loaded.card.created_at):
        return {}
    named = named_explanation(connection, below_pages.RULE_ID, configurations.facts_of(configuration), identity)
    return {} if named is None else {below_pages.RULE_ID: named}


def heading(state: TurnState, carried: int, total: int, *, readable: bool = True) -> Text:
    """The heading of a card: what is asked, or what became of it. It promises no execution (CA-07)."""
    if not readable:
        return text("This approval cannot be read")
    match state:
        case TurnState.WAITING if carried == total:
            return ntext("Approval needed: %(n)s step", "Approval needed: %(n)s steps", total)
        case TurnState.WAITING:
            return ntext(
                "Approval needed: %(ok)s of %(n)s step", "Approval needed: %(ok)s of %(n)s steps", total, ok=carried
            )
        case TurnState.APPROVED:
            return ntext("Approved: %(n)s step", "Approved: %(n)s steps", carried)
        case TurnState.DECLINED:
            return text("Declined")
        case TurnState.EXPIRED:
            return text("Expired without a decision")
        case TurnState.SUPERSEDED:
            return text("Replaced by a newer card")
        case _:
            return text("Stopped before a decision")


def _approve_label(carried: Sequence[StepView]) -> Text:
    if len(carried) == 1:
        return text("Approve: %(step)s", step=carried[0].heading)
    return ntext("Approve %(n)s step", "Approve %(n)s steps", len(carried))


def _approves(carried: Sequence[StepView]) -> Text:
    words = carried[0].heading
    for step in carried[1:]:
        words = text("%(first)s; %(second)s", first=words, second=step.heading)
    return text("Approves: %(steps)s.", steps=words)


def _blocked(connection: Connection, identity: Identity, loaded: _Loaded, runtime: Runtime) -> Text | None:
    objection = find_objection(connection, identity, loaded.run, loaded.card, runtime)
    if objection is None:
        return None
    rules = {preview.refused_rule for preview in loaded.previews or () if preview.is_refused}
    if objection.ground is Ground.NOTHING_TO_APPROVE and not rules <= OWN_REFUSALS:
        return text("Nothing can be approved: a rule refuses every step.")
    return objection.text


OWN_REFUSALS = {"tool", "rehearsal", "offer", "arguments"}
"""Marks of refusals that no rule made."""


def _decided(connection: Connection, decision: DecisionRow | None) -> Text | None:
    if decision is None:
        return None
    name = accounts.names_of(connection, [decision.decided_by]).get(decision.decided_by, "?")
    when = Moment(seconds=decision.decided_at)
    if decision.approved:
        return text("Approved by %(name)s, %(when)s. The result follows in the history.", name=name, when=when)
    return text("Declined by %(name)s, %(when)s.", name=name, when=when)


def _reason(loaded: _Loaded, runtime: Runtime) -> str | None:
    if loaded.decision is None or not loaded.is_reader:
        return None
    try:
        return loaded.decision.reason(runtime.cipher) or None
    except Unreadable:
        return None
