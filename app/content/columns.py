"""Columns and indexes the record tables share (design D4).

Uids are AUTOINCREMENT so that a removed row's number is never given again (rehearsal.md rule 1). ``sorting`` is a fractional key
compared byte by byte, so a draft never renumbers live neighbours.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Boolean, Index, Integer, String
from sqlalchemy import text as sql
from sqlalchemy.orm import Mapped, mapped_column

TABLE_OPTIONS: dict[str, Any] = {"sqlite_strict": True, "sqlite_autoincrement": True}
SortingKey = String(120).with_variant(String(120, collation="C"), "postgresql")


class RecordColumns:
    """Columns every record has."""

    uid: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    pid: Mapped[int] = mapped_column(BigInteger, default=0)
    created_at: Mapped[int] = mapped_column(BigInteger, default=0)
    changed_at: Mapped[int] = mapped_column(BigInteger, default=0)
    rev: Mapped[int] = mapped_column(Integer, default=1)
    """Raised with every change of this row: what a card saw is compared with it (I16)."""
    import_key: Mapped[str] = mapped_column(String(400), default="")
    """Where an import took the record from; a second import finds it again by this key."""
    import_hash: Mapped[str] = mapped_column(String(64), default="")


class SoftDeleteColumns:
    """Columns of tables whose records are marked deleted instead of vanishing."""

    deleted: Mapped[bool] = mapped_column(Boolean, default=False)


class VersionColumns:
    """Columns of tables that can hold drafts (cms.md section 7)."""

    workspace_id: Mapped[int] = mapped_column(Integer, default=0)
    live_uid: Mapped[int] = mapped_column(BigInteger, default=0)
    version_state: Mapped[int] = mapped_column(Integer, default=0)
    version_stage: Mapped[int] = mapped_column(Integer, default=0)
    version_base: Mapped[int] = mapped_column(Integer, default=0)
    """``rev`` of the live row when this version row was made: a publish compares it; 0 for live and new rows."""


class LanguageColumns:
    """Columns of tables with translations as overlay rows (cms.md section 10)."""

    language_id: Mapped[int] = mapped_column(Integer, default=0)
    translation_parent: Mapped[int] = mapped_column(BigInteger, default=0)
    translation_source: Mapped[int] = mapped_column(BigInteger, default=0)


class HiddenColumn:
    """The disable flag."""

    hidden: Mapped[bool] = mapped_column(Boolean, default=False)


class TimeColumns:
    """When a visitor may see the record: seconds in UTC, 0 = no limit."""

    starttime: Mapped[int] = mapped_column(BigInteger, default=0)
    endtime: Mapped[int] = mapped_column(BigInteger, default=0)


class GroupsColumn:
    """Which groups of visitors may see the record: ids joined by commas, empty = everybody."""

    groups: Mapped[str] = mapped_column("groups", String(200), default="")


class SortingColumn:
    """Order among siblings."""

    sorting: Mapped[str] = mapped_column(SortingKey, default="a0")


def indexes(name: str, *extra: Any) -> tuple[Any, ...]:
    """Indexes and options of a record table."""
    return (
        Index(f"ix_{name}_pid", "pid"),
        Index(
            f"ix_{name}_import_key",
            "import_key",
            sqlite_where=sql("import_key <> ''"),
            postgresql_where=sql("import_key <> ''"),
        ),
        *extra,
        TABLE_OPTIONS,
    )


def version_index(name: str) -> Index:
    """At most one version of a record in each workspace."""
    # Partial: a plain index on live_uid, nearly all 0, lures SQLite's planner into it (rehearsal.md rule 10).
    return Index(
        f"uq_{name}_version",
        "live_uid",
        "workspace_id",
        unique=True,
        sqlite_where=sql("live_uid > 0"),
        postgresql_where=sql("live_uid > 0"),
    )


def translation_index(name: str) -> Index:
    """Finds the translations of a record."""
    return Index(
        f"ix_{name}_translation",
        "translation_parent",
        "language_id",
        sqlite_where=sql("translation_parent > 0"),
        postgresql_where=sql("translation_parent > 0"),
    )
