"""Tables of the content store (design D4). Version rows live in the same table as live rows (cms.md section 7)."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Boolean, Index, Integer, String, Text, event
from sqlalchemy import text as sql
from sqlalchemy.orm import Mapped, declared_attr, mapped_column

from app.content.columns import (
    GroupsColumn,
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
from app.core.db import db


class Page(
    db.Model,  # type: ignore[name-defined, misc]
    RecordColumns,
    SortingColumn,
    SoftDeleteColumns,
    VersionColumns,
    LanguageColumns,
    HiddenColumn,
    TimeColumns,
    GroupsColumn,
):
    """A page of the tree; translations of a page sit beside it with the same parent."""

    __tablename__ = "pages"

    @declared_attr.directive
    def __table_args__(cls) -> tuple[Any, ...]:  # noqa: N805
        return indexes("pages", version_index("pages"), translation_index("pages"))

    kind: Mapped[str] = mapped_column(String(20), default="standard")
    title: Mapped[str] = mapped_column(String(255), default="")
    nav_title: Mapped[str] = mapped_column(String(255), default="")
    subtitle: Mapped[str] = mapped_column(String(255), default="")
    description: Mapped[str] = mapped_column(Text, default="")
    keywords: Mapped[str] = mapped_column(Text, default="")
    owner_id: Mapped[int] = mapped_column(Integer, default=0)
    group_id: Mapped[int] = mapped_column(Integer, default=0)
    owner_bits: Mapped[int] = mapped_column(Integer, default=31)
    group_bits: Mapped[int] = mapped_column(Integer, default=27)
    everybody_bits: Mapped[int] = mapped_column(Integer, default=0)


class ContentElement(
    db.Model,  # type: ignore[name-defined, misc]
    RecordColumns,
    SortingColumn,
    SoftDeleteColumns,
    VersionColumns,
    LanguageColumns,
    HiddenColumn,
    TimeColumns,
    GroupsColumn,
):
    """A piece of a page: a header and a body in Markdown. Its ``pid`` is always a page in the default language."""

    __tablename__ = "content_elements"

    @declared_attr.directive
    def __table_args__(cls) -> tuple[Any, ...]:  # noqa: N805
        return indexes("content_elements", version_index("content_elements"), translation_index("content_elements"))

    kind: Mapped[str] = mapped_column(String(20), default="text")
    header: Mapped[str] = mapped_column(String(255), default="")
    body: Mapped[str] = mapped_column(Text, default="")


class File(db.Model, RecordColumns):  # type: ignore[name-defined, misc]
    """A file of a storage. Files are always live and vanish when removed."""

    __tablename__ = "files"

    @declared_attr.directive
    def __table_args__(cls) -> tuple[Any, ...]:  # noqa: N805
        return indexes("files", Index("ix_files_storage_id_path", "storage_id", "path", unique=True))

    storage_id: Mapped[int] = mapped_column(Integer, default=1)
    path: Mapped[str] = mapped_column(String(500))
    """Path inside the storage, starting with a slash."""
    name: Mapped[str] = mapped_column(String(255))
    mime: Mapped[str] = mapped_column(String(120), default="application/octet-stream")
    size: Mapped[int] = mapped_column(BigInteger, default=0)
    sha256: Mapped[str] = mapped_column(String(64), default="")
    missing: Mapped[bool] = mapped_column(Boolean, default=False)
    width: Mapped[int] = mapped_column(Integer, default=0)
    """Of a picture, in pixels; 0 = no picture, or never measured."""
    height: Mapped[int] = mapped_column(Integer, default=0)


class FileMetadata(db.Model, RecordColumns, VersionColumns, LanguageColumns):  # type: ignore[name-defined, misc]
    """Title and alternative text of a file; kept at the root, judged by the file itself."""

    __tablename__ = "file_metadata"

    @declared_attr.directive
    def __table_args__(cls) -> tuple[Any, ...]:  # noqa: N805
        return indexes(
            "file_metadata",
            version_index("file_metadata"),
            translation_index("file_metadata"),
            Index("ix_file_metadata_file_uid", "file_uid"),
        )

    file_uid: Mapped[int] = mapped_column(BigInteger)
    title: Mapped[str] = mapped_column(String(255), default="")
    alternative: Mapped[str] = mapped_column(Text, default="")
    description: Mapped[str] = mapped_column(Text, default="")


class FileReference(
    db.Model,  # type: ignore[name-defined, misc]
    RecordColumns,
    SortingColumn,
    SoftDeleteColumns,
    VersionColumns,
    LanguageColumns,
    HiddenColumn,
):
    """A file used by a record; lies on the page of its owner."""

    __tablename__ = "file_references"

    @declared_attr.directive
    def __table_args__(cls) -> tuple[Any, ...]:  # noqa: N805
        return indexes(
            "file_references",
            version_index("file_references"),
            translation_index("file_references"),
            Index("ix_file_references_owner", "owner_table", "owner_uid"),
            Index("ix_file_references_file_uid", "file_uid"),
        )

    file_uid: Mapped[int] = mapped_column(BigInteger)
    owner_table: Mapped[str] = mapped_column(String(60))
    owner_uid: Mapped[int] = mapped_column(BigInteger)
    owner_field: Mapped[str] = mapped_column(String(60), default="images")
    title: Mapped[str] = mapped_column(String(255), default="")
    alternative: Mapped[str] = mapped_column(Text, default="")


class Redirect(db.Model, RecordColumns, SoftDeleteColumns, HiddenColumn, TimeColumns):  # type: ignore[name-defined, misc]
    """An address that leads to a page. Not versioned: a draft workspace cannot hold it."""

    __tablename__ = "redirects"

    @declared_attr.directive
    def __table_args__(cls) -> tuple[Any, ...]:  # noqa: N805
        return indexes("redirects", Index("ix_redirects_source", "source"))

    source: Mapped[str] = mapped_column(String(500))
    target_page: Mapped[int] = mapped_column(BigInteger, default=0)
    status: Mapped[int] = mapped_column(Integer, default=301)


class SiteSetting(db.Model, RecordColumns, SoftDeleteColumns):  # type: ignore[name-defined, misc]
    """A setting of the site, kept at the root; only administrators see it."""

    __tablename__ = "site_settings"

    @declared_attr.directive
    def __table_args__(cls) -> tuple[Any, ...]:  # noqa: N805
        return indexes("site_settings")

    name: Mapped[str] = mapped_column(String(120))
    value: Mapped[str] = mapped_column(Text, default="")


class Contact(db.Model, RecordColumns, SortingColumn, SoftDeleteColumns, VersionColumns, HiddenColumn):  # type: ignore[name-defined, misc]
    """A person visitors can reach; a table without languages and without times."""

    __tablename__ = "contacts"

    @declared_attr.directive
    def __table_args__(cls) -> tuple[Any, ...]:  # noqa: N805
        return indexes("contacts", version_index("contacts"))

    name: Mapped[str] = mapped_column(String(200))
    role: Mapped[str] = mapped_column(String(200), default="")
    phone: Mapped[str] = mapped_column(String(60), default="")
    email: Mapped[str] = mapped_column(String(254), default="")


class SiteLanguage(db.Model):  # type: ignore[name-defined, misc]
    """A language of the site; number 0 is the default."""

    __tablename__ = "site_language"
    __table_args__ = ({"sqlite_strict": True},)

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    code: Mapped[str] = mapped_column(String(20), unique=True)
    title: Mapped[str] = mapped_column(String(100))


class FileStorage(db.Model):  # type: ignore[name-defined, misc]
    """Where files lie; number 0 does not exist."""

    __tablename__ = "file_storage"
    __table_args__ = ({"sqlite_strict": True},)

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    title: Mapped[str] = mapped_column(String(100))
    folder: Mapped[str] = mapped_column(String(200))
    """Folder below the data folder."""


class FileFolder(db.Model):  # type: ignore[name-defined, misc]
    """A folder of a storage; folders that hold a file exist without a row too."""

    __tablename__ = "file_folder"
    __table_args__ = (
        Index("ix_file_folder_storage_id_path", "storage_id", "path", unique=True),
        {"sqlite_strict": True},
    )

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    storage_id: Mapped[int] = mapped_column(Integer)
    path: Mapped[str] = mapped_column(String(500))
    """Starts and ends with a slash."""


class RecordHistory(db.Model):  # type: ignore[name-defined, misc]
    """One change of one row: who, where, which fields, and by which origin (I1). Append-only."""

    __tablename__ = "record_history"
    __table_args__ = (
        Index("ix_record_history_table_name_live_uid", "table_name", "live_uid", "id"),
        Index("ix_record_history_correlation", "correlation"),
        # Draft rows that were published, by the uid they had: lists that name one find the live record (CH-20).
        Index(
            "ix_record_history_published",
            "table_name",
            "uid",
            sqlite_where=sql("action = 'published'"),
            postgresql_where=sql("action = 'published'"),
        ),
        {"sqlite_strict": True, "sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    table_name: Mapped[str] = mapped_column(String(60))
    uid: Mapped[int] = mapped_column(BigInteger)
    live_uid: Mapped[int] = mapped_column(BigInteger)
    workspace_id: Mapped[int] = mapped_column(Integer)
    action: Mapped[str] = mapped_column(String(12))
    at: Mapped[int] = mapped_column(BigInteger)
    user_id: Mapped[int] = mapped_column(Integer)
    origin: Mapped[str] = mapped_column(String(10))
    """``person``, ``run``, ``import`` or ``seed``."""
    correlation: Mapped[str] = mapped_column(String(80))
    """One batch of changes: ``run/turn/call`` for a call of a run."""
    changes: Mapped[str] = mapped_column(Text)
    """Canonical JSON: field -> [old, new]."""
    facts: Mapped[str] = mapped_column(Text, default="{}")
    """Canonical JSON of the observed facts (hidden, times, groups, language, target)."""


class ContentClock(db.Model):  # type: ignore[name-defined, misc]
    """One row, raised first in every content transaction: serialises writers on PostgreSQL (rehearsal.md rules 9, 18)."""

    __tablename__ = "content_clock"
    __table_args__ = ({"sqlite_strict": True},)

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    n: Mapped[int] = mapped_column(BigInteger, default=0)


@event.listens_for(ContentClock.__table__, "after_create")
def _start_clock(_target: Any, connection: Any, **_kw: Any) -> None:
    connection.execute(ContentClock.__table__.insert().values(id=1, n=0))
