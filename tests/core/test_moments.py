"""Moments in words (a11y.md W-9)."""

from __future__ import annotations

import pytest

from app.core.moments import iso_local, iso_utc, word_moment

AFTERNOON = 1_794_576_720  # 2026-11-13 13:32 UTC
SUMMER = 1_783_944_120  # 2026-07-13 12:02 UTC


@pytest.mark.parametrize(
    ("locale", "timezone", "words"),
    [
        ("de", "Europe/Berlin", "13. November 2026, 14:32 Uhr"),
        ("en", "Europe/Berlin", "13 November 2026, 14:32"),
        ("en", "UTC", "13 November 2026, 13:32"),
        ("en", "America/New_York", "13 November 2026, 08:32"),
        ("de", "Pacific/Auckland", "14. November 2026, 02:32 Uhr"),
        ("de_AT", "Europe/Vienna", "13. November 2026, 14:32 Uhr"),
        ("fr", "Europe/Paris", "13 novembre 2026, 14:32"),
    ],
)
def test_it_words_a_moment_in_language_and_zone(locale: str, timezone: str, words: str) -> None:
    assert word_moment(AFTERNOON, locale, timezone) == words


def test_it_knows_summer_time() -> None:
    assert word_moment(SUMMER, "de", "Europe/Berlin") == "13. Juli 2026, 14:02 Uhr"


@pytest.mark.parametrize("locale", ["de", "en"])
def test_it_uses_no_narrow_space(locale: str) -> None:
    assert "\u202f" not in word_moment(AFTERNOON, locale, "Europe/Berlin")


@pytest.mark.parametrize("timezone", ["", "Europe", "Nowhere/City", "../etc/passwd", "/etc/localtime", "Europe/\x00"])
def test_it_reads_an_unknown_zone_as_utc(timezone: str) -> None:
    assert word_moment(AFTERNOON, "en", timezone) == "13 November 2026, 13:32"


def test_it_writes_moments_for_machines() -> None:
    assert iso_utc(AFTERNOON) == "2026-11-13T13:32:00Z"
    assert iso_local(AFTERNOON, "Europe/Berlin") == "2026-11-13T14:32+01:00"
    assert iso_local(SUMMER, "Europe/Berlin") == "2026-07-13T14:02+02:00"
