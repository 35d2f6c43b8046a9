"""The frozen values the templates of pages, records and workspaces receive; everything in them was judged before."""

from __future__ import annotations

from dataclasses import dataclass

from app.chat.view_models import FactView, FieldView, Words
from app.core.i18n import Text


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordLinkView:
    """A record in a list."""

    table: str
    uid: int
    title: Words
    kind: Text
    url: str
    language: str | None
    """Language code of the title; None when it is unknown or the table has no languages."""
    facts: tuple[FactView, ...]
    state: Text | None = None
    """What the draft workspace holds of it."""
    is_hidden: bool = False
    place: str = ""
    """Title of the page it lies on, in lists of hits."""
    at: int = 0
    history_url: str | None = None
    history_label: Text | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class LanguageGroupView:
    """Content elements of a page in one language."""

    name: Words
    code: str | None
    elements: tuple[RecordLinkView, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ValueView:
    """A field of a record as it is now."""

    name: str
    label: Text
    value: Words
    is_markdown: bool
    is_long: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordPageView:
    """A record with its fields."""

    record: RecordLinkView
    workspace: Text
    page_url: str | None
    fields: tuple[ValueView, ...]
    translations: tuple[RecordLinkView, ...]
    history_url: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PageModuleView:
    """A page with its content by language."""

    record: RecordLinkView
    workspace: Text
    path: tuple[RecordLinkView, ...]
    languages: tuple[LanguageGroupView, ...]
    translations: tuple[RecordLinkView, ...]
    record_url: str
    history_url: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeView:
    """A page of the tree with the listed pages below it."""

    page: RecordLinkView
    below: tuple[TreeView, ...]
    has_more: bool
    """Pages lie below that are not listed here."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HistoryEntryView:
    """One change."""

    id: int
    at: int
    heading: Text
    origin: Text
    workspace: Text
    fields: tuple[FieldView, ...]
    withheld: Text | None


@dataclass(frozen=True, kw_only=True, slots=True)
class HistoryPageView:
    """The newest changes of a record."""

    title: Words
    kind: Text
    record_url: str | None
    workspace: Text
    entries: tuple[HistoryEntryView, ...]
    has_more: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkspaceView:
    """A workspace a person may use."""

    id: int
    title: Text
    url: str | None
    is_current: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class DifferencesView:
    """What a draft workspace holds."""

    id: int
    title: str
    records: tuple[RecordLinkView, ...]
    withheld: Text | None
    unlisted: Text | None
