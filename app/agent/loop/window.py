"""How much of a transcript a model is sent: whole turns are left out, oldest first, and the stored transcript is never changed.

The estimate errs high, so that a request that fits here fits there (runtime.md section 5). Never left out: everything up to and
including the first words of the person, their newest words, the newest turn, and turns with results of tools that write, because
a model that forgets what it did does it again (F36). When even that does not fit, nobody is asked.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from app.agent.llm.base import AssistantMessage, Message, SystemMessage, ToolMessage, ToolSpec, UserMessage

UNKNOWN_WINDOW = 8_192
"""Tokens of a model nobody has said more about."""
MOST_OUTPUT = 8_192
"""Tokens an answer may have at most."""
FIRST_FACTOR = 1_150
"""Thousandths by which the first estimate of a run is raised; it only grows towards what the provider counts."""
_FAMILIES = (
    ("anthropic:claude", 200_000),
    ("openai:gpt-5", 272_000),
    ("openai:gpt-4.1", 1_000_000),
    ("openai:gpt-4o", 128_000),
    ("openai:o1", 128_000),
    ("openai:o3", 200_000),
    ("openai:o4", 200_000),
)
"""Families whose makers publish what they take at once; a setting goes before it."""
_LEAST_OUTPUT = 1_000
_SAFETY = 0.03
_PROSE, _JSON = 3.5, 2.5  # signs a token
_PER_MESSAGE, _PER_CALL = 8, 12  # tokens
_NOTE = (
    "Older parts of this conversation were left out here because of their length: {count} messages. "
    "Read again what you need of them; do not guess it."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """What a model takes at once, in tokens, and what is kept free of it."""

    tokens: int

    @property
    def reserve(self) -> int:
        """Tokens kept for the answer."""
        return min(MOST_OUTPUT, max(_LEAST_OUTPUT, self.tokens // 50))

    @property
    def usable(self) -> int:
        """Tokens without the margin for safety."""
        return self.tokens - math.ceil(self.tokens * _SAFETY)

    @property
    def budget(self) -> int:
        """Tokens a request may have."""
        return self.usable - self.reserve

    def room_for_answer(self, estimate: int) -> int:
        """Tokens the answer to a request of this size may have."""
        return max(1, min(MOST_OUTPUT, self.usable - estimate))


@dataclass(frozen=True, kw_only=True, slots=True)
class Fitted:
    """What is sent."""

    messages: tuple[Message, ...]
    estimate: int
    """Tokens of messages and tools, raised by the factor."""
    left_out: int = 0
    """Messages of the transcript that are not sent."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TooLong:
    """Nothing can be sent: ``estimate`` is what would have to fit."""

    estimate: int


def window_of(model: str, configured: int | None) -> Window:
    """The window of a model: what the settings say, else what is known of its family, else ``UNKNOWN_WINDOW``."""
    known = next((tokens for family, tokens in _FAMILIES if model.startswith(family)), UNKNOWN_WINDOW)
    return Window(tokens=configured or known)


def fit(
    messages: Sequence[Message],
    specs: Sequence[ToolSpec],
    window: Window,
    *,
    factor: int = FIRST_FACTOR,
    is_kept: Callable[[str], bool],
) -> Fitted | TooLong:
    """The longest part of ``messages`` that fits ``window`` together with the tools on offer.

    ``factor`` is in thousandths. ``is_kept`` says of the name of a tool whether turns with its results are never left out.
    """
    fixed = sum(map(estimate_tool, specs))
    turns = turns_of(messages)
    whole = fixed + sum(_cost(turn.messages) for turn in turns)
    if _raised(whole, factor) <= window.budget:
        return Fitted(messages=tuple(messages), estimate=_raised(whole, factor))
    left, dropped, count = whole + _estimate_words(_NOTE), set[int](), 0
    for place, turn in enumerate(turns):
        if turn.is_protected or any(is_kept(name) for name in turn.tools):
            continue
        dropped.add(place)
        left, count = left - _cost(turn.messages), count + len(turn.messages)
        if _raised(left, factor) <= window.budget:
            kept = [message for at, turn in enumerate(turns) if at not in dropped for message in turn.messages]
            return Fitted(messages=_noted(kept, count), estimate=_raised(left, factor), left_out=count)
    return TooLong(estimate=_raised(left, factor))


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnPart:
    """Messages that are sent together or not at all."""

    messages: tuple[Message, ...]
    is_protected: bool = False

    @property
    def tools(self) -> tuple[str, ...]:
        """Names of the tools whose results are in it."""
        return tuple(message.tool for message in self.messages if isinstance(message, ToolMessage))


def turns_of(messages: Sequence[Message]) -> tuple[TurnPart, ...]:
    """``messages`` in whole turns: the head, earlier exchanges, the newest words, one answer with its results each."""
    spoken = [place for place, message in enumerate(messages) if isinstance(message, UserMessage)]
    head = spoken[0] + 1 if spoken else next((n for n, m in enumerate(messages) if isinstance(m, AssistantMessage)), 0)
    newest = spoken[-1] if spoken else head - 1
    starts = {0, head, newest, newest + 1, *(place for place in spoken if place > 0 and place >= head)}
    starts |= {n for n, message in enumerate(messages) if n > newest and isinstance(message, AssistantMessage)}
    bounds = [*sorted(place for place in starts if 0 <= place < len(messages)), len(messages)]
    parts = [TurnPart(messages=tuple(messages[a:b])) for a, b in pairwise(bounds)]
    protected = {0, newest, bounds[-2]} if len(bounds) > 1 else set()
    return tuple(
        replace(part, is_protected=start < head or start in protected)
        for part, start in zip(parts, bounds, strict=False)
    )


def grown_factor(factor: int, estimate: int, reported: int) -> int:
    """The factor after a provider counted ``reported`` tokens for a request estimated at ``estimate`` with ``factor``."""
    if estimate <= 0 or reported <= estimate:
        return factor
    return math.ceil(factor * reported / estimate)


def estimate_message(message: Message) -> int:
    """Tokens of one message."""
    match message:
        case ToolMessage():
            return _PER_MESSAGE + math.ceil(len(message.content) / _JSON)
        case AssistantMessage():
            calls = sum(_PER_CALL + math.ceil(len(call.name + call.arguments) / _JSON) for call in message.calls)
            return _PER_MESSAGE + _estimate_words(message.content) + calls
        case _:
            return _PER_MESSAGE + _estimate_words(message.content)


def estimate_tool(spec: ToolSpec) -> int:
    """Tokens of one tool on offer."""
    schema = json.dumps(spec.parameters, ensure_ascii=False, separators=(",", ":"))
    return _PER_CALL + _estimate_words(spec.name + spec.description) + math.ceil(len(schema) / _JSON)


def _estimate_words(words: str) -> int:
    return math.ceil(len(words) / _PROSE)


def _cost(messages: Sequence[Message]) -> int:
    return sum(map(estimate_message, messages))


def _raised(tokens: int, factor: int) -> int:
    return math.ceil(tokens * factor / 1000)


def _noted(messages: Sequence[Message], count: int) -> tuple[Message, ...]:
    """The model is told that something is missing, at the end of its standing words."""
    note = _NOTE.format(count=count)
    if messages and isinstance(messages[0], SystemMessage):
        return (SystemMessage(content=f"{messages[0].content}\n\n{note}"), *messages[1:])
    return (SystemMessage(content=note), *messages)
