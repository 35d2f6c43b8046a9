"""Asking the model, outside any transaction (D3), with patience for what passes by itself (runtime.md section 8)."""

from __future__ import annotations

from collections.abc import Callable

from app.agent.endings import CANCELLED, failed
from app.agent.events import EventKind, append_event
from app.agent.llm.base import (
    CallCancelled,
    LanguageModel,
    Message,
    ModelError,
    ModelSettings,
    ModelTurn,
    ToolSpec,
)
from app.agent.llm.registry import BUILT_IN
from app.agent.loop.fencing import fence_results, nonce_of
from app.agent.loop.segment import Segment
from app.agent.loop.state import RunState
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
_LONGEST_ASKED = 120.0  # a provider that asks for more is not waited for (F26)
_REST_PIECE = 5.0  # seconds between two looks at whether somebody asked to stop while a worker waits
_LOOK_EVERY = 1.0  # seconds between two looks at the row while a model answers


def ask_model(segment: Segment, state: RunState) -> ModelTurn:
    """The model's answer to the transcript.

    Ends the run and raises ``RunEnded`` when the model cannot be had: ``configuration`` for a name nothing serves,
    ``provider_failed`` for everything else, after three attempts where another may help.
    """
    specs = _offered(segment, state)
    with reading() as connection:
        messages = load_messages(connection, segment.runtime.cipher, segment.uuid)
    if state.model_name != BUILT_IN:
        messages = fence_results(messages, nonce_of(segment.uuid))
    with segment.step() as (connection, run):
        append_event(
            connection,
            run.uuid,
            EventKind.REQUEST,
            {"round": run.rounds + 1, "messages": len(messages), "tools": [spec.name for spec in specs]},
        )
    settings = ModelSettings(model=state.model_name, max_output_tokens=MAX_OUTPUT_TOKENS, language=state.run.language)
    return _ask_patiently(segment, messages, specs, settings)


def _offered(segment: Segment, state: RunState) -> tuple[ToolSpec, ...]:
    tools = segment.runtime.registry.offered(state.facts.configuration, state.owner)
    return tuple(
        ToolSpec(name=tool.facts.name, description=tool.description, parameters=tool.parameters) for tool in tools
    )


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
            if error.kind == "configuration":
                segment.end(failed(Reason.CONFIGURATION, "model"))
            if error.kind not in _RETRYABLE or attempt >= ATTEMPTS:
                segment.end(failed(Reason.PROVIDER_FAILED, error.kind))
            if (error.retry_after or 0.0) > _LONGEST_ASKED:
                segment.end(failed(Reason.PROVIDER_FAILED, error.kind))
            _rest(segment, _wait(error, attempt))


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
