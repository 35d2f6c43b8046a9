"""The registry: one entry per record table declares its traits (cms.md section 1), those of extensions included."""

from __future__ import annotations

from types import MappingProxyType
from typing import cast

from sqlalchemy import Table

from app.content import models
from app.content.extensions import extension_tables
from app.content.traits import FieldKind, FieldTrait, TableTrait
from app.core.i18n import Text, nptext, ptext, text

__all__ = [
    "CONTACTS",
    "CONTENT_ELEMENTS",
    "FILES",
    "FILE_METADATA",
    "FILE_REFERENCES",
    "PAGES",
    "REDIRECTS",
    "REGISTRY",
    "SITE_SETTINGS",
    "FieldKind",
    "FieldTrait",
    "TableTrait",
    "counted",
]


def _table(model: type) -> Table:
    return cast(Table, model.__table__)  # type: ignore[attr-defined]


_HIDDEN = FieldTrait(name="hidden", label=text("Hidden"), kind=FieldKind.FLAG)
_TIMES = (
    FieldTrait(name="starttime", label=text("Shown from"), kind=FieldKind.TIME),
    FieldTrait(name="endtime", label=text("Shown until"), kind=FieldKind.TIME),
)
_GROUPS = FieldTrait(name="groups", label=text("Limited to user groups"), kind=FieldKind.GROUPS, max_length=200)

PAGES = TableTrait(
    table=_table(models.Page),
    label=ptext("record", "Page"),
    label_fields=("title", "nav_title"),
    versioned=True,
    soft_delete=True,
    has_language=True,
    can_hide=True,
    has_times=True,
    has_groups=True,
    has_sorting=True,
    hidden_on_copy=True,
    fields=(
        FieldTrait(name="title", label=text("Title"), required=True, marked_on_translation=True),
        FieldTrait(name="nav_title", label=text("Title in menus"), marked_on_translation=True),
        FieldTrait(name="subtitle", label=text("Subtitle"), marked_on_translation=True),
        FieldTrait(
            name="description",
            label=text("Description"),
            kind=FieldKind.MULTILINE,
            max_length=2000,
            marked_on_translation=True,
        ),
        FieldTrait(
            name="keywords",
            label=text("Keywords"),
            kind=FieldKind.MULTILINE,
            max_length=1000,
            needs_grant=True,
            same_in_translations=True,
        ),
        _HIDDEN,
        *_TIMES,
        _GROUPS,
    ),
)
CONTENT_ELEMENTS = TableTrait(
    table=_table(models.ContentElement),
    label=ptext("record", "Content element"),
    label_fields=("header", "body"),
    versioned=True,
    soft_delete=True,
    has_language=True,
    can_hide=True,
    has_times=True,
    has_groups=True,
    has_sorting=True,
    fields=(
        FieldTrait(name="header", label=text("Heading"), marked_on_translation=True),
        FieldTrait(
            name="body",
            label=text("Text"),
            kind=FieldKind.MARKDOWN,
            max_length=100_000,
            marked_on_translation=True,
            has_links=True,
        ),
        _HIDDEN,
        *_TIMES,
        _GROUPS,
    ),
)
FILES = TableTrait(
    table=_table(models.File),
    label=ptext("record", "File"),
    label_fields=("name",),
    on_pages=False,
    readable_at_root=True,
    judged_by_file="uid",
    fields=(
        FieldTrait(name="name", label=text("File name"), required=True),
        FieldTrait(name="path", label=text("Path"), max_length=500, required=True),
        FieldTrait(name="missing", label=text("Missing"), kind=FieldKind.FLAG),
    ),
)
FILE_METADATA = TableTrait(
    table=_table(models.FileMetadata),
    label=ptext("record", "File description"),
    label_fields=("title", "alternative"),
    versioned=True,
    has_language=True,
    on_pages=False,
    readable_at_root=True,
    judged_by_file="file_uid",
    fields=(
        FieldTrait(name="file_uid", label=text("File"), kind=FieldKind.REFERENCE, reference="files"),
        FieldTrait(name="title", label=text("Title"), marked_on_translation=True),
        FieldTrait(
            name="alternative",
            label=text("Alternative text"),
            kind=FieldKind.MULTILINE,
            max_length=1000,
            marked_on_translation=True,
        ),
        FieldTrait(name="description", label=text("Description"), kind=FieldKind.MULTILINE, max_length=2000),
    ),
)
FILE_REFERENCES = TableTrait(
    table=_table(models.FileReference),
    label=ptext("record", "File reference"),
    label_fields=("title", "alternative"),
    versioned=True,
    soft_delete=True,
    has_language=True,
    can_hide=True,
    has_sorting=True,
    judged_by_file="file_uid",
    fields=(
        FieldTrait(name="file_uid", label=text("File"), kind=FieldKind.REFERENCE, reference="files"),
        FieldTrait(name="title", label=text("Title"), marked_on_translation=True),
        FieldTrait(
            name="alternative",
            label=text("Alternative text"),
            kind=FieldKind.MULTILINE,
            max_length=1000,
            marked_on_translation=True,
        ),
        _HIDDEN,
    ),
)
REDIRECTS = TableTrait(
    table=_table(models.Redirect),
    label=ptext("record", "Redirect"),
    label_fields=("source",),
    soft_delete=True,
    can_hide=True,
    has_times=True,
    readable_at_root=True,
    fields=(
        FieldTrait(name="source", label=text("Address"), max_length=500, required=True),
        FieldTrait(name="target_page", label=text("Leads to page"), kind=FieldKind.REFERENCE, reference="pages"),
        FieldTrait(name="status", label=text("Status"), kind=FieldKind.NUMBER),
        _HIDDEN,
        *_TIMES,
    ),
)
SITE_SETTINGS = TableTrait(
    table=_table(models.SiteSetting),
    label=ptext("record", "Site setting"),
    label_fields=("name",),
    soft_delete=True,
    on_pages=False,
    admin_only=True,
    fields=(
        FieldTrait(name="name", label=text("Name"), max_length=120, required=True),
        FieldTrait(name="value", label=text("Value"), kind=FieldKind.MULTILINE, max_length=2000),
    ),
)
CONTACTS = TableTrait(
    table=_table(models.Contact),
    label=ptext("record", "Contact"),
    label_fields=("name",),
    versioned=True,
    soft_delete=True,
    can_hide=True,
    has_sorting=True,
    fields=(
        FieldTrait(name="name", label=text("Name"), max_length=200, required=True),
        FieldTrait(name="role", label=text("Role"), max_length=200),
        FieldTrait(name="phone", label=text("Telephone"), max_length=60),
        FieldTrait(name="email", label=text("E-mail address"), max_length=254),
        _HIDDEN,
    ),
)

