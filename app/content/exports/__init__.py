"""Content leaves the product as plain files, so that nobody is locked in: a branch as Markdown, as the import reads it."""

from __future__ import annotations

from app.content.exports.branch import MOST_PAGES, Branch, TooLarge, read_branch
from app.content.exports.markdown import ExportNote, MarkdownExport, render_branch
from app.content.exports.writing import Counts, write_folder, write_zip

__all__ = [
    "MOST_PAGES",
    "Branch",
    "Counts",
    "ExportNote",
    "MarkdownExport",
    "TooLarge",
    "read_branch",
    "render_branch",
    "write_folder",
    "write_zip",
]
