"""Moments of forms: what is shown is what comes back, also where the clocks change."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.web.forms.moments import NotAMoment, entered_moment, parse_moment

BERLIN = ZoneInfo("Europe/Berlin")


def seconds(*parts: int) -> int:
    return int(datetime(*parts, tzinfo=UTC).timestamp())  # type: ignore[misc, arg-type]


def test_it_reads_the_clocks_of_the_zone() -> None:
    assert parse_moment("2026-07-01T12:00", BERLIN) == seconds(2026, 7, 1, 10)
    assert parse_moment("2026-12-01T12:00", BERLIN) == seconds(2026, 12, 1, 11)
    assert parse_moment("2026-12-01T12:00", ZoneInfo("UTC")) == seconds(2026, 12, 1, 12)


def test_it_reads_nothing_as_no_limit() -> None:
    assert parse_moment("", BERLIN) == 0
    assert entered_moment(0, BERLIN) == ""


def test_a_time_that_is_skipped_is_refused() -> None:
    with pytest.raises(NotAMoment) as refused:
        parse_moment("2026-03-29T02:30", BERLIN)
    assert "does not exist" in refused.value.sentence.message
    assert parse_moment("2026-03-29T03:00", BERLIN) == seconds(2026, 3, 29, 1)


def test_a_time_that_comes_twice_is_the_first() -> None:
    assert parse_moment("2026-10-25T02:30", BERLIN) == seconds(2026, 10, 25, 0, 30)


@pytest.mark.parametrize(
    "words",
    ["soon", "2026-02-30T10:00", "2026-13-01T10:00", "2026-01-01T25:00", "2026-01-01", "0000-01-01T00:00",
     "٢٠٢٦-01-01T00:00", "1969-01-01T00:00", "2026-01-01T00:00Z", "9" * 400],
)  # fmt: skip
def test_it_refuses_what_is_no_moment(words: str) -> None:
    with pytest.raises(NotAMoment):
        parse_moment(words, BERLIN)


@given(
    st.integers(min_value=86_400, max_value=4_000_000_000),
    st.sampled_from(["Europe/Berlin", "UTC", "Pacific/Apia", "Asia/Kathmandu", "America/St_Johns"]),
)
def test_what_is_shown_can_be_read_again(moment: int, zone: str) -> None:
    place = ZoneInfo(zone)
    shown = entered_moment(moment, place)
    assert entered_moment(parse_moment(shown, place), place) == shown
