"""The writing half of an import: a tree that was read becomes pages, elements and files of the live site.

Two passes, so that links find pages that come later: first all pages, then what lies on them; one transaction per page and pass.
A page that cannot be written leaves nothing of that pass and the next one is taken. A second import of the same source finds
its records by ``import_key`` and writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlalchemy import select
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError

from app.content.imports.batches import PageBatch, page_batch
from app.content.imports.markdown.types import ReportKind, SourcePage, SourceTree
from app.content.imports.outcome import ImportNote, ImportResult, ImportTarget, Tally
from app.content.imports.pages import default_text, text_key, write_page
from app.content.imports.sections import write_sections
from app.content.imports.stored import StoredImport
from app.content.schema import PAGES
from app.content.store import find_row
from app.core.db import reading
from app.core.errors import AppError, Invalid
from app.core.i18n import Text, text
from app.policy.identity import LIVE

__all__ = ["ImportNote", "ImportResult", "ImportTarget", "find_parent", "import_tree"]
PASSES = 2


def find_parent(connection: Connection, uid: int | None) -> int:
    """The page below which an import goes: ``uid``, or the first page of the site. Raises ``Invalid`` when it is no such page."""
    if uid is None:
        pages = PAGES.table.c
        found = connection.execute(
            select(pages.uid)
            .where(pages.pid == 0, pages.workspace_id == LIVE, pages.translation_parent == 0, pages.deleted.is_(False))
            .order_by(pages.sorting, pages.uid)
        ).first()
        if found is None:
            raise Invalid("parent", text=text("The site has no page yet below which the import could go."))
        return int(found.uid)
    row = find_row(connection, PAGES.name, uid, LIVE)
    if row is None or row["translation_parent"]:
        raise Invalid("parent", text=text("There is no page %(uid)s in the default language.", uid=str(uid)))
    return row.live_uid


def import_tree(
    tree: SourceTree,
    target: ImportTarget,
    on_page: Callable[[], None] | None = None,
    *,
    known_files: Mapping[str, int] | None = None,
    is_whole: bool = True,
) -> ImportResult:
    """Write ``tree`` below ``target.parent_uid``; ``on_page`` is called ``PASSES`` times per page.

    ``known_files`` are files that are there already, by the path of the pictures that show them. Without
    ``is_whole`` the tree is a part, and what it lacks is not told.
    Numbers count records; ``failed`` counts pages that could not be written and files that could not be read. Opens its own
    transactions.
    """
    with reading() as connection:
        stored = StoredImport.load(connection, target.prefix)
    run = _Import(target, stored, known_files or {})
    run.tally.failed = sum(1 for entry in tree.report if entry.kind is ReportKind.BROKEN_FILE)
    for step in (run.place, run.fill):
        for page in tree.pages:
            step(page)
            if on_page is not None:
                on_page()
    if is_whole:
        run.note_lost(tree)
    tally = run.tally
    return ImportResult(
        created=tally.created,
        updated=tally.updated,
        unchanged=tally.unchanged,
        failed=tally.failed,
        notes=tuple(dict.fromkeys(run.notes)),
    )


class _Import:
    """One import in progress."""

    def __init__(self, target: ImportTarget, stored: StoredImport, known_files: Mapping[str, int]) -> None:
        self.target = target
        self.stored = stored
        self.tally = Tally()
        self.notes: list[ImportNote] = []
        self._pages: dict[str, int] = {}
        self._links: dict[str, int] = {}
        """Where links lead: pages that were deleted too, so that nothing is written because of a deletion."""
        self._files: dict[str, int] = dict(known_files)
        self._deleted: set[str] = set()
        """Keys of pages that a person deleted: nothing goes below them, and that is no failure."""
        self._last_child: dict[int, int] = {}

    def place(self, page: SourcePage) -> None:
        """First pass: the page and its translations."""
        parent_uid = self._parent_of(page)
        if parent_uid is None:
            return
        made: list[int | None] = []

        def step(writing: PageBatch) -> None:
            after_uid = self._last_child.get(parent_uid) if self.stored.has_children(parent_uid) else None
            made.append(write_page(writing, page, parent_uid=parent_uid, after_uid=after_uid))

        if not self._attempt(page, step):
            return
        uid = made[0]
        if uid is None:
            self._close(page)
            return
        self._pages[page.key] = self._links[page.key] = uid
        self._note_place(page, parent_uid)

    def fill(self, page: SourcePage) -> None:
        """Second pass: what lies on the page."""
        page_uid = self._pages.get(page.key)
        if page_uid is None:
            return
        files: dict[str, int] = {}

        def step(writing: PageBatch) -> None:
            files.update(write_sections(writing, page, page_uid, self._links, self._files))

        if self._attempt(page, step):
            self._files = files

    def note_lost(self, tree: SourceTree) -> None:
        """Tell which pages and translations of earlier imports the source has no more; they stay."""
        keys = {text_key(self.target, page.key, code) for page in tree.pages for code in page.translations}
        for record in self.stored.texts():
            code = record.import_key.rpartition("@")[2]
            if record.import_key not in keys and code in self.target.languages:
                path = record.import_key.removeprefix(self.target.prefix)
                sentence = text("%(path)s is no longer part of the source. The page was left as it is.", path=path)
                self.notes.append(ImportNote(path=path, sentence=sentence))

    def _parent_of(self, page: SourcePage) -> int | None:
        if page.parent_key is None:
            return self.target.parent_uid
        if page.parent_key in self._pages:
            return self._pages[page.parent_key]
        if page.parent_key in self._deleted:
            self._close(page)
            self.tally.unchanged += 1
        else:
            self._fail(page, text("The page above it is not there."))
        return None

    def _close(self, page: SourcePage) -> None:
        """Nothing goes below a page that a person deleted."""
        self._deleted.add(page.key)
        found = self.stored.find(PAGES.name, text_key(self.target, page.key, default_text(page).language))
        if found is not None:
            self._links[page.key] = found.uid

    def _note_place(self, page: SourcePage, parent_uid: int) -> None:
        """Remember the page as neighbour of its next sibling, unless a person moved it elsewhere."""
        found = self.stored.find(PAGES.name, text_key(self.target, page.key, default_text(page).language))
        if found is not None and found.pid == parent_uid:
            self._last_child[parent_uid] = found.uid

    def _attempt(self, page: SourcePage, step: Callable[[PageBatch], None]) -> bool:
        try:
            with page_batch(self.target, self.stored, default_text(page).path) as writing:
                step(writing)
        except AppError as error:
            self._fail(page, error.text)
        except (DBAPIError, OSError):
            self._fail(page, text("The system refused to write it."))
        else:
            self.tally.add(writing.tally)
            self.notes += writing.notes
            return True
        return False

    def _fail(self, page: SourcePage, reason: Text) -> None:
        self.tally.failed += 1
        path = default_text(page).path
        sentence = text("%(path)s could not be imported. %(reason)s", path=path, reason=reason)
        self.notes.append(ImportNote(path=path, sentence=sentence))
