"""Collecting report entries, each once."""

from __future__ import annotations

from app.content.imports.markdown.types import ReportEntry, ReportKind
from app.core.i18n import Text


class Report:
    """Entries in order of finding; the same kind, path and detail counts once."""

    def __init__(self) -> None:
        self._entries: dict[ReportEntry, None] = {}

    def add(self, kind: ReportKind, path: str, detail: str | Text = "") -> None:
        """Note one thing about the file or folder ``path``."""
        self._entries.setdefault(ReportEntry(kind=kind, path=path, detail=detail))

    def entries(self) -> tuple[ReportEntry, ...]:
        """Everything noted."""
        return tuple(self._entries)
