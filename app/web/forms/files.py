"""What the forms of files send, read once and bounded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import BinaryIO, cast

from werkzeug.datastructures import FileStorage

from app.content.files import Upload
from app.content.schema import FILE_METADATA
from app.core.i18n import Text, text
from app.web.arguments import parse_number

LONGEST_NAME = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class FolderForm:
    """Which folder a form is about; a storage that is no number is 0, which does not exist."""

    storage_id: int
    path: str

    @classmethod
    def read(cls, values: Mapping[str, str]) -> FolderForm:
        """The fields ``storage`` and ``folder``."""
        return cls(storage_id=parse_number(values.get("storage", "")) or 0, path=values.get("folder", ""))


@dataclass(frozen=True, kw_only=True, slots=True)
class DescriptionForm:
    """A description in one language as sent."""

    language_id: int | None
    seen: str
    title: str
    alternative: str
    description: str

    @classmethod
    def read(cls, form: Mapping[str, str]) -> DescriptionForm:
        """The fields ``language``, ``seen``, ``title``, ``alternative`` and ``description``."""
        return cls(
            language_id=parse_number(form.get("language", "")),
            seen=form.get("seen", "")[:60],
            title=" ".join(form.get("title", "").split()),
            alternative=_lines(form.get("alternative", "")),
            description=_lines(form.get("description", "")),
        )

    @property
    def values(self) -> dict[str, str]:
        """What is written."""
        return {"title": self.title, "alternative": self.alternative, "description": self.description}

    @property
    def problems(self) -> dict[str, Text]:
        """Fields with too many characters."""
        limits = FILE_METADATA.field_by_name
        return {
            name: text("“%(field)s” is too long: at most %(most)s characters.", field=limits[name].label, most=most)
            for name, words in self.values.items()
            if len(words) > (most := limits[name].max_length)
        }


def uploads_of(sent: Iterable[FileStorage]) -> tuple[Upload, ...]:
    """The files of a form; a browser sends one without name and bytes when none was chosen."""
    return tuple(
        Upload(name=(file.filename or "")[:LONGEST_NAME], source=cast("BinaryIO", file.stream))
        for file in sent
        if file.filename or _has_bytes(file)
    )


def _has_bytes(file: FileStorage) -> bool:
    first = file.stream.read(1)
    file.stream.seek(0)
    return bool(first)


def _lines(words: str) -> str:
    return words.replace("\r\n", "\n").strip()
