"""Every route there is, asked by everybody: I21 to I23 of reliability.md. A new route is in this census by being one."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pytest
from flask import Flask
from sqlalchemy import select
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from app.content.models import ContentElement
from app.core.db import db, reading
from app.seed.demo import DemoSite
from app.web.guards import Guard
from tests.support.assignments import DONE, Assignments
from tests.support.clock import FakeClock
from tests.support.visitor import Visitor

UNKNOWN_UUID = "00000000-0000-4000-8000-000000000000"
UNKNOWN_ID = 987_654
ARCHIVED_FILE = 3
"""A file of the demo in a folder none of the outsiders has a mount on."""
NO_SUCH_TOKEN = "no-such-token-but-long-enough"
OUTSIDERS = ("gus", "dora", "emil")
UNGUARDED = {"static"}
TOKENS = re.compile(r'(name="(?:csrf_token|token)"[^>]*value=)"[^"]*"')
LEFT_OUT = {"Set-Cookie", "Date", "Content-Length"}


@dataclass(frozen=True, kw_only=True)
class Place:
    """Values for the variables of a route."""

    conversation_id: int
    run_uuid: str
    workspace_id: int
    table: str
    uid: int
    configuration_id: int = 1
    file_uid: int = 1
    user_id: int = 1
    group_id: int = 1
    token: str = NO_SUCH_TOKEN

    def values(self) -> Mapping[str, object]:
        found = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {**found, "address": f"en/{self.uid}-opening-hours", "name": "picture.png"}


@pytest.fixture
def waiting(assignments: Assignments, site: DemoSite) -> Assignments:
    """A conversation of Anna with changes and a waiting card; nobody else reads it."""
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["hours"]})], DONE)
    assignments.decide()
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["directions"]})], DONE)
    return assignments


def routes(app: Flask, method: str) -> list[Rule]:
    return [rule for rule in app.url_map.iter_rules() if method in (rule.methods or ()) and rule.endpoint != "static"]


def address(app: Flask, rule: Rule, place: Place) -> str:
    """The address of a route at a place; a variable the census does not know is a mistake of the census."""
    values = place.values()
    assert rule.arguments <= set(values), f"{rule.rule}: tell the census what {rule.arguments - set(values)} stands for"
    with app.test_request_context():
        return str(app.url_map.bind("localhost").build(rule.endpoint, {name: values[name] for name in rule.arguments}))


def unknown(place: Place) -> Place:
    return Place(
        conversation_id=UNKNOWN_ID,
        run_uuid=UNKNOWN_UUID,
        workspace_id=UNKNOWN_ID,
        table=place.table,
        uid=UNKNOWN_ID,
        configuration_id=UNKNOWN_ID,
        file_uid=UNKNOWN_ID,
        user_id=UNKNOWN_ID,
        group_id=UNKNOWN_ID,
    )


def forbidden(site: DemoSite, waiting: Assignments, table: str, uid: int) -> Place:
    campaign = site.people.workspaces["Campaign"]
    return Place(
        conversation_id=waiting.id,
        run_uuid=waiting.run_uuid,
        workspace_id=campaign,
        table=table,
        uid=uid,
        file_uid=ARCHIVED_FILE,
    )


def hidden_places(site: DemoSite, waiting: Assignments) -> Iterator[Place]:
    """Records that none of the outsiders may read: the closed area and the administration's tables."""
    staff = site.pages["staff"]
    element = ContentElement.__table__.c
    with reading() as connection:
        keys = connection.execute(select(element.uid).where(element.pid == staff)).scalars().first()
    assert keys is not None
    yield forbidden(site, waiting, "pages", staff)
    yield forbidden(site, waiting, "content_elements", keys)
    yield forbidden(site, waiting, "site_settings", 1)


def bare(response: TestResponse, asked: str) -> tuple[int, dict[str, str], str]:
    """Status, headers and body without what differs by nature: tokens and the address asked for itself."""
    body = TOKENS.sub(r"\1", response.get_data(as_text=True)).replace(asked, "ADDRESS")
    headers = {
        name: value.replace(asked, "ADDRESS") for name, value in response.headers.items() if name not in LEFT_OUT
    }
    location = headers.get("Location", "").replace(asked.replace("/", "%2F"), "ADDRESS")
    return response.status_code, {**headers, "Location": location}, body


def checksums() -> dict[str, str]:
    """Everything the database holds by table, except when somebody was last seen."""
    found = {}
    with reading() as connection:
        for table in db.metadata.sorted_tables:
            columns = [column for column in table.c if (table.name, column.name) != ("sign_in_session", "seen_at")]
            rows = connection.execute(select(*columns).order_by(*table.primary_key.columns)).all()
            found[table.name] = hashlib.sha256(repr([tuple(row) for row in rows]).encode()).hexdigest()
    return found


def test_every_route_declares_its_guard(app: Flask) -> None:
    without = [
        rule.endpoint
        for rule in app.url_map.iter_rules()
        if rule.endpoint not in UNGUARDED
        and not isinstance(getattr(app.view_functions[rule.endpoint], "__guard__", None), Guard)
    ]
    assert without == []


