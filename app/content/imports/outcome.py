"""What an import is asked to do and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from app.core.i18n import Text
from app.policy.identity import Identity


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportTarget:
    """Where an import goes and who writes it.

    ``parent_uid`` is the live page below which the pages are put, ``languages`` are numbers of the site by code with the default
    one (0) first, ``files_folder`` is the folder on disk of the storage ``storage_id``.
    """

    actor: Identity
    parent_uid: int
    languages: Mapping[str, int]
    storage_id: int
    files_folder: Path
    source: str = "markdown"
    """Kind of the source: trees of different kinds below one page do not take each other's records."""

    @property
    def prefix(self) -> str:
        """Beginning of every import key of this target: two trees below two pages do not take each other's records."""
        return f"{self.source}:{self.parent_uid}:"


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportNote:
    """One thing worth telling about a file or page; ``path`` is relative to the directory that was read."""

    path: str
    sentence: Text


@dataclass(kw_only=True, slots=True)
class Tally:
    """Numbers of records (pages, translations, elements, files, descriptions, references) and of pages that failed."""

    created: int = 0
    updated: int = 0
    unchanged: int = 0
    failed: int = 0

    def add(self, other: Tally) -> None:
        """Count ``other`` too."""
        self.created += other.created
        self.updated += other.updated
        self.unchanged += other.unchanged
        self.failed += other.failed


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportResult:
    """The numbers of one import and what its writing half noticed, in order."""

    created: int
    updated: int
    unchanged: int
    failed: int
    notes: tuple[ImportNote, ...]
