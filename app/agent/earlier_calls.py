"""The calls of a run that have ended, refused ones too, for rules that ask for them (runtime.md 16.1).

Told from the stored calls and events and never from the transcript, so that shortening that loses none.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping

from sqlalchemy import Table, select
from sqlalchemy.engine import Connection

from app.agent.events import EventKind, decode, read_events
from app.agent.models import CallOutcome, ToolCall
from app.agent.previews import purpose
from app.agent.targets import named_targets
from app.core.crypto import Cipher, Unreadable
from app.policy.invocation import EarlierCall, InvocationTarget

_outcomes: Table = CallOutcome.__table__
_calls: Table = ToolCall.__table__


def find_history(connection: Connection, uuid: str, cipher: Cipher) -> tuple[EarlierCall, ...] | None:
    """Every call of the run with an outcome, in order, with the records it named and the one it wrote.

    None when one of them cannot be opened any more: a rule that needs them refuses then (I12). Two statements.
    """
    written = _written(connection, uuid)
    joined = _outcomes.join(
        _calls,
        (_outcomes.c.run_uuid == _calls.c.run_uuid)
        & (_outcomes.c.turn == _calls.c.turn)
        & (_outcomes.c.ordinal == _calls.c.ordinal),
    )
    rows = connection.execute(
        select(_calls.c.turn, _calls.c.ordinal, _calls.c.tool, _calls.c.arguments_sealed, _outcomes.c.state)
        .select_from(joined)
        .where(_outcomes.c.run_uuid == uuid)
        .order_by(_outcomes.c.turn, _outcomes.c.ordinal)
    )
    found: list[EarlierCall] = []
    for row in rows.mappings().all():
        try:
            arguments = json.loads(cipher.open(row["arguments_sealed"], purpose("tool_call.arguments", uuid)))
        except (Unreadable, ValueError):
            return None
        named = named_targets(arguments) if isinstance(arguments, dict) else ()
        made = written.get((row["turn"], row["ordinal"]), ())
        found.append(
            EarlierCall(
                tool=row["tool"],
                outcome=row["state"],
                targets=(*named, *made),
                turn=row["turn"],
                ordinal=row["ordinal"],
            )
        )
    return tuple(found)


def _written(connection: Connection, uuid: str) -> Mapping[tuple[int, int], tuple[InvocationTarget, ...]]:
    found: defaultdict[tuple[int, int], tuple[InvocationTarget, ...]] = defaultdict(tuple)
    for event in read_events(connection, [uuid], [EventKind.TOOL_WRITE]):
        payload = decode(event)
        if isinstance(payload, Mapping):
            target = InvocationTarget(table=str(payload["t"]), uid=int(payload["u"]))
            found[payload["turn"], payload["call"]] += (target,)
    return found
