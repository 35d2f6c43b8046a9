"""The first administrator, and a new password by link."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from app.accounts import service
from app.accounts.onboarding import (
    PASSWORD,
    SETUP,
    create_first_administrator,
    find_person_of_link,
    require_setup_link,
    set_password_by_link,
)
from app.accounts.sessions import open_session, sign_in
from app.core.db import transaction
from app.core.errors import Invalid, NotFound
from app.seed.demo import DemoSite
from tests.support.clock import FakeClock

GOOD = "correct horse battery"
pytestmark = pytest.mark.usefixtures("app", "clock")


def link(purpose: str, user: int = 0) -> str:
    """A fresh link."""
    with transaction() as connection:
        return service.create_link(connection, purpose, user)


def first(token: str, **given: Any) -> int:
    """Fill the form of the first administrator."""
    values = {"username": "chief", "name": "Chief", "password": GOOD, "repeated": GOOD, "language": "de", **given}
    return create_first_administrator(token, **values)


def enter(username: str) -> str:
    """Sign in."""
    return sign_in(username, GOOD, address="192.0.2.1", user_agent="Browser")


def test_it_makes_the_first_administrator_once() -> None:
    token = link(SETUP)
    require_setup_link(token)
    number = first(token)
    with transaction() as connection:
        found = service.find_identity(connection, number)
    assert found is not None
    assert (found.is_admin, found.language, found.name) == (True, "de", "Chief")
    assert enter("chief")
    with pytest.raises(NotFound):
        first(token, username="second")


def test_it_makes_no_second_administrator_with_a_link_left_over(site: DemoSite) -> None:
    first(link(SETUP))
    left_over = link(SETUP)
    for attempt in (require_setup_link, first):
        with pytest.raises(NotFound):
            attempt(left_over)


@pytest.mark.parametrize(
    ("given", "field"),
    [({"username": " "}, "username"), ({"password": "short"}, "password"), ({"repeated": "other"}, "repeated")],
)
def test_it_keeps_the_link_when_the_form_is_wrong(given: dict[str, str], field: str) -> None:
    token = link(SETUP)
    with pytest.raises(Invalid) as caught:
        first(token, **given)
    assert list(caught.value.fields) == [field]
    with pytest.raises(Invalid):
        first(token, username="anna")
    assert first(token)


def test_it_sets_a_password_by_link_and_ends_every_session(site: DemoSite, app: Flask) -> None:
    anna = site.people.users["anna"]
    token = link(PASSWORD, anna)
    with transaction() as connection:
        open_session(connection, anna, "Old")
    assert find_person_of_link(token) == {"id": anna, "username": "anna", "name": "Anna Bergmann"}
    assert set_password_by_link(token, password=GOOD, repeated=GOOD) == anna
    assert service.sessions.list_sessions(anna) == []
    assert enter("anna")
    for attempt in (find_person_of_link, lambda given: set_password_by_link(given, password=GOOD, repeated=GOOD)):
        with pytest.raises(NotFound):
            attempt(token)


def test_it_opens_nothing_for_somebody_who_left(site: DemoSite) -> None:
    anna = site.people.users["anna"]
    token = link(PASSWORD, anna)
    with transaction() as connection:
        service.update_user(connection, anna, {"disabled": True})
    with pytest.raises(NotFound):
        set_password_by_link(token, password=GOOD, repeated=GOOD)


def test_it_does_not_take_one_link_for_the_other(site: DemoSite) -> None:
    with pytest.raises(NotFound):
        first(link(PASSWORD, site.people.users["anna"]))
    with pytest.raises(NotFound):
        find_person_of_link(link(SETUP))


def test_it_refuses_a_link_that_expired(site: DemoSite, clock: FakeClock) -> None:
    token = link(PASSWORD, site.people.users["anna"])
    clock.advance(service.LINK_DAYS * 86_400)
    with pytest.raises(NotFound):
        set_password_by_link(token, password=GOOD, repeated=GOOD)
