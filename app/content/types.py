"""Values of the content store: references, observed changes, and who writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any

from app.policy.identity import Identity

FieldValue = str | int | bool | None


class VersionState(IntEnum):
    """What a row of a versioned table is (cms.md section 7)."""

    CHANGED = 0
    """In workspace 0: the live row; in a draft: a full copy with new values."""
    NEW = 1
    DELETED = 2
    MOVED = 4


class ChangeAction(StrEnum):
    """What was observed to happen to a row."""

    CREATED = "created"
    UPDATED = "updated"
    MOVED = "moved"
    DELETED = "deleted"


class HistoryEvent(StrEnum):
    """What the history calls a change that is more than its action says."""

    PUBLISHED = "published"
    DISCARDED = "discarded"
    UNDELETED = "undeleted"
    STAGE = "stage"
    """No change of the record: the stage of its draft row."""


class Stage(IntEnum):
    """How far a draft row is on its way to the live workspace (cms.md section 9)."""

    EDITING = 0
    READY = -10


class Origin(StrEnum):
    """Where a write comes from; every history row carries it (I1)."""

    PERSON = "person"
    RUN = "run"
    IMPORT = "import"
    SEED = "seed"


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordRef:
    """A record named by table and uid."""

    table: str
    uid: int


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldChange:
    """One field of one record, before and after; ``old`` is None for a record that did not exist."""

    name: str
    old: FieldValue
    new: FieldValue


@dataclass(frozen=True, kw_only=True, slots=True)
class ObservedChange:
    """What the writer did to one row, with the facts the row carries afterwards.

    ``uid`` is the row, ``live_uid`` the record it stands for (its own uid when it is live or new). ``language_id``, ``hidden``,
    ``starttime``, ``endtime`` and ``groups`` are None where the table has no such column. ``page_uid`` is the page whose rights
    decide about it: the page itself for pages (the default page for translations), else its ``pid``.
    """

    table: str
    uid: int
    live_uid: int
    action: ChangeAction
    workspace_id: int
    page_uid: int
    title: str
    language_id: int | None = None
    hidden: bool | None = None
    starttime: int | None = None
    endtime: int | None = None
    groups: tuple[int, ...] | None = None
    is_target: bool = False
    fields: tuple[FieldChange, ...] = ()
    created_uid: bool = False
    """Whether the row itself was inserted by this batch (its uid is one of the reserved ones)."""
    event: HistoryEvent | None = None
    """What history calls it, where that is not the action."""
    published_uid: int = 0
    """The draft row whose values became live with this change; 0 = none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangeSet:
    """Everything one batch did, in order of first observation, one entry per row (net effect, rehearsal.md rule 4)."""

    changes: tuple[ObservedChange, ...] = ()
    failed_after_write: bool = False

    def __bool__(self) -> bool:
        return bool(self.changes)


@dataclass(frozen=True, kw_only=True, slots=True)
class WriteContext:
    """Who writes, where and why; the writer demands it for every batch."""

    actor: Identity
    workspace_id: int
    origin: Origin
    correlation: str
    """``run/turn/call`` for a call of a run; any unique text otherwise."""
    now: int
    """Seconds; the only clock a batch and its hooks may use."""
    rehearsal: bool = False
    """A rehearsal writes rows but no history and is rolled back by its caller."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A record as read: all columns of its row, the uid people know it by, and where it lies for the reader's workspace."""

    table: str
    values: Mapping[str, Any]
    live_uid: int

    @property
    def uid(self) -> int:
        """The row's own uid."""
        return int(self.values["uid"])

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedRef:
    """A record as a card names it (D7).

    It may not exist yet, so its table, language, workspace and nearest existing page decide.
    """

    table: str
    workspace_id: int
    language_id: int | None
    page_uid: int
    file_uid: int = 0
