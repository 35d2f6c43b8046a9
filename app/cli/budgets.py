"""``imprimatur configuration budget``: what a configuration may use of its model on one day, and what it has used today."""

from __future__ import annotations

import click

from app.agent.budgets import Budget, day_of, find_budget, find_used
from app.agent.configurations import set_configuration
from app.cli.installation import Installation, echo_table, in_application
from app.cli.lookups import configuration_named
from app.core import clock
from app.core.db import reading, transaction

_LIMIT = click.IntRange(min=0)


@click.command("budget")
@click.argument("name")
@click.option("--requests", type=_LIMIT, help="Requests on one day (UTC); 0 = no limit.")
@click.option("--tokens", type=_LIMIT, help="Tokens read and written on one day; 0 = no limit.")
@click.option("--cost", type=_LIMIT, help="Cost of one day in hundredths of the currency of the prices; 0 = no limit.")
@in_application
def budget_command(
    _installation: Installation, name: str, requests: int | None, tokens: int | None, cost: int | None
) -> None:
    """Show, or set and show, the limits of a configuration for one day. They count from the next request on."""
    with transaction() as connection:
        number = configuration_named(connection, name).id
        before = find_budget(connection, number)
        after = Budget(
            requests=before.requests if requests is None else requests,
            tokens=before.tokens if tokens is None else tokens,
            cost=before.cost if cost is None else cost,
        )
        set_configuration(
            connection,
            number,
            budget_requests_day=after.requests,
            budget_tokens_day=after.tokens,
            budget_cost_day=after.cost,
        )
    with reading() as connection:
        used = find_used(connection, day_of(clock.now()), configuration_id=number)
    rows = (
        ("requests", used.requests, after.requests or "no limit"),
        ("tokens", used.tokens, after.tokens or "no limit"),
        ("cost in hundredths", f"{used.cost_micro / 10_000:.2f}", after.cost or "no limit"),
    )
    echo_table(("of today", "used", "limit"), rows)
