"""Notices for administrators: one row a matter, counted, and gone when it is settled."""

from __future__ import annotations

import pytest
from flask import Flask
from sqlalchemy import insert
from sqlalchemy.engine import Connection

from app.agent import notices
from app.agent.models import OperatorNotice
from app.agent.notices import NoticeKind, leave_notice, list_notices, remove_notice
from app.core.db import reading, transaction
from tests.agent.execution_world import World
from tests.support.clock import FakeClock

MODEL = NoticeKind.MODEL


def test_it_counts_what_happens_again(app: Flask, clock: FakeClock) -> None:
    with transaction() as connection:
        leave_notice(connection, MODEL, "openai:m", "key")
    clock.advance(60)
    with transaction() as connection:
        leave_notice(connection, MODEL, "openai:m", "not_found")
        leave_notice(connection, MODEL, "openai:" + "x" * 200, "c" * 200)
    with reading() as connection:
        first, long = list_notices(connection, MODEL)
    assert (first.code, first.times, first.last_at - first.first_at) == ("not_found", 2, 60)
    assert (len(long.subject), len(long.code)) == (120, 80)


def test_it_goes_when_the_matter_is_settled(app: Flask) -> None:
    with transaction() as connection:
        leave_notice(connection, MODEL, "openai:m", "key")
        remove_notice(connection, MODEL, "openai:other")
        assert len(list_notices(connection, MODEL)) == 1
        remove_notice(connection, MODEL, "openai:m")
        remove_notice(connection, MODEL, "openai:m")
        assert list_notices(connection, MODEL) == ()


def test_two_workers_at_once_leave_one_notice(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    overtake(monkeypatch)


def overtake(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another worker leaves the notice between the two statements of the first."""
    real = notices._count
    seen: list[bool] = []

    def overtaken(connection: Connection, about: dict[str, str], code: str) -> bool:
        found = real(connection, about, code)
        if not seen:
            connection.execute(
                insert(OperatorNotice.__table__).values(**about, code="key", first_at=1, last_at=1, times=1)
            )
        seen.append(found)
        return found

    monkeypatch.setattr(notices, "_count", overtaken)
    with transaction() as connection:
        leave_notice(connection, MODEL, "openai:m", "key")
        assert [found.times for found in list_notices(connection, MODEL)] == [2]
    assert seen == [False, True]


@pytest.mark.postgres
def test_it_is_the_same_on_postgresql(postgres_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    overtake(monkeypatch)
