"""Waiting for a provider that asks for longer than a worker waits: the run lies down and nobody holds it (F26)."""

from __future__ import annotations

import math
from typing import NoReturn

from sqlalchemy import Table, func, select, update
from sqlalchemy.engine import Connection

from app.agent.endings import end_run, failed
from app.agent.events import EventKind, append_event
from app.agent.leases import RELEASED
from app.agent.loop.segment import RunEnded, Segment
from app.agent.models import Run, RunEvent
from app.agent.news import announce
from app.agent.types import Reason, RunNews, RunStatus
from app.core import clock

_run: Table = Run.__table__
_events: Table = RunEvent.__table__

LONGEST_WAIT = 86_400
"""Seconds; what a provider asks for above a day is taken as a day."""
MOST_WAITS = 5
"""Waits of one run after which it is given up, so that none waits for ever (I29)."""


def wait_for_provider(segment: Segment, seconds: float, kind: str) -> NoReturn:
    """Release the run until ``seconds`` from now; always raises ``RunEnded`` (or ``RunLost``).

    The reaper queues it again. A run that has waited often enough ends failed, with the failure's ``kind``.
    """
    with segment.step() as (connection, run):
        if _waits(connection, run.uuid) >= MOST_WAITS:
            end_run(connection, run, failed(Reason.PROVIDER_FAILED, kind), segment.runtime.cipher)
        else:
            until = clock.now() + math.ceil(min(seconds, LONGEST_WAIT))
            connection.execute(
                update(_run)
                .where(_run.c.uuid == run.uuid)
                .values(
                    status=RunStatus.WAITING_FOR_PROVIDER.value,
                    resume_at=until,
                    attempts=0,  # the next segment starts anew, as after an approval
                    changed_at=clock.now(),
                    **RELEASED,
                )
            )
            append_event(connection, run.uuid, EventKind.WAIT, {"until": until})
            announce(
                connection,
                RunNews(
                    run_uuid=run.uuid,
                    subject=run.subject,
                    owner_id=run.owner_id,
                    status=RunStatus.WAITING_FOR_PROVIDER,
                ),
            )
    raise RunEnded


def _waits(connection: Connection, uuid: str) -> int:
    """How often the run has waited so far."""
    kind = EventKind.WAIT.value
    counted = select(func.count()).select_from(_events).where(_events.c.run_uuid == uuid, _events.c.kind == kind)
    return int(connection.execute(counted).scalar_one())
