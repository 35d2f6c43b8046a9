"""The frozen values templates receive. Everything in them has passed the viewer's rights already."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.core.i18n import Text

Words = Text | str


@dataclass(frozen=True, kw_only=True, slots=True)
class FactView:
    """One fact of a record: one badge, one text (CH-11). ``name`` and ``value`` are the machine words of design section 5."""

    name: str
    value: str | int | bool | list[str]
    label: Text
    tone: str = "neutral"


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangedRecordView:
    """One record of the list of changes."""

    table: str
    uid: int
    live_uid: int
    title: Words
    title_language: str | None
    kind: Text
    """ "Page, no. 42"."""
    facts: tuple[FactView, ...]
    edit_url: str | None = None
    history_url: str | None = None
    history_label: Text | None = None
    workspace_url: str | None = None

    @property
    def dom_id(self) -> str:
        """Stable id of the row."""
        return f"chg-{self.table}-{self.uid}"


@dataclass(frozen=True, kw_only=True, slots=True)
class NoteView:
    """One thing the list says about itself."""

    name: str
    count: int
    label: Text


@dataclass(frozen=True, kw_only=True, slots=True)
class TotalView:
    """How many of the listed records have one action."""

    name: str
    count: int
    label: Text


@dataclass(frozen=True, kw_only=True, slots=True)
class ChoiceView:
    """One value a filter offers."""

    value: str
    label: Words
    is_chosen: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class FilterView:
    """The filters of a list: only values that records the viewer may see have."""

    actions: tuple[ChoiceView, ...] = ()
    workspaces: tuple[ChoiceView, ...] = ()
    languages: tuple[ChoiceView, ...] = ()
    offers_check: bool = False
    needs_check: bool = False
    is_set: bool = False
    is_offered: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class OverviewView:
    """What stands above the records of a list."""

    totals: tuple[TotalView, ...] = ()
    to_check: int = 0
    check: Text | None = None
    filters: FilterView = FilterView()


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangeListView:
    """The list of what an assignment changed, for one viewer."""

    conversation_id: int
    records: tuple[ChangedRecordView, ...]
    notes: tuple[NoteView, ...]
    announcement: Text
    overview: OverviewView = OverviewView()

    def as_json(self) -> Mapping[str, object]:
        """The same facts as data (design section 5)."""
        return {
            "records": [_record_json(record) for record in self.records],
            "notes": {note.name: note.count for note in self.notes if note.count},
        }


def _record_json(record: ChangedRecordView) -> Mapping[str, object]:
    links = {"edit": record.edit_url, "history": record.history_url, "workspace": record.workspace_url}
    return {
        "table": record.table,
        "uid": record.uid,
        "live_uid": record.live_uid,
        "title": record.title if isinstance(record.title, str) else "",
        "facts": {fact.name: fact.value for fact in record.facts},
        "links": {name: url for name, url in links.items() if url is not None},
    }


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldView:
    """One field of one record on a card or in a history: before and after."""

    name: str
    label: Text
    old: Words | None
    """None = the record did not exist before."""
    new: Words | None
    language: str | None = None
    is_withheld: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class CardRecordView:
    """One record a step would change."""

    title: Words
    kind: Text
    action: Text
    facts: tuple[FactView, ...]
    fields: tuple[FieldView, ...]
    is_target: bool
    place: Text | None = None
    """From where to where it moves, for viewers who may see both."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StepView:
    """One call on a card."""

    ordinal: int
    number: int
    """Position on the card, from 1."""
    tool: str
    heading: Text
    workspace: Text | None
    """ "Writes to the draft workspace “Relaunch”."; None for steps without a write."""
    is_live: bool
    language: Text | None
    preview: str
    """``shown``, ``failed``, ``withheld``, ``refused``, ``remote`` or ``read``."""
    is_refused: bool
    explanation: Text | None
    records: tuple[CardRecordView, ...]
    """Named records first; then those that change along with them."""
    along: tuple[CardRecordView, ...]
    along_label: Text | None
    withheld: Text | None
    unlisted: Text | None
    """Records beyond the bound of what a rehearsal keeps, as counts."""
    draft_required: Text | None = None
    extension: Text | None = None
    outcome: Text | None = None
    outcome_tone: str = "neutral"


@dataclass(frozen=True, kw_only=True, slots=True)
class ApprovalCardView:
    """An approval card for one viewer."""

    dom_id: str
    run_uuid: str
    url: str
    state: str
    heading: Text
    configuration: str
    cause: Text | None
    steps: tuple[StepView, ...]
    digest: str
    token: str
    approve_label: Text | None
    """None = nothing can be approved, or this viewer may not."""
    approves: Text | None
    blocked: Text | None
    """Why there is no approve button."""
    is_all_refused: bool
    may_decline: bool
    decided: Text | None
    """Who decided and when."""
    reason: str | None = None
    """The reason of a decline, for people who may read the conversation."""
    draft_reason: str = ""
    """Text typed before a refused decision, so that nothing is lost."""
    note: Text | None = None
    seq: int = 0
    """Number of the card's entry in the history; 0 when the reader has no history around it."""
    at: int = 0
    """When the card began to wait."""
    number: int = 1
    """Which card of its run it is."""
    problem: Text | None = None
    """What was wrong with the form that was sent."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StatementView:
    """What is recorded for an answer: constant words and numbers, none of the model's text."""

    records: int
    words: tuple[Text, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class MessageView:
    """One entry of the history."""

    seq: int
    role: str
    author: Words
    at: int
    body: str
    language: str | None
    card: ApprovalCardView | None = None
    card_id: str | None = None
    card_url: str | None = None
    statement: StatementView | None = None
    """Under the answer a run ended with."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ConversationLinkView:
    """A conversation in the list of conversations."""

    id: int
    title: Words
    status: Text
    touched_at: int
    is_current: bool
    is_pinned: bool
    is_own: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ConversationView:
    """A conversation as one person sees it."""

    id: int
    title: Words
    is_own: bool
    owner_name: str
    configuration: str
    status: str
    """Machine word: ``idle``, ``working``, ``awaiting_approval``, ``awaiting_input`` or ``failed``."""
    status_label: Text
    status_detail: Text | None
    run_uuid: str | None
    card_id: str | None
    """Id of the waiting card."""
    has_changes: bool
    changes_version: int
    version: int
    last_seq: int
    poll_seconds: int | None
    """None = nothing to wait for."""
    may_send: bool
    may_stop: bool
    draft: str
    writes_to: Text | None
    """Where the next assignment will write."""
    is_pinned: bool = False
    is_archived: bool = False
    may_retry: bool = False
    """Whether the assignment failed in a way that trying the same message again may help."""
