"""What people write by hand: each use case opens the transaction, makes one batch and runs the hooks after its commit.

Uids in arguments and results are those people know (live, or new in the workspace). Every use case may raise
``content.errors.WriteRefused``; then nothing was written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from sqlalchemy import Table, select

from app.content import rights
from app.content.errors import WriteRefused
from app.content.hooks import HOOKS, Values, run_after_commit
from app.content.models import RecordHistory
from app.content.schema import REGISTRY
from app.content.store import find_row
from app.content.types import ChangeSet, Origin, RecordRef, Row, WriteContext
from app.content.writer import Batch
from app.content.writer.values import normalise
from app.core import clock, ids
from app.core.db import transaction
from app.core.errors import Conflict
from app.core.i18n import Text
from app.policy.identity import LIVE, Identity

T = TypeVar("T")
_HISTORY = cast(Table, RecordHistory.__table__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Edited:
    """A record after a write, and everything that was observed to change with it.

    No changes = it was so already, nothing was written. ``changes.failed_after_write`` = the rows stay, but a hook
    that follows a commit failed.
    """

    ref: RecordRef
    changes: ChangeSet


@dataclass(frozen=True, kw_only=True, slots=True)
class SeenRow:
    """The row a form was filled from: in a draft the live row until the first save makes a version row."""

    row_uid: int
    rev: int


class EditConflict(Conflict):
    """The record is not as it was when the form was opened; ``row`` is how it stands now.

    ``by_user_id`` and ``at`` (seconds) tell the newest recorded change, None and 0 when none is recorded.
    """

    def __init__(self, row: Row, by_user_id: int | None, at: int) -> None:
        super().__init__("edited meanwhile")
        self.row = row
        self.by_user_id = by_user_id
        self.at = at


def write_as_person(identity: Identity, workspace_id: int, act: Callable[[Batch], T]) -> tuple[T, ChangeSet]:
    """Run ``act`` on a batch of this person in ``workspace_id``; what it returned, and what changed, hooks included.

    ``act`` must not call ``finish``. Whatever it raises rolls everything back.
    """
    context = WriteContext(
        actor=replace(identity, workspace_id=workspace_id),
        workspace_id=workspace_id,
        origin=Origin.PERSON,
        correlation=f"person/{ids.new_uuid()}",
        now=clock.now(),
    )
    with transaction() as connection:
        batch = Batch(connection, context)
        result = act(batch)
        changes = batch.finish()
    return result, _with_hooks(context, changes)


def _with_hooks(context: WriteContext, changes: ChangeSet) -> ChangeSet:
    if not changes or not HOOKS.has_after_commit:
        return changes
    results = run_after_commit(context, changes)
    return ChangeSet(
        changes=(*changes.changes, *(change for result in results for change in result.changes.changes)),
        failed_after_write=any(result.error is not None for result in results),
    )


def find_objection(identity: Identity, workspace_id: int, table: str, name: str, value: Any) -> Text | None:
    """Why the store would not take ``value`` for a field, as a sentence; None when it would (rights are not asked)."""
    context = WriteContext(
        actor=identity, workspace_id=workspace_id, origin=Origin.PERSON, correlation="", now=clock.now()
    )
    try:
        normalise(context, REGISTRY[table], {name: value}, creating=False)
    except WriteRefused as refused:
        return refused.text
    return None


def create_record(
    identity: Identity,
    workspace_id: int,
    table: str,
    page_uid: int,
    values: Values,
    *,
    language_id: int = 0,
    after_uid: int | None = None,
    first: bool = False,
    hidden: bool = False,
) -> Edited:
    """Make a record on (for pages: below) ``page_uid``: as last one, as first one, or right after a neighbour."""

    def act(batch: Batch) -> RecordRef:
        made = batch.create(table, page_uid, values, language_id=language_id, after_uid=after_uid, hidden=hidden)
        if first and REGISTRY[table].has_sorting:
            batch.move(table, made.uid, first=True)
        batch.mark_target(made)
        return made

    return _edited(write_as_person(identity, workspace_id, act))


def update_record(
    identity: Identity, workspace_id: int, table: str, uid: int, values: Values, *, seen_rev: SeenRow | None
) -> Edited:
    """Change fields of a record; fields without a grant are dropped silently (cms.md section 5).

    Raises ``EditConflict`` when the record is not the row, or not in the state, that ``seen_rev`` names (None = not
    asked): so a draft's first version row made by somebody else counts as a change too.
    """

    def act(batch: Batch) -> RecordRef:
        row = rights.require_update(batch.connection, batch.context.actor, workspace_id, table, uid)
        if seen_rev is not None and (row.uid, row["rev"]) != (seen_rev.row_uid, seen_rev.rev):
            raise _conflict(batch, row)
        written = batch.update(table, row.live_uid, values)
        if written is not None:
            batch.mark_target(written)
        return RecordRef(table=table, uid=row.live_uid)

    return _edited(write_as_person(identity, workspace_id, act))


def _conflict(batch: Batch, row: Row) -> EditConflict:
    trait = REGISTRY[row.table]
    stored_in = row["workspace_id"] if trait.versioned else LIVE
    statement = (
        select(_HISTORY.c.user_id, _HISTORY.c.at)
        .where(_HISTORY.c.table_name == row.table, _HISTORY.c.live_uid == row.live_uid)
        .where(_HISTORY.c.workspace_id == stored_in)
        .order_by(_HISTORY.c.id.desc())
        .limit(1)
    )
    last = batch.connection.execute(statement).first()
    return EditConflict(row, last.user_id if last else None, last.at if last else 0)


def set_hidden(identity: Identity, workspace_id: int, table: str, uid: int, *, hidden: bool) -> Edited:
    """Hide or show a record."""
    return _on_record(identity, workspace_id, table, uid, lambda batch, public: batch.set_hidden(table, public, hidden))


def delete_record(identity: Identity, workspace_id: int, table: str, uid: int) -> Edited:
    """Delete a record with what hangs on it; in a draft it is marked, and what is new there is removed."""
    return _on_record(identity, workspace_id, table, uid, lambda batch, public: batch.delete(table, public))


def move_record(
    identity: Identity,
    workspace_id: int,
    table: str,
    uid: int,
    *,
    page_uid: int | None = None,
    after_uid: int | None = None,
    first: bool = False,
) -> Edited:
    """Move a record on its page (``page_uid`` None) or to another one; see ``Batch.move`` for the places."""
    return _on_record(
        identity,
        workspace_id,
        table,
        uid,
        lambda batch, public: batch.move(table, public, page_uid=page_uid, after_uid=after_uid, first=first),
    )


def undelete_record(identity: Identity, table: str, uid: int) -> Edited:
    """Restore a record deleted in live with what was on it; its translations stay deleted (cms.md section 11)."""

    def act(batch: Batch) -> RecordRef:
        restored = batch.undelete(table, uid)
        batch.mark_target(restored)
        return restored

    return _edited(write_as_person(identity, LIVE, act))


def copy_page(identity: Identity, workspace_id: int, uid: int, target_uid: int | None, *, subpages: bool) -> Edited:
    """Copy a page below ``target_uid`` (None: the same parent, 0: the root); the result is the copy."""

    def act(batch: Batch) -> RecordRef:
        made = batch.copy_page(uid, target_uid, subpages=subpages).root
        batch.mark_target(made)
        return made

    return _edited(write_as_person(identity, workspace_id, act))


def copy_record(identity: Identity, workspace_id: int, table: str, uid: int, page_uid: int) -> Edited:
    """Copy a record that is no page to a page, as the last one there; the result is the copy."""

    def act(batch: Batch) -> RecordRef:
        made = batch.copy_record(table, uid, page_uid)
        batch.mark_target(made)
        return made

    return _edited(write_as_person(identity, workspace_id, act))


def localize_record(
    identity: Identity, workspace_id: int, table: str, uid: int, language_id: int, *, with_content: bool
) -> Edited:
    """Make the translation of a record, hidden; the result is the translation."""

    def act(batch: Batch) -> RecordRef:
        made = batch.localize(table, uid, language_id, with_content=with_content)
        batch.mark_target(made)
        return made

    return _edited(write_as_person(identity, workspace_id, act))


def _on_record(
    identity: Identity,
    workspace_id: int,
    table: str,
    uid: int,
    write: Callable[[Batch, int], RecordRef | None],
) -> Edited:
    """A command on a record that exists; ``write`` gets its public uid and checks the rights itself."""

    def act(batch: Batch) -> RecordRef:
        row = find_row(batch.connection, table, uid, workspace_id) if table in REGISTRY else None
        public = uid if row is None else row.live_uid
        written = write(batch, public)
        if written is not None:
            batch.mark_target(written)
        return RecordRef(table=table, uid=public)

    return _edited(write_as_person(identity, workspace_id, act))


def _edited(result: tuple[RecordRef, ChangeSet]) -> Edited:
    return Edited(ref=result[0], changes=result[1])
