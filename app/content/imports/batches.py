"""The batch of one page: opened when the first record has to be written, committed as a whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from app.content.errors import WriteRefused
from app.content.hooks import run_after_commit
from app.content.imports.outcome import ImportNote, ImportTarget, Tally
from app.content.imports.stored import StoredImport, StoredRecord
from app.content.types import ChangeSet, Origin, WriteContext
from app.content.writer import Batch
from app.core import canonical, clock, ids
from app.core.db import transaction
from app.core.i18n import Text, text
from app.policy.identity import LIVE

Values = Mapping[str, Any]
Maker = Callable[[Batch, Values], int]
"""Makes a record from its values (import marks included) and returns its uid."""
_HIDDEN, _SHOWN = "h", "s"
"""First sign of an import hash: whether the source called the page a draft when it was last written."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Anchor:
    """Columns by which a record is found again besides its key."""

    pid: int = 0
    translation_parent: int = 0
    owner_uid: int = 0
    file_uid: int = 0


_NOWHERE = Anchor()


class PageBatch:
    """Writes records of one page and counts them. Reading the same source again opens no transaction."""

    def __init__(self, target: ImportTarget, stored: StoredImport, path: str, stack: ExitStack) -> None:
        self.target = target
        self.stored = stored
        self.path = path
        self.tally = Tally()
        self.notes: list[ImportNote] = []
        self._stack = stack
        self._fresh: list[StoredRecord] = []
        self._batch: Batch | None = None
        self.context = WriteContext(
            actor=target.actor,
            workspace_id=LIVE,
            origin=Origin.IMPORT,
            correlation=f"import/{ids.new_uuid()}",
            now=clock.now(),
        )

    @property
    def batch(self) -> Batch:
        """The open batch."""
        if self._batch is None:
            self._batch = Batch(self._stack.enter_context(transaction()), self.context)
        return self._batch

    def hold(self, held: AbstractContextManager[object]) -> None:
        """Keep something open until the page is committed or rolled back."""
        self._stack.enter_context(held)

    def note(self, sentence: Text) -> None:
        """Tell something about this page; ``%(path)s`` of the sentence is its file."""
        self.notes.append(ImportNote(path=self.path, sentence=sentence.with_params(path=self.path)))

    def put(
        self,
        table: str,
        key: str,
        values: Values,
        *,
        found: StoredRecord | None,
        make: Maker,
        is_draft: bool | None = None,
        anchor: Anchor = _NOWHERE,
    ) -> int | None:
        """Create or update one record and return its uid; None when a person deleted it or stands in its place.

        A record is written again only when its source differs from what was imported last; then the source wins over what a
        person wrote since. ``is_draft`` hides it; later only a change of that mark in the source does. ``anchor`` is kept for the
        rest of the import.
        """
        mark = import_mark(values, is_draft)
        if found is not None and found.deleted:
            self.tally.unchanged += 1
            self.note(text("%(path)s has content that was deleted here. It was not brought back."))
            return None
        marked = {**values, "import_key": key, "import_hash": mark}
        if found is None:
            return self._create(table, marked, make, anchor)
        if (found.import_hash, found.import_key) == (mark, key):
            self.tally.unchanged += 1
            return found.uid
        self._update(found, marked, is_draft, anchor)
        return found.uid

    def _create(self, table: str, marked: Values, make: Maker, anchor: Anchor) -> int | None:
        try:
            uid = make(self.batch, marked)
        except WriteRefused as error:
            if error.reason != "translation_exists":
                raise
            self.tally.unchanged += 1
            self.note(text("%(path)s already has a translation that was made here. It was left as it is."))
            return None
        self.tally.created += 1
        self._remember(table, uid, marked, anchor)
        return uid

    def _update(self, found: StoredRecord, marked: Values, is_draft: bool | None, anchor: Anchor) -> None:
        mark = marked["import_hash"]
        turned = is_draft is not None and found.import_hash[:1] != mark[:1]
        # The same source under another key (a section moved): only the key is noted, what a person wrote stays.
        written = {"import_key": marked["import_key"]} if found.import_hash == mark else marked
        if self.batch.update(found.table, found.uid, {**written, "hidden": is_draft} if turned else written) is None:
            self.tally.unchanged += 1
        else:
            self.tally.updated += 1
        self._remember(found.table, found.uid, marked, anchor)

    def _remember(self, table: str, uid: int, marked: Values, anchor: Anchor) -> None:
        self._fresh.append(
            StoredRecord(
                table=table,
                uid=uid,
                import_key=marked["import_key"],
                import_hash=marked["import_hash"],
                created_at=self.context.now,
                pid=anchor.pid,
                translation_parent=anchor.translation_parent,
                owner_uid=anchor.owner_uid,
                file_uid=anchor.file_uid,
            )
        )

    def finish(self) -> ChangeSet:
        """Close the batch, before the commit."""
        return ChangeSet() if self._batch is None else self._batch.finish()

    def settle(self, changes: ChangeSet) -> None:
        """After the commit: later pages find the records, and extensions are told."""
        for record in self._fresh:
            self.stored.add(record)
        if changes and any(result.error is not None for result in run_after_commit(self.context, changes)):
            self.note(text("%(path)s was imported, but an extension failed afterwards."))


@contextmanager
def page_batch(target: ImportTarget, stored: StoredImport, path: str) -> Iterator[PageBatch]:
    """One page: what is raised inside rolls the whole page back and passes through."""
    with ExitStack() as stack:
        writing = PageBatch(target, stored, path, stack)
        yield writing
        changes = writing.finish()
    writing.settle(changes)


def localized(batch: Batch, table: str, uid: int, language_id: int, values: Values) -> int:
    """Make the translation of a record with ``values`` as its own texts; returns its uid."""
    made = batch.localize(table, uid, language_id, with_content=False)
    batch.update(table, made.uid, values)
    return made.uid


def import_mark(values: Values, is_draft: bool | None = None) -> str:
    """The import hash of ``values``; with ``is_draft`` its first sign tells the draft mark of the source."""
    found = canonical.sha256(canonical.dumps(dict(values)))
    return found if is_draft is None else (_HIDDEN if is_draft else _SHOWN) + found[1:]
