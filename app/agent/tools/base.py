"""What a tool is: one named act with a schema, an effect, words for people, and one plan for rehearsal and execution (RT-18)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from sqlalchemy.engine import Connection

from app.content.types import PlannedRef, RecordRef
from app.content.writer import Batch
from app.core.i18n import Text
from app.policy.identity import Identity
from app.policy.invocation import ToolFacts


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolContext:
    """In whose name and where a call runs. ``acting`` stands in ``workspace_id``; both come from the run, never from arguments."""

    connection: Connection
    acting: Identity
    workspace_id: int
    language: str
    """Language of the owner's interface: for words in results."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """A resolved and authorised write: the same object is rehearsed and executed."""

    target: RecordRef | None
    """The record named by the arguments (the parent or source for creations, copies and translations)."""
    heading: Text
    """The step in words, with the record's title: "Hide the page “Opening hours”"."""
    generic_heading: Text
    """The step without a title or kind of record, the tool's own label: it must not tell withheld records apart (I3)."""
    named: tuple[PlannedRef, ...] = ()
    """Existing records whose titles the heading names: a reader who may not see one of them gets the generic heading."""
    language_id: int | None = None
    """The language the tool was given, if it takes one (CA-03)."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """What ``execute`` needs besides; private to the tool."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WriteResult:
    """What a write did in the tool's own, checked words (read back before success is claimed)."""

    content: Mapping[str, Any]
    """JSON for the model: ``{"done": …, "uid": …}``; identifiers and facts."""
    target: RecordRef | None
    """The record written: table and row uid."""
    kind: str
    """What ``tool_write`` records: ``create``, ``update``, ``copy``, ``translate``, ``move``, ``hide``, ``publish``,
    ``delete`` or ``undelete``.
    """
    completeness: str = "complete"
    """``complete`` or ``partial``."""


class Tool(Protocol):
    """A tool of the registry."""

    facts: ToolFacts
    description: str
    """For the model, English."""
    parameters: Mapping[str, Any]
    """JSON schema of the arguments; ``additionalProperties`` is false, so an unknown argument refuses the whole call (I24)."""
    label: Text
    """For people: "Copy page"."""
    sentence: Text
    """For people: what it does, one sentence."""


@runtime_checkable
class ReadTool(Tool, Protocol):
    """A tool that only reads; its answer holds nothing the acting person may not read (I28)."""

    def read(self, context: ToolContext, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """JSON for the model. Raises ``content.errors.WriteRefused`` (reason ``not_found``) for what cannot be read."""
        ...


@runtime_checkable
class WriteTool(Tool, Protocol):
    """A tool that writes through the content writer."""

    def plan(self, context: ToolContext, arguments: Mapping[str, Any]) -> Plan:
        """Resolve and authorise; writes nothing. Raises ``content.errors.WriteRefused``."""
        ...

    def execute(self, context: ToolContext, plan: Plan, batch: Batch) -> WriteResult:
        """Write ``plan`` through ``batch`` and read back. Raises ``content.errors.WriteRefused``; then nothing stays."""
        ...
