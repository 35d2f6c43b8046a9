"""Failures of providers: each has one class, no key in any text, and no try that nobody asked for (F25 to F30)."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import socket
import tracemalloc
from collections.abc import AsyncIterator
from email.utils import formatdate

import httpx2
import pytest

from app.agent.llm.base import (
    AnswerUnreadable,
    KeyRefused,
    ModelError,
    ProviderFailed,
    ProviderUnreachable,
    RateLimited,
    RequestRefused,
)
from app.agent.llm.provider import breaker
from app.agent.llm.provider.connection import Limits, Secret
from app.agent.llm.provider.failures import failure_of
from app.agent.llm.provider.transport import BoundedStream
from app.core import clock
from tests.agent.llm.provider.conftest import KEY, Asking, Reach
from tests.support.clock import FakeClock
from tests.support.provider_server import ProviderServer, Reply


def failing(asking: Asking) -> ModelError:
    """The failure of one request."""
    with pytest.raises(ModelError) as raised:
        asking.ask()
    return raised.value


def error_body(message: str, kind: str = "some_error") -> bytes:
    """An error as both protocols write it."""
    return json.dumps({"type": "error", "error": {"type": kind, "message": message}}).encode()


@pytest.mark.parametrize(
    ("status", "kind", "code"),
    [
        (401, KeyRefused, "key"),
        (403, KeyRefused, "key"),
        (404, RequestRefused, "not_found"),
        (400, RequestRefused, "refused"),
        (413, RequestRefused, "too_long"),
        (422, RequestRefused, "refused"),
        (402, RequestRefused, "quota"),
        (408, ProviderFailed, "failed"),
        (429, RateLimited, "wait"),
        (500, ProviderFailed, "failed"),
        (502, ProviderFailed, "failed"),
        (503, ProviderFailed, "failed"),
        (529, ProviderFailed, "failed"),
        (301, AnswerUnreadable, "redirect"),
        (307, AnswerUnreadable, "redirect"),
    ],
)
def test_it_knows_what_a_status_means(
    asking: Asking, provider: ProviderServer, status: int, kind: type[ModelError], code: str
) -> None:
    provider.will(Reply(status=status, raw=error_body("Why."), headers={"Location": provider.address + "/elsewhere"}))
    failure = failing(asking)
    assert (type(failure), failure.code) == (kind, code)
    assert len(provider.asked) == 1, "trying again is the runtime's business"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500])
def test_it_never_tells_the_key(
    asking: Asking, provider: ProviderServer, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    said = f"The key {KEY} is\nwrong\x1b[31m. " + "long " * 100
    provider.will(Reply(status=status, raw=error_body(said)))
    failure = failing(asking)
    told = f"{failure} {failure!r} {failure.detail} {failure.__cause__!r} {asking.model!r} {asking.connection!r}"
    assert KEY not in told
    assert KEY not in caplog.text
    assert len(failure.detail) <= 200
    assert failure.detail.isprintable()


@pytest.mark.parametrize(
    ("header", "wait"),
    [
        ("7", 7.0),
        ("0", 0.0),
        ("-5", None),
        ("86400", 86_400.0),
        ("9999999999", 86_400.0),
        ("NaN", None),
        ("inf", None),
        ("1e400", None),
        ("soon", None),
        ("", None),
        (formatdate(0, usegmt=True), 0.0),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_it_reads_how_long_to_wait(
    streaming: Asking, provider: ProviderServer, status: int, header: str, wait: float | None
) -> None:
    provider.will(Reply(status=status, raw=error_body("Slow down."), headers={"Retry-After": header}))
    assert failing(streaming).retry_after == wait


def test_it_reads_a_date_to_wait_for(streaming: Asking, provider: ProviderServer) -> None:
    date = formatdate(clock.now() + 90, usegmt=True)
    provider.will(Reply(status=429, raw=error_body("Slow down."), headers={"Retry-After": date}))
    wait = failing(streaming).retry_after
    assert wait is not None
    assert 60 < wait <= 91


def test_it_does_not_wait_for_an_account_that_is_used_up(reach: Reach, provider: ProviderServer) -> None:
    provider.will(Reply(status=429, raw=error_body("Pay.", kind="insufficient_quota")))
    assert failing(reach("openai")).code == "quota"
    provider.will(Reply(status=400, raw=error_body("Your credit balance is too low", kind="invalid_request_error")))
    assert failing(reach("anthropic")).code == "quota"


def test_it_says_when_the_conversation_is_too_long(reach: Reach, provider: ProviderServer) -> None:
    provider.will(Reply(status=400, raw=error_body("the maximum context length is 10 tokens")))
    assert failing(reach("openai")).code == "too_long"
    provider.will(Reply(status=400, raw=error_body("prompt is too long", kind="invalid_request_error")))
    assert failing(reach("anthropic")).code == "too_long"


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (b"<html><body>Welcome to the gateway</body></html>", "text/html"),
        (b"<html><body>Welcome to the gateway</body></html>", "application/json"),
        (b"{}", "application/json"),
        (b"[]", "application/json"),
        (b"null", "application/json"),
        (b"", "application/json"),
        (b'{"choices": []}', "application/json"),
        (b'{"id": 1, "content": "x", "choices": "x"}', "application/json"),
        (b"\xff\xfe\x00", "application/octet-stream"),
        (b"data: {}\n\ndata: [DONE]\n\n", "text/event-stream"),
        (b"event: message_start\ndata: {broken\n\n", "text/event-stream"),
        (b"hello", "text/plain"),
    ],
)
def test_it_reads_nothing_into_garbage(asking: Asking, provider: ProviderServer, raw: bytes, kind: str) -> None:
    provider.will(Reply(raw=raw, headers={"Content-Type": kind}))
    assert isinstance(failing(asking), AnswerUnreadable | ProviderUnreachable)


def test_it_stops_unpacking_a_bomb(asking: Asking, provider: ProviderServer) -> None:
    bomb = gzip.compress(b" " * 50_000_000)
    provider.will(Reply(raw=bomb, headers={"Content-Encoding": "gzip"}))
    assert failing(asking).code == "too_much"
    provider.will(Reply(raw=b"no gzip", headers={"Content-Encoding": "gzip"}))
    assert failing(asking).code == "garbage"
    provider.will(Reply(raw=b"?", headers={"Content-Encoding": "br"}))
    assert failing(asking).code == "garbage"
    provider.will(Reply(status=401, raw=gzip.compress(error_body("Packed.")), headers={"Content-Encoding": "gzip"}))
    assert failing(asking).detail == "Packed."


def test_it_unpacks_no_more_than_it_reads() -> None:
    bomb = gzip.compress(b" " * 50_000_000)

    async def body() -> AsyncIterator[bytes]:
        yield bomb

    class Packed(httpx2.AsyncByteStream):
        def __aiter__(self) -> AsyncIterator[bytes]:
            return body()

    async def read() -> None:
        async for _piece in BoundedStream(Packed(), limit=1_000, is_packed=True):
            pytest.fail("nothing of it is handed on")

    tracemalloc.start()
    try:
        with pytest.raises(AnswerUnreadable):
            asyncio.run(read())
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_it_stops_reading_an_endless_answer(streaming: Asking, provider: ProviderServer) -> None:
    provider.will(Reply(text="Hello", is_endless=True))
    assert failing(streaming).code in ("too_much", "timeout")
    assert provider.broken_off.wait(5)


def test_it_does_not_wait_for_ever_in_silence(asking: Asking, provider: ProviderServer) -> None:
    provider.will(Reply(text="Late", silence=3.0))
    began = clock.monotonic()
    failure = failing(asking)
    assert (type(failure), failure.code) == (ProviderUnreachable, "timeout")
    assert clock.monotonic() - began < 2.5


def test_it_bounds_a_slow_drip(streaming: Asking, provider: ProviderServer) -> None:
    provider.will(Reply(text="Hello", calls=(("a", "b", "{}"),) * 20, pause=0.2))
    failure = failing(streaming)
    assert (type(failure), failure.code) == (ProviderUnreachable, "timeout")
    provider.will(Reply(text="Hello", pause=0.7))
    assert failing(streaming).code == "timeout", "the silence between two pieces is bounded, too"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("overloaded_error", ProviderFailed), ("rate_limit_error", RateLimited), ("authentication_error", KeyRefused)],
)
def test_it_reads_an_error_inside_a_stream(
    reach: Reach, provider: ProviderServer, kind: str, expected: type[ModelError]
) -> None:
    raw = b"event: error\ndata: " + error_body("No.", kind) + b"\n\n"
    provider.will(Reply(raw=raw, headers={"Content-Type": "text/event-stream"}))
    assert type(failing(reach("anthropic"))) is expected


def test_it_says_when_nobody_is_there(reach: Reach, provider: ProviderServer) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    for name in ("openai", "anthropic"):
        asking = reach(name)
        asking = Asking(type(asking.connection)(provider=name, base_url=f"http://127.0.0.1:{port}", key=Secret(KEY)))
        assert failing(asking).code == "connection"
        over_tls = provider.address.replace("http:", "https:")
        asking = Asking(type(asking.connection)(provider=name, base_url=over_tls, key=Secret(KEY)))
        assert failing(asking).code == "tls"


def test_it_names_an_unknown_host() -> None:
    error = ConnectionError()
    error.__cause__ = socket.gaierror()
    assert failure_of(error, Secret(KEY)).code == "dns"
    assert failure_of(ExceptionGroup("x", [TypeError()]), Secret("")).code == "garbage"


def test_it_leaves_a_failing_provider_alone_for_a_while(
    reach: Reach, provider: ProviderServer, clock: FakeClock
) -> None:
    asking = reach("openai", limits=Limits())
    provider.will(Reply(status=500, raw=error_body("Down.")))
    for _ in range(breaker.FAILURES):
        assert failing(asking).code == "failed"
    failure = failing(asking)
    assert (failure.code, failure.kind, failure.retry_after) == ("left_alone", "server", breaker.PAUSE)
    assert len(provider.asked) == breaker.FAILURES
    clock.advance(breaker.PAUSE)
    assert failing(asking).code == "failed", "one call tries again"
    assert failing(asking).code == "left_alone"
    clock.advance(breaker.PAUSE)
    provider.will(Reply(text="Up again."))
    assert asking.ask().content == "Up again."
    provider.will(Reply(status=500, raw=error_body("Down.")), Reply(text="Fine."))
    assert failing(asking).code == "failed"
    assert asking.ask().content == "Fine."
