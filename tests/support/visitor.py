"""A signed-in person with a browser that has no script, or with the page's script asking for parts."""

from __future__ import annotations

import json
from typing import Any

from bs4 import BeautifulSoup, Tag
from flask import Flask
from werkzeug.test import TestResponse

from app.accounts import sessions
from app.core.db import transaction
from app.seed.demo import DemoSite

HTMX = {"HX-Request": "true"}


class Visitor:
    """``Visitor(app, site, "anna")``; every request has a context of its own, as in a server."""

    def __init__(self, app: Flask, site: DemoSite, username: str | None = None) -> None:
        self._app = app
        self._client = app.test_client()
        self._csrf = ""
        if username is not None:
            with transaction() as connection:
                token = sessions.open_session(connection, site.people.users[username], "test")
            with app.app_context(), self._client.session_transaction() as session:
                session["_user_id"] = token
                session["_fresh"] = True

    def get(self, path: str, **headers: str) -> TestResponse:
        """A page; header names with underscores."""
        with self._app.app_context():
            return self._client.get(path, headers=_named(headers), buffered=True)

    def head(self, path: str) -> TestResponse:
        """Only the headers of a page."""
        with self._app.app_context():
            return self._client.head(path, buffered=True)

    def ask(self, path: str) -> TestResponse:
        """A part of a page, as the page's script asks for it."""
        with self._app.app_context():
            return self._client.get(path, headers=HTMX, buffered=True)

    def post(self, path: str, *, script: bool = False, **form: Any) -> TestResponse:
        """Send a form with the token of this browser."""
        data = {"csrf_token": self.csrf, **form}
        with self._app.app_context():
            return self._client.post(path, data=data, headers=HTMX if script else {})

    @property
    def csrf(self) -> str:
        """The token every form of this browser carries."""
        if not self._csrf:
            field = tree(self.get("/preferences")).select_one("input[name=csrf_token]")
            assert field is not None
            self._csrf = str(field["value"])
        return self._csrf


def _named(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def tree(response: TestResponse) -> BeautifulSoup:
    """The answer as a document."""
    return BeautifulSoup(response.get_data(as_text=True), "html5lib")


def one(found: BeautifulSoup | Tag, selector: str) -> Tag:
    """The only element of ``selector``."""
    elements = found.select(selector)
    assert len(elements) == 1, (selector, len(elements))
    return elements[0]


def signals(response: TestResponse) -> dict[str, Any]:
    """The events of an answer; the header is plain ASCII."""
    header = response.headers.get("HX-Trigger", "{}")
    assert header.isascii()
    return dict(json.loads(header))
