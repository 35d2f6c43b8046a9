"""Words the tools share: titles quoted for people, and refusals that several tools give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.content import store
from app.content.errors import WriteRefused
from app.content.schema import REGISTRY
from app.content.types import PlannedRef, Row
from app.core.i18n import Text, ptext, text

GROUP_WORDS: Final[Mapping[str, Text]] = {
    "reading": ptext("group of tools", "Reading"),
    "editing": ptext("group of tools", "Editing"),
    "publishing": ptext("group of tools", "Publishing"),
    "deleting": ptext("group of tools", "Deleting"),
}
"""What people call the built-in groups of tools; others go by their name."""


def title_of(row: Row) -> Text | str:
    """The record's title, or the word for one without."""
    return store.title_of(row.table, row.values) or text("untitled")


def named(row: Row, workspace_id: int) -> PlannedRef:
    """``row`` as a record whose title a heading names."""
    language = row.values.get("language_id")
    page = (row["translation_parent"] or row.live_uid) if row.table == "pages" else row["pid"]
    judged_by = REGISTRY[row.table].judged_by_file
    return PlannedRef(
        table=row.table,
        workspace_id=workspace_id,
        language_id=language,
        page_uid=page,
        file_uid=0 if judged_by is None else row[judged_by],
    )


def nothing_given() -> WriteRefused:
    """The call names a record but nothing to change."""
    return WriteRefused("nothing_to_change", text("The step names nothing to change."))


def not_saved(field: Text) -> WriteRefused:
    """Read-back found a field that was not saved (RT-18)."""
    return WriteRefused(
        "not_saved", text("The field “%(field)s” was not saved; the right for it may be missing.", field=field)
    )
