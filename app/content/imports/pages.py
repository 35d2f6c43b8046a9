"""First pass of an import: pages and their translations, so that every link finds its page in the second."""

from __future__ import annotations

from typing import Any

from app.content.imports.batches import Anchor, PageBatch, Values, localized
from app.content.imports.markdown.types import SourcePage, SourceText
from app.content.imports.outcome import ImportTarget
from app.content.imports.stored import StoredRecord, bounded
from app.content.schema import PAGES, TableTrait
from app.content.writer import Batch
from app.core.i18n import text

_ELLIPSIS = "…"


def text_key(target: ImportTarget, page_key: str, code: str) -> str:
    """Import key of a page in one language."""
    return bounded(f"{target.prefix}{page_key}@{code}")


def default_text(page: SourcePage) -> SourceText:
    """The page in the default language."""
    return next(iter(page.translations.values()))


def write_page(writing: PageBatch, page: SourcePage, *, parent_uid: int, after_uid: int | None) -> int | None:
    """Create or update a page below ``parent_uid`` and its translations; returns its uid, None when a person deleted it."""
    source = default_text(page)
    key = text_key(writing.target, page.key, source.language)
    found = writing.stored.find(PAGES.name, key)

    def make(batch: Batch, values: Values) -> int:
        return batch.create(PAGES.name, parent_uid, values, after_uid=after_uid, hidden=page.draft).uid

    uid = writing.put(
        PAGES.name,
        key,
        {**_texts(writing, source), **_limits(writing, page, found)},
        found=found,
        make=make,
        is_draft=page.draft,
        anchor=Anchor(pid=found.pid if found else parent_uid),
    )
    if uid is None:
        return None
    for code, translation in page.translations.items():
        if translation is not source:
            _translate(writing, page, uid, code, translation)
    return uid


def _translate(writing: PageBatch, page: SourcePage, uid: int, code: str, source: SourceText) -> None:
    key = text_key(writing.target, page.key, code)
    is_draft = page.draft or source.draft

    def make(batch: Batch, values: Values) -> int:
        return localized(batch, PAGES.name, uid, writing.target.languages[code], {**values, "hidden": is_draft})

    found = writing.stored.find(PAGES.name, key)
    anchor = Anchor(translation_parent=uid)
    writing.put(PAGES.name, key, _texts(writing, source), found=found, make=make, is_draft=is_draft, anchor=anchor)


def _texts(writing: PageBatch, source: SourceText) -> dict[str, Any]:
    return {
        "title": fitting(writing, "title", source.title),
        "description": fitting(writing, "description", source.description),
    }


def fitting(writing: PageBatch, field: str, words: str, trait: TableTrait = PAGES) -> str:
    """``words`` as they fit into a field; a longer text is cut and told."""
    most = trait.field_by_name[field].max_length
    if len(words) <= most:
        return words
    writing.note(text("%(path)s has a text that is too long for its field. It was cut."))
    return words[: most - 1].rstrip() + _ELLIPSIS


def _limits(writing: PageBatch, page: SourcePage, found: StoredRecord | None) -> dict[str, Any]:
    """A date that lay ahead when the page came in is its first day; one that has passed meanwhile changes nothing."""
    seen_first = found.created_at if found else writing.context.now
    return {"starttime": page.date} if page.date is not None and page.date > seen_first else {}
