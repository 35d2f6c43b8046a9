"""Moments in words: always absolute, in the reader's language and time zone (a11y.md W-9)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from babel.dates import format_datetime

_PATTERNS = {"de": "d. MMMM y, HH:mm 'Uhr'"}
_PATTERN = "d MMMM y, HH:mm"
_LOCALES = {"en": "en_GB"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    """A moment inside a text: seconds since the epoch, worded when the text is rendered."""

    seconds: int


def zone_of(name: str) -> ZoneInfo:
    """The time zone of that name; an unknown one reads as UTC."""
    try:
        return ZoneInfo(name or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


def word_moment(seconds: int, locale: str, timezone: str) -> str:
    """ "13 November 2026, 14:32" or "13. November 2026, 14:32 Uhr"."""
    local = datetime.fromtimestamp(seconds, tz=zone_of(timezone))
    pattern = _PATTERNS.get(locale.split("_", maxsplit=1)[0], _PATTERN)
    return format_datetime(local, pattern, locale=_LOCALES.get(locale, locale))


def iso_utc(seconds: int) -> str:
    """A moment for machines, in UTC."""
    return datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def iso_local(seconds: int, timezone: str) -> str:
    """A moment for ``time[datetime]``, with the offset of the reader's zone."""
    return datetime.fromtimestamp(seconds, tz=zone_of(timezone)).isoformat(timespec="minutes")
