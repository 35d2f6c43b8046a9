"""Texts for people as lazy values: lower layers pass a ``Text``, the web layer renders it in the reader's language (D16).

The catalogues are the ``.po`` files below ``translations/``; they are compiled in memory, so a further language is one folder.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Union

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal
from babel.support import NullTranslations, Translations

from app.core.moments import Moment, word_moment
from app.core.visible import exact

CATALOGUES = Path(__file__).resolve().parents[2] / "translations"
SOURCE_LOCALE = "en"

Param = Union[str, int, Moment, "Text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """One sentence or word of the interface, not yet in a language.

    ``message`` and ``plural`` are the English entries of the catalogue, ``context`` tells meanings apart, ``count`` picks the
    plural form, ``params`` fill the named placeholders (a parameter may itself be a ``Text``).
    """

    message: str
    plural: str | None = None
    context: str | None = None
    count: int | None = None
    params: tuple[tuple[str, Param], ...] = field(default=())

    def with_params(self, **params: Param) -> Text:
        """The same text with further placeholders filled."""
        merged = {**dict(self.params), **params}
        return Text(
            message=self.message,
            plural=self.plural,
            context=self.context,
            count=self.count,
            params=tuple(sorted(merged.items())),
        )


def _pairs(params: Mapping[str, Param]) -> tuple[tuple[str, Param], ...]:
    return tuple(sorted(params.items()))


def text(message: str, /, **params: Param) -> Text:
    """A text without plural; ``%(name)s`` placeholders are filled from ``params``."""
    return Text(message=message, params=_pairs(params))


def ptext(context: str, message: str, /, **params: Param) -> Text:
    """A text whose meaning needs ``context`` for translators."""
    return Text(message=message, context=context, params=_pairs(params))


def ntext(singular: str, plural: str, count: int, /, **params: Param) -> Text:
    """A text with a number; ``%(n)s`` is ``count`` in the reader's notation."""
    return Text(message=singular, plural=plural, count=count, params=_pairs(params))


def nptext(context: str, singular: str, plural: str, count: int, /, **params: Param) -> Text:
    """``ntext`` with a context."""
    return Text(message=singular, plural=plural, context=context, count=count, params=_pairs(params))


def known_locales() -> tuple[str, ...]:
    """Codes of the languages the interface can speak: the source language first, then the folders of ``translations/``."""
    return _locales_in(CATALOGUES)


@lru_cache(maxsize=4)
def _locales_in(folder: Path) -> tuple[str, ...]:
    """Looked up once per process, as the catalogues are: every answer of the web asks."""
    found = sorted(path.name for path in folder.iterdir() if (path / "LC_MESSAGES" / "messages.po").is_file())
    return (SOURCE_LOCALE, *(code for code in found if code != SOURCE_LOCALE))


@lru_cache(maxsize=32)
def catalogue(locale: str) -> NullTranslations:
    """The compiled catalogue of ``locale``; unknown locales speak the source language."""
    path = CATALOGUES / locale / "LC_MESSAGES" / "messages.po"
    if locale not in known_locales() or not path.is_file():
        return NullTranslations()
    with path.open("rb") as source:
        parsed = read_po(source, locale=locale)
    compiled = io.BytesIO()
    write_mo(compiled, parsed)
    compiled.seek(0)
    return Translations(fp=compiled)


def render(value: Text, locale: str, timezone: str = "UTC") -> str:
    """The words of ``value`` in ``locale``, moments in ``timezone``: plain text, not escaped.

    Characters of parameters that cannot be seen are spelled (B45).
    """
    words = _look_up(value, catalogue(locale))
    params = {name: _word(param, locale, timezone) for name, param in value.params}
    if value.count is not None:
        params.setdefault("n", _word(value.count, locale, timezone))
    return words % params if params else words.replace("%%", "%")


def _look_up(value: Text, words: NullTranslations) -> str:
    if value.plural is not None and value.count is not None:
        if value.context is not None:
            return str(words.npgettext(value.context, value.message, value.plural, value.count))
        return str(words.ngettext(value.message, value.plural, value.count))
    if value.context is not None:
        return str(words.pgettext(value.context, value.message))
    return str(words.gettext(value.message))


def _word(param: Param, locale: str, timezone: str) -> str:
    match param:
        case str():
            return exact(param)
        case Text():
            return render(param, locale, timezone)
        case Moment():
            return word_moment(param.seconds, locale, timezone)
        case _:
            return format_decimal(param, locale=locale)


def encode(value: Text) -> dict[str, object]:
    """``value`` as plain JSON data, for texts kept in stored state."""
    return {
        "m": value.message,
        "p": value.plural,
        "c": value.context,
        "n": value.count,
        "a": {name: _encode_param(param) for name, param in value.params},
    }


def decode(stored: Mapping[str, object]) -> Text:
    """The text ``encode`` made; raises ``KeyError`` or ``TypeError`` for anything else."""
    params = stored["a"]
    if not isinstance(params, dict):
        raise TypeError
    plural, context, count = stored["p"], stored["c"], stored["n"]
    return Text(
        message=str(stored["m"]),
        plural=None if plural is None else str(plural),
        context=None if context is None else str(context),
        count=count if isinstance(count, int) else None,
        params=_pairs({name: _decode_param(param) for name, param in params.items()}),
    )


def _encode_param(param: Param) -> object:
    match param:
        case Text():
            return encode(param)
        case Moment():
            return {"moment": param.seconds}
        case _:
            return param


def _decode_param(stored: object) -> Param:
    if isinstance(stored, dict):
        return Moment(seconds=int(stored["moment"])) if "moment" in stored else decode(stored)
    if isinstance(stored, (str, int)):
        return stored
    raise TypeError
