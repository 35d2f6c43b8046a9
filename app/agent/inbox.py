"""What waits for a decision and what was decided lately, for whoever may act on it. Nothing encrypted is opened (RT-16)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Table, func, select
from sqlalchemy.engine import Connection
from sqlalchemy.sql.elements import ColumnElement

from app.agent import models
from app.agent.cards import DecisionRow
from app.agent.run_rows import COLUMNS, RunView, view_of
from app.agent.types import RunStatus
from app.core import clock
from app.policy.identity import GRANT_APPROVE, Identity

_run: Table = models.Run.__table__
_cards: Table = models.Turn.__table__
_decisions: Table = models.ApprovalDecision.__table__

WAITING_LISTED = 100
DECIDED_LISTED = 20
RECENT_DAYS = 30
_DAY = 86_400


@dataclass(frozen=True, kw_only=True, slots=True)
class WaitingFilter:
    """Which waiting runs are wanted; what is left out restricts nothing."""

    configuration_id: int | None = None
    owner_id: int | None = None
    days: int | None = None
    """Only those that have waited at least so many days."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WaitingGroup:
    """How many runs of one person in one configuration wait."""

    configuration_id: int
    owner_id: int
    count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class EndedRun:
    """A run that has ended and had a card, with its decisions in order."""

    run: RunView
    decisions: tuple[DecisionRow, ...]


ANY = WaitingFilter()


def list_waiting(connection: Connection, identity: Identity, wanted: WaitingFilter = ANY) -> tuple[RunView, ...]:
    """Runs that wait for approval: one's own, or everybody's for approvers; longest waiting first, at most 100."""
    query = select(*COLUMNS).where(*_waiting(identity, wanted)).order_by(_run.c.changed_at, _run.c.uuid)
    rows = connection.execute(query.limit(WAITING_LISTED)).mappings().all()
    return tuple(view_of(row) for row in rows)


def count_waiting(connection: Connection, identity: Identity, wanted: WaitingFilter = ANY) -> int:
    """How many there are, however many are listed."""
    query = select(func.count()).select_from(_run).where(*_waiting(identity, wanted))
    return int(connection.execute(query).scalar_one())


def list_waiting_groups(connection: Connection, identity: Identity) -> tuple[WaitingGroup, ...]:
    """Whose runs wait in which configurations: what a filter can offer."""
    query = (
        select(_run.c.configuration_id, _run.c.owner_id, func.count().label("number"))
        .where(*_waiting(identity, ANY))
        .group_by(_run.c.configuration_id, _run.c.owner_id)
        .order_by(_run.c.configuration_id, _run.c.owner_id)
    )
    return tuple(
        WaitingGroup(configuration_id=row.configuration_id, owner_id=row.owner_id, count=row.number)
        for row in connection.execute(query).all()
    )


def list_ended(connection: Connection, identity: Identity) -> tuple[EndedRun, ...]:
    """Runs with a card that ended in the last 30 days, newest first, at most 20; one's own, or everybody's for approvers."""
    had_card = select(_cards.c.run_uuid).where(_cards.c.run_uuid == _run.c.uuid).exists()
    since = clock.now() - RECENT_DAYS * _DAY
    query = select(*COLUMNS).where(_run.c.finished_at >= since, had_card, *_own(identity))
    rows = connection.execute(query.order_by(_run.c.finished_at.desc(), _run.c.uuid).limit(DECIDED_LISTED))
    runs = [view_of(row) for row in rows.mappings().all()]
    decisions = _decisions_of(connection, [run.uuid for run in runs])
    return tuple(EndedRun(run=run, decisions=tuple(decisions[run.uuid])) for run in runs)


def _decisions_of(connection: Connection, uuids: Sequence[str]) -> defaultdict[str, list[DecisionRow]]:
    found: defaultdict[str, list[DecisionRow]] = defaultdict(list)
    if not uuids:
        return found
    query = select(_decisions).where(_decisions.c.run_uuid.in_(uuids))
    for row in connection.execute(query.order_by(_decisions.c.turn, _decisions.c.revision)).mappings().all():
        found[row["run_uuid"]].append(DecisionRow(**row))
    return found


def _waiting(identity: Identity, wanted: WaitingFilter) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = [_run.c.status == RunStatus.WAITING_FOR_APPROVAL.value, *_own(identity)]
    if wanted.configuration_id is not None:
        found.append(_run.c.configuration_id == wanted.configuration_id)
    if wanted.owner_id is not None:
        found.append(_run.c.owner_id == wanted.owner_id)
    if wanted.days is not None:
        found.append(_run.c.changed_at <= clock.now() - wanted.days * _DAY)
    return found


def _own(identity: Identity) -> list[ColumnElement[bool]]:
    """What restricts people without the right to decide for others; an initiator may always act on what is theirs."""
    return [] if identity.may(GRANT_APPROVE) else [_run.c.owner_id == identity.user_id]
