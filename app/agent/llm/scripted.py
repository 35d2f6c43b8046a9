"""A model that answers from a script. For tests and for rehearsing an installation; it never reads or guesses."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.agent.llm.base import (
    CallCancelled,
    Message,
    ModelSettings,
    ModelTurn,
    ToolCallRequest,
    ToolSpec,
    Usage,
)

ScriptStep = ModelTurn | Callable[[Sequence[Message]], ModelTurn] | Exception


class ScriptExhausted(AssertionError):
    """The script was asked for one turn more than it has."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """What one request contained."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    settings: ModelSettings


class ScriptedModel:
    """Answers request n with step n: a turn, a function of the messages, or an exception to raise.

    `seen` records every request in order, those that raise included.
    """

    def __init__(self, steps: Iterable[ScriptStep]) -> None:
        self._steps = list(steps)
        self.seen: list[Seen] = []

    def respond(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        settings: ModelSettings,
        *,
        on_text: Callable[[str], None] | None = None,
        cancel: Callable[[], bool] | None = None,
    ) -> ModelTurn:
        """The next turn of the script. Raises `ScriptExhausted` after the last one."""
        position = len(self.seen)
        self.seen.append(Seen(messages=tuple(messages), tools=tuple(tools), settings=settings))
        if cancel is not None and cancel():
            raise CallCancelled
        if position >= len(self._steps):
            raise ScriptExhausted(f"the script has {len(self._steps)} turns, turn {position + 1} was asked for")
        step = self._steps[position]
        if isinstance(step, Exception):
            raise step
        turn = step if isinstance(step, ModelTurn) else step(messages)
        if on_text is not None and turn.content:
            on_text(turn.content)
        return turn


def text_turn(content: str) -> ModelTurn:
    """A turn that only says something."""
    return ModelTurn(content=content, calls=(), usage=_USAGE, finish="stop")


def call_turn(*calls: tuple[str, Mapping[str, Any]], content: str = "") -> ModelTurn:
    """A turn that asks for tools: pairs of name and arguments, ids `call-1`, `call-2` in order."""
    requests = tuple(
        ToolCallRequest(id=f"call-{number}", name=name, arguments=json.dumps(arguments))
        for number, (name, arguments) in enumerate(calls, start=1)
    )
    return ModelTurn(content=content, calls=requests, usage=_USAGE, finish="tool_calls")


_USAGE = Usage(requests=1, prompt_tokens=10, completion_tokens=5)
