"""Moments as a form takes them: date and time of day on the clocks of the person's zone, changes of the clocks included."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from app.core.i18n import Text, text

_ENTERED = re.compile(r"(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::\d{2}(?:\.\d+)?)?")
NOT_A_MOMENT = text("Enter date and time of day, for example 2026-11-30T09:00.")
SKIPPED = text("This time does not exist on that day, because the clocks are put forward. Enter a time after it.")


class NotAMoment(ValueError):
    """What was entered is no moment; ``sentence`` says what to do."""

    def __init__(self, sentence: Text) -> None:
        super().__init__("not a moment")
        self.sentence = sentence


def entered_moment(seconds: int, zone: ZoneInfo) -> str:
    """A stored moment as the form shows it, to the minute; empty for 0 (no limit) and for what no calendar holds."""
    if seconds <= 0:
        return ""
    try:
        return datetime.fromtimestamp(seconds, zone).strftime("%Y-%m-%dT%H:%M").rjust(16, "0")
    except (OverflowError, OSError, ValueError):
        return ""


def parse_moment(words: str, zone: ZoneInfo) -> int:
    """Seconds since the epoch of what was entered; 0 for nothing.

    A time that the clocks show twice is the first of the two. Raises ``NotAMoment`` for a time they skip, and for
    everything that is no date and time.
    """
    given = words.strip()
    if not given:
        return 0
    match = _ENTERED.fullmatch(given)
    if match is None or not given.isascii():
        raise NotAMoment(NOT_A_MOMENT)
    try:
        year, month, day, hour, minute = (int(part) for part in match.groups())
        local = datetime(year, month, day, hour, minute, tzinfo=zone)
        seconds = int(local.timestamp())
    except (OverflowError, ValueError) as error:
        raise NotAMoment(NOT_A_MOMENT) from error
    if seconds <= 0:
        raise NotAMoment(NOT_A_MOMENT)
    back = datetime.fromtimestamp(seconds, UTC).astimezone(zone)
    if (back.hour, back.minute) != (local.hour, local.minute):
        raise NotAMoment(SKIPPED)
    return seconds
