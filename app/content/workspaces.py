"""What people do with a draft workspace: publish, discard, send on and back. One transaction each, hooks after the commit.

Who may is decided by the writer, record by record (cms.md section 9). Every use case takes ``seen``, the mark of what
the person was shown: when anything of it has changed since, nothing is written, so a publish overwrites nothing unseen.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace

from sqlalchemy.engine import Connection

from app.content import writer
from app.content.held import HeldRow, held_rows
from app.content.hooks import run_after_commit
from app.content.schema import REGISTRY
from app.content.types import ChangeSet, Origin, RecordRef, VersionState, WriteContext
from app.content.writer import PublishOutcome, Stage
from app.content.writer.drafts import allowed_in_draft, list_draft
from app.core import canonical, clock, errors, ids
from app.core.db import transaction
from app.policy.identity import Identity


class SeenChanged(errors.Conflict):
    """Something of what the person was shown is not so any more; nothing was written."""


def publish(
    identity: Identity,
    workspace_id: int,
    refs: Sequence[RecordRef],
    *,
    overwrite: Collection[RecordRef] = (),
    seen: str,
) -> PublishOutcome:
    """Put ``refs`` (row uids) live; of records that changed live meanwhile only those in ``overwrite``.

    Raises ``SeenChanged``, and ``WriteRefused`` when the person may not publish here at all.
    """
    context = _context(identity, workspace_id)
    with transaction() as connection:
        _check_seen(connection, workspace_id, refs, seen)
        outcome = writer.publish_records(connection, context, refs, overwrite=overwrite)
    return replace(outcome, changes=_with_hooks(context, outcome.changes))


def discard(identity: Identity, workspace_id: int, refs: Sequence[RecordRef], *, seen: str) -> ChangeSet:
    """Give up what the workspace holds of ``refs`` (row uids). Raises ``SeenChanged``, ``WriteRefused``."""
    context = _context(identity, workspace_id)
    with transaction() as connection:
        _check_seen(connection, workspace_id, refs, seen)
        changes = writer.discard_records(connection, context, refs)
    return _with_hooks(context, changes)


def send_to_stage(identity: Identity, workspace_id: int, refs: Sequence[RecordRef], stage: Stage, *, seen: str) -> int:
    """Send ``refs`` (row uids) on to publishing or back to editing; returns how many changed their stage.

    A change of stage is an entry of the history, not a change of the record. Raises ``SeenChanged``, ``WriteRefused``.
    """
    context = _context(identity, workspace_id)
    with transaction() as connection:
        _check_seen(connection, workspace_id, refs, seen)
        return writer.set_stage(connection, context, refs, stage)


def mark_of(connection: Connection, workspace_id: int, refs: Sequence[RecordRef]) -> str:
    """A mark of rows as they are now, with the live rows they stand for: another mark, something has changed."""
    rows = [
        [held.trait.name, int(held.row["uid"]), held.row["rev"], held.row["live_rev"] or 0]
        for held in _held(connection, workspace_id, refs)
    ]
    return canonical.sha256(canonical.dumps(sorted(rows)))


def count_states(connection: Connection, workspace_id: int, refs: Sequence[RecordRef]) -> Counter[VersionState]:
    """How many of ``refs`` (row uids) are new, changed, moved or to be deleted; rights were asked before."""
    return Counter(VersionState(held.row["version_state"]) for held in _held(connection, workspace_id, refs))


def _held(connection: Connection, workspace_id: int, refs: Sequence[RecordRef]) -> list[HeldRow]:
    uids: defaultdict[str, list[int]] = defaultdict(list)
    for ref in refs:
        uids[ref.table].append(ref.uid)
    wanted = set(refs)
    return [
        held
        for table in sorted(uids)
        if table in REGISTRY and REGISTRY[table].versioned
        for held in held_rows(connection, REGISTRY[table], workspace_id, uids[table])
        if held.ref in wanted
    ]


def changeable_refs(
    connection: Connection, identity: Identity, workspace_id: int, refs: Sequence[RecordRef] | None
) -> tuple[RecordRef, ...]:
    """Those of ``refs`` (row uids; None = everything the workspace holds) this person may discard or send on."""
    if not identity.may_use_workspace(workspace_id):
        return ()
    rows = list_draft(connection, workspace_id, refs)
    allowed = allowed_in_draft(connection, identity, workspace_id, rows)
    return tuple(row.ref for row in rows if row.ref in allowed)


def _check_seen(connection: Connection, workspace_id: int, refs: Sequence[RecordRef], seen: str) -> None:
    writer.raise_clock(connection)  # first, so that nobody writes between this look and the publish (rehearsal.md 18)
    if mark_of(connection, workspace_id, refs) != seen:
        raise SeenChanged(f"workspace {workspace_id}")


def _context(identity: Identity, workspace_id: int) -> WriteContext:
    return WriteContext(
        actor=replace(identity, workspace_id=workspace_id),
        workspace_id=workspace_id,
        origin=Origin.PERSON,
        correlation=f"person/{ids.new_uuid()}",
        now=clock.now(),
    )


def _with_hooks(context: WriteContext, changes: ChangeSet) -> ChangeSet:
    """``changes`` with those of the hooks that follow a commit; ``failed_after_write`` when one of them failed."""
    results = run_after_commit(context, changes) if changes else ()
    return ChangeSet(
        changes=(*changes.changes, *(change for result in results for change in result.changes.changes)),
        failed_after_write=any(result.error is not None for result in results),
    )
