"""Ends of a run that was not allowed to ask its model again, each with its own reason and a sentence for the person (RT-17)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from app.agent.budgets import Exhausted, Payer, Unit, find_exhausted
from app.agent.endings import Ending
from app.agent.loop.segment import Segment
from app.agent.loop.state import RunState
from app.agent.types import Reason, RunStatus
from app.core.db import reading
from app.core.i18n import Text, render, text

_SPENT: Mapping[tuple[Payer, Unit], Text] = {
    (Payer.PERSON, Unit.REQUESTS): text(
        "You have used up your requests to the AI model for today, so the assignment ended. "
        "What was done until then stands. The count begins anew at midnight UTC."
    ),
    (Payer.PERSON, Unit.TOKENS): text(
        "You have used up the amount of text for the AI model for today, so the assignment ended. "
        "What was done until then stands. The count begins anew at midnight UTC."
    ),
    (Payer.PERSON, Unit.COST): text(
        "You have used up your budget for the AI model for today, so the assignment ended. "
        "What was done until then stands. The count begins anew at midnight UTC."
    ),
    (Payer.CONFIGURATION, Unit.REQUESTS): text(
        "The requests of this configuration to the AI model are used up for today, so the assignment ended. "
        "What was done until then stands. The count begins anew at midnight UTC."
    ),
    (Payer.CONFIGURATION, Unit.TOKENS): text(
        "The amount of text of this configuration for the AI model is used up for today, so the assignment ended. "
        "What was done until then stands. The count begins anew at midnight UTC."
    ),
    (Payer.CONFIGURATION, Unit.COST): text(
        "The budget of this configuration for the AI model is used up for today, so the assignment ended. "
        "What was done until then stands. The count begins anew at midnight UTC."
    ),
}
_TOO_LONG = text(
    "This conversation has become too long for the AI model, which takes %(window)s tokens at once, so it was not asked. "
    "What was done until then stands. Start a new conversation, or ask the administration for a model that takes more."
)


def demand_budget(segment: Segment, state: RunState) -> None:
    """Pass while the owner and the configuration may ask once more; else the run ends and ``RunEnded`` is raised."""
    with reading() as connection:
        spent = find_exhausted(connection, state.run, segment.runtime.settings)
    if spent is not None:
        end_exhausted(segment, state, spent)


def end_exhausted(segment: Segment, state: RunState, spent: Exhausted) -> NoReturn:
    """End the run because a budget is used up."""
    _end(segment, state, Reason.BUDGET_EXHAUSTED, _SPENT[spent.payer, spent.unit])


def end_too_long(segment: Segment, state: RunState, window: int) -> NoReturn:
    """End the run because even its newest part does not fit the model's ``window``, in tokens."""
    _end(segment, state, Reason.CONTEXT_TRUNCATED, _TOO_LONG.with_params(window=window))


def _end(segment: Segment, state: RunState, reason: Reason, sentence: Text) -> NoReturn:
    answer = render(sentence, state.run.language)
    segment.end(Ending(status=RunStatus.COMPLETED, reason=reason, answer=answer))
