"""Addresses of the site: ``/site/`` and ``/site/<language>/<uid>-<slug>``."""

from __future__ import annotations

import re
import unicodedata

from app.content.site.types import SiteLink

SITE = "/site/"
_MOST_SLUG = 60
_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "ø": "oe", "å": "aa"})


def slug_of(title: str) -> str:
    """``title`` in lower-case ASCII letters and digits joined by hyphens; empty when nothing is left of it."""
    lowered = unicodedata.normalize("NFC", title).lower().translate(_SPELLED_OUT)
    plain = unicodedata.normalize("NFKD", lowered).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:_MOST_SLUG].strip("-")


def site_address(link: SiteLink) -> str:
    """The path of a page. Only its number counts; the words behind it are for people."""
    if link.is_home:
        return SITE
    slug = slug_of(link.title)
    return f"{SITE}{link.code}/{link.uid}-{slug}" if slug else f"{SITE}{link.code}/{link.uid}"
