"""Pictures of a page: a file in the storage, its description, and references from the elements that show it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import select

from app.content.files.pictures import is_picture, measure
from app.content.files.storage import Storage
from app.content.files.types import FileRefused
from app.content.imports.batches import Anchor, PageBatch, Values, import_mark, localized
from app.content.imports.markdown.types import ImageRef, SourcePage, SourceSection
from app.content.imports.outcome import ImportTarget
from app.content.imports.pages import fitting
from app.content.imports.stored import StoredRecord, bounded
from app.content.schema import CONTENT_ELEMENTS, FILE_METADATA, FILE_REFERENCES, FILES
from app.content.writer import Batch
from app.core import canonical
from app.core.db import reading
from app.core.errors import Conflict
from app.core.i18n import text

_LONGEST_PATH = 400
_LONGEST_NAME = 200


@dataclass(kw_only=True, slots=True)
class _Picture:
    """A picture with the words that stand for it in each language."""

    image: ImageRef
    alternatives: dict[str, str] = field(default_factory=dict)
    sides: dict[str, int] = field(default_factory=dict)
    """Width and height of new content; empty when nothing about the bytes is new."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownPictures:
    """An element and the pictures its section shows."""

    images: tuple[ImageRef, ...]
    owner_uid: int
    owner_key: str
    language_id: int


def write_pictures(writing: PageBatch, page: SourcePage, known: dict[str, int]) -> dict[str, int]:
    """Uids of the files a page shows by image path; ``known`` are those that earlier pages brought."""
    new = {path: picture for path, picture in _pictures(page).items() if path not in known}
    if new:
        # Until the commit, so that nobody takes bytes away whose record is being written.
        writing.hold(Storage(folder=writing.target.files_folder).held())
    for picture in new.values():
        _copy(writing, picture)
    made = {path: _write(writing, picture, next(iter(page.translations))) for path, picture in new.items()}
    return {**known, **{path: uid for path, uid in made.items() if uid is not None}}


def write_references(writing: PageBatch, shown: ShownPictures, *, page_uid: int, files: Mapping[str, int]) -> None:
    """Attach the pictures of a section to its element, each once."""
    for image in {image.path: image for image in shown.images if image.path in files}.values():
        file_uid = files[image.path]
        found = writing.stored.find_reference(shown.owner_uid, file_uid)
        # A renamed section keeps its references: they are found by what they connect, not by their key.
        key = found.import_key if found else f"{shown.owner_key}!{canonical.sha256(image.path)[:24]}"
        values = {"file_uid": file_uid, "alternative": fitting(writing, "alternative", image.alt, FILE_REFERENCES)}
        owner = {"owner_table": CONTENT_ELEMENTS.name, "owner_uid": shown.owner_uid, "owner_field": "images"}

        def make(batch: Batch, values: Values, owner: Values = owner) -> int:
            return batch.create(FILE_REFERENCES.name, page_uid, {**values, **owner}, language_id=shown.language_id).uid

        anchor = Anchor(owner_uid=shown.owner_uid, file_uid=file_uid)
        writing.put(FILE_REFERENCES.name, key, values, found=found, make=make, anchor=anchor)


def drop_references(writing: PageBatch, *, original_uid: int, owner_uid: int) -> None:
    """Take back what a new translation took along from imported references: the source names its own pictures."""
    imported = writing.stored.references_of(original_uid)
    if not imported:
        return
    columns = FILE_REFERENCES.table.c
    statement = select(columns.uid).where(columns.owner_uid == owner_uid, columns.translation_parent.in_(imported))
    for uid in writing.batch.connection.execute(statement).scalars().all():
        writing.batch.delete(FILE_REFERENCES.name, uid)


def _pictures(page: SourcePage) -> dict[str, _Picture]:
    found: dict[str, _Picture] = {}
    for code, source in page.translations.items():
        for image in _images(source.sections):
            picture = found.setdefault(image.path, _Picture(image=image))
            if image.alt:
                picture.alternatives.setdefault(code, image.alt)
    return found


def _images(sections: Iterable[SourceSection]) -> Iterable[ImageRef]:
    return (image for section in sections for image in section.images)


def _key(target: ImportTarget, image: ImageRef) -> str:
    return bounded(f"{target.prefix}image:{image.path}")


def _facts(image: ImageRef) -> dict[str, str | int]:
    return {"mime": image.mime, "size": image.size, "sha256": image.sha256}


