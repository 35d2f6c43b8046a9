"""Reading a Hugo-style Markdown tree into plain frozen values, without database: ``read_tree``, ``iter_files``."""

from __future__ import annotations

from app.content.imports.markdown.files import iter_files
from app.content.imports.markdown.tree import read_tree
from app.content.imports.markdown.types import (
    ImageRef,
    ReportEntry,
    ReportKind,
    SourcePage,
    SourceSection,
    SourceText,
    SourceTree,
)

__all__ = [
    "ImageRef",
    "ReportEntry",
    "ReportKind",
    "SourcePage",
    "SourceSection",
    "SourceText",
    "SourceTree",
    "iter_files",
    "read_tree",
]
