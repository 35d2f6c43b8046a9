"""The frozen values the templates of workspaces and of record history receive; everything in them was judged before."""

from __future__ import annotations

from dataclasses import dataclass

from app.chat.view_models import FactView, Words
from app.content.diff import Segment
from app.core.i18n import Text


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldDiffView:
    """One field before and after; ``segments`` when it is compared word by word."""

    name: str
    label: Text
    old: Words | None
    """None = the record did not exist."""
    new: Words | None
    language: str | None = None
    segments: tuple[Segment, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class DifferenceView:
    """A record a draft workspace holds."""

    key: str
    """``table:uid`` of its row: what a check box sends."""
    table: str
    uid: int
    title: Words
    kind: Text
    language: str | None
    facts: tuple[FactView, ...]
    state_name: str
    """``new``, ``changed``, ``moved`` or ``deleted``."""
    state: Text
    stage: Text
    is_ready: bool
    is_conflicting: bool
    changed: Text | None
    """Who changed it last, and when."""
    edit_url: str | None
    """None while the reader stands in another workspace: the form would show another version."""
    history_url: str
    compare_url: str
    preview_url: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class DifferenceGroupView:
    """The listed records of one page."""

    id: int
    heading: Words
    page_url: str | None
    records: tuple[DifferenceView, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class DifferencesView:
    """What a draft workspace holds."""

    id: int
    title: str
    groups: tuple[DifferenceGroupView, ...]
    summary: tuple[Text, ...]
    """The workspace as a whole, one sentence each."""
    withheld: Text | None
    part: int
    parts: int
    is_current: bool
    """Whether the reader stands in it."""
    may_publish: bool
    is_owner: bool
    """Owners and administrators: they send back to editing and delete the workspace."""
    preview_url: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparisonView:
    """A record of a workspace beside the live one."""

    record: DifferenceView
    workspace_id: int
    workspace_title: str
    sentences: tuple[Text, ...]
    conflict: Text | None
    fields: tuple[FieldDiffView, ...]
    withheld: Text | None


@dataclass(frozen=True, kw_only=True, slots=True)
class StepRecordView:
    """A record on a confirmation page, with what stands against the act, if anything does."""

    record: DifferenceView
    explanation: Text | None = None
    may_overwrite: bool = False
    comparison: ComparisonView | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfirmationView:
    """What an act on a workspace would do, before it is done."""

    workspace_id: int
    workspace_title: str
    address: str
    heading: Text
    consequences: tuple[Text, ...]
    records: tuple[StepRecordView, ...]
    """What would be done, in this order."""
    unlisted: Text | None
    conflicts: tuple[StepRecordView, ...]
    unlisted_conflicts: Text | None
    refused: tuple[StepRecordView, ...]
    button: Text | None
    """None = nothing can be done."""
    chosen: str
    """The keys of the chosen records, joined by spaces; empty = the whole workspace."""
    stage: str
    """``ready`` or ``editing`` when the act is a change of stage."""
    seen: str
    is_stale: bool = False
    """The page is shown again because something changed since it was opened."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DeletionView:
    """What the deletion of a workspace brings about."""

    workspace_id: int
    title: str
    consequences: tuple[Text, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class AssignmentLinkView:
    """The assignment a change came from, for those who may read its course."""

    url: str
    conversation_url: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class HistoryEntryView:
    """One change."""

    id: int
    at: int
    heading: Text
    origin: Text
    workspace: Text
    fields: tuple[FieldDiffView, ...]
    withheld: Text | None
    assignment: AssignmentLinkView | None


@dataclass(frozen=True, kw_only=True, slots=True)
class HistoryPageView:
    """A part of the changes of a record, newest first."""

    title: Words
    kind: Text
    record_url: str | None
    workspace: Text
    entries: tuple[HistoryEntryView, ...]
    older_url: str | None
    newer_url: str | None