def _sides(image: ImageRef) -> dict[str, int]:
    """Width and height; none for drawings, and for pictures that cannot be read: those are kept, but not shown."""
    if not is_picture(image.mime):
        return {"width": 0, "height": 0}
    try:
        width, height = measure(image.source, image.mime)
    except FileRefused:
        return {"width": 0, "height": 0}
    return {"width": width, "height": height}


def _path(target: ImportTarget, image: ImageRef) -> str:
    """Path in the storage; a very long one is shortened to a hash that keeps the ending."""
    folder = f"/import/{target.parent_uid}/"
    name = posixpath.basename(image.path)
    if len(image.path) <= _LONGEST_PATH and len(name) <= _LONGEST_NAME:
        return folder + image.path
    return folder + canonical.sha256(image.path) + posixpath.splitext(name)[1][:20]


def _copy(writing: PageBatch, picture: _Picture) -> None:
    """Bring the bytes to the storage and measure what is new.

    A rolled back page leaves bytes behind without a record; the next import takes them again.
    """
    image = picture.image
    found = writing.stored.find(FILES.name, _key(writing.target, image))
    if found is None:
        _refuse_foreign(writing.target, _path(writing.target, image))
    if found is None or found.import_hash != import_mark(_facts(image)):
        picture.sides = _sides(image)
    storage = Storage(folder=writing.target.files_folder)
    if storage.place(image.sha256).is_file():
        return
    with image.source.open("rb") as source, storage.incoming(source) as incoming:
        if incoming.sha256 != image.sha256:
            raise Conflict(text=text("The picture %(place)s changed while it was read.", place=image.path))
        storage.settle(incoming)


def _refuse_foreign(target: ImportTarget, path: str) -> None:
    files = FILES.table
    statement = select(files.c.uid).where(files.c.storage_id == target.storage_id, files.c.path == path)
    with reading() as connection:
        if connection.execute(statement).first() is not None:
            raise Conflict(text=text("There is already another file at %(place)s.", place=path))


def _write(writing: PageBatch, picture: _Picture, default_code: str) -> int | None:
    image, key = picture.image, _key(writing.target, picture.image)
    path = _path(writing.target, image)
    found = writing.stored.find(FILES.name, key)
    values = _facts(image)
    place = {"storage_id": writing.target.storage_id, "path": path, "name": Path(path).name}

    def make(batch: Batch, values: Values) -> int:
        return batch.create(FILES.name, 0, {**values, **place, **picture.sides}).uid

    uid = writing.put(FILES.name, key, values, found=found, make=make)
    if uid is not None and found is not None and picture.sides:
        writing.batch.change_file(uid, picture.sides)
    if uid is not None:
        _describe(writing, picture, key, uid, default_code)
    return uid


def _describe(writing: PageBatch, picture: _Picture, key: str, file_uid: int, default_code: str) -> None:
    """The alternative text of the place where the picture came first, in every language that has one."""

    def make(batch: Batch, values: Values) -> int:
        return batch.create(FILE_METADATA.name, 0, {**values, "file_uid": file_uid}).uid

    anchor = Anchor(file_uid=file_uid)
    default = _alternative(writing, picture.alternatives.get(default_code, ""))
    found = _usable(writing.stored.find(FILE_METADATA.name, key), file_uid)
    uid = writing.put(FILE_METADATA.name, key, default, found=found, make=make, anchor=anchor)
    for code, words in picture.alternatives.items():
        if code == default_code or uid is None:
            continue

        def translate(batch: Batch, values: Values, code: str = code, uid: int = uid) -> int:
            return localized(batch, FILE_METADATA.name, uid, writing.target.languages[code], values)

        translated_key = f"{key}@{code}"
        translation = _usable(writing.stored.find(FILE_METADATA.name, translated_key), file_uid)
        values = _alternative(writing, words)
        writing.put(FILE_METADATA.name, translated_key, values, found=translation, make=translate, anchor=anchor)


def _usable(found: StoredRecord | None, file_uid: int) -> StoredRecord | None:
    """A description that belongs to a file which has vanished is no description of the new one."""
    return found if found is not None and found.file_uid == file_uid else None


def _alternative(writing: PageBatch, words: str) -> dict[str, str]:
    return {"alternative": fitting(writing, "alternative", words, FILE_METADATA)}
