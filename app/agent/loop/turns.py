"""Taking the model's answer: one transaction stores the message, its calls and what it cost, or ends the run (F4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Table, update
from sqlalchemy.engine import Connection

from app.agent.budgets import record_usage
from app.agent.closing import error_content
from app.agent.endings import Ending, end_run
from app.agent.events import EventKind, append_event
from app.agent.llm.base import AssistantMessage, Message, ModelTurn, ToolCallRequest, ToolMessage
from app.agent.llm.registry import BUILT_IN
from app.agent.loop.arguments import MAX_BYTES, Accepted, read_arguments
from app.agent.loop.refusing import find_refusal
from app.agent.loop.segment import RunEnded, Segment
from app.agent.loop.state import RunState
from app.agent.models import Run
from app.agent.notices import NoticeKind, remove_notice
from app.agent.run_rows import RunView
from app.agent.store import save_calls
from app.agent.transcript import append_messages, storable
from app.agent.types import Call, Reason, RunStatus
from app.core.i18n import render, text

_run: Table = Run.__table__
_NAME_LENGTH = 120
_LABEL_LENGTH = 200
_SILENT = text("The AI assistant ended without an answer. Send your message again, or word it differently.")
_CLOSING = text(
    "The AI assistant has worked on this in %(rounds)s rounds, which is the limit, and stopped. "
    "What it did until then stands. Send a new message to go on."
)


def take_turn(segment: Segment, state: RunState, turn: ModelTurn, earlier: Sequence[Message]) -> None:
    """Store ``turn``, the answer to ``earlier``. One without calls ends the run completed and raises ``RunEnded`` (RT-08).

    A turn that ``refusing`` refuses is answered whole and none of its calls is kept; one that repeats a call for good ends
    the run. A notice about the model goes, since it has answered (F25).
    """
    message = _clean_message(turn)
    refusal = find_refusal(segment, state, turn, earlier)
    with segment.step() as (connection, run):
        if state.model_name != BUILT_IN:
            remove_notice(connection, NoticeKind.MODEL, state.model_name)
        append_messages(connection, segment.runtime.cipher, run.uuid, [message])
        _count(connection, run, turn, state.model_name, segment)
        ending = None
        if not message.calls:
            answer = message.content or render(_SILENT, run.language)
            ending = Ending(status=RunStatus.COMPLETED, reason=Reason.COMPLETED, answer=answer)
        elif refusal is not None:
            answers = _refuse_all(message, error_content(refusal.code, refusal.sentence, run.language))
            append_messages(connection, segment.runtime.cipher, run.uuid, answers)
            ending = refusal.ending(run.language)
        else:
            _open_turn(connection, run, message, turn, segment)
        if ending is not None:
            end_run(connection, run, ending, segment.runtime.cipher)
    if ending is not None:
        raise RunEnded


def close_at_limit(segment: Segment) -> None:
    """End a run whose model was asked as often as it may be, with a sentence that says so; raises ``RunEnded``."""
    with segment.step() as (connection, run):
        answer = render(_CLOSING.with_params(rounds=run.rounds), run.language)
        ending = Ending(status=RunStatus.COMPLETED, reason=Reason.MAX_ROUNDS, answer=answer)
        end_run(connection, run, ending, segment.runtime.cipher)
    raise RunEnded


def _refuse_all(message: AssistantMessage, content: str) -> list[ToolMessage]:
    return [ToolMessage(call_id=call.id, tool=call.name, content=content, is_error=True) for call in message.calls]


def _count(connection: Connection, run: RunView, turn: ModelTurn, model: str, segment: Segment) -> None:
    connection.execute(
        update(_run)
        .where(_run.c.uuid == run.uuid)
        .values(
            rounds=run.rounds + 1,
            prompt_tokens=run.prompt_tokens + turn.usage.prompt_tokens,
            completion_tokens=run.completion_tokens + turn.usage.completion_tokens,
        )
    )
    record_usage(connection, run, model, turn.usage, segment.runtime.settings)
    append_event(
        connection,
        run.uuid,
        EventKind.LLM,
        {
            "round": run.rounds + 1,
            "finish": turn.finish,
            "prompt_tokens": turn.usage.prompt_tokens,
            "completion_tokens": turn.usage.completion_tokens,
            "tools": [storable(call.name)[:_NAME_LENGTH] for call in turn.calls],
        },
    )


def _open_turn(
    connection: Connection, run: RunView, message: AssistantMessage, turn: ModelTurn, segment: Segment
) -> None:
    ordinal = run.turn + 1
    connection.execute(update(_run).where(_run.c.uuid == run.uuid).values(turn=ordinal, revision=0))
    calls = [
        _call(run.uuid, ordinal, place, named, asked, segment)
        for place, (named, asked) in enumerate(zip(message.calls, turn.calls, strict=True))
    ]
    save_calls(connection, segment.runtime.cipher, calls)


def _call(uuid: str, turn: int, ordinal: int, named: ToolCallRequest, asked: ToolCallRequest, segment: Segment) -> Call:
    tool = segment.runtime.registry.find(asked.name)
    found = read_arguments(asked.arguments, None if tool is None else tool.parameters)
    plain = Call(
        run_uuid=uuid,
        turn=turn,
        ordinal=ordinal,
        provider_id=named.id[:_LABEL_LENGTH],
        tool=named.name[:_NAME_LENGTH],
        arguments=None,
        arguments_text="",
    )
    if isinstance(found, Accepted):
        return replace(plain, arguments=found.arguments, arguments_text=found.text)
    return replace(plain, invalid=found.reason)


def _clean_message(turn: ModelTurn) -> AssistantMessage:
    """The answer with text a database and a page can hold; arguments are judged as they came, before this."""
    calls = tuple(
        ToolCallRequest(id=storable(call.id), name=storable(call.name), arguments=_bounded(storable(call.arguments)))
        for call in turn.calls
    )
    return AssistantMessage(content=storable(turn.content), calls=calls)


def _bounded(arguments: str) -> str:
    """Arguments too long to be accepted are not carried along in every later request either."""
    return arguments if len(arguments) <= MAX_BYTES else "{}"
