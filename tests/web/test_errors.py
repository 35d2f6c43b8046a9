"""Every error as one sentence, in the shape the request asks for."""

from __future__ import annotations

import pytest
from flask import Flask
from sqlalchemy.exc import OperationalError

from app.content.errors import WriteRefused, not_found
from app.core.errors import Conflict, Forbidden, Invalid, NotFound, TooMany, Unavailable
from app.core.i18n import text
from tests.support.page import PageClient

SECRET = "sqlite path and a title"


def raising(app: Flask, error: Exception) -> None:
    guard = app.view_functions["info.help_page"].__dict__["__guard__"]

    def view() -> str:
        raise error

    view.__dict__["__guard__"] = guard
    app.view_functions["info.help_page"] = view


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (NotFound(SECRET), 404),
        (not_found(), 404),
        (Forbidden(SECRET), 403),
        (Conflict(SECRET), 409),
        (Invalid(SECRET), 422),
        (WriteRefused("title_missing", text("Enter a title.")), 422),
        (TooMany(SECRET, retry_after=7), 429),
        (Unavailable(SECRET), 503),
        (OperationalError(SECRET, None, Exception(SECRET)), 503),
        (RuntimeError(SECRET), 500),
    ],
)
def test_it_gives_every_family_a_status_and_a_sentence(
    app: Flask, anna: PageClient, error: Exception, status: int
) -> None:
    app.config["PROPAGATE_EXCEPTIONS"] = app.config["TESTING"] = False
    raising(app, error)
    page = anna.get("/help")
    part = anna.get("/help", headers={"HX-Request": "true"})
    data = anna.get("/help", headers={"Accept": "application/json"})
    assert page.status == part.status == data.status == status
    assert page.heading
    assert not part.all("h1")
    assert data.response.get_json()["error"]
    assert SECRET not in page.html + part.html + data.html
    if status == 429:
        assert page.headers["Retry-After"] == "7"
    if status == 503:
        assert page.headers["Retry-After"] == "5"


def test_it_comes_out_whatever_failed(app: Flask, anonymous: PageClient, monkeypatch: pytest.MonkeyPatch) -> None:
    app.config["PROPAGATE_EXCEPTIONS"] = app.config["TESTING"] = False

    def broken(*_values: object, **_named: object) -> str:
        raise RuntimeError(SECRET)

    monkeypatch.setattr("app.web.render.render_template", broken)
    found = anonymous.get("/sign-in")
    assert found.status == 500
    assert found.headers["Content-Type"].startswith("text/plain")
    assert SECRET not in found.html


def test_it_says_the_same_of_unknown_addresses_and_missing_records(anna: PageClient) -> None:
    assert anna.get("/nowhere").text == anna.get("/pages/987654").text
