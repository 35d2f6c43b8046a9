"""A provider on loopback that speaks OpenAI's chat completions and Anthropic's messages, streamed or not, with faults."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One answer. Calls are (id, name, arguments as text); ``raw`` replaces the body, ``finish`` the reason it ended."""

    text: str = ""
    calls: tuple[tuple[str | None, str | None, str], ...] = ()
    finish: str | None = "usual"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    silence: float = 0.0
    """Seconds before the first byte."""
    pause: float = 0.0
    """Seconds before every piece of a stream."""
    cut_after: int | None = None
    """Pieces (of a stream) or bytes (of a body) after which the connection is closed."""
    is_chunked: bool = False
    is_endless: bool = False


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What one request contained."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]


class ProviderServer:
    """Answers request n with reply n, the last reply again and again. ``asked`` records what came in."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.asked: list[Asked] = []
        self.broken_off = threading.Event()
        """Set when a client closed its connection before the answer was over."""
        self.stopping = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """Where it listens, without a path."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def will(self, *replies: Reply) -> None:
        """Answer with these from now on."""
        self.replies, self.asked = list(replies), []
        self.broken_off.clear()

    def next_reply(self) -> Reply:
        """The reply of the newest request."""
        return self.replies[min(len(self.asked), len(self.replies)) - 1]

    def stop(self) -> None:
        """Close it."""
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)


def _handler_for(server: ProviderServer) -> type[BaseHTTPRequestHandler]:
    class Answering(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            server.asked.append(Asked(path=self.path, headers=headers, body=body))
            try:
                self._answer(server.next_reply(), body)
            except OSError:
                server.broken_off.set()

        def _answer(self, reply: Reply, body: Mapping[str, Any]) -> None:
            server.stopping.wait(reply.silence)
            speak = anthropic_pieces if self.path.startswith("/v1/messages") else openai_pieces
            whole = anthropic_body if self.path.startswith("/v1/messages") else openai_body
            is_streamed = reply.raw is None and reply.status == 200 and body.get("stream") is True
            self.close_connection = True
            self.send_response(reply.status)
            kind = "text/event-stream" if is_streamed else "application/json"
            for name, value in {"Content-Type": kind, "Connection": "close", **reply.headers}.items():
                self.send_header(name, value)
            if reply.is_chunked:
                self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            if is_streamed:
                self._stream(reply, speak(reply))
                return
            raw = json.dumps(whole(reply)).encode() if reply.raw is None else reply.raw
            self._write(reply, raw[: reply.cut_after])

        def _stream(self, reply: Reply, pieces: Iterator[str]) -> None:
            for number, piece in enumerate(pieces):
                if reply.cut_after is not None and number >= reply.cut_after:
                    return  # without the chunk that ends a chunked body
                server.stopping.wait(reply.pause)
                self._write(reply, piece.encode())
                while reply.is_endless and number == 2 and not server.stopping.is_set():
                    self._write(reply, b": still here\n\n" + piece.encode())
            if reply.is_chunked:
                self.wfile.write(b"0\r\n\r\n")

        def _write(self, reply: Reply, piece: bytes) -> None:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece) if reply.is_chunked else piece)
            self.wfile.flush()

        def handle(self) -> None:
            with suppress(OSError):
                super().handle()

        def log_message(self, format: str, *args: object) -> None:
            """Keep quiet."""

    return Answering


def openai_body(reply: Reply) -> dict[str, Any]:
    """A whole chat completion."""
    calls = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
        for call_id, name, arguments in reply.calls
    ]
    message = {"role": "assistant", "content": reply.text or None, **({"tool_calls": calls} if calls else {})}
    finish = ("tool_calls" if calls else "stop") if reply.finish == "usual" else reply.finish
    choice = {"index": 0, "message": message, "finish_reason": finish}
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    return {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}


def openai_pieces(reply: Reply) -> Iterator[str]:
    """The events of a streamed chat completion."""

    def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        return f"data: {json.dumps({**head, 'choices': [choice]})}\n\n"

    yield chunk({"role": "assistant", "content": ""})
    for part in _halves(reply.text):
        yield chunk({"content": part})
    for index, (call_id, name, arguments) in enumerate(reply.calls):
        function = {"name": name, "arguments": ""}
        yield chunk({"tool_calls": [{"index": index, "id": call_id, "type": "function", "function": function}]})
        for part in _halves(arguments):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
    if reply.finish is not None:
        yield chunk({}, ("tool_calls" if reply.calls else "stop") if reply.finish == "usual" else reply.finish)
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    yield f"data: {json.dumps({**head, 'choices': [], 'usage': usage})}\n\n"
    yield "data: [DONE]\n\n"


def anthropic_body(reply: Reply) -> dict[str, Any]:
    """A whole message. Arguments that are no JSON become a string where an object belongs."""
    content: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
    for call_id, name, arguments in reply.calls:
        content.append({"type": "tool_use", "id": call_id, "name": name, "input": _loaded(arguments)})
    usage = {"input_tokens": 11, "output_tokens": 7}
    head = {"id": "m1", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None, "usage": usage}
    return {**head, "content": content, "stop_reason": _anthropic_finish(reply)}


def anthropic_pieces(reply: Reply) -> Iterator[str]:
    """The events of a streamed message."""

    def event(kind: str, **values: Any) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **values})}\n\n"

    start = {**anthropic_body(Reply()), "content": [], "stop_reason": None}
    yield event("message_start", message=start)
    blocks: list[tuple[dict[str, Any], str, str, str]] = []
    if reply.text:
        blocks.append(({"type": "text", "text": ""}, "text_delta", "text", reply.text))
    for call_id, name, arguments in reply.calls:
        block = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
        blocks.append((block, "input_json_delta", "partial_json", arguments))
    for index, (block, kind, key, words) in enumerate(blocks):
        yield event("content_block_start", index=index, content_block=block)
        for part in _halves(words):
            yield event("content_block_delta", index=index, delta={"type": kind, key: part})
        yield event("content_block_stop", index=index)
    if reply.finish is not None:
        delta = {"stop_reason": _anthropic_finish(reply), "stop_sequence": None}
        yield event("message_delta", delta=delta, usage={"output_tokens": 7})
    yield event("message_stop")


def _anthropic_finish(reply: Reply) -> str | None:
    names = {"usual": "tool_use" if reply.calls else "end_turn", "length": "max_tokens", "stop": "end_turn"}
    return None if reply.finish is None else names.get(reply.finish, reply.finish)


def _halves(words: str) -> list[str]:
    middle = len(words) // 2
    return [part for part in (words[:middle], words[middle:]) if part]


def _loaded(arguments: str) -> object:
    try:
        return json.loads(arguments) if arguments else {}
    except ValueError:
        return arguments
