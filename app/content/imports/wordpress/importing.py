"""A WordPress export becomes pages, elements and files of the live site; a second import of the same file changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from sqlalchemy.exc import DBAPIError

from app.content.imports.batches import page_batch
from app.content.imports.markdown.types import SourcePage, SourceSection, SourceTree
from app.content.imports.outcome import ImportNote, ImportResult, ImportTarget, Tally
from app.content.imports.stored import StoredImport
from app.content.imports.wordpress.media import write_media
from app.content.imports.wordpress.places import host_of
from app.content.imports.wordpress.tree import WordPressTree
from app.content.imports.wordpress.wxr import WxrExport, WxrItem
from app.content.imports.writing import import_tree
from app.core.db import reading
from app.core.errors import AppError
from app.core.i18n import Text, text

_SOURCE: Final = "wordpress"
_MEDIA: Final = "media"
_TOGETHER: Final = 50
"""Files written in one transaction."""
T = TypeVar("T")


def source_of(export: WxrExport) -> str:
    """Name of the source for import keys: two old sites below one page do not take each other's records."""
    host = next((host for host in map(host_of, export.addresses) if host), "")
    return f"{_SOURCE}@{host[:80]}" if host else _SOURCE


def import_wordpress(
    source: WordPressTree, target: ImportTarget, on_page: Callable[[], None] | None = None
) -> ImportResult:
    """Write ``source`` below ``target.parent_uid`` (``target.source`` is ``source_of`` its export); opens its own transactions.

    Files first, so that texts find them. Numbers count records; ``failed`` counts pages and groups of files that could not
    be written, and texts that could not be read.
    """
    files, tally, notes = _import_media(source.media, target)
    pages = tuple(_showing(page, files.keys()) for page in source.tree.pages)
    result = import_tree(SourceTree(pages=pages, report=()), target, on_page, known_files=files, is_whole=False)
    return ImportResult(
        created=result.created + tally.created,
        updated=result.updated + tally.updated,
        unchanged=result.unchanged + tally.unchanged,
        failed=result.failed + tally.failed + source.failed,
        notes=(*source.notes, *dict.fromkeys(notes), *result.notes),
    )


def _import_media(items: Sequence[WxrItem], target: ImportTarget) -> tuple[dict[str, int], Tally, list[ImportNote]]:
    with reading() as connection:
        stored = StoredImport.load(connection, target.prefix)
    files: dict[str, int] = {}
    tally, notes = Tally(), list[ImportNote]()
    for part in _parts(items):
        try:
            with page_batch(target, stored, _MEDIA) as writing:
                found = write_media(writing, part)
        except AppError as error:
            notes.append(_failed(tally, error.text))
        except DBAPIError:
            notes.append(_failed(tally, text("The system refused to write it.")))
        else:
            files |= found
            tally.add(writing.tally)
            notes += writing.notes
    return files, tally, notes


def _failed(tally: Tally, reason: Text) -> ImportNote:
    tally.failed += 1
    return ImportNote(
        path=_MEDIA, sentence=text("%(path)s could not be imported. %(reason)s", path=_MEDIA, reason=reason)
    )


def _parts(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), _TOGETHER):
        yield items[start : start + _TOGETHER]


def _showing(page: SourcePage, known: Collection[str]) -> SourcePage:
    """The page with those pictures only whose records are there: what a person deleted does not come back."""
    translations = {
        code: replace(words, sections=tuple(_with_known(section, known) for section in words.sections))
        for code, words in page.translations.items()
    }
    return replace(page, translations=translations)


def _with_known(section: SourceSection, known: Collection[str]) -> SourceSection:
    return replace(section, images=tuple(image for image in section.images if image.path in known))
