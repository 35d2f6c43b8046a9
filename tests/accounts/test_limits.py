"""Counted attempts."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select

from app.accounts.limits import KEPT_SECONDS, check_limit, count_attempt, forget_attempts
from app.accounts.store import ATTEMPT
from app.core.db import transaction
from app.core.errors import TooMany
from tests.support.clock import FakeClock

pytestmark = pytest.mark.usefixtures("app")


def attempt(subject: str = "anna", kind: str = "sign_in", *, most: int = 3) -> int:
    """One attempt; the seconds to wait when it was refused, else 0."""
    with transaction() as connection:
        try:
            check_limit(connection, kind, subject, most=most, seconds=60)
        except TooMany as error:
            return error.retry_after
        count_attempt(connection, kind, subject)
    return 0


def stored() -> int:
    """Attempts in the table."""
    with transaction() as connection:
        return connection.execute(select(func.count()).select_from(ATTEMPT)).scalar_one()


def test_it_refuses_the_attempt_after_the_last_allowed_one(clock: FakeClock) -> None:
    assert [attempt() for _ in range(4)] == [0, 0, 0, 60]


def test_it_says_when_the_next_attempt_is_possible(clock: FakeClock) -> None:
    for _ in range(3):
        attempt()
        clock.advance(10)
    wait = attempt()
    assert wait == 30
    clock.advance(wait - 1)
    assert attempt() == 1
    clock.advance(1)
    assert attempt() == 0


def test_it_counts_subjects_and_kinds_apart(clock: FakeClock) -> None:
    for _ in range(3):
        attempt()
    assert attempt("ben") == 0
    assert attempt(kind="message") == 0
    assert attempt() > 0


def test_it_does_not_count_what_it_refused(clock: FakeClock) -> None:
    for _ in range(10):
        attempt()
    assert stored() == 3


def test_it_forgets_on_success(clock: FakeClock) -> None:
    for _ in range(3):
        attempt()
    with transaction() as connection:
        forget_attempts(connection, "sign_in", "anna")
    assert attempt() == 0


def test_it_does_not_grow_for_ever(clock: FakeClock) -> None:
    for _ in range(20):
        attempt()
        clock.advance(KEPT_SECONDS / 4)
    assert stored() <= 4
