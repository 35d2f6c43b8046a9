"""The loop: look at the run, take the one step that follows, look again, until it waits or has ended."""

from __future__ import annotations

from typing import assert_never

from app.agent.endings import failed
from app.agent.execution import settle_interrupted_hooks
from app.agent.leases import requeue_run
from app.agent.loop.asking import ask_model
from app.agent.loop.carrying import carry_out_turn
from app.agent.loop.proposing import propose_if_needed
from app.agent.loop.reporting import report_outcomes
from app.agent.loop.segment import RunLost, Segment
from app.agent.loop.state import RunState, Step, load_state, next_step
from app.agent.loop.turns import close_at_limit, take_turn
from app.agent.resume import carry_out_approved, decline_turn
from app.agent.types import Reason
from app.core.db import reading, transaction

__all__ = ["run_segment"]


def run_segment(segment: Segment) -> None:
    """Execute a claimed run to its next pause or its end.

    Leaves by ``RunEnded`` or ``RunLost``, returns when the worker should stop and the run is queued again. Raises
    ``core.crypto.Unreadable`` when something of the run cannot be opened, and whatever a model raises beyond its contract.
    """
    while True:
        with reading() as connection:  # opening what is encrypted keeps no other writer waiting (D3)
            run = segment.look(connection)
            state = load_state(connection, run, segment.runtime) if run.cancel_at is None else None
        if state is None:
            segment.hold()  # ends the run, since somebody asked to stop
            raise RunLost
        if segment.pace.is_stopping():
            with transaction() as connection:
                requeue_run(connection, segment.uuid, segment.fence)
            return
        if run.hooks_pending and settle_interrupted_hooks(state.facts, segment.runtime) is not None:
            raise RunLost
        take_step(segment, state)


def take_step(segment: Segment, state: RunState) -> None:
    """Take the step that follows from ``state``."""
    step = next_step(state, max_rounds=segment.runtime.settings.max_rounds)
    match step:
        case Step.NO_CONFIGURATION:
            segment.end(failed(Reason.CONFIGURATION))
        case Step.NO_OWNER:
            segment.end(failed(Reason.NO_ACTING_USER))
        case Step.CLOSE:
            close_at_limit(segment)
        case Step.ASK:
            asked = ask_model(segment, state)
            take_turn(segment, state, asked.turn, asked.transcript)
        case Step.EXAMINE:
            propose_if_needed(segment, state)
            carry_out_turn(segment, state)
        case Step.CARRY_OUT:
            carry_out_turn(segment, state)
        case Step.RESUME:
            carry_out_approved(segment, state)
        case Step.DECLINE:
            decline_turn(segment, state)
        case Step.REPORT:
            report_outcomes(segment, state)
        case _:
            assert_never(step)
