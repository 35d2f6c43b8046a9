from __future__ import annotations

import pytest
from sqlalchemy.exc import IntegrityError, OperationalError

from app.agent.retrying import is_temporary, retrying


class Driver(Exception):
    """What a driver raises."""

    def __init__(self, message: str = "", sqlstate: str | None = None) -> None:
        super().__init__(message)
        self.sqlstate = sqlstate


def failing(times: int, error: Exception) -> tuple[list[int], object]:
    tried: list[int] = []

    def unit() -> str:
        tried.append(1)
        if len(tried) <= times:
            raise error
        return "done"

    return tried, unit


@pytest.mark.parametrize("cause", [Driver(sqlstate="40P01"), Driver(sqlstate="55P03"), Driver("database is locked")])
def test_it_repeats_the_whole_unit_at_most_three_times(cause: Driver) -> None:
    error = OperationalError("x", {}, cause)
    tried, unit = failing(2, error)
    assert retrying(unit) == "done"  # type: ignore[arg-type]
    assert len(tried) == 3
    tried, unit = failing(3, error)
    with pytest.raises(OperationalError):
        retrying(unit)  # type: ignore[arg-type]
    assert len(tried) == 3


def test_it_repeats_nothing_else() -> None:
    for error in (
        IntegrityError("x", {}, Driver(sqlstate="23505")),
        OperationalError("x", {}, Driver("database or disk is full")),
    ):
        tried, unit = failing(1, error)
        with pytest.raises(type(error)):
            retrying(unit)  # type: ignore[arg-type]
        assert len(tried) == 1


def test_it_repeats_after_a_lost_connection() -> None:
    lost = OperationalError("x", {}, Driver("server closed the connection"), connection_invalidated=True)
    assert is_temporary(lost)
