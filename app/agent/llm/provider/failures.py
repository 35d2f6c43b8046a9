"""What the library, its SDKs and the network raise, as our classes of failure. Nothing may pass untranslated (F25 to F30).

What a provider says of a failure is kept only shortened, on one line and without the key.
"""

from __future__ import annotations

import math
import socket
import ssl
from collections.abc import Iterator

import httpx2
from pydantic_ai import exceptions as library

from app.agent.llm.base import (
    AnswerUnreadable,
    KeyRefused,
    ModelError,
    ProviderFailed,
    ProviderUnreachable,
    RateLimited,
    RequestRefused,
)
from app.agent.llm.provider.connection import Secret

LONGEST_WAIT = 86_400.0
"""Seconds; what a provider asks for above a day is taken as a day."""
_DETAIL_LENGTH = 200
_RETRYABLE_STATUSES = frozenset({408, 409, 425})


def failure_of(error: BaseException, key: Secret) -> ModelError:
    """The failure ``error`` means. Never raises."""
    links = list(_chain(error))
    for link in links:
        if isinstance(link, ModelError):
            return link  # raised by our own transport, wrapped by the SDK
    detail = _detail(error, key)
    if isinstance(error, library.ModelAPIError):
        return _of_library(error, links, detail)
    if isinstance(error, TimeoutError | httpx2.TimeoutException):
        return ProviderUnreachable("the provider took too long", code="timeout")
    if isinstance(error, httpx2.TransportError | OSError):
        return _unreachable(links)
    return AnswerUnreadable(f"the answer cannot be read: {type(error).__name__}", code="garbage")


def _of_library(error: library.ModelAPIError, links: list[BaseException], detail: str) -> ModelError:
    if isinstance(error, library.ModelRequestTimeout | library.ModelTimeoutError):
        return ProviderUnreachable("the provider took too long", code="timeout")
    if isinstance(error, library.ModelConnectionError):
        return _unreachable(links)
    wait = _wait(error.retry_after if isinstance(error, library.ModelHTTPError | library.ModelRateLimitError) else None)
    match error:
        case library.ModelRateLimitError():
            return RateLimited("the provider asks to wait", code="wait", retry_after=wait, detail=detail)
        case library.ModelQuotaExceededError():
            return RequestRefused("the account is used up", code="quota", detail=detail)
        case library.ModelAuthenticationError():
            return KeyRefused("the key was not accepted", code="key", detail=detail)
        case library.ModelNotFoundError():
            return RequestRefused("there is no such model at this address", code="not_found", detail=detail)
        case library.ModelContextWindowExceededError():
            return RequestRefused("the conversation is too long for the model", code="too_long", detail=detail)
        case library.ModelUnavailableError() | library.ModelServerError():
            return ProviderFailed("the provider failed", code="failed", retry_after=wait, detail=detail)
    return _of_status(error, wait, detail)


def _of_status(error: library.ModelAPIError, wait: float | None, detail: str) -> ModelError:
    status = error.status_code if isinstance(error, library.ModelHTTPError) else None
    if isinstance(error, library.ModelRequestRejectedError) and status not in _RETRYABLE_STATUSES:
        return RequestRefused("the provider refused the request", code="refused", detail=detail)
    if status is None:
        return AnswerUnreadable("the answer cannot be read", code="garbage")
    if status in _RETRYABLE_STATUSES or status >= 500:
        return ProviderFailed(
            f"the provider answers with status {status}", code="failed", retry_after=wait, detail=detail
        )
    code = "too_long" if status == 413 else "refused"
    return RequestRefused(f"the provider answers with status {status}", code=code, detail=detail)


def _unreachable(links: list[BaseException]) -> ProviderUnreachable:
    if any(isinstance(link, ssl.SSLError) for link in links):
        return ProviderUnreachable("no secure connection", code="tls")
    if any(isinstance(link, socket.gaierror) for link in links):
        return ProviderUnreachable("the name of the address is unknown", code="dns")
    return ProviderUnreachable("the connection failed or broke", code="connection")


def _wait(asked: float | None) -> float | None:
    """Seconds to wait; what is no number of seconds counts as not said (F26)."""
    if asked is None or not math.isfinite(asked) or asked < 0:
        return None
    return min(asked, LONGEST_WAIT)


def _detail(error: BaseException, key: Secret) -> str:
    """What the provider said in the body of its error."""
    body = getattr(error, "body", None)
    nested = body.get("error", body) if isinstance(body, dict) else None
    said = nested.get("message") if isinstance(nested, dict) else None
    if not isinstance(said, str):
        return ""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in key.redact(said)).split())
    return line if len(line) <= _DETAIL_LENGTH else line[: _DETAIL_LENGTH - 1] + "…"


def _chain(error: BaseException) -> Iterator[BaseException]:
    """``error`` and what led to it, at most twenty steps back; of groups every member."""
    waiting, seen = [error], 0
    while waiting and seen < 20:
        link = waiting.pop(0)
        seen += 1
        yield link
        if isinstance(link, BaseExceptionGroup):
            waiting.extend(link.exceptions)
        waiting.extend(cause for cause in (link.__cause__, link.__context__) if cause is not None)
