"""What a page of the site consists of, as frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.content.store import Language
from app.policy.identity import LIVE, Identity

DEFAULT_LANGUAGE = 0
EVERY_LANGUAGE = -1


@dataclass(frozen=True, kw_only=True, slots=True)
class Stance:
    """From where the site is looked at: what is live, or for a member what a draft workspace would publish."""

    now: int
    """Seconds; what is shown from or until a moment is judged by it."""
    workspace_id: int = LIVE
    reader: Identity | None = None
    """Whose rights limit a preview; None = a visitor, whom only the marks of the records concern."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SiteLink:
    """A page somebody may go to."""

    uid: int
    """Of the page in the default language."""
    title: str
    code: str
    """Code of its language."""
    is_home: bool = False
    """The first page of the site in the default language, which has an address of its own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SiteBranch:
    """An entry of the navigation with the entries below it, which are there along the way to the page only."""

    link: SiteLink
    below: tuple[SiteBranch, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class SiteFile:
    """A file a visible record shows or offers."""

    uid: int
    name: str
    mime: str
    alternative: str
    """What stands for it: of the place it is used at, else of the file; may be empty."""
    title: str
    size: int
    width: int = 0
    height: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class SiteElement:
    """A piece of the page."""

    uid: int
    header: str
    body: str
    """Markdown."""
    files: tuple[SiteFile, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class SiteContact:
    """Somebody visitors can reach."""

    name: str
    role: str
    phone: str
    email: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SitePage:
    """A page in one language with what surrounds it."""

    link: SiteLink
    title: str
    subtitle: str
    description: str
    keywords: str
    language: Language
    home: SiteLink
    """The first page of the site, in this language if it has it, else in the default one."""
    path: tuple[SiteLink, ...]
    """From the top to this page; pages above without a translation are left out."""
    navigation: tuple[SiteBranch, ...]
    translations: tuple[SiteLink, ...]
    """This page in every language in which it may be seen, this one included, by number of language."""
    elements: tuple[SiteElement, ...] = ()
    contacts: tuple[SiteContact, ...] = ()
    files: tuple[SiteFile, ...] = ()
    """Files of the page itself."""
    links: Mapping[int, SiteLink] = field(default_factory=dict)
    """Where the ``page:UID`` links of the text lead; what is missing may not be seen."""
