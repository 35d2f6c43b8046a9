"""Extensions of the writer: before a record is written (may veto), inside the batch (may write), after the commit
(CM-07, D5).

A hook takes its time from ``context.now`` only: one that reads the clock, chance or anything outside the database
cannot be compared with its rehearsal (rehearsal.md rule 8). Only tables of the registry can be written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from app.content.types import ChangeSet, RecordRef, WriteContext

Values = Mapping[str, Any]


class OpenBatch(Protocol):
    """What an inside hook may do: write more records in the same transaction; they are listed as changed along."""

    @property
    def context(self) -> WriteContext:
        """Who writes, where and when."""
        ...

    def create(
        self,
        table: str,
        page_uid: int,
        values: Values,
        *,
        language_id: int = 0,
        after_uid: int | None = None,
        hidden: bool = False,
    ) -> RecordRef:
        """Create a record."""
        ...

    def update(self, table: str, uid: int, values: Values) -> RecordRef | None:
        """Change fields of a record; None when nothing differs."""
        ...

    def set_hidden(self, table: str, uid: int, hidden: bool) -> RecordRef | None:
        """Hide or show a record."""
        ...

    def delete(self, table: str, uid: int) -> RecordRef:
        """Delete a record."""
        ...


BeforeHook = Callable[[WriteContext, str, int, Values], None]
"""Called with context, table, uid (0 for a record that does not exist yet) and the normalised values about to be
written; vetoes by raising ``WriteRefused``.
"""
InsideHook = Callable[[OpenBatch, ChangeSet], None]
"""Called once per batch with what it did so far; writes through the batch. Whatever it raises fails the whole batch."""
AfterCommitHook = Callable[[WriteContext, ChangeSet], "ChangeSet | None"]
"""Called after the commit; opens its own transactions and batches and returns what they changed. Raising leaves the
rows.
"""


@dataclass(kw_only=True, slots=True)
class Hooks:
    """The hooks of an installation, in the order in which they were added."""

    before: list[BeforeHook] = field(default_factory=list)
    inside: list[InsideHook] = field(default_factory=list)
    after_commit: list[AfterCommitHook] = field(default_factory=list)

    @property
    def has_after_commit(self) -> bool:
        """Whether a commit has something to follow: then the call carries the ``hooks_pending`` mark (D7)."""
        return bool(self.after_commit)


@dataclass(frozen=True, kw_only=True, slots=True)
class AfterCommitResult:
    """What one after-commit hook did; ``error`` is what it raised, None when it ended well."""

    name: str
    changes: ChangeSet
    error: Exception | None = None


HOOKS = Hooks()
"""The hooks of this installation: empty unless an extension adds some."""


def run_after_commit(
    context: WriteContext, changes: ChangeSet, hooks: Hooks | None = None
) -> tuple[AfterCommitResult, ...]:
    """Run every after-commit hook, each on its own: one that fails does not keep the next from running.

    To be called without an open transaction, never in a rehearsal. The caller records each result as its own event
    of the call; an error makes the call "failed after writing" (CH-07).
    """
    found = HOOKS if hooks is None else hooks
    return tuple(_run(hook, context, changes) for hook in found.after_commit)


def _run(hook: AfterCommitHook, context: WriteContext, changes: ChangeSet) -> AfterCommitResult:
    name = getattr(hook, "__qualname__", type(hook).__name__)
    try:
        changed = hook(context, changes)
    except Exception as error:
        return AfterCommitResult(name=name, changes=ChangeSet(failed_after_write=True), error=error)
    return AfterCommitResult(name=name, changes=changed or ChangeSet())
