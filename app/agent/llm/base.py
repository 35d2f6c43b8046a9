"""The protocol every language model follows, its messages, its failures and the stored form of a message.

A model is stateless: it gets the messages of a conversation and the tools on offer, and answers with one turn.
It executes nothing. Policy, rehearsal, approval and budget stand between a request for a tool and its execution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

CODEC_VERSION = 1

FailureKind = Literal["connection", "rate_limit", "server", "auth", "configuration", "client", "protocol"]
Finish = Literal["stop", "tool_calls", "length"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCallRequest:
    """A tool call as the model wrote it. `arguments` is JSON text; the runtime parses and checks it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SystemMessage:
    """Standing instructions of the configuration."""

    content: str


@dataclass(frozen=True, kw_only=True, slots=True)
class UserMessage:
    """What a person wrote."""

    content: str


@dataclass(frozen=True, kw_only=True, slots=True)
class AssistantMessage:
    """What the model answered, with the calls it asked for."""

    content: str
    calls: tuple[ToolCallRequest, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolMessage:
    """The result of one call. `content` is JSON text, or a code line and a sentence when `is_error`."""

    call_id: str
    tool: str
    content: str
    is_error: bool = False


Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolSpec:
    """A tool on offer: `parameters` is the JSON schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelSettings:
    """Settings of one request. `language` is the acting person's language, `en` or `de`."""

    model: str
    max_output_tokens: int
    temperature: float | None = None
    language: str = "en"


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """What one turn cost: requests made, tokens read, tokens written."""

    requests: int
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelTurn:
    """One answer. `finish` is `length` when the answer was cut: its calls must then not be executed."""

    content: str
    calls: tuple[ToolCallRequest, ...]
    usage: Usage
    finish: Finish


class LanguageModel(Protocol):
    """A language model.

    `respond` raises a `ModelError` for every failure and `CallCancelled` when `cancel()` turned true.
    `on_text` receives pieces of the answer's text in order; their concatenation is the turn's `content`.
    """

    def respond(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        settings: ModelSettings,
        *,
        on_text: Callable[[str], None] | None = None,
        cancel: Callable[[], bool] | None = None,
    ) -> ModelTurn:
        """Answer the last message of a conversation with one turn."""
        ...


class ModelError(Exception):
    """A failed model call. `kind` names the class of failure; `retry_after` is in seconds, when the provider said so.

    The message is for logs. What people read is chosen by `kind` and `code` in the upper layers. `detail` is what the
    provider itself said, shortened and without the key.
    """

    kind: ClassVar[FailureKind] = "server"

    def __init__(self, message: str, *, retry_after: float | None = None, code: str = "", detail: str = "") -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.code = code
        self.detail = detail


class ProviderUnreachable(ModelError):
    """The provider could not be reached, or the connection or stream broke."""

    kind = "connection"


class RateLimited(ModelError):
    """The provider asks to wait."""

    kind = "rate_limit"


class ProviderFailed(ModelError):
    """The provider failed."""

    kind = "server"


class KeyRefused(ModelError):
    """The provider did not accept the key."""

    kind = "auth"


class ConfigurationMissing(ModelError):
    """The model named in a configuration cannot be used with the settings of this installation."""

    kind = "configuration"


class RequestRefused(ModelError):
    """The provider refused the request as wrong, for example because it is too long."""

    kind = "client"


class AnswerUnreadable(ModelError):
    """The provider's answer could not be read."""

    kind = "protocol"


class CallCancelled(Exception):
    """The person stopped the run while the model was answering. Not a failure of the model."""


class UnreadableMessage(ValueError):
    """A stored message has an unknown version or kind, or lacks a field."""


def encode_message(message: Message) -> dict[str, Any]:
    """The stored form of a message: a JSON object with its version `v` and `kind`."""
    match message:
        case SystemMessage():
            return {"v": CODEC_VERSION, "kind": "system", "content": message.content}
        case UserMessage():
            return {"v": CODEC_VERSION, "kind": "user", "content": message.content}
        case AssistantMessage():
            calls = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in message.calls]
            return {"v": CODEC_VERSION, "kind": "assistant", "content": message.content, "calls": calls}
        case ToolMessage():
            return {
                "v": CODEC_VERSION,
                "kind": "tool",
                "call_id": message.call_id,
                "tool": message.tool,
                "content": message.content,
                "is_error": message.is_error,
            }


def decode_message(data: Mapping[str, Any]) -> Message:
    """The message of a stored form. Raises `UnreadableMessage` rather than guess."""
    if data.get("v") != CODEC_VERSION:
        raise UnreadableMessage(f"unknown message version {data.get('v')!r}")
    match data.get("kind"):
        case "system":
            return SystemMessage(content=_string(data, "content"))
        case "user":
            return UserMessage(content=_string(data, "content"))
        case "assistant":
            return AssistantMessage(content=_string(data, "content"), calls=_calls(data.get("calls")))
        case "tool":
            failed = data.get("is_error")
            if not isinstance(failed, bool):
                raise UnreadableMessage("field is_error is not a boolean")
            return ToolMessage(
                call_id=_string(data, "call_id"),
                tool=_string(data, "tool"),
                content=_string(data, "content"),
                is_error=failed,
            )
    raise UnreadableMessage(f"unknown message kind {data.get('kind')!r}")


def _calls(raw: object) -> tuple[ToolCallRequest, ...]:
    if not isinstance(raw, list):
        raise UnreadableMessage("field calls is not a list")
    return tuple(
        ToolCallRequest(id=_string(c, "id"), name=_string(c, "name"), arguments=_string(c, "arguments")) for c in raw
    )


def _string(data: object, key: str) -> str:
    value = data.get(key) if isinstance(data, Mapping) else None
    if not isinstance(value, str):
        raise UnreadableMessage(f"field {key} is not a string")
    return value
