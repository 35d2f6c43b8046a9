"""Turns that are refused whole before any call of them is kept: too long, cut off, done before, or the same call over and over.

The model is told and may go on; one that keeps asking for the same call ends its run (RT-17, F27, F33).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.agent.endings import Ending
from app.agent.llm.base import AssistantMessage, Message, ModelTurn, ToolCallRequest, ToolMessage
from app.agent.loop.arguments import Accepted, read_arguments
from app.agent.loop.segment import Segment
from app.agent.loop.state import RunState
from app.agent.repeats import find_repeats
from app.agent.run_rows import RunView
from app.agent.types import Reason, RunStatus
from app.core import canonical
from app.core.db import reading
from app.core.i18n import Text, ntext, render, text

TOO_MANY_CALLS = "too_many_calls"
CUT_OFF = "cut_off"
ALREADY_CARRIED_OUT = "already_carried_out"
REPEATED_CALL = "repeated_call"
_NOT_COUNTED = (TOO_MANY_CALLS, CUT_OFF, ALREADY_CARRIED_OUT)
"""Refusals after which the same call, asked for properly, is no repetition."""
_TOO_MANY = text("A turn may ask for at most %(max)s steps. Nothing was changed. Ask for fewer at a time.")
_CARRIED_OUT = text(
    "Already carried out before the assignment was interrupted: %(steps)s of this turn. It is not done again. "
    "Nothing of this turn was carried out now. Ask for the other steps only."
)
_CUT_OFF = text("The answer was cut off before it ended, so its steps were not carried out. Ask for fewer at a time.")
_REPEATED = text(
    "The same step with the same details was asked for %(max)s times already. Nothing of this turn was carried out. "
    "Use the results you have, or tell the person what is missing."
)
_STUCK = text(
    "The AI assistant asked for the same step again and again, so the assignment ended. What it did until then stands. "
    "Word your request differently and send it again."
)

_Asked = tuple[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnRefusal:
    """Why a turn is refused: a code and a sentence for the model; ``is_final`` = the run ends with it."""

    code: str
    sentence: Text
    is_final: bool = False

    def ending(self, language: str) -> Ending | None:
        """How the run ends, with a sentence for the person; None = it goes on."""
        if not self.is_final:
            return None
        return Ending(status=RunStatus.COMPLETED, reason=Reason.REPEATED_CALLS, answer=render(_STUCK, language))


def find_refusal(segment: Segment, state: RunState, turn: ModelTurn, earlier: Sequence[Message]) -> TurnRefusal | None:
    """The first reason to refuse ``turn``; None = it is taken. ``earlier`` is the transcript before it."""
    settings = segment.runtime.settings
    if not turn.calls:
        return None
    if len(turn.calls) > settings.calls_per_turn:
        return TurnRefusal(code=TOO_MANY_CALLS, sentence=_TOO_MANY.with_params(max=settings.calls_per_turn))
    if turn.finish == "length":
        return TurnRefusal(code=CUT_OFF, sentence=_CUT_OFF)
    before, now = times_asked(earlier, turn)
    if now > settings.same_call_limit:
        sentence = _REPEATED.with_params(max=settings.same_call_limit)
        return TurnRefusal(code=REPEATED_CALL, sentence=sentence, is_final=before > settings.same_call_limit)
    repeated = () if state.run.retry_of is None else _repeated(segment, state.run, turn)
    if repeated:
        numbers = ", ".join(str(place + 1) for place in repeated)
        steps = ntext("step %(numbers)s", "steps %(numbers)s", len(repeated), numbers=numbers)
        return TurnRefusal(code=ALREADY_CARRIED_OUT, sentence=_CARRIED_OUT.with_params(steps=steps))
    return None


def times_asked(earlier: Sequence[Message], turn: ModelTurn) -> tuple[int, int]:
    """How often the call of ``turn`` that was asked for most was asked for before, and with this turn."""
    names = {call.name for call in turn.calls}
    asked = Counter(_key(call) for call in turn.calls)
    counted = Counter(_key(call) for call in _counted_calls(earlier) if call.name in names)
    worst = max(asked, key=lambda key: asked[key] + counted[key])
    return counted[worst], counted[worst] + asked[worst]


def _counted_calls(messages: Sequence[Message]) -> Iterator[ToolCallRequest]:
    """Calls whose turn was taken, or refused for repeating itself."""
    for place, message in enumerate(messages):
        if isinstance(message, AssistantMessage) and message.calls:
            answer = messages[place + 1] if place + 1 < len(messages) else None
            code = answer.content.partition("\n")[0] if isinstance(answer, ToolMessage) and answer.is_error else ""
            if code not in _NOT_COUNTED:
                yield from message.calls


def _key(call: ToolCallRequest) -> _Asked:
    """What a call asks for: the order of arguments and spaces between them make no difference."""
    try:
        return call.name, canonical.dumps(json.loads(call.arguments or "{}"))
    except (ValueError, RecursionError):
        return call.name, call.arguments


def _repeated(segment: Segment, run: RunView, turn: ModelTurn) -> tuple[int, ...]:
    """Places of calls in ``turn`` that an earlier attempt at the same message carried out."""
    steps = []
    for asked in turn.calls:
        tool = segment.runtime.registry.find(asked.name)
        found = read_arguments(asked.arguments, None if tool is None else tool.parameters)
        steps.append((asked.name, found.text if isinstance(found, Accepted) else ""))
    with reading() as connection:
        return find_repeats(connection, segment.runtime.cipher, segment.runtime.registry, run, steps)
