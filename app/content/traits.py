"""What the registry says of a table and of its fields; absent traits are absent facts (cms.md section 1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType

from sqlalchemy import Table

from app.core.i18n import Text


class FieldKind(StrEnum):
    """How a field is normalised, compared, shown and, for references, renamed in a rehearsal."""

    LINE = "line"
    MULTILINE = "multiline"
    MARKDOWN = "markdown"
    FLAG = "flag"
    TIME = "time"
    GROUPS = "groups"
    NUMBER = "number"
    REFERENCE = "reference"


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldTrait:
    """One field people can read or change."""

    name: str
    label: Text
    kind: FieldKind = FieldKind.LINE
    max_length: int = 255
    required: bool = False
    needs_grant: bool = False
    same_in_translations: bool = False
    """Kept equal across languages: a change of the default record is carried to its translations."""
    marked_on_translation: bool = False
    """Its text is marked "to be translated" when a translation is made."""
    reference: str | None = None
    """Table a REFERENCE points to."""
    has_links: bool = False
    """Text in which ``page:UID`` links are rewritten by a copy and renamed in a rehearsal."""


@dataclass(frozen=True, kw_only=True)
class TableTrait:
    """What is true of one record table."""

    table: Table
    label: Text
    fields: tuple[FieldTrait, ...]
    label_fields: tuple[str, ...]
    """First non-empty one is the title of a record."""
    versioned: bool = False
    soft_delete: bool = False
    has_language: bool = False
    can_hide: bool = False
    has_times: bool = False
    has_groups: bool = False
    has_sorting: bool = False
    on_pages: bool = True
    """Lies on pages; False = kept at the root only."""
    readable_at_root: bool = False
    """Records at the root need no page check (CH-16)."""
    admin_only: bool = False
    judged_by_file: str | None = None
    """Column naming the file whose own rights decide instead of the page (CH-17); ``uid`` for files themselves."""
    hidden_on_copy: bool = False

    @property
    def name(self) -> str:
        """The table's name: also in addresses and tool arguments."""
        return self.table.name

    @cached_property
    def field_by_name(self) -> MappingProxyType[str, FieldTrait]:
        """Fields by name."""
        return MappingProxyType({trait.name: trait for trait in self.fields})
