"""The frozen values the templates of the page tree and the page module receive."""

from __future__ import annotations

from dataclasses import dataclass

from app.chat.view_models import Words
from app.core.i18n import Text
from app.web.content_values import RecordLinkView
from app.web.editing_values import CommandView


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeView:
    """A page of the tree with the listed pages below it."""

    page: RecordLinkView
    below: tuple[TreeView, ...]
    has_children: bool
    """Whether pages lie below, listed or not."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BranchView:
    """Pages of one level, one part of them."""

    pages: tuple[TreeView, ...]
    parent_uid: int
    next_part: int | None
    """Number of the part that follows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ElementView:
    """A content element in the column of a language, or what is missing there."""

    record: RecordLinkView | None
    commands: tuple[CommandView, ...] = ()
    missing: Text | None = None
    """Which element has no translation in this language."""
    translate: CommandView | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class LanguageColumn:
    """Content of a page in one language."""

    name: Words
    code: str | None
    page: RecordLinkView | None
    """The translation of the page itself; None in the default language and where there is none."""
    note: Text | None
    elements: tuple[ElementView, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class DeletedView:
    """A deleted record that can be restored."""

    table: str
    uid: int
    title: Words
    kind: Text
    language: Words | None
    at: int
    action: str
    button: Text


@dataclass(frozen=True, kw_only=True, slots=True)
class PageModuleView:
    """A page with its content by language."""

    record: RecordLinkView
    workspace: Text
    path: tuple[RecordLinkView, ...]
    columns: tuple[LanguageColumn, ...]
    missing: tuple[CommandView, ...]
    """Languages of the site the page is not translated into; without address when the person may not translate."""
    commands: tuple[CommandView, ...]
    record_url: str
    history_url: str
    site_url: str | None
    default_page: RecordLinkView | None
    """Of a translation: the page it translates."""
    deleted: tuple[DeletedView, ...] | None
    """None = not asked for."""
    deleted_url: str | None
    """None = there is nothing the person could restore here."""
