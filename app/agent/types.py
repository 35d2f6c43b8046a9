"""Values of the runtime: statuses, calls, previews, outcomes, news."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from app.content.types import ChangeAction, FieldChange, PlannedRef
from app.core import canonical
from app.core.i18n import Text
from app.policy.invocation import ConfigurationFacts


class RunStatus(StrEnum):
    """Where a run stands; the last three are final (RT-01)."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING_FOR_APPROVAL = "waiting_for_approval"
    WAITING_FOR_INPUT = "waiting_for_input"
    WAITING_FOR_PROVIDER = "waiting_for_provider"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        """Whether nothing can change it any more."""
        return self in {RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED}


class Reason(StrEnum):
    """Why a run ended."""

    COMPLETED = "completed"
    MAX_ROUNDS = "max_rounds"
    BUDGET_EXHAUSTED = "budget_exhausted"
    """What the person or the configuration may use on one day is used up."""
    CONTEXT_TRUNCATED = "context_truncated"
    """The model takes too little at once; it was not asked."""
    REPEATED_CALLS = "repeated_calls"
    """The model went on asking for the same step."""
    PROVIDER_FAILED = "provider_failed"
    CONFIGURATION = "configuration"
    NO_ACTING_USER = "no_acting_user"
    INTERNAL = "internal"
    CANCELLED = "cancelled"
    APPROVAL_EXPIRED = "approval_expired"
    RETRIES_EXHAUSTED = "retries_exhausted"
    NOT_RETRYABLE = "not_retryable"
    UNREADABLE = "unreadable"


class TurnState(StrEnum):
    """What became of a card."""

    WAITING = "waiting"
    APPROVED = "approved"
    DECLINED = "declined"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    CANCELLED = "cancelled"


class PreviewKind(StrEnum):
    """What a card can say of a call (CA-09): these are different things."""

    SHOWN = "shown"
    FAILED = "failed"
    """The rehearsal raised; the call is tagged refused."""
    REFUSED = "refused"
    """A rule or the tool itself refuses; tagged refused."""
    REMOTE = "remote"
    """Cannot be rehearsed; decided blind."""
    READ = "read"
    """A read of the same turn; nothing to preview."""


class CallState(StrEnum):
    """How a call ended (reliability.md 2.1); written once."""

    DONE = "done"
    UNCHANGED = "unchanged"
    FAILED = "failed"
    PARTIAL = "partial"
    REFUSED = "refused"
    REFUSED_ON_CARD = "refused_on_card"
    DECLINED = "declined"
    NOT_CARRIED_OUT = "not_carried_out"
    CANCELLED = "cancelled"


@dataclass(frozen=True, kw_only=True, slots=True)
class RunFacts:
    """What a worker knows of the run it holds; everything but the fence was recorded at the start (D11)."""

    uuid: str
    owner_id: int
    configuration: ConfigurationFacts
    """As read when the segment began; execution reads it again (DW-12)."""
    workspace_id: int | None
    """None = an older run that recorded nothing: it is treated as live."""
    language: str
    """Language of the owner's interface: explanations to the model are in it (DW-07)."""
    fence: int
    """The claim of this worker; a higher one in the row means that another worker holds the run."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """One call of a turn as the runtime holds it. ``arguments`` is None when they were not acceptable (``invalid`` says why)."""

    run_uuid: str
    turn: int
    ordinal: int
    provider_id: str
    tool: str
    arguments: Mapping[str, Any] | None
    arguments_text: str
    """Canonical JSON: what is digested and stored, never parsed by a database (rehearsal.md rule 5)."""
    invalid: str = ""

    @property
    def kept_text(self) -> str:
        """What is stored and digested: the arguments, or of arguments that were not acceptable only why."""
        return self.arguments_text if self.arguments is not None else canonical.dumps({"invalid": self.invalid})

    @property
    def correlation(self) -> str:
        """Names the call in the record history."""
        return f"{self.run_uuid}/{self.turn}/{self.ordinal}"


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordPreview:
    """One record a call would change, as rehearsed.

    ``uid`` is 0 for a record that does not exist yet; ``name`` is then its placeholder (``+0.pages.1``). ``page_uid`` is the
    nearest existing page: its rights decide who may see this (D7).
    """

    table: str
    uid: int
    live_uid: int
    name: str
    action: ChangeAction
    workspace_id: int
    page_uid: int
    title: str
    is_target: bool
    language_id: int | None
    hidden: bool | None
    starttime: int | None
    endtime: int | None
    groups: tuple[int, ...] | None
    fields: tuple[FieldChange, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Preview:
    """What one revision of a card holds for one call."""

    ordinal: int
    kind: PreviewKind
    heading: Text
    """The step in words: "Copy the page “Museum”"; the record's title is a parameter."""
    generic_heading: Text
    """The same step without any title, for readers who may not see the record."""
    named: tuple[PlannedRef, ...] = ()
    """Existing records whose titles ``heading`` names (from the plan)."""
    workspace_id: int
    language_id: int | None
    """The target language the tool takes; None = it takes none, which is not the default language (CA-03)."""
    refused_rule: str = ""
    refused_reason: str = ""
    explanation: Text | None = None
    records: tuple[RecordPreview, ...] = ()
    """The first 200 records."""
    counts: tuple[tuple[str, ChangeAction, int], ...] = ()
    """(table, action, how many) over all records."""
    effect_hash: str = ""
    has_after_hooks: bool = False
    """An extension may change more after the step is written (D7)."""

    @property
    def is_refused(self) -> bool:
        """Whether the call will not be carried out, whatever is decided."""
        return bool(self.refused_rule)


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """How a call ended and what the model reads of it."""

    state: CallState
    content: str
    code: str = ""

    @property
    def is_error(self) -> bool:
        """Whether the model is told that the call did not do what it asked for."""
        return self.state not in {CallState.DONE, CallState.UNCHANGED}


@dataclass(frozen=True, kw_only=True, slots=True)
class RunNews:
    """What the layer above is told inside the transaction that changed a run."""

    run_uuid: str
    subject: str
    owner_id: int
    status: RunStatus
    reason: str = ""
    answer: str | None = None
    """Text of the assistant for people: beside a proposal or at the end."""
    card: tuple[int, int] | None = None
    """(turn, revision) of a card that begins to wait."""
    settled_cards: tuple[tuple[int, int], ...] = ()
    """Cards that stopped waiting: decided, superseded, expired or cancelled."""
    writes: tuple[tuple[str, int, str], ...] = ()
    """(table, uid, kind) of what was written since the last news: identifiers only (RR-01)."""
    tool_failed: bool = False
    segment_ended: bool = False
    """Whether the run record gets an entry for this segment (RR-01, RR-02)."""
