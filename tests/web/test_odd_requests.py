"""Odd values in every part of every route never end in an error of the server (I30, B1 to B15, B53)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

import pytest
from flask import Flask
from werkzeug.routing import Rule

from app.content.schema import REGISTRY
from app.seed.demo import DemoSite
from tests.support.assignments import Assignments
from tests.support.page import PageClient
from tests.web.test_census import Place, address, checksums, routes, waiting

__all__ = ["waiting"]
ODD = (
    "",
    "0",
    "-1",
    "9007199254740993",
    "99999999999999999999999999",
    "1e9",
    "NaN",
    "٣",
    "²",
    "x" * 5_000,
    "../../etc/passwd",
    "a\nb\r\nSet-Cookie: x=1",
    "\u202e\u2028\ufeff",
    "e" + "\u0301" * 500,
    "%s %(x)s {0} {{7*7}} ${x}",
    "' OR 1=1 --",
    "pages:1",
    "pages:99999999999999999999",
    ":::",
    "1.2.3",
    "2026-99-99T99:99",
    "9999-12-31T23:59",
    "0001-01-01T00:00",
    "\U0001f3db\ufe0f",
)
NAMES = (
    *("q", "page", "part", "in", "after", "before", "to", "workspace", "deleted", "all", "record", "problem", "lang"),
    *(
        "storage",
        "folder",
        "changes",
        "card",
        "rev",
        "next",
        "decision",
        "reason",
        "run",
        "configuration",
        "from",
        "until",
    ),
)
"""Parameters of queries."""
FIELDS = (
    *("title", "name", "folder", "storage", "language", "seen", "alternative", "description", "place", "to", "hidden"),
    *(
        "language-id",
        "with-content",
        "subpages",
        "in-language",
        "in-workspace",
        "seen-row",
        "opened",
        "chosen",
        "overwrite",
    ),
    *("workspace", "next", "body", "token", "decision", "digest", "reason", "username", "password", "model", "every"),
)
RECORD_FIELDS = tuple(sorted({field.name for trait in REGISTRY.values() for field in trait.fields}))
AWAY = ("/sign-out", "/password/", "/setup/", "/configurations/<id:configuration_id>/connection")
"""What ends the sign-in this test needs, takes a secret, or asks the scripted model."""


@pytest.fixture
def places(site: DemoSite, waiting: Assignments) -> tuple[Place, ...]:
    """Where Anna and the administrator may be: a page, and every other table by its first number."""
    return tuple(
        Place(
            conversation_id=waiting.id,
            run_uuid=waiting.run_uuid,
            workspace_id=site.people.workspaces["Relaunch"],
            table=table,
            uid=site.pages["hours"] if table == "pages" else 1,
        )
        for table in sorted(REGISTRY, key=lambda name: name != "pages")
    )


def asked(app: Flask, places: tuple[Place, ...], method: str) -> Iterator[tuple[Rule, str]]:
    for rule in routes(app, method):
        if not rule.rule.startswith(AWAY):
            for place in places if "table" in rule.arguments else places[:1]:
                yield rule, address(app, rule, place)


@pytest.mark.parametrize("username", ["anna", "admin"])
def test_odd_queries_never_break_a_page(app: Flask, site: DemoSite, places: tuple[Place, ...], username: str) -> None:
    browser = PageClient(app).sign_in_as(site.people.users[username])
    chance = random.Random(f"queries {username}")  # noqa: S311  the same ones each time
    before = checksums()
    for rule, path in asked(app, places, "GET"):
        for odd in (chance.sample(ODD, 2), chance.sample(ODD, 2)):
            query = dict(zip(chance.sample(NAMES, 2), odd, strict=True))
            found = browser.client.get(path, query_string=query, buffered=True)
            assert found.status_code < 500, (rule.rule, query, found.status_code)
        own = {name: chance.choice(ODD) for name in NAMES}
        assert browser.client.get(path, query_string=own, buffered=True).status_code < 500, (rule.rule, own)
    assert checksums() == before


@pytest.mark.parametrize("round_number", [1, 2])
@pytest.mark.parametrize("username", ["anna", "admin"])
def test_odd_fields_never_break_a_form(
    app: Flask, site: DemoSite, places: tuple[Place, ...], username: str, round_number: int
) -> None:
    browser = PageClient(app).sign_in_as(site.people.users[username])
    token = browser.token()
    chance = random.Random(f"forms {username} {round_number}")  # noqa: S311  the same ones each time
    for rule, path in asked(app, places, "POST"):
        fields: Mapping[str, str] = {name: chance.choice(ODD) for name in (*FIELDS, *RECORD_FIELDS)}
        found = browser.client.post(path, data={**fields, "csrf_token": token}, buffered=True)
        assert found.status_code < 500, (rule.rule, fields, found.status_code)
        few = {name: fields[name] for name in chance.sample(sorted(fields), 3)}
        found = browser.client.post(path, data={**few, "csrf_token": token}, buffered=True)
        assert found.status_code < 500, (rule.rule, few, found.status_code)
    assert browser.client.get("/pages").status_code == 200, "signed in until the end, so that the forms were read"


@pytest.mark.parametrize(
    "tail", ["%00", "%FF", "%ED%A0%80", "%0d%0aX", "..%2f..", "%E2%80%AE", "9" * 40, "x" * 3_000, "%252e", "1/1/1"]
)
def test_odd_ends_of_paths_never_break(app: Flask, site: DemoSite, places: tuple[Place, ...], tail: str) -> None:
    browser = PageClient(app).sign_in_as(site.people.users["admin"])
    stems = {path.rsplit("/", 1)[0] for _, path in asked(app, places[:1], "GET")}
    for stem in sorted(stems):
        found = browser.client.get(f"{stem}/{tail}", buffered=True)
        assert found.status_code in {200, 301, 303, 308, 400, 404}, (stem, tail, found.status_code)
