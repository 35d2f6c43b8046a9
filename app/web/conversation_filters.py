"""Filters only the templates of conversations, cards and lists use."""

from __future__ import annotations

from flask import Blueprint

from app.chat.view_models import FieldView
from app.core import clock
from app.web.locale import clock_time, date_only, date_time, locale_code, words
from app.web.markdown import render_markdown

LONG = 600
"""Characters above which a value gets a box that scrolls (B42)."""
LONG_LINES = 20
BADGE_KINDS = frozenset({"ok", "warn", "err", "info"})


def install(bp: Blueprint) -> None:
    """Register the filters with the application ``bp`` belongs to."""
    for name, function in (
        ("markdown", markdown),
        ("moment_in_history", moment_in_history),
        ("badge_kind", badge_kind),
        ("fact_value", fact_value),
        ("is_long", is_long),
    ):
        bp.add_app_template_filter(function, name)


def markdown(source: str) -> str:
    """Text of the AI assistant as safe HTML in the reader's language."""
    return render_markdown(source, locale_code())


def moment_in_history(seconds: int) -> str:
    """ "14:32" for today, else the date too: a heading of the history stays short and is never ambiguous."""
    is_today = date_only(seconds) == date_only(clock.now())
    return clock_time(seconds) if is_today else date_time(seconds)


def badge_kind(tone: str) -> str:
    """The kind of a badge for a tone of a view; neutral is the plain one."""
    return tone if tone in BADGE_KINDS else ""


def fact_value(value: str | int | bool | list[str]) -> str:
    """A fact's machine word for ``data-value`` (design section 5)."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(value) if isinstance(value, list) else str(value)


def is_long(field: FieldView) -> bool:
    """Whether a changed value needs a box of its own."""
    values = (words(value) for value in (field.old, field.new) if value is not None)
    return any(len(value) > LONG or value.count("\n") >= LONG_LINES for value in values)
