"""Every address says who may use it and looks like the others."""

from __future__ import annotations

import re

import pytest
from flask import Flask

OPEN_ENDPOINTS = {"static"}
"""Flask's own view of the static files has no place for a decorator; what lies there is public."""

SITE = "/site/"
"""The first page of the site, whose other pages lie below it as in a folder (the contract of its addresses)."""

_SEGMENT = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z]+)?")
_VARIABLE = re.compile(r"<(?:(?P<converter>[^:<>]+):)?(?P<name>[^<>]+)>")


def rule_problems(rule: str) -> list[str]:
    """What is wrong with an address of the address map."""
    found = [f"<{match['name']}> has no type" for match in _VARIABLE.finditer(rule) if not match["converter"]]
    for segment in _VARIABLE.sub("", rule).strip("/").split("/"):
        if segment and not _SEGMENT.fullmatch(segment):
            found.append(f"{segment!r} is not kebab-case")
    if rule not in {"/", SITE} and rule.endswith("/"):
        found.append("it ends in a slash, so that there are two addresses for one page")
    return found


def unguarded(app: Flask) -> list[str]:
    """Endpoints whose view carries no guard."""
    endpoints = {rule.endpoint for rule in app.url_map.iter_rules()} - OPEN_ENDPOINTS
    return sorted(name for name in endpoints if getattr(app.view_functions[name], "__guard__", None) is None)


def test_it_guards_every_view(app: Flask) -> None:
    found = unguarded(app)
    assert not found, f"a view without @requires or @public is open by accident, not by decision: {found}"


def test_it_writes_addresses_in_one_way(app: Flask) -> None:
    found = {rule.rule: bad for rule in app.url_map.iter_rules() if (bad := rule_problems(rule.rule))}
    assert not found, f"addresses are a contract: kebab-case, typed variables, no slash at the end: {found}"


def test_it_changes_nothing_on_get(app: Flask) -> None:
    writing = {"POST", "PUT", "PATCH", "DELETE"}
    found = sorted(rule.rule for rule in app.url_map.iter_rules() if (rule.methods or set()) & (writing - {"POST"}))
    assert not found, f"forms send GET and POST only, and work without JavaScript: {found}"


@pytest.mark.parametrize(
    "rule", ["/signIn", "/sign_in", "/runs/<uuid>", "/runs/<uuid:id>/Card", "/pages/", "/conversations/<int:id>/x_y"]
)
def test_it_notices_a_bad_address(rule: str) -> None:
    assert rule_problems(rule)


@pytest.mark.parametrize("rule", ["/", "/sign-in", "/runs/<uuid:run>/card", "/site/<path:path>", "/favicon.ico"])
def test_it_allows_a_good_address(rule: str) -> None:
    assert rule_problems(rule) == []


def test_it_notices_an_open_view() -> None:
    app = Flask(__name__)

    def closed() -> str:
        return ""

    def open_by_accident() -> str:
        return ""

    closed.__dict__["__guard__"] = "public"
    app.add_url_rule("/a", view_func=closed)
    app.add_url_rule("/b", view_func=open_by_accident)
    assert unguarded(app) == ["open_by_accident"]
