"""Signing in and out (B28, B29; reliability.md section 5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

from app.accounts import service, sessions, store
from app.accounts.passwords import hash_password
from app.accounts.sessions import SignedIn, find_signed_in, list_sessions, open_session, sign_in, touch_session
from app.config import Settings
from app.core.db import reading, transaction
from app.core.errors import Invalid, TooMany
from app.core.i18n import render
from app.core.ids import token_hash
from app.seed.demo import DemoSite
from tests.support.clock import FakeClock

PASSWORD = "correct horse battery"
HASHED = hash_password(PASSWORD)


@pytest.fixture
def anna(app: Flask, site: DemoSite, clock: FakeClock) -> Iterator[int]:
    """Anna with a password."""
    number = site.people.users["anna"]
    with transaction() as connection:
        service.set_password(connection, number, HASHED)
    return number


def enter(
    username: str = "anna", password: str = PASSWORD, address: str = "192.0.2.1", earlier: str | None = None
) -> str:
    """Sign in from a browser."""
    return sign_in(username, password, address=address, user_agent="Browser", earlier=earlier)


def who(token: str, settings: Settings | None = None) -> SignedIn | None:
    """Who is behind a token."""
    with reading() as connection:
        return find_signed_in(connection, token, settings or Settings())


def do(command: Any, *arguments: Any) -> None:
    """One use case in its own transaction."""
    with transaction() as connection:
        command(connection, *arguments)


def test_it_lets_somebody_in_with_name_and_password(anna: int) -> None:
    found = who(enter())
    assert found is not None
    assert (found.user_id, found.username, found.name, found.is_admin) == (anna, "anna", "Anna Bergmann", False)


def test_it_stores_no_token(anna: int) -> None:
    token = enter()
    with reading() as connection:
        row = connection.execute(select(store.SESSION)).mappings().one()
    assert row["token_hash"] == token_hash(token)
    assert token not in str(dict(row))


@pytest.mark.parametrize(
    ("username", "password"),
    [
        ("anna", "wrong horse battery"),
        ("nobody", PASSWORD),
        ("ben", PASSWORD),
        ("", ""),
        ("anna\x00", PASSWORD),
        ("\ud800", PASSWORD),
        ("anna", "\ud800"),
        ("anna", "x" * 2000),
        ("a" * 100_000, PASSWORD),
    ],
)
def test_it_answers_every_failure_with_one_sentence(anna: int, username: str, password: str) -> None:
    with pytest.raises(Invalid) as caught:
        enter(username, password)
    assert render(caught.value.text, "en") == "The name or the password is wrong."
    assert caught.value.fields == {}


@pytest.mark.parametrize("values", [{"disabled": True}, {"deleted": True}, {"endtime": 1}])
def test_it_says_the_same_to_somebody_who_may_not_act(anna: int, values: dict[str, Any]) -> None:
    do(service.update_user, anna, values)
    with pytest.raises(Invalid) as caught:
        enter()
    assert caught.value.text == sessions.WRONG


def test_it_slows_guessing_down_and_locks_no_account(anna: int, clock: FakeClock) -> None:
    for _ in range(5):
        with pytest.raises(Invalid):
            enter(password="guess")
    with pytest.raises(TooMany) as caught:
        enter()
    assert 0 < caught.value.retry_after <= 60
    assert enter(address="192.0.2.2"), "the person can still get in from elsewhere"
    clock.advance(caught.value.retry_after)
    assert enter()


def test_it_slows_down_guessing_of_names_that_do_not_exist_alike(anna: int) -> None:
    for _ in range(5):
        with pytest.raises(Invalid):
            enter("nobody")
    with pytest.raises(TooMany):
        enter("nobody")


def test_it_forgets_failures_after_a_success(anna: int) -> None:
    for _ in range(3):
        for _ in range(4):
            with pytest.raises(Invalid):
                enter(password="guess")
        assert enter()


def test_it_ends_the_session_a_browser_brought_along(anna: int) -> None:
    earlier = enter()
    token = enter(earlier=earlier)
    assert token != earlier
    assert who(earlier) is None
    assert who(token) is not None


def test_it_takes_no_token_somebody_else_chose(anna: int) -> None:
    planted = "chosen by an attacker"
    token = enter(earlier=planted)
    assert token != planted
    assert who(planted) is None


def test_it_keeps_the_earlier_session_when_signing_in_fails(anna: int) -> None:
    earlier = enter()
    with pytest.raises(Invalid):
        enter(password="wrong", earlier=earlier)
    assert who(earlier) is not None


def test_it_ends_after_a_while_without_a_page(anna: int, clock: FakeClock) -> None:
    settings = Settings(session_idle_minutes=30)
    token = enter()
    clock.advance(30 * 60 - 1)
    assert who(token, settings) is not None
    clock.advance(1)
    assert who(token, settings) is None


def test_it_ends_in_any_case_after_the_longest_time(anna: int, clock: FakeClock) -> None:
    settings = Settings(session_idle_minutes=30, session_hours=2)
    token = enter()
    for _ in range(5):
        clock.advance(20 * 60)
        found = who(token, settings)
        assert found is not None
        touch_session(found)
    clock.advance(20 * 60)
    assert who(token, settings) is None


def test_it_remembers_being_seen_at_most_once_a_minute(anna: int, clock: FakeClock) -> None:
    token = enter()
    opened = who(token)
    assert opened is not None
    clock.advance(59)
    touch_session(opened)
    assert who(token) == opened
    clock.advance(1)
    touch_session(opened)
    later = who(token)
    assert later is not None
    assert later.seen_at == opened.seen_at + 60
    assert later.created_at == opened.created_at


@pytest.mark.parametrize("values", [{"disabled": True}, {"deleted": True}])
def test_it_shuts_somebody_out_at_once(anna: int, values: dict[str, Any]) -> None:
    tokens = [enter(), enter()]
    do(service.update_user, anna, values)
    assert [who(token) for token in tokens] == [None, None]
    do(service.update_user, anna, dict.fromkeys(values, False))
    assert [who(token) for token in tokens] == [None, None], "coming back does not bring old sessions back"


def test_it_shuts_somebody_out_whose_time_is_over(anna: int, clock: FakeClock) -> None:
    token = enter()
    do(service.update_user, anna, {"endtime": int(clock.now()) + 10})
    assert who(token) is not None
    clock.advance(10)
    assert who(token) is None


def test_it_ends_every_session_with_a_new_password(anna: int) -> None:
    token = enter()
    do(service.set_password, anna, HASHED)
    assert who(token) is None


def test_it_ends_one_session_or_all(anna: int, site: DemoSite) -> None:
    first, second = enter(), enter()
    with transaction() as connection:
        other = open_session(connection, site.people.users["ben"], "Browser")
    do(sessions.end_session, first)
    assert [who(token) is None for token in (first, second, other)] == [True, False, False]
    do(sessions.end_all_sessions, anna)
    assert [who(token) is None for token in (second, other)] == [True, False]


def test_it_lists_a_persons_own_sessions(anna: int, site: DemoSite, clock: FakeClock) -> None:
    with transaction() as connection:
        open_session(connection, site.people.users["ben"], "Other")
        open_session(connection, anna, "First" + "x" * 500)
    clock.advance(5)
    with transaction() as connection:
        open_session(connection, anna, "Second")
    assert [str(row["user_agent"])[:6] for row in list_sessions(anna)] == ["Second", "Firstx"]


@pytest.mark.parametrize("token", ["", "x", "\x00", "ü" * 5000])
def test_it_knows_nobody_behind_a_strange_token(anna: int, token: str) -> None:
    assert who(token) is None
