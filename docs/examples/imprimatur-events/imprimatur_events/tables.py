"""The record table ``events``."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, String, Text
from sqlalchemy.orm import Mapped, declared_attr, mapped_column

from app.content.columns import (
    HiddenColumn,
    LanguageColumns,
    RecordColumns,
    SoftDeleteColumns,
    SortingColumn,
    TimeColumns,
    VersionColumns,
    indexes,
    translation_index,
    version_index,
)
from app.content.traits import FieldKind, FieldTrait, TableTrait
from app.core.db import db
from app.core.i18n import ptext, text


class Event(
    db.Model,  # type: ignore[name-defined, misc]
    RecordColumns,
    SortingColumn,
    SoftDeleteColumns,
    VersionColumns,
    LanguageColumns,
    HiddenColumn,
    TimeColumns,
):
    """Something that takes place; lies on a page."""

    __tablename__ = "events"

    @declared_attr.directive
    def __table_args__(cls) -> tuple[Any, ...]:  # noqa: N805
        return indexes("events", version_index("events"), translation_index("events"))

    title: Mapped[str] = mapped_column(String(200), default="")
    place: Mapped[str] = mapped_column(String(200), default="")
    description: Mapped[str] = mapped_column(Text, default="")
    begins_at: Mapped[int] = mapped_column(BigInteger, default=0)


EVENTS = TableTrait(
    table=Event.__table__,
    label=ptext("record", "Event"),
    label_fields=("title",),
    versioned=True,
    soft_delete=True,
    has_language=True,
    can_hide=True,
    has_times=True,
    has_sorting=True,
    fields=(
        FieldTrait(name="title", label=text("Title"), max_length=200, required=True, marked_on_translation=True),
        FieldTrait(name="place", label=text("Place"), max_length=200),
        FieldTrait(name="description", label=text("Description"), kind=FieldKind.MARKDOWN, max_length=20_000),
        FieldTrait(name="begins_at", label=text("Begins"), kind=FieldKind.TIME, same_in_translations=True),
        FieldTrait(name="hidden", label=text("Hidden"), kind=FieldKind.FLAG),
        FieldTrait(name="starttime", label=text("Shown from"), kind=FieldKind.TIME),
        FieldTrait(name="endtime", label=text("Shown until"), kind=FieldKind.TIME),
    ),
)
