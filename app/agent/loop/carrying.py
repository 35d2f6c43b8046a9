"""Carrying out calls through the commit unit."""

from __future__ import annotations

from app.agent.execution import EffectDiffers, Executed, LeaseLost, RunCancelled, execute_call
from app.agent.loop.segment import RunLost, Segment
from app.agent.loop.state import RunState
from app.agent.types import Call


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
            segment.hold()  # ends the run, since somebody asked to stop
            raise RunLost
        case Executed() | EffectDiffers():
            return result
