"""News of runs for the layer above, told inside the transaction that changed the run.

The runtime does not know conversations. Whoever shows runs subscribes once at start-up and writes its own rows on the connection it
is given, so that what people see and what the runtime did commit together or not at all.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy.engine import Connection

from app.agent.run_rows import find_run
from app.agent.types import RunNews

Subscriber = Callable[[Connection, RunNews], None]

_subscribers: list[Subscriber] = []


def subscribe(callback: Subscriber) -> None:
    """Call ``callback`` inside the transaction of each change of a run from now on; subscribing twice is once.

    What ``callback`` raises rolls the change back: a run never moves without its news.
    """
    if callback not in _subscribers:
        _subscribers.append(callback)


def unsubscribe(callback: Subscriber) -> None:
    """End a subscription; unknown ones are ignored."""
    if callback in _subscribers:
        _subscribers.remove(callback)


def announce(connection: Connection, news: RunNews) -> None:
    """Tell every subscriber in the order they came."""
    for callback in tuple(_subscribers):
        callback(connection, news)


def announce_call(
    connection: Connection, run_uuid: str, *, written: tuple[str, int, str] | None = None, tool_failed: bool = False
) -> None:
    """Tell that a call wrote a record (table, row uid, kind) or failed, in the transaction that recorded it (RR-01)."""
    run = find_run(connection, run_uuid)
    if run is None:
        return
    news = RunNews(
        run_uuid=run.uuid,
        subject=run.subject,
        owner_id=run.owner_id,
        status=run.status,
        writes=() if written is None else (written,),
        tool_failed=tool_failed,
    )
    announce(connection, news)
