"""An export on disk: as a folder, or as an archive somebody takes along."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from app.content.exports.markdown import MarkdownExport
from app.content.files import Storage
from app.core.errors import Conflict
from app.core.i18n import text

_EARLIEST: Final = (1980, 1, 1, 0, 0, 0)
"""The same archive for the same content, whenever it is made."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """What was written."""

    texts: int
    files: int
    missing: int
    """Files whose bytes are gone."""


def write_folder(export: MarkdownExport, folder: Path, storages: Mapping[int, Storage]) -> Counts:
    """Write everything into ``folder``, which is made or has to be empty: ``Conflict`` otherwise. Storages by number."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Conflict(text=text("%(path)s exists and is not an empty folder.", path=str(folder)))
    for path, words in export.texts.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(words, encoding="utf-8", newline="\n")
    written = 0
    for path, source in _sources(export, storages):
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, place)
        written += 1
    return Counts(texts=len(export.texts), files=written, missing=len(export.files) - written)


def write_zip(export: MarkdownExport, target: IO[bytes], storages: Mapping[int, Storage]) -> Counts:
    """Write everything as a ZIP archive into ``target``."""
    written = 0
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, words in export.texts.items():
            entry = zipfile.ZipInfo(path, _EARLIEST)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, words.encode("utf-8"))
        for path, source in _sources(export, storages):
            with source.open("rb") as content, archive.open(zipfile.ZipInfo(path, _EARLIEST), "w") as entry_file:
                shutil.copyfileobj(content, entry_file)
            written += 1
    return Counts(texts=len(export.texts), files=written, missing=len(export.files) - written)


def _sources(export: MarkdownExport, storages: Mapping[int, Storage]) -> Iterator[tuple[str, Path]]:
    for path, row in export.files.items():
        storage = storages.get(row["storage_id"])
        source = None if storage is None or not row["sha256"] else storage.place(row["sha256"])
        if source is not None and source.is_file():
            yield path, source
