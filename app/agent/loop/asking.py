"""Asking the model, outside any transaction (D3), with patience for what passes by itself (runtime.md section 8)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from sqlalchemy.engine import Connection

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
from app.agent.loop.waiting import wait_for_provider
from app.agent.notices import NoticeKind, leave_notice
from app.agent.run_rows import find_run
from app.agent.transcript import load_messages
from app.agent.types import Reason, RunStatus
from app.core import clock
from app.core.db import reading

MAX_OUTPUT_TOKENS = 8_192
ATTEMPTS = 3
_RETRYABLE = frozenset({"connection", "rate_limit", "server"})
_FIRST_WAIT = 2.0  # seconds, doubled each time
_LONGEST_WAIT = 30.0
_LONGEST_ASKED = 120.0  # a provider that asks for more is waited for without a worker (F26)
_REST_PIECE = 5.0  # seconds between two looks at whether somebody asked to stop while a worker waits
_DIGEST_LENGTH = 12
_LOOK_EVERY = 1.0  # seconds between two looks at the row while a model answers


def ask_model(segment: Segment, state: RunState) -> ModelTurn:
    """The model's answer to the transcript.

    Ends the run and raises ``RunEnded`` when the model cannot be had: ``configuration`` for a name nothing serves,
    ``provider_failed`` for everything else, after three attempts where another may help. A provider that asks to wait for
    longer than two minutes lets the run lie down (``loop.waiting``); what only an administrator can mend leaves a notice (F25).
    """
    specs = _offered(segment, state)
    with reading() as connection:
        messages = load_messages(connection, segment.runtime.cipher, segment.uuid)
        told = _told(connection, segment.uuid, specs)
    if state.model_name != BUILT_IN:
        messages = fence_results(messages, nonce_of(segment.uuid))
    with segment.step() as (connection, run):
        told = {"round": run.rounds + 1, "messages": len(messages), **told}
        append_event(connection, run.uuid, EventKind.REQUEST, told)
    settings = ModelSettings(model=state.model_name, max_output_tokens=MAX_OUTPUT_TOKENS, language=state.run.language)
    return _ask_patiently(segment, messages, specs, settings)


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


def _ask_patiently(
    segment: Segment, messages: tuple[Message, ...], specs: tuple[ToolSpec, ...], settings: ModelSettings
) -> ModelTurn:
    attempt = 0
    while True:
        attempt += 1
        try:
            model: LanguageModel = segment.runtime.make_model(settings.model)
            return model.respond(messages, specs, settings, cancel=_cancel_of(segment))
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
