"""Values a Markdown tree is read into.

Placeholders inside ``SourceSection.body`` which the writing half replaces: a link target ``page:<key>`` or
``page:<key>#<anchor>`` names the ``SourcePage`` with that key (``page:`` alone is the root page), an image target
``image:<path>`` names the ``ImageRef`` with that path. Keys and paths in placeholders are percent-encoded
(``urllib.parse.unquote`` gives them back), so that they are valid Markdown targets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from app.core.i18n import Text, text

PAGE_SCHEME = "page:"
IMAGE_SCHEME = "image:"


class ReportKind(StrEnum):
    """What can be worth telling after reading a tree; every kind has one sentence."""

    SKIPPED_NO_LANGUAGE = "skipped_no_language"
    BROKEN_FILE = "broken_file"
    MISSING_IMAGE = "missing_image"
    UNKNOWN_SHORTCODE = "unknown_shortcode"
    MISSING_DEFAULT_LANGUAGE = "missing_default_language"
    MISSING_INDEX = "missing_index"
    UNRESOLVED_LINK = "unresolved_link"


_SENTENCES: dict[ReportKind, Text] = {
    ReportKind.SKIPPED_NO_LANGUAGE: text("%(path)s was skipped: its name has none of the chosen languages."),
    ReportKind.BROKEN_FILE: text("%(path)s could not be read. %(detail)s"),
    ReportKind.MISSING_IMAGE: text("%(path)s shows the image %(detail)s, which could not be used."),
    ReportKind.UNKNOWN_SHORTCODE: text("%(path)s uses the unknown shortcode “%(detail)s”. It was kept as text."),
    ReportKind.MISSING_DEFAULT_LANGUAGE: text("%(path)s was skipped: there is no file in the default language."),
    ReportKind.MISSING_INDEX: text("The folder %(path)s has no usable _index file. Its page was named “%(detail)s”."),
    ReportKind.UNRESOLVED_LINK: text("%(path)s links to %(detail)s, which is not part of the import."),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportEntry:
    """One thing that was skipped, kept or missing.

    ``path`` is relative to the directory read, with ``/``. ``detail`` is a name from the source (image, shortcode,
    link, title) or, for a broken file, the reason as a text for people.
    """

    kind: ReportKind
    path: str
    detail: str | Text = ""

    def sentence(self) -> Text:
        """The entry as one sentence for people."""
        return _SENTENCES[self.kind].with_params(path=self.path, detail=self.detail)


@dataclass(frozen=True, kw_only=True, slots=True)
class ImageRef:
    """A local picture a section shows.

    ``path`` is relative to the directory read and stable between imports; ``source`` is the file on disk. ``size`` is
    in bytes, ``sha256`` is of the whole file as hex, ``mime`` comes from the content and not from the name.
    """

    path: str
    source: Path
    alt: str
    sha256: str
    size: int
    mime: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceSection:
    """One content element.

    ``key`` is position based (``articles#2-teaser-text``); a translated section carries the key of its partner.
    ``header`` is plain text ('' for the text before the first heading), ``body`` is Markdown without that heading.
    ``partner_index`` is the index of the section in the default language this one translates (in the default language:
    its own); None means it has no partner.
    """

    key: str
    header: str
    body: str
    images: tuple[ImageRef, ...] = ()
    partner_index: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceText:
    """A page in one language.

    ``path`` is the file relative to the directory read (the folder when the page had to be named after it).
    ``content_hash`` covers language, title, description, draft and sections including image contents.
    """

    language: str
    path: str
    title: str
    description: str
    draft: bool
    sections: tuple[SourceSection, ...]
    content_hash: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SourcePage:
    """A page of the tree.

    ``key`` is the path without language and ending, '' for the root; ``parent_key`` is None for the root only.
    ``weight`` None sorts after every number. ``date`` is in epoch seconds UTC. ``translations`` has the default
    language first and always contains it.
    """

    key: str
    parent_key: str | None
    weight: int | None
    date: int | None
    draft: bool
    translations: Mapping[str, SourceText]


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceTree:
    """``pages`` with parents before children and siblings in reading order; ``report`` in order of finding."""

    pages: tuple[SourcePage, ...]
    report: tuple[ReportEntry, ...]
