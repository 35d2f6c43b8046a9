"""The reader's language and time zone, and how texts, dates, numbers and lists are worded in them (a11y.md W-8 to W-10)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from babel import Locale, dates, lists, numbers
from babel.support import NullTranslations
from flask import Flask, Response, g, request
from flask_babel import Babel, Domain
from jinja2 import pass_eval_context
from jinja2.filters import do_xmlattr
from jinja2.nodes import EvalContext

from app.core.i18n import SOURCE_LOCALE, Text, catalogue, known_locales, render
from app.core.moments import Moment, iso_local, word_moment, zone_of
from app.core.visible import visible
from app.web.current import current
from app.web.markdown import render_markdown

COOKIE: Final = "language"
THEME_COOKIE: Final = "theme"
THEMES: Final = ("system", "light", "dark")
COOKIE_SECONDS: Final = 365 * 86_400
_MOST_HEADER: Final = 2_048
_RANGE = re.compile(r"\s*([A-Za-z]{1,8})(?:-[A-Za-z0-9]{1,8})*\s*(?:;\s*q\s*=\s*([01](?:\.[0-9]{0,3})?)\s*)?")
_FORMATTING = {"en": "en_GB"}  # English dates and lists as in Britain: 13 November 2026, a day before a month
_DATES = {"de": "d. MMMM y", "en": "d MMMM y"}


class CatalogueDomain(Domain):
    """Flask-Babel on the catalogues of ``core.i18n``: no compiled files."""

    def get_translations(self) -> NullTranslations:
        return catalogue(locale_code())


def install(app: Flask) -> None:
    """Flask-Babel, filters, and lazy texts rendered where a template prints them."""
    babel = Babel(app, locale_selector=locale_code, timezone_selector=lambda: time_zone().key)
    babel.domain_instance = CatalogueDomain()
    app.jinja_env.finalize = finalize
    app.jinja_env.policies["ext.i18n.trimmed"] = True
    app.jinja_env.filters.update(
        t=words,
        xmlattr=attributes,
        date_time=date_time,
        date_only=date_only,
        clock_time=clock_time,
        iso_time=iso_time,
        number=number,
        format_list=format_list,
        dom_id=dom_id,
        markdown=markdown,
        visible=visible,
    )
    app.after_request(keep_language)


def locale_code() -> str:
    """Language of this answer: chosen by a link just now, chosen in this browser since signing in, the person's, the browser's."""
    found: str | None = g.get("imprimatur_locale")
    if found is None:
        found = _choose()
        g.imprimatur_locale = found
    return found


def _choose() -> str:
    known = known_locales()
    chosen = _chosen_here(known)
    if chosen is not None:
        return chosen
    person = current().signed_in
    if person is not None and person.language in known:
        return person.language
    return accepted_locale(request.headers.get("Accept-Language", ""), known)


def _chosen_here(known: tuple[str, ...]) -> str | None:
    for wanted in (request.args.get(COOKIE), request.cookies.get(COOKIE)):
        if wanted in known:
            return wanted
    return None


def settle_without_person() -> None:
    """Decide language and zone of this answer without the database, for errors of the database itself."""
    known = known_locales()
    accepted = accepted_locale(request.headers.get("Accept-Language", ""), known)
    g.imprimatur_locale = g.get("imprimatur_locale") or _chosen_here(known) or accepted
    g.imprimatur_zone = g.get("imprimatur_zone") or zone_of(current().settings.timezone)


def settle_for_visitors(code: str) -> str:
    """Word this answer in the language ``code`` of the site, else in the source language; returns which one it is.

    Nobody's choice counts, so that the answer is the same for everybody.
    """
    found: str = code if code in known_locales() else SOURCE_LOCALE
    g.imprimatur_locale, g.imprimatur_zone = found, zone_of(current().settings.timezone)
    return found


def accepted_locale(header: str, known: tuple[str, ...]) -> str:
    """The known language a browser wants most; whatever cannot be read is passed over (B18)."""
    best, best_weight = SOURCE_LOCALE, 0.0
    for part in header[:_MOST_HEADER].split(","):
        match = _RANGE.fullmatch(part)
        if match is None:
            continue
        code, weight = match[1].lower(), min(1.0, float(match[2] or 1))
        if code in known and weight > best_weight:
            best, best_weight = code, weight
    return best


def keep_language(response: Response) -> Response:
    """A language chosen by a link stays chosen in this browser."""
    wanted = request.args.get(COOKIE) if request.endpoint not in {None, "static"} else None
    if wanted in known_locales() and COOKIE not in (request.view_args or {}):
        set_cookie(response, COOKIE, str(wanted))
    return response


def set_cookie(response: Response, name: str, value: str) -> None:
    """Remember a choice in the browser of somebody, signed in or not."""
    response.set_cookie(
        name, value, max_age=COOKIE_SECONDS, path="/", httponly=True, samesite="Lax", secure=request.is_secure
    )


def theme() -> str:
    """The appearance: the person's, else what this browser chose, else the system's."""
    person = current().signed_in
    found = person.theme if person is not None else request.cookies.get(THEME_COOKIE)
    return found if found in THEMES else "system"


def time_zone() -> ZoneInfo:
    """The person's time zone, else the installation's; an unknown one reads as UTC."""
    found: ZoneInfo | None = g.get("imprimatur_zone")
    if found is None:
        person = current().signed_in
        found = g.imprimatur_zone = zone_of((person.timezone if person else "") or current().settings.timezone)
    return found


def finalize(value: Any) -> Any:
    """What a template prints: lazy texts in the reader's language, everything else as it is."""
    if isinstance(value, Text):
        return render(value, locale_code(), time_zone().key)
    return date_time(value.seconds) if isinstance(value, Moment) else value


