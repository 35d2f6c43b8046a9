"""A model of a provider behind our protocol (design section 7)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic_ai import settings as library
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import ModelMessage, ModelResponse, PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta
from pydantic_ai.models import Model, ModelRequestParameters

from app.agent.llm.base import CallCancelled, Message, ModelError, ModelSettings, ModelTurn, ToolSpec
from app.agent.llm.provider.breaker import BREAKER
from app.agent.llm.provider.clients import CLIENTS
from app.agent.llm.provider.connection import Connection
from app.agent.llm.provider.failures import failure_of
from app.agent.llm.provider.loop import LOOP
from app.agent.llm.provider.mapping import to_history, to_parameters, to_turn

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """One request in the library's words."""

    history: list[ModelMessage]
    parameters: ModelRequestParameters
    wishes: library.ModelSettings


class ProviderModel:
    """The model ``name`` of the provider behind ``connection``. One request per call; retries are the runtime's."""

    def __init__(self, connection: Connection, name: str) -> None:
        self._connection = connection
        self._name = name

    def respond(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        settings: ModelSettings,
        *,
        on_text: Callable[[str], None] | None = None,
        cancel: Callable[[], bool] | None = None,
    ) -> ModelTurn:
        """One turn. Raises a ``ModelError`` for every failure and ``CallCancelled``; nothing else leaves this method."""
        if cancel is not None and cancel():
            raise CallCancelled
        BREAKER.admit(self._place)
        # Opened here and not on the loop: the first time it loads an SDK, and the answers of others would wait for that.
        model = CLIENTS.model(self._connection, self._name)
        request = Request(history=to_history(messages), parameters=to_parameters(tools), wishes=_wishes(settings))
        try:
            turn = LOOP.run(lambda say: self._ask(model, request, say), on_piece=on_text, cancel=cancel)
        except ModelError as failure:
            BREAKER.note(self._place, failure)
            _log.warning("model %s of %s: %s (%s)", self._name, self._connection.provider, failure, failure.code)
            raise
        BREAKER.note(self._place, None)
        return turn

    @property
    def _place(self) -> tuple[str, str, int]:
        return self._connection.origin

    async def _ask(self, model: Model, request: Request, say: Callable[[str], None]) -> ModelTurn:
        is_streamed = self._connection.is_streamed
        try:
            async with asyncio.timeout(self._connection.limits.total):
                response = await (_stream(model, request, say) if is_streamed else _fetch(model, request, say))
            return to_turn(response, is_streamed=is_streamed)
        except Exception as error:  # the SDKs raise TypeError and others for odd answers (deps.md section 2)
            raise failure_of(error, self._connection.key) from None


async def _fetch(model: Model, request: Request, say: Callable[[str], None]) -> ModelResponse:
    response = await model_request(
        model,
        request.history,
        model_settings=request.wishes,
        model_request_parameters=request.parameters,
        instrument=False,
    )
    for part in response.parts:
        if isinstance(part, TextPart) and part.content:
            say(part.content)
    return response


async def _stream(model: Model, request: Request, say: Callable[[str], None]) -> ModelResponse:
    async with model_request_stream(
        model,
        request.history,
        model_settings=request.wishes,
        model_request_parameters=request.parameters,
        instrument=False,
    ) as stream:
        async for event in stream:
            if piece := _text_in(event):
                say(piece)
        return stream.get()


def _wishes(settings: ModelSettings) -> library.ModelSettings:
    wishes = library.ModelSettings(max_tokens=settings.max_output_tokens, max_retries=0)
    if settings.temperature is not None:
        wishes["temperature"] = settings.temperature
    return wishes


def _text_in(event: object) -> str:
    match event:
        case PartStartEvent(part=TextPart(content=words)):
            return words
        case PartDeltaEvent(delta=TextPartDelta(content_delta=words)):
            return words
    return ""
