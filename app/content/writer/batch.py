"""A batch: the only way records are written. Rows, history and observation share one transaction (design D5)."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, update

from app.content.hooks import HOOKS, Hooks, Values
from app.content.models import ContentClock
from app.content.types import ChangeSet, RecordRef, WriteContext
from app.content.writer import (
    copying,
    copying_records,
    deleting,
    files,
    history,
    moving,
    overwriting,
    records,
    translating,
    undeleting,
)
from app.content.writer.collection import collection_paused
from app.content.writer.copying import CopyResult
from app.content.writer.observe import Observation
from app.content.writer.rows import remove_rows
from app.content.writer.work import Work


class Batch:
    """Writes on an open writing transaction in the name of ``context.actor``, who is checked for every command.

    Uids in arguments are those people know (live, or new in the workspace); returned references carry the row's
    uid. Every command may raise ``content.errors.WriteRefused``; the caller then rolls back to its savepoint, since
    a command may have written part of its rows. ``finish`` must be called once, before the commit.
    """

    def __init__(self, connection: Connection, context: WriteContext, *, hooks: Hooks | None = None) -> None:
        raise_clock(connection)
        self._work = Work(
            connection=connection, context=context, hooks=HOOKS if hooks is None else hooks, observed=Observation()
        )
        self._is_finished = False

    @property
    def context(self) -> WriteContext:
        """Who writes, where and when; hooks take the time from here."""
        return self._work.context

    @property
    def connection(self) -> Connection:
        """The transaction of the batch, for reading back."""
        return self._work.connection

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
        """Create a record on (for pages: below) a page, as last one or after a neighbour."""
        return records.create_record(
            self._work, table, page_uid, values, language_id=language_id, after_uid=after_uid, hidden=hidden
        )

    def update(self, table: str, uid: int, values: Values) -> RecordRef | None:
        """Change fields of a record; None when nothing differs: nothing is written then (CM-05)."""
        return records.update_record(self._work, table, uid, values)

    def set_hidden(self, table: str, uid: int, hidden: bool) -> RecordRef | None:
        """Hide or show a record; None when it is so already."""
        return records.set_hidden(self._work, table, uid, hidden)

    def copy_page(self, uid: int, target_uid: int | None, *, subpages: bool) -> CopyResult:
        """Copy a page with everything on it below ``target_uid`` (None: the same parent), hidden, as "Title
        (copy n)".
        """
        with collection_paused():
            return copying.copy_page(self._work, uid, target_uid, subpages=subpages)

    def copy_record(
        self, table: str, uid: int, page_uid: int | None, *, after_uid: int | None = None, first: bool = False
    ) -> RecordRef:
        """Copy a record with its translations and file references to a page (None: the page it lies on): after a
        neighbour, as first or as last one there.
        """
        return copying_records.copy_record(self._work, table, uid, page_uid, after_uid=after_uid, first=first)

    def localize(self, table: str, uid: int, language_id: int, *, with_content: bool) -> RecordRef:
        """Make the translation of a record, hidden and marked "to be translated"; of a page on request with its
        elements.
        """
        return translating.localize(self._work, table, uid, language_id, with_content=with_content)

    def localize_all(self, table: str, uids: Sequence[int], language_id: int, *, with_content: bool) -> list[RecordRef]:
        """The same for many records of a table, such as the pages of a branch, with statements that do not grow with
        them; nothing is written when one of them is refused.
        """
        with collection_paused():
            return translating.localize_all(self._work, table, uids, language_id, with_content=with_content)

    def delete(self, table: str, uid: int) -> RecordRef:
        """Delete a record with what hangs on it; in a draft mark it."""
        return deleting.delete_record(self._work, table, uid)

    def add_file(self, values: Values) -> RecordRef:
        """Make the record of a stored file; see ``writer.files`` for its rights."""
        return files.add_file(self._work, values)

    def change_file(self, uid: int, values: Values) -> RecordRef | None:
        """Rename or move a file; None when nothing differs."""
        return files.change_file(self._work, uid, values)

    def remove_file(self, uid: int) -> RecordRef:
        """Remove an unused file with its descriptions."""
        return files.remove_file(self._work, uid)

    def move(
        self, table: str, uid: int, *, page_uid: int | None = None, after_uid: int | None = None, first: bool = False
    ) -> RecordRef | None:
        """Move a record to (a page: below) ``page_uid``, None being where it lies now and 0 the root.

        There it becomes the first, comes right after the sibling ``after_uid``, or becomes the last. Translations and
        references to files follow. None when it lies there already: nothing is written then (CM-05).
        """
        return moving.move_record(self._work, table, uid, page_uid=page_uid, after_uid=after_uid, first=first)

    def undelete(self, table: str, uid: int) -> RecordRef:
        """Bring a deleted live record back with what was deleted along with it, translations left out."""
        return undeleting.undelete_record(self._work, table, uid)

    def overwrite_translation(
        self, table: str, uid: int, language_id: int, *, with_content: bool
    ) -> tuple[RecordRef, RecordRef]:
        """Delete the translation of a record and make it anew from the source; the old one and the new one."""
        return overwriting.overwrite_translation(self._work, table, uid, language_id, with_content=with_content)

    def mark_target(self, ref: RecordRef) -> None:
        """Say that ``ref`` is the record the tool named; everything else was changed along with it (CH-10)."""
        self._work.observed.mark_target(ref)

    @property
    def work(self) -> Work:
        """What the commands of this package share; for them only."""
        return self._work

    def finish(self) -> ChangeSet:
        """Run the inside hooks, fold what was done to the net effect and write the history (not in a rehearsal).

        An exception of a hook passes through: then nothing of the batch may stay.
        """
        if self._is_finished:
            msg = "the batch is finished already"
            raise RuntimeError(msg)
        self._is_finished = True
        with collection_paused():
            return self._finish()

    def _finish(self) -> ChangeSet:
        observed = self._work.observed
        for hook in self._work.hooks.inside:
            hook(self, observed.fold())
        for row in observed.needless_versions():
            remove_rows(self._work, row.trait, [row.last])
        changes = observed.fold()
        if not self.context.rehearsal:
            history.write_history(self._work.connection, self.context, changes, observed.published_rows())
        return changes


def raise_clock(connection: Connection) -> None:
    """First content statement of every content transaction: writers of content follow one another (rehearsal.md
    rules 9, 18).

    Raises ``RuntimeError`` when the clock has no row, because then PostgreSQL would not serialise them.
    """
    if connection.execute(update(ContentClock).values(n=ContentClock.n + 1)).rowcount != 1:
        msg = "the content clock has no row"
        raise RuntimeError(msg)
