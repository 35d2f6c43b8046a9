"""Telling the model how its calls ended, once every call of the turn has an outcome."""

from __future__ import annotations

from app.agent.llm.base import ToolMessage
from app.agent.loop.segment import Segment
from app.agent.loop.state import RunState
from app.agent.transcript import append_messages


def report_outcomes(segment: Segment, state: RunState) -> None:
    """Append one tool message per call, in the order the model asked, all in one transaction."""
    asked = () if state.turn is None else state.turn.calls
    answers = [
        ToolMessage(call_id=request.id, tool=request.name, content=outcome.content, is_error=outcome.is_error)
        for request, outcome in zip(asked, (state.outcomes[call.ordinal] for call in state.calls), strict=True)
    ]
    with segment.step() as (connection, run):
        append_messages(connection, segment.runtime.cipher, run.uuid, answers)
