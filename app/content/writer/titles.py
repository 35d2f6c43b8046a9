"""The title of a copied page: "Title (copy n)" with the next number that is free among its new neighbours."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlalchemy import select

from app.content.schema import PAGES
from app.content.store import overlay_condition
from app.content.types import Row
from app.content.writer.work import Work

_SUFFIX = re.compile(r" \(copy \d+\)$")


@dataclass(frozen=True, kw_only=True, slots=True)
class CopyNumber:
    """The number all languages of one copy share."""

    number: int

    def apply(self, title: str) -> str:
        """``title`` of the source as the title of the copy; a suffix it already has is replaced, a long one is
        cut to fit.
        """
        suffix = f" (copy {self.number})"
        most = PAGES.field_by_name["title"].max_length - len(suffix)
        return _SUFFIX.sub("", title)[:most] + suffix


def free_copy_title(work: Work, source: Row, parent_uid: int) -> CopyNumber:
    """The lowest number from 1 whose title no page below ``parent_uid`` has."""
    pages = PAGES.table.c
    start = _SUFFIX.sub("", source["title"])[:200]
    statement = select(pages.title).where(
        pages.pid == parent_uid,
        overlay_condition(PAGES, work.workspace_id),
        pages.title.startswith(start, autoescape=True),
    )
    taken = set(work.connection.execute(statement).scalars())
    number = 1
    while CopyNumber(number=number).apply(source["title"]) in taken:
        number += 1
    return CopyNumber(number=number)
