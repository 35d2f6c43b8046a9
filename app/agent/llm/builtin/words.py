"""Language names, and which language a message is written in."""

from __future__ import annotations

import re

_NAMES: dict[str, tuple[str, ...]] = {
    "en": ("english", "englisch"),
    "de": ("german", "deutsch"),
    "fr": ("french", "französisch", "franzoesisch"),
    "it": ("italian", "italienisch"),
    "es": ("spanish", "spanisch"),
    "pt": ("portuguese", "portugiesisch"),
    "nl": ("dutch", "niederländisch", "niederlaendisch"),
    "pl": ("polish", "polnisch"),
    "cs": ("czech", "tschechisch"),
    "da": ("danish", "dänisch", "daenisch"),
    "sv": ("swedish", "schwedisch"),
    "nb": ("norwegian", "norwegisch"),
    "fi": ("finnish", "finnisch"),
    "hu": ("hungarian", "ungarisch"),
    "ro": ("romanian", "rumänisch", "rumaenisch"),
    "tr": ("turkish", "türkisch", "tuerkisch"),
    "ru": ("russian", "russisch"),
    "uk": ("ukrainian", "ukrainisch"),
    "el": ("greek", "griechisch"),
    "ar": ("arabic", "arabisch"),
    "ja": ("japanese", "japanisch"),
    "zh": ("chinese", "chinesisch"),
}
_CODES = {name: code for code, names in _NAMES.items() for name in names}
_NEUTRAL = (
    "existing|current|whole|entire|hidden|empty|aktuellen?|bestehenden?|ganzen?|gesamten?|versteckten?|verborgenen?"
)
# Words that may stand before "page": a language, or one that changes nothing about which page is meant.
ADJECTIVE = rf"(?:{'|'.join(_CODES)})(?:e|en|er|es|em)?|{_NEUTRAL}"
_GERMAN_ENDING = re.compile(r"(?<=sch)(?:e|en|er|es|em)$")

_ENGLISH_WORDS = (
    "the page pages subpages below under with its and then please can could you it them what which is are hide unhide"
    " delete remove rename describe show find search translate into copy add create text to as help hello hi thanks"
    " publish list change set heading description languages first second third last one called of new old an number"
    " neither none german french english element elements who make"
)
_GERMAN_WORDS = (
    "die der das den dem des seite seiten unterseiten unter mit und dann danach bitte kannst können du sie es ihn was"
    " welche ist sind blende aus ein verstecke verberge lösche loesche entferne benenne um beschreibe als zeige zeig"
    " suche such finde übersetze uebersetze ins auf kopiere kopier füge fuege hinzu lege an erstelle text hilfe hallo"
    " danke guten tag veröffentliche ändere setze überschrift beschreibung sprachen erste zweite dritte letzte neue"
    " alte von nr nummer keine deutsche französische element inhaltselement wer bist nach mache ohne deutsch"
)
# Words of both lists say nothing. They stay in both, so that each list reads as its language.
_ENGLISH, _GERMAN = frozenset(_ENGLISH_WORDS.split()), frozenset(_GERMAN_WORDS.split())
_BOTH = _ENGLISH & _GERMAN
_WORD = re.compile(r"[^\W\d_]+")


def language_code(word: str) -> str | None:
    """The code of a language named in English or German, in any case form ("Deutsche", "deutschen"), else None."""
    name = word.casefold().strip()
    return _CODES.get(name) or _CODES.get(_GERMAN_ENDING.sub("", name))


def matches_language(word: str, code: str, title: str) -> bool:
    """Whether `word` (a name or a code, as typed) means the site language with this code and title."""
    wanted = language_code(word) or word.casefold().strip()
    return code.casefold().replace("_", "-").split("-")[0] == wanted or wanted in (code.casefold(), title.casefold())


def detect_language(text: str) -> str | None:
    """`en` or `de` by the common words of the text, None when they do not decide."""
    words = [word.casefold() for word in _WORD.findall(text)]
    english = sum(word in _ENGLISH and word not in _BOTH for word in words)
    german = sum(word in _GERMAN and word not in _BOTH for word in words)
    if english == german:
        return None
    return "en" if english > german else "de"
