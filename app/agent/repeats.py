"""What must not be done twice: writes that earlier attempts at the same message carried out (F27, RT-12)."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Table, select
from sqlalchemy.engine import Connection

from app.agent import models
from app.agent.previews import purpose
from app.agent.run_rows import RunView
from app.agent.tools.registry import ToolRegistry
from app.agent.types import CallState
from app.core.crypto import Cipher

_run: Table = models.Run.__table__
_calls: Table = models.ToolCall.__table__
_outcomes: Table = models.CallOutcome.__table__
_CARRIED_OUT = (CallState.DONE.value, CallState.PARTIAL.value)

Step = tuple[str, str]
"""Name of the tool and canonical text of the arguments."""


def find_repeats(
    connection: Connection, cipher: Cipher, registry: ToolRegistry, run: RunView, steps: Sequence[Step]
) -> tuple[int, ...]:
    """Places in ``steps`` of writes that a run this one tries again has carried out, with these very arguments.

    Raises ``core.crypto.Unreadable`` when an earlier step cannot be opened: nobody could say then what was done.
    """
    if run.retry_of is None:
        return ()
    writes = {name for name, _ in steps if (tool := registry.find(name)) is not None and tool.facts.is_write}
    if not writes:
        return ()
    done = {
        (tool, cipher.open(sealed, purpose("tool_call.arguments", uuid)))
        for uuid in _earlier_attempts(connection, run.retry_of)
        for tool, sealed in _carried_out(connection, uuid)
        if tool in writes
    }
    return tuple(place for place, step in enumerate(steps) if step in done)


def _earlier_attempts(connection: Connection, newest: str) -> list[str]:
    found: list[str] = []
    uuid: str | None = newest
    while uuid is not None and uuid not in found:
        found.append(uuid)
        uuid = connection.execute(select(_run.c.retry_of).where(_run.c.uuid == uuid)).scalar()
    return found


def _carried_out(connection: Connection, uuid: str) -> list[tuple[str, str]]:
    joined = _calls.join(
        _outcomes,
        (_outcomes.c.run_uuid == _calls.c.run_uuid)
        & (_outcomes.c.turn == _calls.c.turn)
        & (_outcomes.c.ordinal == _calls.c.ordinal),
    )
    rows = connection.execute(
        select(_calls.c.tool, _calls.c.arguments_sealed)
        .select_from(joined)
        .where(_calls.c.run_uuid == uuid, _outcomes.c.state.in_(_CARRIED_OUT))
    )
    return [(row.tool, row.arguments_sealed) for row in rows]
