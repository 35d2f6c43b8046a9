"""Forms and queries asked by four kinds of people: unknown and forbidden are one answer, and nothing is written (I21, I25)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
from flask import Flask

from app.seed.demo import DemoSite
from tests.support.assignments import Assignments
from tests.support.visitor import Visitor
from tests.web.test_census import (
    ARCHIVED_FILE,
    OUTSIDERS,
    UNKNOWN_ID,
    Place,
    address,
    bare,
    checksums,
    hidden_places,
    routes,
    unknown,
    waiting,
)

__all__ = ["waiting"]


def fields(site: DemoSite) -> dict[str, str]:
    """What the forms send, filled in plausibly: the loader answers and not the check of a field."""
    return {
        "body": "Hello",
        "token": "t",
        "decision": "approve",
        "digest": "d",
        "title": "T",
        "header": "H",
        "pinned": "yes",
        "archived": "yes",
        "hidden": "1",
        "to": str(site.pages["about"]),
        "place": "last",
        "language-id": "1",
        "language": "0",
        "name": "other.png",
        "folder": "/editorial/",
        "storage": "1",
        "workspace": "1",
        "every": "yes",
        "username": "anna",
        "person": "2",
        "model": "builtin",
    }


def filled(rule: str, site: DemoSite) -> dict[str, str]:
    return {**fields(site), **({"to": "ready", "chosen": "pages:1"} if rule.startswith("/workspaces/") else {})}


@pytest.mark.parametrize("username", [*OUTSIDERS, "cem"])
def test_every_form_answers_forbidden_as_unknown(
    app: Flask, site: DemoSite, waiting: Assignments, username: str
) -> None:
    visitor = Visitor(app, site, username)
    assert visitor.csrf
    before = checksums()
    for place in places_for(username, site, waiting):
        for rule in routes(app, "POST"):
            if not rule.arguments or "token" in rule.arguments:
                continue
            if place.table != "pages" and not rule.arguments >= {"table", "uid"}:
                continue
            closed, nowhere = address(app, rule, place), address(app, rule, unknown(place))
            first = bare(visitor.post(closed, **filled(rule.rule, site)), closed)
            assert first == bare(visitor.post(nowhere, **filled(rule.rule, site)), nowhere), (username, closed)
            refused = 403 if app.view_functions[rule.endpoint].__dict__["__guard__"].allows else 404
            assert first[0] == refused, (username, closed, first[0])
    assert checksums() == before


def places_for(username: str, site: DemoSite, waiting: Assignments) -> Iterator[Place]:
    """Cem is a member of Campaign, so that the workspace of others is another one for him."""
    for place in hidden_places(site, waiting):
        draft = site.people.workspaces["Relaunch" if username == "cem" else "Campaign"]
        yield Place(**{**{name: getattr(place, name) for name in place.__dataclass_fields__}, "workspace_id": draft})


def test_a_form_of_a_stranger_is_refused_alike(app: Flask, site: DemoSite, waiting: Assignments) -> None:
    stranger = Visitor(app, site)
    assert stranger.csrf
    before = checksums()
    for place in hidden_places(site, waiting):
        for rule in routes(app, "POST"):
            if not app.view_functions[rule.endpoint].__dict__["__guard__"].needs_sign_in:
                continue
            closed, nowhere = address(app, rule, place), address(app, rule, unknown(place))
            first = bare(stranger.post(closed, **filled(rule.rule, site)), closed)
            assert first == bare(stranger.post(nowhere, **filled(rule.rule, site)), nowhere), closed
            assert first[0] == 401, (closed, first[0])
    assert checksums() == before


def test_an_administrator_finds_nothing_where_nothing_is(app: Flask, site: DemoSite, waiting: Assignments) -> None:
    admin = Visitor(app, site, "admin")
    assert admin.csrf
    before = checksums()
    place = unknown(next(hidden_places(site, waiting)))
    for rule in routes(app, "GET"):
        if rule.arguments and "token" not in rule.arguments and rule.arguments != {"table"}:
            assert admin.get(address(app, rule, place)).status_code == 404, rule.rule
    for rule in routes(app, "POST"):
        if rule.arguments and "token" not in rule.arguments and rule.arguments != {"table"}:
            assert admin.post(address(app, rule, place), **filled(rule.rule, site)).status_code == 404, rule.rule
    assert checksums() == before


QUERIES = (
    "/records/pages/new?page={page}",
    "/records/content_elements/new?page={page}",
    "/records/contacts/new?page={page}",
    "/records/pages/{hours}/move?to={page}",
    "/workspaces/1/records/pages/{page}",
    "/site/en/{page}?workspace={workspace}",
    "/site/?workspace={workspace}",
    "/records/pages/{hours}/history?workspace={workspace}",
    "/files?storage=1&folder={folder}",
    "/files?storage={storage}&folder=/editorial/",
)


def numbers(site: DemoSite) -> tuple[Mapping[str, object], Mapping[str, object]]:
    """What is closed to everybody but administrators, and what is not there."""
    hours = site.pages["hours"]
    closed = {
        "hours": hours,
        "page": site.pages["staff"],
        "workspace": site.people.workspaces["Campaign"],
        "folder": "/archive/",
        "storage": 1,
    }
    missing = {"hours": hours, "page": UNKNOWN_ID, "workspace": UNKNOWN_ID, "folder": "/archive-none/", "storage": 1}
    return closed, missing


@pytest.mark.parametrize("is_form", [False, True], ids=["page", "form"])
@pytest.mark.parametrize("username", ["gus", "dora", "emil", "anna"])
def test_numbers_in_queries_are_checked_like_those_in_paths(
    app: Flask, site: DemoSite, waiting: Assignments, username: str, is_form: bool
) -> None:
    visitor = Visitor(app, site, username)
    assert visitor.csrf
    before = checksums()
    for pattern in QUERIES:
        if is_form and "/new?" not in pattern:
            continue
        closed, nowhere = (pattern.format(**found) for found in numbers(site))
        asked = [visitor.post(found, **fields(site)) if is_form else visitor.get(found) for found in (closed, nowhere)]
        first, second = (
            bare(found, address.replace("&", "&amp;")) for found, address in zip(asked, (closed, nowhere), strict=True)
        )
        assert plain(first, closed) == plain(second, nowhere), (username, closed)
        assert first[0] in ({200, 404} if "storage={storage}" in pattern else {404}), (closed, first[0])
    assert checksums() == before


def plain(found: tuple[int, dict[str, str], str], asked: str) -> tuple[int, dict[str, str], str]:
    """Without the query, which a page repeats in its links to other languages."""
    return found[0], found[1], found[2].replace(asked, "ADDRESS").replace(quoted(asked), "ADDRESS")


def quoted(asked: str) -> str:
    return asked.replace("/", "%2F").replace("%2F", "/", asked.partition("?")[0].count("/")).replace("&", "&amp;")


def test_files_of_others_are_no_files(app: Flask, site: DemoSite) -> None:
    for username in ("gus", "fay", "anna"):
        visitor = Visitor(app, site, username)
        for part in ("", "/content", "/thumbnail", "/place", "/deletion"):
            closed, nowhere = f"/files/{ARCHIVED_FILE}{part}", f"/files/{UNKNOWN_ID}{part}"
            first = bare(visitor.get(closed), closed)
            assert first == bare(visitor.get(nowhere), nowhere)
            assert first[0] == 404
