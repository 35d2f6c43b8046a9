"""Governance: what was refused, for auditors, on a page and as files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable

import pytest
from flask import Flask

from app.agent.governance import GovernanceDecision, record_refusal
from app.core.db import transaction
from app.seed.demo import DemoSite
from tests.support.clock import FakeClock
from tests.support.page import PageClient
from tests.support.visitor import Visitor

BrowserOf = Callable[[str], PageClient]
DAY = 86_400


@pytest.fixture
def refusals(app: Flask, site: DemoSite, clock: FakeClock) -> None:
    """Three refusals: two of a rule, one of a tool whose name a model made up."""
    anna = site.people.users["anna"]
    with transaction() as connection:
        for reason in ("live_workspace", "workspace_unavailable"):
            record_refusal(
                connection,
                run_uuid="00000000-0000-4000-8000-00000000000a",
                decision=GovernanceDecision.INVOCATION_DENIED,
                rule="draft_workspace_required",
                reason=reason,
                tool="hide_record",
                configuration_id=1,
                user_id=anna,
            )
    clock.advance(10 * DAY)
    with transaction() as connection:
        record_refusal(
            connection,
            run_uuid="00000000-0000-4000-8000-00000000000b",
            decision=GovernanceDecision.TOOL_DENIED,
            rule="offer",
            reason="not_registered",
            tool="=HYPERLINK(1)",
            configuration_id=1,
            user_id=anna,
        )


def rows(page: PageClient, address: str) -> list[tuple[str, str]]:
    found = page.get(address).soup.select("tr[data-decision]")
    return [(str(row["data-decision"]), str(row["data-reason"])) for row in found]


@pytest.mark.usefixtures("refusals")
def test_it_lists_refusals_newest_first_with_words_and_codes(browser_of: BrowserOf) -> None:
    admin = browser_of("admin")
    assert rows(admin, "/governance") == [
        ("tool_denied", "not_registered"),
        ("invocation_denied", "workspace_unavailable"),
        ("invocation_denied", "live_workspace"),
    ]
    words = admin.get("/governance").soup.get_text(" ", strip=True)
    assert "A rule refused the step" in words
    assert "Draft workspace required" in words
    assert "Editorial" in words


@pytest.mark.usefixtures("refusals")
@pytest.mark.parametrize(
    ("query", "reasons"),
    [
        ("rule=draft_workspace_required", {"live_workspace", "workspace_unavailable"}),
        ("reason=live_workspace", {"live_workspace"}),
        ("decision=tool_denied", {"not_registered"}),
        ("tool=hide_record", {"live_workspace", "workspace_unavailable"}),
        ("configuration=2", set()),
        ("days=7", {"not_registered"}),
        ("rule=no_such_rule", set()),
    ],
)
def test_it_filters(browser_of: BrowserOf, query: str, reasons: set[str]) -> None:
    admin = browser_of("admin")
    assert {reason for _, reason in rows(admin, f"/governance?{query}")} == reasons
    exported = json.loads(admin.get(f"/governance/export?format=json&{query}").html)
    assert {row["reason"] for row in exported} == reasons


@pytest.mark.usefixtures("refusals")
def test_its_csv_holds_no_formula(browser_of: BrowserOf) -> None:
    answer = browser_of("admin").get("/governance/export?format=csv")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert "attachment" in answer.headers["Content-Disposition"]
    found = list(csv.DictReader(io.StringIO(answer.html)))
    assert found[0]["tool"] == "'=HYPERLINK(1)"
    assert len(found) == 3


@pytest.mark.usefixtures("refusals")
@pytest.mark.parametrize("address", ["/governance", "/governance/export?format=json"])
def test_it_is_for_auditors_only(app: Flask, site: DemoSite, address: str) -> None:
    assert Visitor(app, site, "admin").get(address).status_code == 200
    for name in ("anna", "ben", "gus"):
        assert Visitor(app, site, name).get(address).status_code == 403


def test_it_pages_by_what_came_before(app: Flask, browser_of: BrowserOf) -> None:
    with transaction() as connection:
        for number in range(60):
            record_refusal(
                connection, run_uuid="", decision=GovernanceDecision.TOOL_DENIED, reason=f"r{number:02}", rule="offer"
            )
    admin = browser_of("admin")
    first = admin.get("/governance").soup
    older = first.find("a", string="Older refusals")
    assert older is not None
    listed = [str(row["data-reason"]) for row in first.select("tr[data-decision]")]
    rest = [reason for _, reason in rows(admin, str(older["href"]))]
    assert [*listed, *rest] == [f"r{number:02}" for number in reversed(range(60))]
