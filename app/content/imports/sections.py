"""Second pass of an import: content elements of a page in every language, with links to pages and files resolved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.content.imports.batches import Anchor, PageBatch, Values, localized
from app.content.imports.markdown.types import SourcePage, SourceSection, SourceText
from app.content.imports.pages import default_text, fitting, text_key
from app.content.imports.pictures import ShownPictures, drop_references, write_pictures, write_references
from app.content.imports.placeholders import resolve
from app.content.imports.stored import StoredRecord
from app.content.schema import CONTENT_ELEMENTS
from app.content.writer import Batch
from app.core.i18n import ntext

_ELEMENTS = CONTENT_ELEMENTS.name
_UNPAIRED = "+"
"""Marks a section that exists in a translation only; its number may be that of a translated one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Place:
    """What the sections of one page share."""

    writing: PageBatch
    page_uid: int
    pages: Mapping[str, int]
    files: dict[str, int]
    shown: list[ShownPictures] = field(default_factory=list)


def write_sections(
    writing: PageBatch, page: SourcePage, page_uid: int, pages: Mapping[str, int], known_files: dict[str, int]
) -> dict[str, int]:
    """Create or update the elements of a page; returns the files known afterwards, by image path.

    ``pages`` are the uids of all pages by key. A section is found again by its place and heading, else by its heading, else by its
    place. Elements whose section is gone are told and left.
    """
    files = write_pictures(writing, page, known_files)
    place = _Place(writing=writing, page_uid=page_uid, pages=pages, files=files)
    source = default_text(page)
    parents = _write_default(place, page, source)
    for code, text in page.translations.items():
        if text is not source:
            _write_translation(place, page, code, text, parents)
    # Last: a translation takes the references of its original along, and every language brings its own.
    for shown in place.shown:
        write_references(writing, shown, page_uid=page_uid, files=files)
    return files


def _write_default(place: _Place, page: SourcePage, source: SourceText) -> list[int | None]:
    key = text_key(place.writing.target, page.key, source.language)
    stored = place.writing.stored.sections(key)
    names = [_name(section) for section in source.sections]
    matches = match_sections(names, stored)
    uids: list[int | None] = []
    previous: int | None = None
    for at, section in enumerate(source.sections):
        made = _write_own(place, section, f"{key}#{names[at]}", 0, matches.get(at), previous if stored else None)
        uids.append(made)
        previous = made or previous
    _note_lost(place.writing, stored, [found.uid for found in matches.values()])
    return uids


def _write_translation(
    place: _Place, page: SourcePage, code: str, text: SourceText, parents: Sequence[int | None]
) -> None:
    writing = place.writing
    key, language_id = text_key(writing.target, page.key, code), writing.target.languages[code]
    stored = writing.stored.sections(key)
    connected = {found.translation_parent: found for found in stored if found.translation_parent}
    alone = {
        at: _UNPAIRED + _name(section) for at, section in enumerate(text.sections) if section.partner_index is None
    }
    places = list(alone)
    free = [found for found in stored if not found.translation_parent]
    matches = {places[at]: found for at, found in match_sections(list(alone.values()), free).items()}
    kept = [found.uid for found in matches.values()]
    for at, section in enumerate(text.sections):
        if section.partner_index is None:
            _write_own(place, section, f"{key}#{alone[at]}", language_id, matches.get(at), None)
            continue
        parent_uid = parents[section.partner_index]
        if parent_uid is None:
            writing.tally.unchanged += 1
            continue
        found = connected.get(parent_uid)
        kept += [found.uid] if found else []
        _write_connected(place, section, f"{key}#{_name(section)}", language_id, found, parent_uid)
    gone = {parent_uid for parent_uid in parents if parent_uid is None}
    _note_lost(writing, [] if gone else stored, kept)


def _write_own(
    place: _Place,
    section: SourceSection,
    key: str,
    language_id: int,
    found: StoredRecord | None,
    after_uid: int | None,
) -> int | None:
    """An element that stands alone: in the default language, or without a partner in another one."""

    def make(batch: Batch, values: Values) -> int:
        own = {**values, "kind": "text"}
        return batch.create(_ELEMENTS, place.page_uid, own, language_id=language_id, after_uid=after_uid).uid

    uid = place.writing.put(_ELEMENTS, key, _values(place, section), found=found, make=make)
    _attach(place, section, key, language_id, uid)
    return uid


def _write_connected(
    place: _Place, section: SourceSection, key: str, language_id: int, found: StoredRecord | None, parent_uid: int
) -> None:
    """An element that translates ``parent_uid``; the import shows it, unlike a translation that still has to be written."""

    def make(batch: Batch, values: Values) -> int:
        made = localized(batch, _ELEMENTS, parent_uid, language_id, {**values, "hidden": False})
        drop_references(place.writing, original_uid=parent_uid, owner_uid=made)
        return made

    values = _values(place, section)
    anchor = Anchor(translation_parent=parent_uid)
    uid = place.writing.put(_ELEMENTS, key, values, found=found, make=make, anchor=anchor)
    _attach(place, section, key, language_id, uid)


def _attach(place: _Place, section: SourceSection, key: str, language_id: int, uid: int | None) -> None:
    if uid is not None and section.images:
        place.shown.append(ShownPictures(images=section.images, owner_uid=uid, owner_key=key, language_id=language_id))


def _values(place: _Place, section: SourceSection) -> dict[str, str]:
    return {
        "header": fitting(place.writing, "header", section.header, CONTENT_ELEMENTS),
        "body": resolve(section.body, place.pages, place.files),
    }


def _name(section: SourceSection) -> str:
    return section.key.rpartition("#")[2]


def match_sections(names: Sequence[str], stored: Sequence[StoredRecord]) -> dict[int, StoredRecord]:
    """Which stored element is which section (by index): equal names first, then equal headings, then equal places."""
    free = {found.import_key.rpartition("#")[2]: found for found in stored}
    matches: dict[int, StoredRecord] = {}

    def take(same: int | None) -> None:
        for at, name in enumerate(names):
            if at in matches:
                continue
            wanted = _parts(name)
            for other in free:
                if other == name if same is None else _parts(other)[same] == wanted[same]:
                    matches[at] = free.pop(other)
                    break

    for same in (None, 1, 0):
        take(same)
    return matches


def _parts(name: str) -> tuple[str, str]:
    number, _, slug = name.partition("-")
    return number, slug


def _note_lost(writing: PageBatch, stored: Sequence[StoredRecord], kept: Sequence[int]) -> None:
    lost = sum(1 for found in stored if found.uid not in kept and not found.deleted)
    if lost:
        writing.note(
            ntext(
                "%(path)s has lost %(n)s section. Its content element was left as it is.",
                "%(path)s has lost %(n)s sections. Their content elements were left as they are.",
                lost,
            )
        )
