"""One-time links."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask

from app.accounts import service
from app.core.db import transaction
from app.seed.demo import DemoSite
from tests.support.clock import FakeClock
from tests.support.page import PageClient

PASSWORD = "a quiet morning at the ferry"
ENTRIES = {"username": "ada", "name": "Ada Lovelace", "password": PASSWORD, "repeated": PASSWORD}


def link(purpose: str, user_id: int = 0) -> str:
    with transaction() as connection:
        return f"/{purpose}/{service.create_link(connection, purpose, user_id)}"


def test_it_makes_the_first_administrator(app: Flask, anonymous: PageClient) -> None:
    path = link("setup")
    done = anonymous.follow(anonymous.submit(anonymous.get(path), "form#setup", **ENTRIES))
    assert done.heading == "You are the first administrator"
    assert "What to do next" in done.text
    assert anonymous.get(path).status == 404
    assert anonymous.client.get_cookie("sid") is not None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("password", "short"),
        ("repeated", "another quiet morning"),
        ("username", ""),
        ("username", "a b"),
        ("username", "a\u0434a"),  # Cyrillic in the middle of Latin
        ("username", "anna"),
    ],
)
def test_it_says_what_is_wrong_and_keeps_the_rest(app: Flask, anonymous: PageClient, field: str, value: str) -> None:
    """B30"""
    path = link("setup")
    refused = anonymous.submit(anonymous.get(path), "form#setup", **(ENTRIES | {field: value}))
    assert refused.status == 422
    assert refused.one(".error-summary a")["href"] == f"#{field}"
    assert refused.values("form#setup")["name"] == "Ada Lovelace"
    assert refused.values("form#setup")["password"] == ""
    assert anonymous.get(path).status == 200


def test_it_opens_nothing_once_somebody_administers(app: Flask, anonymous: PageClient, site: DemoSite) -> None:
    path = link("setup")
    with transaction() as connection:
        service.set_password(connection, site.people.users["admin"], "x")
    assert anonymous.get(path).status == 404
    assert anonymous.post(path, ENTRIES).status == 404


def test_it_sets_a_password_and_ends_every_sign_in(
    anonymous: PageClient, browser_of: Callable[[str], PageClient], site: DemoSite
) -> None:
    anna, path = browser_of("anna"), link("password", site.people.users["anna"])
    page = anonymous.get(path)
    assert "For Anna Bergmann." in page.text
    done = anonymous.follow(anonymous.submit(page, "form#new-password", password=PASSWORD, repeated=PASSWORD))
    assert "The new password is set." in done.soup.get_text()
    assert anna.get("/sessions").status == 303
    assert anonymous.submit(done, "form#sign-in", username="anna", password=PASSWORD).status == 303
    assert anonymous.get(path).status == 404


def test_it_refuses_a_bad_password(anonymous: PageClient, site: DemoSite) -> None:
    path = link("password", site.people.users["anna"])
    refused = anonymous.submit(anonymous.get(path), "form#new-password", password=PASSWORD, repeated="x")
    assert refused.status == 422
    assert refused.one(".error-summary a")["href"] == "#repeated"


def test_it_knows_used_old_and_invented_links_not(anonymous: PageClient, site: DemoSite, clock: FakeClock) -> None:
    path = link("password", site.people.users["anna"])
    assert anonymous.get(path.replace("password", "setup")).status == 404
    assert anonymous.get("/password/" + "x" * 43).status == 404
    assert anonymous.get("/password/short").status == 404
    clock.advance(4 * 86_400)
    assert anonymous.get(path).status == 404
