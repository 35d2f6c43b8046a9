"""Carrying out one call through the commit unit and telling the layer above what it wrote."""

from __future__ import annotations

from app.agent.execution import EffectDiffers, Executed, LeaseLost, RunCancelled, execute_call
from app.agent.loop.segment import RunLost, Segment
from app.agent.loop.state import RunState
from app.agent.news import announce_call
from app.agent.types import Call, CallState

_FAULTS = frozenset({CallState.FAILED, CallState.PARTIAL})


def carry_out_turn(segment: Segment, state: RunState) -> None:
    """Run or refuse the open calls of a turn that needs no decision, in order."""
    for call in state.open_calls:
        carry_out(segment, state, call, revision=0)
        if segment.pace.is_stopping():
            return


def carry_out(segment: Segment, state: RunState, call: Call, *, revision: int) -> Executed | EffectDiffers:
    """Run or refuse one call; ``revision`` is the approved card it is on, 0 for none.

    Raises ``RunLost`` when another worker holds the run, ``RunEnded`` when somebody asked to stop (RT-14).
    """
    result = execute_call(state.facts, call, segment.runtime, turn_revision=revision)
    match result:
        case LeaseLost():
            raise RunLost
        case RunCancelled():
            with segment.step():
                raise RunLost  # not reached: the step itself ends a run that is to stop
        case Executed():
            _tell(segment, result)
            return result
        case EffectDiffers():
            return result


def _tell(segment: Segment, done: Executed) -> None:
    failed = done.outcome.state in _FAULTS
    if done.is_repeated or not (done.written or failed):
        return
    with segment.step() as (connection, run):
        announce_call(connection, run, written=done.written, tool_failed=failed)
