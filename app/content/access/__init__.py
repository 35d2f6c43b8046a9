"""Who may see what (CH-16 to CH-21, CM-02): one rule, once in Python for given rows and once in SQL for queries.

``evaluator`` and ``clauses`` say the same and are tested against each other. Everything fails closed.
"""

from __future__ import annotations

from app.content.access.clauses import default_page_uid, has_page_bit, reading_condition, shown_pages_cte, subtree_cte
from app.content.access.files import (
    StoredFile,
    file_condition,
    files_readable,
    files_writable,
    may_add_file,
    may_change_file,
    may_read_file,
    may_see_folder,
    may_write_file,
)
from app.content.access.judging import Judged, judge, judged_row
from app.content.access.pages import page_ancestors, page_bits_in, page_lines, shown_pages
from app.content.access.records import Readable, judge_planned, readable
from app.content.types import PlannedRef

__all__ = [
    "Judged",
    "PlannedRef",
    "Readable",
    "StoredFile",
    "default_page_uid",
    "file_condition",
    "files_readable",
    "files_writable",
    "has_page_bit",
    "judge",
    "judge_planned",
    "judged_row",
    "may_add_file",
    "may_change_file",
    "may_read_file",
    "may_see_folder",
    "may_write_file",
    "page_ancestors",
    "page_bits_in",
    "page_lines",
    "readable",
    "reading_condition",
    "shown_pages",
    "shown_pages_cte",
    "subtree_cte",
]
