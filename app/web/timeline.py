"""The events of a run in plain words. What is shown is picked field by field; an unknown event is said to be unreadable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.engine import Connection

from app.accounts import store as accounts
from app.agent import configurations
from app.agent.card_contents import open_cards
from app.agent.cards import CardRow, find_card
from app.agent.events import UNREADABLE, EventKind, StoredEvent, decode, read_events
from app.agent.run_rows import RunView
from app.agent.runs import may_act_on_turn, may_cancel_run
from app.agent.runtime import Runtime
from app.agent.tools.registry import ToolRegistry
from app.agent.types import CallState, RunStatus, TurnState
from app.chat import links
from app.chat.card_steps import OUTCOMES
from app.chat.facts import workspace_words
from app.core.i18n import Text, ntext, ptext, text
from app.core.moments import Moment
from app.policy.identity import Identity

STATUSES: Mapping[str, Text] = {
    "queued": text("Waiting for a free worker"),
    "running": text("Working"),
    "waiting_for_approval": text("Waiting for approval"),
    "waiting_for_input": text("Waiting for an answer"),
    "waiting_for_provider": text("Waiting for the AI model"),
    "completed": text("Finished"),
    "failed": text("Stopped with an error"),
    "cancelled": text("Stopped"),
}
ENDINGS: Mapping[str, Text] = {
    "completed": text("The assignment finished."),
    "cancelled": text("The assignment was stopped."),
    "approval_expired": text("The approval expired, so the assignment ended."),
    "max_rounds": text("The assignment ended because it took too many rounds."),
    "budget_exhausted": text("The assignment ended because the budget for the AI model was used up for the day."),
    "context_truncated": text("The assignment ended because the conversation was too long for the AI model."),
    "repeated_calls": text("The assignment ended because the AI model asked for the same step again and again."),
    "provider_failed": text("The assignment ended because the AI model did not answer."),
    "configuration": text("The assignment ended because its configuration is not available any more."),
    "no_acting_user": text("The assignment ended because the person it belongs to cannot act any more."),
    "retries_exhausted": text("The assignment ended because it was interrupted too often."),
    "not_retryable": text("The assignment ended because what was interrupted must not be repeated."),
    "unreadable": text("The assignment ended because its contents could not be read."),
}
CARDS: Mapping[TurnState, Text] = {
    TurnState.WAITING: text("Waiting for a decision"),
    TurnState.APPROVED: ptext("approval", "Approved"),
    TurnState.DECLINED: ptext("approval", "Declined"),
    TurnState.EXPIRED: text("Expired without a decision"),
    TurnState.SUPERSEDED: text("Replaced by a newer card"),
    TurnState.CANCELLED: text("Stopped before a decision"),
}
UNREADABLE_CARD = text("The approval of this assignment cannot be read. It can be declined or stopped, not approved.")
NO_CARD = text("The approval of this assignment cannot be read. The assignment can only be stopped.")
CAUSES: Mapping[str, Text] = {
    "target_changed": text("A record had changed since the earlier card."),
    "effect_differs": text("The step would have changed something else than approved."),
    "stopped": text("An earlier step did not end as approved."),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class TimelineEntry:
    """One event."""

    kind: str
    at: int
    words: Text
    detail: Text | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TimelineView:
    """The course of a run for one reader."""

    run_uuid: str
    status: str
    conversation_url: str | None
    card_url: str | None
    """The card that waits, for those who may decide it."""
    cancellation_url: str | None
    """Where those who may stop the run do so; None also when it has ended."""
    problem: Text | None
    """Said when what the run waits with cannot be read."""
    summary: tuple[tuple[Text, Text | str], ...]
    entries: tuple[TimelineEntry, ...]


def read_timeline(
    connection: Connection, identity: Identity, run: RunView, runtime: Runtime, conversation_id: int | None
) -> TimelineView:
    """The timeline of ``run``, whose reader has been checked by the caller; the conversation is linked when readable."""
    events = read_events(connection, [run.uuid])
    payloads = [decode(event) for event in events]
    people = {run.owner_id} | {
        payload["by"] for payload in payloads if payload is not UNREADABLE and isinstance(payload.get("by"), int)
    }
    words = _Words(
        names=accounts.names_of(connection, sorted(people)), registry=runtime.registry, tools=_tools(payloads)
    )
    card = find_card(connection, run.uuid)
    waits = run.status is RunStatus.WAITING_FOR_APPROVAL
    return TimelineView(
        run_uuid=run.uuid,
        status=run.status.value,
        conversation_url=None if conversation_id is None else links.conversation_url(conversation_id),
        card_url=links.card_url(run.uuid, 1) if waits and card and may_act_on_turn(identity, run) else None,
        cancellation_url=f"/runs/{run.uuid}/cancellation"
        if may_cancel_run(identity, run) and not run.status.is_final
        else None,
        problem=_problem(connection, card, runtime) if waits else None,
        summary=_summary(connection, identity, run, card, words),
        entries=tuple(words.entry(event, payload) for event, payload in zip(events, payloads, strict=True)),
    )


def _problem(connection: Connection, card: CardRow | None, runtime: Runtime) -> Text | None:
    if card is None:
        return NO_CARD
    is_readable = open_cards(connection, [card], runtime.cipher)[card.run_uuid] is not None
    return None if is_readable else UNREADABLE_CARD


def _summary(
    connection: Connection, identity: Identity, run: RunView, card: CardRow | None, words: _Words
) -> tuple[tuple[Text, Text | str], ...]:
    configuration = configurations.find_configuration(connection, run.configuration_id)
    summary: list[tuple[Text, Text | str]] = [
        (ptext("of a run", "Status"), STATUSES[run.status.value]),
        (text("Asked by"), words.names.get(run.owner_id, "?")),
        (
            ptext("kind of assignment", "Configuration"),
            configuration.name if configuration else text("does not exist any more"),
        ),
        (text("Rounds with the AI model"), str(run.rounds)),
        (
            text("Tokens read and written"),
            text("%(read)s and %(written)s", read=run.prompt_tokens, written=run.completion_tokens),
        ),
    ]
    if run.workspace_id is not None:
        summary.insert(2, (text("Started in"), workspace_words(run.workspace_id, identity)))
    if card is not None:
        summary.insert(1, (text("Newest approval"), CARDS[card.state]))
    return tuple(summary)


def _tools(payloads: Sequence[Any]) -> dict[tuple[Any, Any], str]:
    """Names of tools by turn and call: not every event of a call carries its name."""
    named = [payload for payload in payloads if payload is not UNREADABLE and "tool" in payload]
    return {(payload.get("turn"), payload.get("call")): str(payload["tool"]) for payload in named}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Words:
    names: Mapping[int, str]
    registry: ToolRegistry
    tools: Mapping[tuple[Any, Any], str]

    def entry(self, event: StoredEvent, payload: Any) -> TimelineEntry:
        """One event as an entry; fields are picked by name, so nothing else of a payload is ever shown."""
        if payload is UNREADABLE:
            return TimelineEntry(kind="unreadable", at=event.at, words=text("An entry that cannot be read."))
        said, detail = self._say(EventKind(event.kind), payload)
        return TimelineEntry(kind=event.kind, at=event.at, words=said, detail=detail)

    def _say(self, kind: EventKind, payload: Mapping[str, Any]) -> tuple[Text, Text | None]:
        match kind:
            case EventKind.STARTED:
                again = text("It tries an assignment again that had failed.") if payload.get("retry") is True else None
                return text("The assignment started."), again
            case EventKind.WAIT:
                until = Moment(seconds=_whole(payload.get("until")))
                return text("The AI model asked to wait."), text("It is asked again on %(when)s.", when=until)
            case EventKind.REQUEST:
                return text("The AI model was asked."), None
            case EventKind.LLM:
                steps = len(payload.get("tools") or ())
                asked = ntext("It asked for %(n)s step.", "It asked for %(n)s steps.", steps)
                return text("The AI model answered."), asked if steps else None
            case EventKind.CARD:
                return text("An approval was asked for."), CAUSES.get(str(payload.get("cause", "")))
            case EventKind.APPROVAL:
                name = self._name(payload)
                if payload.get("approved") is True:
                    return text("Approved by %(name)s", name=name), None
                return text("Declined by %(name)s", name=name), None
            case EventKind.PURGED:
                return text("The contents of this assignment were not kept."), None
            case EventKind.CANCEL if payload.get("halt") is True:
                return text("Every assignment was halted."), None
            case EventKind.CANCEL:
                return text("Stop requested by %(name)s", name=self._name(payload)), None
            case EventKind.ENDED:
                return ENDINGS.get(str(payload.get("reason", "")), text("The assignment stopped with an error.")), None
            case _:
                return self._say_step(kind, payload)

    def _say_step(self, kind: EventKind, payload: Mapping[str, Any]) -> tuple[Text, Text | None]:
        step = text("Step: %(step)s", step=self._tool(payload))
        if kind is EventKind.TOOL:
            state = str(payload.get("state", ""))
            return step, OUTCOMES[CallState(state)][0] if state in {known.value for known in CallState} else None
        if kind is EventKind.TOOL_CHANGES:
            count = len(payload.get("changes") or ()) + _whole(payload.get("omitted"))
            return step, ntext("%(n)s record was reported.", "%(n)s records were reported.", count)
        if payload.get("hook_failed") is True:
            return step, text("An extension failed after the step was written.")
        return step, text("It wrote the record it names.")

    def _name(self, payload: Mapping[str, Any]) -> str:
        return self.names.get(_whole(payload.get("by")), "?")

    def _tool(self, payload: Mapping[str, Any]) -> Text:
        tool = self.registry.find(self.tools.get((payload.get("turn"), payload.get("call")), ""))
        return tool.label if tool is not None else text("a step that does not exist here")


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else 0
