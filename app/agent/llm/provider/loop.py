"""The one event loop of a process: a thread that speaks to providers while workers wait (deps.md section 2).

Clients shared by threads with an event loop each fail or hang; all of them on one loop do not, and a future can be cancelled.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from app.agent.llm.base import CallCancelled

T = TypeVar("T")
LOOK_EVERY = 0.2
"""Seconds between two questions whether the person has cancelled."""


class EventLoop:
    """A lazily started event loop in a daemon thread; a forked process starts its own."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._process = 0

    def run(
        self,
        work: Callable[[Callable[[str], None]], Coroutine[Any, Any, T]],
        *,
        on_piece: Callable[[str], None] | None = None,
        cancel: Callable[[], bool] | None = None,
    ) -> T:
        """The result of ``work(say)`` on the loop, while this thread waits.

        What the coroutine hands to ``say`` reaches ``on_piece`` in this thread, in order. Raises ``CallCancelled`` when
        ``cancel()`` turned true; the coroutine is then cancelled, which closes its connection.
        """
        inbox: SimpleQueue[str | None] = SimpleQueue()
        future = asyncio.run_coroutine_threadsafe(work(inbox.put), self._running())
        future.add_done_callback(lambda _done: inbox.put(None))
        try:
            while True:
                if cancel is not None and cancel():
                    raise CallCancelled
                try:
                    piece = inbox.get(timeout=LOOK_EVERY)
                except Empty:
                    continue
                if piece is None:
                    return future.result()
                if on_piece is not None:
                    on_piece(piece)
        finally:
            future.cancel()

    @property
    def thread_name(self) -> str:
        """The name of the thread, for whoever looks at a process."""
        return "model-event-loop"

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._guard:
            if self._loop is None or self._process != os.getpid():
                loop = asyncio.new_event_loop()
                threading.Thread(target=loop.run_forever, name=self.thread_name, daemon=True).start()
                self._loop, self._process = loop, os.getpid()
            return self._loop


LOOP = EventLoop()
"""The loop of this process."""
