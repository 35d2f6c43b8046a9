"""The frozen values the templates of pages, records and workspaces receive; everything in them was judged before."""

from __future__ import annotations

from dataclasses import dataclass

from app.chat.view_models import FactView, Words
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
class ValueView:
    """A field of a record as it is now."""

    name: str
    label: Text
    value: Words
    is_markdown: bool
    is_long: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkspaceView:
    """A workspace a person may use."""

    id: int
    title: Text
    url: str | None
    is_current: bool
