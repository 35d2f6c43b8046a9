"""Asking the model, outside any transaction (D3), with patience for what passes by itself (runtime.md section 8)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from sqlalchemy.engine import Connection

from app.agent.budgets import find_exhausted
from app.agent.endings import CANCELLED, end_run, failed
from app.agent.events import EventKind, append_event, read_last_event
from app.agent.llm.base import (
    CallCancelled,
    LanguageModel,
    Message,
    ModelError,
    ModelSettings,
    ModelTurn,
    ToolSpec,
)
from app.agent.llm.checking import needs_administrator
from app.agent.llm.registry import BUILT_IN
from app.agent.loop.fencing import fence_results, nonce_of
from app.agent.loop.segment import RunEnded, Segment
from app.agent.loop.state import RunState
from app.agent.loop.stopping import demand_budget, end_exhausted, end_too_long
from app.agent.loop.waiting import wait_for_provider
from app.agent.loop.window import FIRST_FACTOR, MOST_OUTPUT, TooLong, fit, grown_factor, window_of
from app.agent.notices import NoticeKind, leave_notice
from app.agent.run_rows import find_run
from app.agent.transcript import load_messages
from app.agent.types import Reason, RunStatus
from app.core import clock
from app.core.db import reading

ATTEMPTS = 3
_RETRYABLE = frozenset({"connection", "rate_limit", "server"})
_FIRST_WAIT = 2.0  # seconds, doubled each time
_LONGEST_WAIT = 30.0
_LONGEST_ASKED = 120.0  # a provider that asks for more is waited for without a worker (F26)
_REST_PIECE = 5.0  # seconds between two looks at whether somebody asked to stop while a worker waits
_DIGEST_LENGTH = 12
_LOOK_EVERY = 1.0  # seconds between two looks at the row while a model answers


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """The model's answer and the whole transcript it answers, whatever part of it was sent."""

    turn: ModelTurn
    transcript: tuple[Message, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Request:
    """What is sent, and what its event says of it."""

    messages: tuple[Message, ...]
    specs: tuple[ToolSpec, ...]
    settings: ModelSettings
    told: Mapping[str, Any]


def ask_model(segment: Segment, state: RunState) -> Asked:
    """The model's answer to the transcript.

    Ends the run and raises ``RunEnded`` when the model cannot be had: ``configuration`` for a name nothing serves,
    ``provider_failed`` for everything else, after three attempts where another may help. A provider that asks to wait for
    longer than two minutes lets the run lie down (``loop.waiting``); what only an administrator can mend leaves a notice (F25).
    It is not asked at all when a budget is used up (``budget_exhausted``) or the transcript cannot be made to fit
    (``context_truncated``), RT-17.
    """
    specs = _offered(segment, state)
    with reading() as connection:
        messages = load_messages(connection, segment.runtime.cipher, segment.uuid)
        told = _told(connection, segment.uuid, specs)
        last = None if state.model_name == BUILT_IN else _last_size(connection, segment.uuid)
        spent = find_exhausted(connection, state.run, segment.runtime.settings)
    if spent is not None:
        end_exhausted(segment, state, spent)
    request = _request(segment, state, messages, specs, told, last)
    with segment.step() as (connection, run):
        event = {"round": run.rounds + 1, "messages": len(request.messages), **request.told}
        append_event(connection, run.uuid, EventKind.REQUEST, event)
    return Asked(turn=_ask_patiently(segment, state, request), transcript=messages)


def _request(
    segment: Segment,
    state: RunState,
    messages: tuple[Message, ...],
    specs: tuple[ToolSpec, ...],
    told: Mapping[str, Any],
    last: _Size | None,
) -> _Request:
    """The request; the built-in assistant reads everything, as it is, whatever its length."""
    settings = ModelSettings(model=state.model_name, max_output_tokens=MOST_OUTPUT, language=state.run.language)
    if state.model_name == BUILT_IN:
        return _Request(messages=messages, specs=specs, settings=settings, told=told)
    window = window_of(state.model_name, segment.runtime.settings.window_of(state.model_name))
    factor = FIRST_FACTOR if last is None else grown_factor(last.factor, last.estimate, last.reported)
    fitted = fit(
        fence_results(messages, nonce_of(segment.uuid)), specs, window, factor=factor, is_kept=_writes(segment)
    )
    if isinstance(fitted, TooLong):
        end_too_long(segment, state, window.tokens)
    sizes = {"window": window.tokens, "estimate": fitted.estimate, "factor": factor, "left_out": fitted.left_out}
    return _Request(
        messages=fitted.messages,
        specs=specs,
        settings=replace(settings, max_output_tokens=window.room_for_answer(fitted.estimate)),
        told={**told, **sizes},
    )


def _writes(segment: Segment) -> Callable[[str], bool]:
    """Whether a tool is one whose results stay: what it did must not be forgotten. An unknown one did nothing."""

    def is_write(name: str) -> bool:
        tool = segment.runtime.registry.find(name)
        return tool is not None and tool.facts.is_write

    return is_write


@dataclass(frozen=True, kw_only=True, slots=True)
class _Size:
    """What the last request of this run was estimated at, with which factor, and what the provider counted."""

    estimate: int
    factor: int
    reported: int


def _last_size(connection: Connection, uuid: str) -> _Size | None:
    asked, answered = (read_last_event(connection, uuid, kind) for kind in (EventKind.REQUEST, EventKind.LLM))
    if asked is None or answered is None or asked.get("round") != answered.get("round") or "factor" not in asked:
        return None
    return _Size(estimate=asked["estimate"], factor=asked["factor"], reported=answered["prompt_tokens"])


def _offered(segment: Segment, state: RunState) -> tuple[ToolSpec, ...]:
    tools = segment.runtime.registry.offered(state.facts.configuration, state.owner)
    return tuple(
        ToolSpec(name=tool.facts.name, description=tool.description, parameters=tool.parameters) for tool in tools
    )


def _told(connection: Connection, uuid: str, specs: Sequence[ToolSpec]) -> dict[str, Any]:
    """What a request event says of the tools offered: a digest, and their names where they are not those of the last request.

    The names would be the largest part of what every round leaves behind (perf.md A4).
    """
    names = [spec.name for spec in specs]
    offer = hashlib.sha256("\n".join(names).encode()).hexdigest()[:_DIGEST_LENGTH]
    last = read_last_event(connection, uuid, EventKind.REQUEST)
    is_same = last is not None and last.get("offer") == offer
    return {"offer": offer} if is_same else {"offer": offer, "tools": names}


def _ask_patiently(segment: Segment, state: RunState, request: _Request) -> ModelTurn:
    attempt, settings = 0, request.settings
    while True:
        attempt += 1
        if attempt > 1:
            demand_budget(segment, state)  # others may have used it up while this run rested
        try:
            model: LanguageModel = segment.runtime.make_model(settings.model)
            return model.respond(request.messages, request.specs, settings, cancel=_cancel_of(segment))
        except CallCancelled:
            segment.end(CANCELLED)
        except ModelError as error:
            asked = error.retry_after or 0.0
            if error.kind == "rate_limit" and asked > _LONGEST_ASKED:
                wait_for_provider(segment, asked, error.kind)
            if error.kind not in _RETRYABLE or attempt >= ATTEMPTS or asked > _LONGEST_ASKED:
                _end_failed(segment, settings.model, error)
            _rest(segment, _wait(error, attempt))


def _end_failed(segment: Segment, model: str, error: ModelError) -> NoReturn:
    """End the run; what an administrator has to mend is noted in the same transaction, as a code and nothing more (RT-15)."""
    is_unknown = error.kind == "configuration"
    ending = failed(Reason.CONFIGURATION, "model") if is_unknown else failed(Reason.PROVIDER_FAILED, error.kind)
    with segment.step() as (connection, run):
        if needs_administrator(error):
            leave_notice(connection, NoticeKind.MODEL, model, error.code)
        end_run(connection, run, ending, segment.runtime.cipher)
    raise RunEnded


def _wait(error: ModelError, attempt: int) -> float:
    """Seconds until the next attempt: what the provider asks for, never less than without its word (F26)."""
    usual: float = min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** (attempt - 1))
    return max(usual, error.retry_after or 0.0)


def _rest(segment: Segment, seconds: float) -> None:
    """Wait in pieces; ends the run when somebody asks to stop it meanwhile."""
    left = seconds
    while left > 0:
        segment.pace.rest(min(_REST_PIECE, left))
        segment.hold()
        left = 0.0 if segment.pace.is_stopping() else left - _REST_PIECE


def _cancel_of(segment: Segment) -> Callable[[], bool]:
    """Whether somebody asked to stop, or the run was lost; looks at the row at most once a second."""
    seen: list[tuple[float, bool]] = []

    def cancelled() -> bool:
        now = clock.monotonic()
        if not seen or now - seen[-1][0] >= _LOOK_EVERY:
            seen[:] = [(now, _is_over(segment))]
        return seen[-1][1]

    return cancelled


def _is_over(segment: Segment) -> bool:
    with reading() as connection:
        run = find_run(connection, segment.uuid)
    return run is None or run.cancel_at is not None or run.fence != segment.fence or run.status is not RunStatus.RUNNING