def test_what_is_public_is_on_this_list(app: Flask) -> None:
    found = {
        rule.rule
        for rule in app.url_map.iter_rules()
        if rule.endpoint not in UNGUARDED and not app.view_functions[rule.endpoint].__dict__["__guard__"].needs_sign_in
    }
    assert found == {
        "/accessibility",
        "/feedback",
        "/glossary",
        "/health",
        "/help",
        "/keyboard",
        "/password/<token:token>",
        "/preferences",
        "/ready",
        "/setup/<token:token>",
        "/sign-in",
        "/site/",
        "/site/<path:address>",
        "/site/files/<id:uid>/<string:name>",
    }


@pytest.mark.parametrize("is_part", [False, True], ids=["page", "part"])
@pytest.mark.parametrize("username", OUTSIDERS)
def test_unknown_and_forbidden_are_one_answer(
    app: Flask, site: DemoSite, waiting: Assignments, username: str, is_part: bool
) -> None:
    visitor = Visitor(app, site, username)
    ask = visitor.ask if is_part else visitor.get
    for place in hidden_places(site, waiting):
        for rule in [rule for rule in routes(app, "GET") if rule.arguments]:
            if place.table != "pages" and not rule.arguments >= {"table", "uid"}:
                continue
            closed, nowhere = address(app, rule, place), address(app, rule, unknown(place))
            first, second = bare(ask(closed), closed), bare(ask(nowhere), nowhere)
            assert first == second, (username, closed)
            refused = {403} if app.view_functions[rule.endpoint].__dict__["__guard__"].allows else {404, 400}
            assert first[0] in refused, (username, closed, first[0])


@pytest.mark.parametrize("username", OUTSIDERS)
def test_unknown_and_forbidden_are_one_answer_to_forms_too(
    app: Flask, site: DemoSite, waiting: Assignments, username: str
) -> None:
    visitor = Visitor(app, site, username)
    assert visitor.csrf
    before = checksums()
    place = next(hidden_places(site, waiting))
    fields = {
        "body": "Hello",
        "token": "t",
        "decision": "approve",
        "digest": "d",
        "title": "T",
        "pinned": "yes",
        "archived": "yes",
    }
    for rule in [rule for rule in routes(app, "POST") if rule.arguments and "token" not in rule.arguments]:
        closed, nowhere = address(app, rule, place), address(app, rule, unknown(place))
        first = bare(visitor.post(closed, **fields), closed)
        assert first == bare(visitor.post(nowhere, **fields), nowhere), (username, closed)
        refused = 403 if app.view_functions[rule.endpoint].__dict__["__guard__"].allows else 404
        assert first[0] == refused, (username, closed, first[0])
    assert checksums() == before


def test_a_stranger_learns_nothing_but_where_to_sign_in(app: Flask, site: DemoSite, waiting: Assignments) -> None:
    stranger = Visitor(app, site)
    for place in hidden_places(site, waiting):
        for rule in routes(app, "GET"):
            if not app.view_functions[rule.endpoint].__dict__["__guard__"].needs_sign_in:
                continue
            closed, nowhere = address(app, rule, place), address(app, rule, unknown(place))
            response = stranger.get(closed)
            assert response.status_code == 303, closed
            assert response.headers["Location"].startswith("/sign-in"), closed
            assert bare(response, closed) == bare(stranger.get(nowhere), nowhere)
            assert stranger.ask(closed).status_code == 401


def test_asking_changes_nothing(clock: FakeClock, app: Flask, site: DemoSite, waiting: Assignments) -> None:
    own = Place(
        conversation_id=waiting.id,
        run_uuid=waiting.run_uuid,
        workspace_id=site.people.workspaces["Relaunch"],
        table="pages",
        uid=site.pages["hours"],
    )
    visitors = [Visitor(app, site, name) for name in (None, "anna", "fay", "admin")]
    before = checksums()
    clock.advance(120)
    answered = set()
    for visitor in visitors:
        for rule in [*routes(app, "GET"), *reversed(routes(app, "GET"))]:
            asked = address(app, rule, own)
            answered |= {(rule.rule, visitor.get(asked).status_code), (rule.rule, visitor.ask(asked).status_code)}
            visitor.head(asked)
            visitor.get(f"{asked}?changes=1&q=a&workspace=0")
    assert checksums() == before
    assert {rule.rule for rule in routes(app, "GET")} == {
        rule for rule, status in answered if status in {200, 204, 303}
    } | {
        "/setup/<token:token>",
        "/password/<token:token>",
        "/site/files/<id:uid>/<string:name>",
    }


def test_a_form_without_its_token_is_refused_everywhere(app: Flask, site: DemoSite, waiting: Assignments) -> None:
    own = Place(
        conversation_id=waiting.id,
        run_uuid=waiting.run_uuid,
        workspace_id=site.people.workspaces["Relaunch"],
        table="pages",
        uid=site.pages["hours"],
    )
    visitors = [Visitor(app, site, "anna"), Visitor(app, site)]
    before = checksums()
    for visitor in visitors:
        for rule in routes(app, "POST"):
            asked = address(app, rule, own)
            for token in ("", "forged"):
                assert visitor.post(asked, csrf_token=token, body="Hello").status_code == 403, asked
                assert visitor.post(asked, script=True, csrf_token=token, body="Hello").status_code == 403, asked
    assert checksums() == before
