"""What leaves and what comes in: one origin, few headers, no redirects, a bound on the unpacked answer (F28, F30, I35)."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator

import httpx2

from app.agent.llm.base import AnswerUnreadable, ConfigurationMissing
from app.agent.llm.provider.connection import Connection, origin_of

_SENT = frozenset(
    {
        "host",
        "connection",
        "accept",
        "content-type",
        "content-length",
        "user-agent",
        "authorization",
        "x-api-key",
        "anthropic-version",
        "anthropic-beta",
    }
)
"""Headers that leave. The SDKs add others: what machine this is, and whatever stands in variables of the environment."""
_CREDENTIALS = frozenset({"authorization", "x-api-key"})
_GZIP_OR_ZLIB = zlib.MAX_WBITS | 32


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Sends requests to one origin only and bounds what comes back."""

    def __init__(self, connection: Connection, inner: httpx2.AsyncBaseTransport) -> None:
        self._connection = connection
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send ``request``. Raises ``ConfigurationMissing`` for another origin, ``AnswerUnreadable`` for a redirect."""
        if origin_of(str(request.url)) != self._connection.origin:
            raise ConfigurationMissing("a request to another address than the configured one", code="bad_address")
        for name in list(request.headers.keys()):
            if name.lower() not in _SENT or (name.lower() in _CREDENTIALS and not self._connection.key):
                del request.headers[name]
        request.headers["Accept-Encoding"] = "identity"
        response = await self._inner.handle_async_request(request)
        if 300 <= response.status_code < 400:
            await response.aclose()
            raise AnswerUnreadable(f"the address answers with status {response.status_code}", code="redirect")
        return await self._bounded(response)

    async def aclose(self) -> None:
        """Close every connection."""
        await self._inner.aclose()

    async def _bounded(self, response: httpx2.Response) -> httpx2.Response:
        packed = response.headers.get("content-encoding", "identity").strip().lower()
        if packed not in {"identity", "gzip", "deflate", ""}:
            await response.aclose()
            raise AnswerUnreadable("the answer is packed in a way nobody asked for", code="garbage")
        headers = [
            (name, value)
            for name, value in response.headers.multi_items()
            if name.lower() not in {"content-encoding", "content-length"}
        ]
        stream = response.stream
        assert isinstance(stream, httpx2.AsyncByteStream)  # noqa: S101  what asynchronous transports return
        bounded = BoundedStream(stream, limit=self._connection.limits.body, is_packed=packed in {"gzip", "deflate"})
        return httpx2.Response(
            response.status_code,
            headers=headers,
            stream=bounded,
            extensions=response.extensions,
        )


class BoundedStream(httpx2.AsyncByteStream):
    """The bytes of an answer, unpacked here so that a small packed body cannot become a large one."""

    def __init__(self, inner: httpx2.AsyncByteStream, *, limit: int, is_packed: bool) -> None:
        self._inner = inner
        self._left = limit
        self._unpacker = zlib.decompressobj(_GZIP_OR_ZLIB) if is_packed else None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._inner:
            piece = self._unpack(chunk)
            self._left -= len(piece)
            if self._left < 0:
                raise AnswerUnreadable("the answer is longer than is read", code="too_much")
            if piece:
                yield piece

    async def aclose(self) -> None:
        """Close the connection's end of it."""
        await self._inner.aclose()

    def _unpack(self, chunk: bytes) -> bytes:
        if self._unpacker is None:
            return chunk
        try:
            return self._unpacker.decompress(chunk, self._left + 1)
        except zlib.error:
            raise AnswerUnreadable("the answer cannot be unpacked", code="garbage") from None