_BUILT_IN = (
    PAGES,
    CONTENT_ELEMENTS,
    FILES,
    FILE_METADATA,
    FILE_REFERENCES,
    REDIRECTS,
    SITE_SETTINGS,
    CONTACTS,
)
REGISTRY: MappingProxyType[str, TableTrait] = MappingProxyType(
    {trait.name: trait for trait in (*_BUILT_IN, *extension_tables({trait.name for trait in _BUILT_IN}))}
)
"""Every record table of this installation, by name."""


def counted(table: str, count: int) -> Text:
    """ "3 content elements": a count of records of one table in words."""
    match table:
        case "pages":
            return nptext("count", "%(n)s page", "%(n)s pages", count)
        case "content_elements":
            return nptext("count", "%(n)s content element", "%(n)s content elements", count)
        case "files":
            return nptext("count", "%(n)s file", "%(n)s files", count)
        case "file_metadata":
            return nptext("count", "%(n)s file description", "%(n)s file descriptions", count)
        case "file_references":
            return nptext("count", "%(n)s file reference", "%(n)s file references", count)
        case "redirects":
            return nptext("count", "%(n)s redirect", "%(n)s redirects", count)
        case "contacts":
            return nptext("count", "%(n)s contact", "%(n)s contacts", count)
        case _:
            return nptext("count", "%(n)s record", "%(n)s records", count)
