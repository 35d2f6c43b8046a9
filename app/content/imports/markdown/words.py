"""The few words shortcodes turn into, in the language of the file.

They become part of the content and of its hash, so they do not follow the catalogues of the interface: a changed
translation must not make every imported page look changed. Languages without an entry use English.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentWords:
    """Words of one language; ``version``, ``product`` and ``access_key`` have one ``{}``."""

    notices: dict[str, str]
    version: str
    product: str
    access_key: str
    details: str
    example: str


_ENGLISH = ContentWords(
    notices={
        "note": "Note",
        "info": "Information",
        "tip": "Tip",
        "idea": "Idea",
        "warning": "Warning",
        "caution": "Caution",
        "important": "Important",
    },
    version="(from version {})",
    product="(from {})",
    access_key="access key {}",
    details="Details",
    example="Example",
)
_WORDS = {
    "en": _ENGLISH,
    "de": ContentWords(
        notices={
            "note": "Hinweis",
            "info": "Information",
            "tip": "Tipp",
            "idea": "Idee",
            "warning": "Warnung",
            "caution": "Vorsicht",
            "important": "Wichtig",
        },
        version="(ab Version {})",
        product="(ab {})",
        access_key="Zugriffstaste {}",
        details="Details",
        example="Beispiel",
    ),
}
_NUMBER = re.compile(r"\d[\d.]*\Z")
_PRODUCT = re.compile(r"\S+ \d[\d.]*\Z")


def content_words(language: str) -> ContentWords:
    """The words of ``language`` (``de-AT`` uses ``de``), English when there are none."""
    return _WORDS.get(language.lower().replace("_", "-").split("-")[0], _ENGLISH)


def version_phrase(version: str, language: str) -> str:
    """``5.3`` as "(from version 5.3)", ``Manager 1.9`` as "(from Manager 1.9)", else a remark in brackets."""
    words = content_words(language)
    if _NUMBER.match(version):
        return words.version.format(version)
    if _PRODUCT.match(version):
        return words.product.format(version)
    return f"({version})" if version else ""


def readable_name(name: str) -> str:
    """``currentContaoVersion`` or ``site-structure`` as words: the name of a value or folder people can read."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name.replace("-", " ").replace("_", " "))
    return " ".join(spaced.split())