def words(value: Text | str | None) -> str:
    """A lazy text as plain words, where a template computes with it instead of printing it."""
    return str(finalize(value) or "")


@pass_eval_context
def attributes(context: EvalContext, values: Mapping[str, Any]) -> str:
    """Jinja's ``xmlattr`` that also takes lazy texts."""
    return do_xmlattr(context, {name: finalize(value) for name, value in values.items()})


def markdown(source: str) -> str:
    """Markdown of the model or of content as HTML that is safe to print."""
    return render_markdown(source, locale_code())


def _formatting_locale() -> Locale:
    code = locale_code()
    return Locale.parse(_FORMATTING.get(code, code))


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, time_zone())


def date_time(seconds: int) -> str:
    """ "13 November 2026, 14:32" in the reader's zone (W-9)."""
    return word_moment(seconds, locale_code(), time_zone().key)


def date_only(seconds: int) -> str:
    """ "13 November 2026" in the reader's zone."""
    pattern = _DATES.get(locale_code(), "long")
    return dates.format_date(_moment(seconds).date(), pattern, locale=_formatting_locale())


def clock_time(seconds: int) -> str:
    """ "14:32" in the reader's zone."""
    return dates.format_time(_moment(seconds), "HH:mm", tzinfo=time_zone(), locale=_formatting_locale())


def iso_time(seconds: int) -> str:
    """ISO 8601 with offset, for ``<time datetime>``."""
    return iso_local(seconds, time_zone().key)


def number(value: float) -> str:
    """1,234 or 1.234."""
    return numbers.format_decimal(value, locale=_formatting_locale())


def format_list(values: Iterable[Text | str]) -> str:
    """ "a, b and c"."""
    return lists.format_list([words(value) for value in values], locale=_formatting_locale())


def dom_id(noun: str, *parts: object) -> str:
    """The id of an element: ``noun`` or ``noun-<part>``."""
    return "-".join([noun, *(re.sub(r"[^A-Za-z0-9_-]+", "-", str(part)) for part in parts)])
