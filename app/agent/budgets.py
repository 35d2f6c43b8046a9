"""What people and configurations may use of models on one day (UTC), and what they have used (RT-17, runtime.md section 13).

Use is written in the transaction that takes an answer; before every request the budget is asked. Nothing is reserved, so requests
at the same time may go slightly above a limit. The owner of a run pays, never who decides its cards.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from sqlalchemy import Table, bindparam, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from app.agent import models
from app.agent.llm.base import Usage
from app.agent.run_rows import RunView
from app.config import Settings
from app.core import clock

_usage: Table = models.Usage.__table__
_configurations: Table = models.Configuration.__table__
_KEY = ("user_id", "day", "configuration_id", "model")
_COUNTED = ("requests", "prompt_tokens", "completion_tokens", "cost_micro")
_MICRO = 10_000
"""Millionths in a hundredth of the currency."""


class Payer(StrEnum):
    """Whose budget it is."""

    PERSON = "person"
    CONFIGURATION = "configuration"


class Unit(StrEnum):
    """What is counted."""

    REQUESTS = "requests"
    TOKENS = "tokens"
    COST = "cost"


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget:
    """Limits of one day; 0 = no limit. ``cost`` is in hundredths of the currency of the prices."""

    requests: int = 0
    tokens: int = 0
    cost: int = 0

    @property
    def is_limited(self) -> bool:
        """Whether there is any limit."""
        return bool(self.requests or self.tokens or self.cost)


@dataclass(frozen=True, kw_only=True, slots=True)
class Used:
    """What was used on one day; ``cost_micro`` in millionths of the currency."""

    requests: int = 0
    tokens: int = 0
    cost_micro: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Exhausted:
    """The first limit that leaves nothing for another request."""

    payer: Payer
    unit: Unit


def day_of(seconds: int) -> str:
    """The day of a moment in UTC, as in ``2026-12-01``."""
    return datetime.fromtimestamp(seconds, tz=UTC).date().isoformat()


def cost_of(usage: Usage, price: tuple[Decimal, Decimal]) -> int:
    """What an answer cost, in millionths of the currency, rounded up; ``price`` is of a million tokens read and written."""
    read, written = price
    return math.ceil(max(0, usage.prompt_tokens) * read + max(0, usage.completion_tokens) * written)


def record_usage(connection: Connection, run: RunView, model: str, usage: Usage, settings: Settings) -> None:
    """Add what an answer used to the day of its owner and configuration, in the transaction that takes the answer."""
    values = {
        "user_id": run.owner_id,
        "day": day_of(clock.now()),
        "configuration_id": run.configuration_id,
        "model": model,
        "requests": max(1, usage.requests),
        "prompt_tokens": max(0, usage.prompt_tokens),
        "completion_tokens": max(0, usage.completion_tokens),
        "cost_micro": cost_of(usage, settings.price_of(model)),
    }
    connection.execute(_ADD[connection.dialect.name], values)


def find_exhausted(connection: Connection, run: RunView, settings: Settings) -> Exhausted | None:
    """The limit that forbids another request for ``run`` today; the person's is told before the configuration's."""
    day = day_of(clock.now())
    own = Budget(
        requests=settings.person_requests_day, tokens=settings.person_tokens_day, cost=settings.person_cost_day
    )
    if own.is_limited:
        unit = spent_unit(own, find_used(connection, day, user_id=run.owner_id))
        if unit is not None:
            return Exhausted(payer=Payer.PERSON, unit=unit)
    shared = find_budget(connection, run.configuration_id)
    if shared.is_limited:
        unit = spent_unit(shared, find_used(connection, day, configuration_id=run.configuration_id))
        if unit is not None:
            return Exhausted(payer=Payer.CONFIGURATION, unit=unit)
    return None


def requests_left(connection: Connection, person_id: int, configuration_id: int, settings: Settings) -> int | None:
    """How many requests the budgets of today leave a person in a configuration; None = no limit, 0 = used up.

    A limit of tokens or cost counts only when it is used up: nobody knows what a request will need.
    """
    day = day_of(clock.now())
    own = Budget(
        requests=settings.person_requests_day, tokens=settings.person_tokens_day, cost=settings.person_cost_day
    )
    shared = find_budget(connection, configuration_id)
    left: list[int] = []
    for budget, payer in ((own, {"user_id": person_id}), (shared, {"configuration_id": configuration_id})):
        if budget.is_limited:
            used = find_used(connection, day, **payer)
            if spent_unit(budget, used) is not None:
                return 0
            left += [budget.requests - used.requests] if budget.requests else []
    return min(left) if left else None


def spent_unit(budget: Budget, used: Used) -> Unit | None:
    """What is used up: the incoming request counts as one, tokens and cost as far as they are known (runtime.md section 13)."""
    if budget.requests and used.requests + 1 > budget.requests:
        return Unit.REQUESTS
    if budget.tokens and used.tokens >= budget.tokens:
        return Unit.TOKENS
    if budget.cost and used.cost_micro >= budget.cost * _MICRO:
        return Unit.COST
    return None


def find_used(
    connection: Connection, day: str, *, user_id: int | None = None, configuration_id: int | None = None
) -> Used:
    """What a person, a configuration or both together used on ``day``."""
    sums = [func.coalesce(func.sum(_usage.c[name]), 0) for name in _COUNTED]
    wanted = select(*sums).where(_usage.c.day == day)
    if user_id is not None:
        wanted = wanted.where(_usage.c.user_id == user_id)
    if configuration_id is not None:
        wanted = wanted.where(_usage.c.configuration_id == configuration_id)
    requests, read, written, cost = connection.execute(wanted).one()
    return Used(requests=int(requests), tokens=int(read) + int(written), cost_micro=int(cost))


def find_budget(connection: Connection, configuration_id: int) -> Budget:
    """The limits of a configuration; none for one that does not exist."""
    row = connection.execute(_BUDGET, {"configuration": configuration_id}).first()
    return Budget() if row is None else Budget(requests=row[0], tokens=row[1], cost=row[2])


def _adding(insert: Any) -> Any:
    fresh = insert(_usage)
    grown = {name: _usage.c[name] + fresh.excluded[name] for name in _COUNTED}
    return fresh.on_conflict_do_update(index_elements=[_usage.c[name] for name in _KEY], set_=grown)


_ADD = {"sqlite": _adding(sqlite.insert), "postgresql": _adding(postgresql.insert)}
# Built once: every round of every run asks them (perf.md A1).
_BUDGET = select(
    _configurations.c.budget_requests_day, _configurations.c.budget_tokens_day, _configurations.c.budget_cost_day
).where(_configurations.c.id == bindparam("configuration"))
