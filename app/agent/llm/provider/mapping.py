"""Our messages to the library's and its answer to ours.

Nothing is repaired on the way: arguments stay the text the model wrote, and the runtime refuses what is not acceptable.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from app.agent.llm.base import (
    AnswerUnreadable,
    AssistantMessage,
    Finish,
    Message,
    ModelTurn,
    ProviderUnreachable,
    SystemMessage,
    ToolCallRequest,
    ToolMessage,
    ToolSpec,
    Usage,
    UserMessage,
)

LABEL_LENGTH = 200
"""Longest id of a call that is kept; ids are labels, a call is identified by its place (F31)."""
_MOST_TOKENS = 100_000_000  # a larger count is a fault of the provider
_NOT_RECORDED = "no_result\nNothing was recorded for this step."


def to_history(messages: Sequence[Message]) -> list[ModelMessage]:
    """The conversation as the library takes it, with the standing instructions on its last request."""
    history = _History()
    for message in messages:
        history.add(message)
    return history.ended("\n\n".join(m.content for m in messages if isinstance(m, SystemMessage)))


def to_parameters(tools: Sequence[ToolSpec]) -> ModelRequestParameters:
    """The tools on offer, their schemas as they are: strict modes would rewrite them."""
    definitions = [
        ToolDefinition(
            name=tool.name,
            description=tool.description,
            parameters_json_schema=dict(tool.parameters),
            strict=False,
        )
        for tool in tools
    ]
    return ModelRequestParameters(function_tools=definitions, allow_text_output=True)


def to_turn(response: ModelResponse, *, is_streamed: bool) -> ModelTurn:
    """The turn of a complete answer.

    Raises ``ProviderUnreachable`` for a stream without a reason why it ended: a connection cut by a proxy looks like a
    success to the SDKs (F29). Raises ``AnswerUnreadable`` when calls were announced and none can be read.
    """
    details = response.provider_details or {}
    refusal = details.get("refusal")
    if is_streamed and not details.get("finish_reason") and not refusal:
        raise ProviderUnreachable("the answer was cut off", code="cut_off")
    calls = tuple(_call(part) for part in response.parts if isinstance(part, ToolCallPart))
    if response.finish_reason == "tool_call" and not calls:
        raise AnswerUnreadable("calls were announced and none can be read", code="garbage")
    content = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    if not content and not calls and isinstance(refusal, str):
        content = refusal
    return ModelTurn(content=content, calls=calls, usage=_usage(response), finish=_finish(response, bool(calls)))


def _finish(response: ModelResponse, has_calls: bool) -> Finish:
    """Calls are carried out only when the provider says in words we know that the answer is whole."""
    if response.finish_reason in ("stop", "tool_call"):
        return "tool_calls" if has_calls else "stop"
    if response.finish_reason == "content_filter" and not has_calls:
        return "stop"
    return "length"


def _call(part: ToolCallPart) -> ToolCallRequest:
    return ToolCallRequest(
        id=str(part.tool_call_id)[:LABEL_LENGTH], name=part.tool_name, arguments=_arguments(part.args)
    )


def _arguments(given: str | dict[str, Any] | None) -> str:
    """Arguments as text; the helpers of the library would turn what is invalid into something valid."""
    if given is None or isinstance(given, str):
        return given or ""
    return json.dumps(given, ensure_ascii=False)


def _usage(response: ModelResponse) -> Usage:
    read, written = response.usage.input_tokens, response.usage.output_tokens
    return Usage(requests=1, prompt_tokens=_count(read), completion_tokens=_count(written))


def _count(tokens: object) -> int:
    return min(max(tokens, 0), _MOST_TOKENS) if isinstance(tokens, int) else 0


class _History:
    """Builds the list: requests and answers in turn, every call with an id of our own and exactly one result.

    Ids of providers may be missing, doubled or endless, and providers refuse a conversation in which they do not match.
    """

    def __init__(self) -> None:
        self._messages: list[ModelMessage] = []
        self._request: list[ModelRequestPart] = []
        self._open: list[tuple[str, str, str]] = []
        """(id of the provider, our id, tool) of calls of the newest answer without a result."""
        self._numbered = 0

    def add(self, message: Message) -> None:
        """Take the next message."""
        match message:
            case SystemMessage():
                return  # all of them together go on the last request
            case UserMessage():
                self._settle()
                self._request.append(UserPromptPart(content=message.content or " "))
            case ToolMessage():
                self._answer_call(message)
            case AssistantMessage():
                self._settle()
                self._say(message)

    def ended(self, instructions: str) -> list[ModelMessage]:
        """The list, ready to send."""
        self._settle()
        self._messages.append(ModelRequest(parts=self._request, instructions=instructions or None))
        return self._messages

    def _say(self, message: AssistantMessage) -> None:
        parts: list[ModelResponsePart] = [TextPart(content=message.content)] if message.content.strip() else []
        for call in message.calls:
            self._numbered += 1
            ours = f"call{self._numbered:05d}"  # nine letters and digits: the narrowest rule any provider has
            self._open.append((call.id, ours, call.name))
            parts.append(ToolCallPart(tool_name=call.name, args=call.arguments, tool_call_id=ours))
        if not parts or not (self._request or self._messages):
            return  # an empty answer, or one before the first request: providers refuse both
        if self._request:
            self._messages.append(ModelRequest(parts=self._request))
            self._request = []
        self._messages.append(ModelResponse(parts=parts))

    def _answer_call(self, message: ToolMessage) -> None:
        place = next((at for at, (theirs, _, _) in enumerate(self._open) if theirs == message.call_id), 0)
        if not self._open:
            return  # a result of a call nobody made
        _, ours, tool = self._open.pop(place)
        self._request.append(_result(tool, message.content, ours, is_error=message.is_error))

    def _settle(self) -> None:
        for _, ours, tool in self._open:
            self._request.append(_result(tool, _NOT_RECORDED, ours, is_error=True))
        self._open = []


def _result(tool: str, content: str, call_id: str, *, is_error: bool) -> ToolReturnPart:
    return ToolReturnPart(
        tool_name=tool, content=content, tool_call_id=call_id, outcome="failed" if is_error else "success"
    )
