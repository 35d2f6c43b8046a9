"""What the messages of a conversation say so far: turns of talk, and the results of this message's calls."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.agent.llm.base import AssistantMessage, Message, ToolMessage, UserMessage


@dataclass(frozen=True, kw_only=True, slots=True)
class Exchange:
    """What a person wrote, and the last thing the assistant said to it (empty while it has said nothing)."""

    said: str
    answer: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """A tool call to make: `arguments` is canonical JSON text."""

    tool: str
    arguments: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """The result of a call. `code` is an error's first line, `text` its sentence, or a note before the data."""

    data: Mapping[str, Any]
    is_error: bool = False
    code: str = ""
    text: str = ""


def call(tool: str, **arguments: Any) -> Call:
    """A call with the arguments that are not None."""
    given = {key: value for key, value in arguments.items() if value is not None}
    return Call(tool=tool, arguments=_canonical(given))


class Results:
    """The results of the calls made for the newest message of a person, the first one of each call."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._replies: dict[Call, Reply] = {}
        asked: dict[str, Call] = {}
        for message in messages[_newest(messages) + 1 :]:
            if isinstance(message, AssistantMessage):
                for request in message.calls:
                    made = Call(tool=request.name, arguments=_recanonical(request.arguments))
                    asked[request.id] = made
            elif isinstance(message, ToolMessage) and message.call_id in asked:
                self._replies.setdefault(asked[message.call_id], _reply(message))
        for made in asked.values():
            # A call the runtime left without a result must not be asked for again for ever.
            self._replies.setdefault(made, Reply(data={}, is_error=True, code="no_result"))

    def of(self, made: Call) -> Reply | None:
        """The result of a call; None when the call was not made yet."""
        return self._replies.get(made)


def exchanges(messages: Sequence[Message]) -> list[Exchange]:
    """The talk, oldest first. The last one is what is to be answered now."""
    found: list[Exchange] = []
    for message in messages:
        if isinstance(message, UserMessage):
            found.append(Exchange(said=message.content, answer=""))
        elif isinstance(message, AssistantMessage) and found and message.content:
            found[-1] = Exchange(said=found[-1].said, answer=message.content)
    return found


def records_of(reply: Reply, key: str) -> list[Mapping[str, Any]]:
    """The list of objects under a key of a result; what is not an object is left out."""
    rows = reply.data.get(key)
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list) else []


def number_in(row: Mapping[str, Any], key: str) -> int | None:
    """A whole number under a key, else None."""
    value = row.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def text_in(row: Mapping[str, Any], key: str) -> str:
    """A text under a key, else the empty text."""
    value = row.get(key)
    return value if isinstance(value, str) else ""


def _newest(messages: Sequence[Message]) -> int:
    return max((i for i, m in enumerate(messages) if isinstance(m, UserMessage)), default=-1)


def _reply(message: ToolMessage) -> Reply:
    if message.is_error:
        first, _, rest = message.content.partition("\n")
        return Reply(data={}, is_error=True, code=first.strip(), text=rest.strip())
    data, note = _read_json(message.content)
    if data is None:
        return Reply(data={}, text=message.content.strip())
    return Reply(data=data, text=note)


def _read_json(content: str) -> tuple[Mapping[str, Any] | None, str]:
    """The object in a result, and the note the runtime may have put before it."""
    starts = [0, content.find("\n{") + 1] if "\n{" in content else [0]
    for start in starts:
        try:
            data = json.loads(content[start:])
        except (ValueError, RecursionError):
            continue
        if isinstance(data, dict):
            return data, content[:start].strip()
    return None, ""


def _canonical(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _recanonical(arguments: str) -> str:
    try:
        return _canonical(json.loads(arguments))
    except (ValueError, RecursionError):
        return arguments
