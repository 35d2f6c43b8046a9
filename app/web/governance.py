"""Refusals for auditors: filters, counts, and the same rows as CSV or JSON. Never arguments or explanations (DW-08)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from urllib.parse import urlencode

from flask import Blueprint, Response, make_response, request, url_for
from sqlalchemy.engine import Connection

from app.agent.governance import Refusal, RefusalFilter, count_refusals, known_values, list_refusals
from app.core import clock
from app.policy.identity import GRANT_AUDIT
from app.web import render
from app.web.arguments import optional_number
from app.web.current import current
from app.web.governance_views import governance_page, refusal_facts
from app.web.guards import requires

bp = Blueprint("governance", __name__)
PAGE = 50
MOST_EXPORTED = 10_000
DAY = 86_400
DAYS = (1, 7, 30, 365)
LONGEST_WORD = 120
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@bp.get("/governance")
@requires(GRANT_AUDIT)
def index() -> Response:
    """The newest refusals that match the filters, and how often each kind occurred."""
    connection, wanted = current().connection, _filter()
    found = list_refusals(connection, wanted, limit=PAGE + 1, before_id=optional_number("before"))
    view = governance_page(
        connection,
        found[:PAGE],
        counts=count_refusals(connection, wanted),
        known=known_values(connection),
        registry=current().runtime.registry,
    )
    older = _address("governance.index", before=str(found[PAGE - 1].id)) if len(found) > PAGE else None
    return render.page(
        "governance/index.html",
        view=view,
        asked=_asked(),
        days=DAYS,
        older_url=older,
        csv_url=_address("governance.export", format="csv"),
        json_url=_address("governance.export", format="json"),
        is_later_part=bool(request.args.get("before")),
    )


@bp.get("/governance/export")
@requires(GRANT_AUDIT)
def export() -> Response:
    """The refusals that match, as a file; at most 10,000, newest first."""
    rows = list(_exported(current().connection, _filter()))
    is_csv = request.args.get("format") != "json"
    body = _csv(rows) if is_csv else json.dumps(rows, ensure_ascii=False, indent=1)
    response = make_response(body)
    response.headers["Content-Type"] = "text/csv; charset=utf-8" if is_csv else "application/json"
    response.headers["Content-Disposition"] = f'attachment; filename="governance.{"csv" if is_csv else "json"}"'
    return response


def _exported(connection: Connection, wanted: RefusalFilter) -> Iterator[dict[str, str | int]]:
    for refusal in list_refusals(connection, wanted, limit=MOST_EXPORTED):
        yield refusal_facts(refusal)


def _csv(rows: list[dict[str, str | int]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(Refusal.__slots__)
    for row in rows:
        writer.writerow([_cell(row[name]) for name in Refusal.__slots__])
    return file.getvalue()


def _cell(value: str | int) -> str | int:
    """A text that a spreadsheet would take for a formula gets a quotation mark in front (B54)."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _filter() -> RefusalFilter:
    asked, days = _asked(), optional_number("days") or 0
    return RefusalFilter(
        decision=asked["decision"],
        rule=asked["rule"],
        reason=asked["reason"],
        tool=asked["tool"],
        configuration_id=optional_number("configuration") or 0,
        since=clock.now() - days * DAY if 0 < days <= DAYS[-1] else 0,
    )


def _asked() -> dict[str, str]:
    """The filters as they stand in the address."""
    names = ("decision", "rule", "reason", "tool", "configuration", "days")
    return {name: request.args.get(name, "")[:LONGEST_WORD] for name in names}


def _address(endpoint: str, **further: str) -> str:
    asked = {name: value for name, value in _asked().items() if value}
    return f"{url_for(endpoint)}?{urlencode({**asked, **further})}"
