"""Signing in and out."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from sqlalchemy import text as sql

from app.accounts import passwords, service
from app.core.db import reading, transaction
from app.seed.demo import DemoSite
from tests.support.clock import FakeClock
from tests.support.page import Page, PageClient

PASSWORD = "a quiet morning at the ferry"


@pytest.fixture
def with_password(app: Flask, site: DemoSite) -> None:
    hashed = passwords.hash_password(PASSWORD)
    with transaction() as connection:
        service.set_password(connection, site.people.users["anna"], hashed)


def sign_in(browser: PageClient, username: str = "anna", password: str = PASSWORD, path: str = "/sign-in") -> Page:
    return browser.submit(browser.get(path), "form#sign-in", username=username, password=password)


def test_it_signs_in_and_leads_to_the_start_page(anonymous: PageClient, with_password: None) -> None:
    done = sign_in(anonymous)
    assert (done.status, done.location) == (303, "/")
    assert anonymous.get("/sessions").heading == "Your sign-ins"


def test_it_leads_back_to_the_page_that_asked(anonymous: PageClient, with_password: None) -> None:
    asked = anonymous.get("/pages?q=museum")
    assert asked.status == 303
    assert sign_in(anonymous, path=asked.location).location == "/pages?q=museum"


@pytest.mark.parametrize(
    "target",
    [
        *("//evil.test", "/\\evil.test", "https:evil.test", "https://evil.test", "javascript:alert(1)", "/\t/evil"),
        *("/%09/evil", "/%5cevil", "%2f%2fevil", "/a\r\nX:y"),
    ],
)
def test_it_leads_to_own_pages_only(anonymous: PageClient, with_password: None, target: str) -> None:
    """B15"""
    form = anonymous.get("/sign-in").values("form#sign-in")
    done = anonymous.post_raw("/sign-in", data={**form, "username": "anna", "password": PASSWORD, "next": target})
    assert (done.status, done.location) == (303, "/")


def test_it_says_the_same_of_a_wrong_name_and_a_wrong_password(anonymous: PageClient, with_password: None) -> None:
    """B28"""
    unknown, wrong = sign_in(anonymous, username="nobody"), sign_in(anonymous, password="wrong")
    assert unknown.status == wrong.status == 422
    assert "The name or the password is wrong." in wrong.text
    assert unknown.text == wrong.text
    assert wrong.title.startswith("Error:")
    assert wrong.one("a[href='#username']")


def test_it_asks_for_what_is_missing_at_the_field(anonymous: PageClient) -> None:
    missing = sign_in(anonymous, username="", password="")
    assert missing.status == 422
    assert [link["href"] for link in missing.all(".error-summary a")] == ["#username", "#password"]
    assert missing.one("#password")["aria-describedby"] == "password-error"


@pytest.mark.parametrize("password", ["x" * 5_000, "\u0065\u0301" * 20, " trailing "])
def test_it_takes_any_password_as_it_is(anonymous: PageClient, with_password: None, password: str) -> None:
    """B27"""
    assert sign_in(anonymous, password=password).status == 422


def test_it_slows_down_and_never_locks(anonymous: PageClient, with_password: None, clock: FakeClock) -> None:
    """B29"""
    for _ in range(5):
        assert sign_in(anonymous, password="wrong").status == 422
    slowed = sign_in(anonymous)
    assert slowed.status == 429
    assert int(slowed.headers["Retry-After"]) > 0
    assert "Too many attempts" in slowed.text
    clock.advance(61)
    assert sign_in(anonymous).status == 303


def test_it_gives_a_new_session_and_a_new_token(anonymous: PageClient, with_password: None) -> None:
    """B22, B24"""
    before = anonymous.token()
    cookie = anonymous.client.get_cookie("sid")
    sign_in(anonymous)
    after = anonymous.client.get_cookie("sid")
    assert cookie is not None
    assert after is not None
    assert cookie.value != after.value
    assert anonymous.post_raw("/sign-out", data={"csrf_token": before}).status == 403


def test_it_keeps_open_forms_valid_when_the_same_person_comes_back(
    anonymous: PageClient, with_password: None, clock: FakeClock
) -> None:
    """T51: the text typed before the sign-in ended can still be sent."""
    sign_in(anonymous)
    token = anonymous.token()
    clock.advance(31 * 60)
    assert anonymous.post_raw("/sessions", data={"csrf_token": token, "others": "1"}).status == 401
    sign_in(anonymous)
    assert anonymous.post_raw("/sessions", data={"csrf_token": token, "others": "1"}).status == 303


def test_it_signs_out_for_good(anonymous: PageClient, with_password: None) -> None:
    sign_in(anonymous)
    token = anonymous.token()
    cookie = anonymous.client.get_cookie("sid")
    done = anonymous.post("/sign-out")
    assert (done.status, done.location) == (303, "/sign-in")
    assert done.headers["Clear-Site-Data"] == '"cache", "storage"'
    assert cookie
    anonymous.client.set_cookie("sid", cookie.value)
    assert anonymous.get("/sessions").status == 303
    assert anonymous.post_raw("/sign-out", data={"csrf_token": token}).status == 401


def test_it_forgets_a_disabled_person_at_once(anna: PageClient, site: DemoSite) -> None:
    """B23, I27"""
    assert anna.get("/sessions").status == 200
    with transaction() as connection:
        service.update_user(connection, site.people.users["anna"], {"disabled": True})
    assert anna.get("/sessions").location.startswith("/sign-in")
    assert anna.get("/sessions", headers={"HX-Request": "true"}).status == 401


@pytest.mark.parametrize("cookie", ["", "x", "a.b.c", "é", "x" * 8_000, "eyJfdXNlcl9pZCI6IjEifQ.bad.sig"])
def test_it_takes_a_damaged_cookie_for_nobody(anonymous: PageClient, cookie: str) -> None:
    """B21"""
    got = anonymous.get("/sign-in", headers={"Cookie": f"sid={cookie}; sid={cookie}"})
    assert got.status == 200
    assert anonymous.get("/sessions", headers={"Cookie": f"sid={cookie}"}).status == 303


def test_it_has_no_other_way_in(anna: PageClient) -> None:
    assert anna.get("/sign-out").status == 405
    assert anna.post_raw("/sign-out").status == 403
    assert anna.get("/sign-in").location == "/"


def test_it_notes_the_last_visit_at_most_once_a_minute(
    browser_of: Callable[[str], PageClient], clock: FakeClock, site: DemoSite
) -> None:
    anna = browser_of("anna")

    def seen() -> int:
        with reading() as connection:
            return int(connection.execute(sql("SELECT max(seen_at) FROM sign_in_session")).scalar_one())

    first = seen()
    clock.advance(30)
    anna.get("/sessions")
    assert seen() == first
    clock.advance(31)
    anna.get("/sessions")
    assert seen() == first + 61
