"""Into which language a translation goes."""

from __future__ import annotations

from dataclasses import dataclass

from app.agent.llm.builtin.transcript import Reply, records_of, text_in
from app.agent.llm.builtin.words import language_code, matches_language


@dataclass(frozen=True, kw_only=True, slots=True)
class SiteLanguage:
    """A language of the site as reported: `is_default` is true for the one pages are written in first."""

    code: str
    title: str
    is_default: bool


def site_languages(reply: Reply) -> list[SiteLanguage]:
    """The reported languages."""
    rows = [row for row in records_of(reply, "languages") if text_in(row, "code")]
    return [
        SiteLanguage(code=text_in(row, "code"), title=text_in(row, "title"), is_default=row.get("default") is True)
        for row in rows
    ]


def default_code(reply: Reply) -> str:
    """The code of the default language, empty when none was reported."""
    return next((language.code for language in site_languages(reply) if language.is_default), "")


def named_language(word: str, known: list[SiteLanguage]) -> str | None:
    """The code for a language as typed; without a list of languages the name alone decides. None when unknown."""
    if not known:
        return language_code(word)
    return next((lang.code for lang in known if matches_language(word, lang.code, lang.title)), None)


def language_name(code: str, known: list[SiteLanguage]) -> str:
    """The site's name for a language, else its code."""
    return next((lang.title for lang in known if lang.code == code and lang.title), code)


def open_languages(known: list[SiteLanguage], source: str, translated: set[str]) -> list[SiteLanguage]:
    """The languages a record in the language `source` can still be translated into; `source` may be empty."""
    own = source or next((lang.code for lang in known if lang.is_default), "")
    return [lang for lang in known if lang.code != own and not lang.is_default and lang.code not in translated]
