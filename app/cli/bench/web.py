"""P2: the poll that brings nothing against the application's own static answer, both served by waitress."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from flask import Response, jsonify
from waitress.server import create_server

from app.accounts import sessions
from app.chat.pages import read_conversation
from app.cli.bench import client
from app.cli.bench.figures import Reading, Setup
from app.cli.bench.place import EDITOR, Place, temporary_place
from app.cli.bench.runs import AskingModel, Assignment
from app.cli.bench.timing import interleave, median, ratios
from app.core.db import reading, transaction
from app.policy.identity import LIVE
from app.web.guards import public

_HELLO = "/bench/hello"
_THREADS = 8


def unchanged_poll(setup: Setup) -> list[Reading]:
    """P2: CPU of the server per request; the client is a process of its own."""
    requests = setup.scale.requests
    with temporary_place() as place:
        place.app.add_url_rule(_HELLO, "bench_hello", hello)
        path = poll_address(place)
        cookie = session_cookie(place)
        with _served(place) as port, _client(port, cookie) as ask:
            cases = {"poll": lambda: ask(path, requests), "hello": lambda: ask(_HELLO, requests)}
            samples = interleave(cases, setup.rounds)
    own = {name: median(seconds) / requests * 1e3 for name, seconds in samples.items()}
    return [
        Reading(
            figure="P2",
            what="unchanged poll, server CPU",
            unit="x static JSON",
            bar=2.2,
            aim=1.6,
            values=ratios(samples["poll"], samples["hello"]),
            own={f"ms {name}": value for name, value in own.items()},
        )
    ]


@public
def hello() -> Response:
    """A static answer of the same application, with everything that stands before and after every view."""
    return jsonify(ok=True)


def poll_address(place: Place) -> str:
    """What the page of a finished assignment asks every few seconds."""
    assignment = Assignment(place)
    assignment.send(AskingModel(1, "trivial_read", lambda _done: {}))
    assignment.work()
    with reading() as connection:
        actor = place.identity(LIVE)
        view = read_conversation(connection, actor, assignment.conversation_id, place.runtime).view
    return f"/conversations/{view.id}/updates?after={view.last_seq}&rev={view.version}"


def session_cookie(place: Place) -> str:
    """The header of a browser in which the editor is signed in."""
    with transaction() as connection:
        token = sessions.open_session(connection, place.site.people.users[EDITOR], "bench")
    client = place.app.test_client()
    with client.session_transaction() as session:
        session["_user_id"] = token
        session["_fresh"] = True
    name = place.app.config["SESSION_COOKIE_NAME"]
    cookie = client.get_cookie(name)
    if cookie is None:
        raise LookupError(name)
    return f"{name}={cookie.value}"


@contextmanager
def _served(place: Place) -> Iterator[int]:
    server: Any = create_server(place.app, host="127.0.0.1", port=0, threads=_THREADS, ident=None)
    thread = threading.Thread(target=server.run, name="bench-server", daemon=True)
    thread.start()
    try:
        yield int(server.effective_port)
    finally:
        server.close()
        server.task_dispatcher.shutdown()
        thread.join(timeout=10)


@contextmanager
def _client(port: int, cookie: str) -> Iterator[Callable[[str, int], None]]:
    words = [sys.executable, "-I", client.__file__, str(port), cookie]
    with ExitStack() as stack:
        process = stack.enter_context(
            subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603  our own module
        )
        stack.callback(process.terminate)

        def ask(path: str, number: int) -> None:
            if process.stdin is None or process.stdout is None:
                raise OSError("client")
            process.stdin.write(f"{path} {number}\n")
            process.stdin.flush()
            answer = process.stdout.readline().strip()
            if answer != "ok":
                msg = f"the client was answered: {answer or 'nothing'}"
                raise OSError(msg)

        yield ask
