"""Taking up a decided turn: what was approved is done exactly, or nothing is and a fresh card is shown (RT-10, RT-20, D7)."""

from __future__ import annotations

from collections.abc import Sequence

from app.agent.closing import DECLINED_SENTENCE, REASON_SENTENCE, close_call, error_content, refuse_on_card
from app.agent.endings import open_calls
from app.agent.execution import EffectDiffers
from app.agent.loop.carrying import carry_out
from app.agent.loop.proposing import EFFECT_DIFFERS, STOPPED, TARGET_CHANGED, offer_card
from app.agent.loop.segment import Segment
from app.agent.loop.state import RunState
from app.agent.rehearsal import differing_calls, needs_card, rehearse_turn
from app.agent.types import Call, CallState, Preview, PreviewKind
from app.core.i18n import render

_WORKED = frozenset({CallState.DONE, CallState.UNCHANGED})


def carry_out_approved(segment: Segment, state: RunState) -> None:
    """Carry out the open calls of an approved card, in order.

    Before the first write of a turn with several, everything is rehearsed again: a difference executes nothing. After a
    write that did not work, the other writes are not carried out. Both, and a call that turns out different when it is
    executed, end the segment with a fresh card (``RunEnded``). Returns when the turn is done or the worker should stop.
    """
    if _is_untouched(state) and len(_open_writes(state)) > 1:
        _compare_before(segment, state)
    revision = _revision(state)
    stopped = _has_stopped(state)
    left: list[Call] = []
    for call in state.open_calls:
        if stopped and _is_approved_write(state, call):
            left.append(call)
            continue
        result = carry_out(segment, state, call, revision=revision)
        if isinstance(result, EffectDiffers):
            _offer_again(segment, state, call, result.preview_now)
        elif _is_approved_write(state, call) and result.outcome.state not in _WORKED:
            stopped = True
        if segment.pace.is_stopping():
            return
    if left:
        _offer_the_rest(segment, state, left)


def _offer_the_rest(segment: Segment, state: RunState, left: Sequence[Call]) -> None:
    """RT-20: a fresh card for the writes that were not carried out; without one when the rules refuse all of them."""
    fresh = rehearse_turn(state.facts, left, segment.runtime)
    if needs_card(left, fresh, segment.runtime):
        offer_card(segment, state, fresh, cause=STOPPED)
    for call in left:
        carry_out(segment, state, call, revision=0)  # without a card: refused by its rule, never run (DW-12, DW-18)


def decline_turn(segment: Segment, state: RunState) -> None:
    """Give every open call its refusal; the model is told and answers (RT-08). Tagged calls keep theirs (DW-15)."""
    language = state.run.language
    content = error_content("declined", DECLINED_SENTENCE, language)
    reason = "" if state.decision is None else state.decision.reason(segment.runtime.cipher)
    if reason:
        content = f"{content}\n{render(REASON_SENTENCE.with_params(reason=reason), language)}"
    cipher = segment.runtime.cipher
    with segment.step() as (connection, run):
        for call in open_calls(connection, run):
            if call.refused_rule:
                refuse_on_card(connection, cipher, run, call)
            else:
                close_call(connection, cipher, call, CallState.DECLINED, code="declined", content=content)


def _compare_before(segment: Segment, state: RunState) -> None:
    """RT-10: rehearse what is to run and compare it with what was approved, before any call of the turn runs."""
    kept = [preview for preview in _previews_of_open(state) if preview.is_refused]
    tagged = {preview.ordinal for preview in kept}
    calls = [call for call in state.open_calls if call.ordinal not in tagged]
    fresh = rehearse_turn(state.facts, calls, segment.runtime)
    if differing_calls(state.previews, fresh):
        offer_card(segment, state, _in_order(*kept, *fresh), cause=TARGET_CHANGED)


def _offer_again(segment: Segment, state: RunState, call: Call, now: Preview) -> None:
    """A fresh card for ``call`` as it was just observed, and for what is still open after it."""
    after = [other for other in state.open_calls if other.ordinal > call.ordinal]
    if not after:
        offer_card(segment, state, (now,), cause=EFFECT_DIFFERS)
    kept = [preview for preview in _previews_of_open(state) if preview.is_refused and preview.ordinal > call.ordinal]
    tagged = {preview.ordinal for preview in kept}
    calls = [call, *(other for other in after if other.ordinal not in tagged)]
    fresh = rehearse_turn(state.facts, calls, segment.runtime)
    offer_card(segment, state, _in_order(*kept, *fresh), cause=EFFECT_DIFFERS)


def _revision(state: RunState) -> int:
    return 0 if state.card is None else state.card.revision


def _previews_of_open(state: RunState) -> list[Preview]:
    still_open = {call.ordinal for call in state.open_calls}
    return [preview for preview in state.previews if preview.ordinal in still_open]


def _is_approved_write(state: RunState, call: Call) -> bool:
    return any(preview.ordinal == call.ordinal and _runs_and_writes(preview) for preview in state.previews)


def _runs_and_writes(preview: Preview) -> bool:
    return not preview.is_refused and preview.kind is not PreviewKind.READ


def _open_writes(state: RunState) -> list[Preview]:
    return [preview for preview in _previews_of_open(state) if _runs_and_writes(preview)]


def _is_untouched(state: RunState) -> bool:
    """Whether no write of this card has ended yet: after a crash in between, each call compares for itself (F9)."""
    return not any(_runs_and_writes(preview) and preview.ordinal in state.outcomes for preview in state.previews)


def _has_stopped(state: RunState) -> bool:
    """Whether a write of this card ended without working, before a crash for example."""
    return any(
        _runs_and_writes(preview)
        and preview.ordinal in state.outcomes
        and state.outcomes[preview.ordinal].state not in _WORKED
        for preview in state.previews
    )


def _in_order(*previews: Preview) -> tuple[Preview, ...]:
    return tuple(sorted(previews, key=lambda preview: preview.ordinal))
