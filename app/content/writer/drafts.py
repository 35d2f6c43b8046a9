"""The rows a draft workspace holds, and which of them a person may publish, discard or send on (cms.md section 9)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.engine import Connection

from app.content.access import files_readable, files_writable, page_bits_in
from app.content.errors import WriteRefused, not_found
from app.content.schema import FILE_METADATA, PAGES, REGISTRY, TableTrait
from app.content.types import RecordRef, VersionState
from app.content.writer.observe import RowValues, page_of
from app.core.db import slices
from app.core.i18n import text
from app.policy.identity import LIVE, Identity
from app.policy.permissions import PageBit


@dataclass(frozen=True, kw_only=True, slots=True)
class DraftRow:
    """A row a draft holds, with all its columns."""

    trait: TableTrait
    values: Mapping[str, Any]

    @property
    def ref(self) -> RecordRef:
        """Table and row uid."""
        return RecordRef(table=self.trait.name, uid=int(self.values["uid"]))

    @property
    def state(self) -> VersionState:
        """What the row is."""
        return VersionState(self.values["version_state"])

    @property
    def live_uid(self) -> int:
        """The live record it stands for; 0 for a new one."""
        return int(self.values["live_uid"])

    @property
    def page_uid(self) -> int:
        """The page whose rights decide; for pages the page itself."""
        return page_of(self.trait, self.values)

    @property
    def translates(self) -> int:
        """Public uid of the default record; 0 for one."""
        return int(self.values["translation_parent"]) if self.trait.has_language else 0


def demand_workspace(identity: Identity, workspace_id: int) -> None:
    """Raise ``not_found`` unless this is a draft the person may use."""
    if workspace_id <= LIVE or not identity.may_use_workspace(workspace_id):
        raise not_found()


def list_draft(connection: Connection, workspace_id: int, refs: Collection[RecordRef] | None = None) -> list[DraftRow]:
    """Rows a draft holds, by table and row uid: all of them, or those of ``refs`` that are there."""
    named: defaultdict[str, set[int]] = defaultdict(set)
    for ref in refs or ():
        named[ref.table].add(ref.uid)
    found: list[DraftRow] = []
    for trait in REGISTRY.values():
        if not trait.versioned:
            continue
        rows = trait.table
        statement = select(rows).where(rows.c.workspace_id == workspace_id, rows.c.workspace_id > LIVE)
        parts: Iterable[Any] = [None] if refs is None else slices(sorted(named[trait.name]))
        for part in parts:
            asked = statement if part is None else statement.where(rows.c.uid.in_(part))
            result = connection.execute(asked.order_by(rows.c.uid)).mappings().all()
            found += [DraftRow(trait=trait, values=dict(row)) for row in result]
    return found


def allowed_in_draft(
    connection: Connection, identity: Identity, workspace_id: int, rows: Sequence[DraftRow]
) -> frozenset[RecordRef]:
    """Rows this person may change in the draft: table, language, file, and the edit or content bit on a shown page.

    Marks count as what they mark. A constant number of statements.
    """
    open_rows = [
        row
        for row in rows
        if identity.may_modify(row.trait.name, admin_only=row.trait.admin_only)
        and identity.may_use_language(row.values["language_id"] if row.trait.has_language else None)
    ]
    files = _allowed_files(connection, identity, open_rows)
    open_rows = [row for row in open_rows if _passes_file(row, files)]
    pages = {row.page_uid for row in open_rows if needs_page(row.trait) and row.page_uid}
    bits = page_bits_in(connection, identity, workspace_id, pages, deleted_too=True) if pages else {}
    return frozenset(row.ref for row in open_rows if _passes_page(identity, row, bits))


def needs_page(trait: TableTrait) -> bool:
    """Whether page rights decide: descriptions of files have the file check instead."""
    return trait.on_pages or trait.judged_by_file is None


def writing_bit(trait: TableTrait) -> PageBit:
    """The bit that lets somebody change records of a table."""
    return PageBit.EDIT if trait is PAGES else PageBit.CONTENT


def _passes_page(identity: Identity, row: DraftRow, bits: Mapping[int, PageBit]) -> bool:
    if not needs_page(row.trait):
        return True
    if not row.page_uid:
        return identity.is_admin or row.trait.readable_at_root
    return bool(bits[row.page_uid] & PageBit.SHOW) and bool(bits[row.page_uid] & writing_bit(row.trait))


def _allowed_files(
    connection: Connection, identity: Identity, rows: Sequence[DraftRow]
) -> Mapping[str, frozenset[int]]:
    found: dict[str, frozenset[int]] = {}
    for trait in {row.trait.name: row.trait for row in rows if row.trait.judged_by_file}.values():
        uids = [_file_of(row) for row in rows if row.trait is trait]
        allowed = files_writable if trait is FILE_METADATA else files_readable
        found[trait.name] = frozenset(allowed(connection, identity, uids))
    return found


def _passes_file(row: DraftRow, files: Mapping[str, frozenset[int]]) -> bool:
    return not row.trait.judged_by_file or _file_of(row) in files[row.trait.name]


def _file_of(row: DraftRow) -> int:
    return int(row.values[str(row.trait.judged_by_file)])


def handled(
    connection: Connection, identity: Identity, workspace_id: int, refs: Collection[RecordRef] | None
) -> list[DraftRow]:
    """The rows of the draft that are asked for and may be changed; without ``refs`` those this person may change.

    Raises ``not_found`` when one of ``refs`` is not there or not this person's to change.
    """
    demand_workspace(identity, workspace_id)
    rows = list_draft(connection, workspace_id, refs)
    allowed = allowed_in_draft(connection, identity, workspace_id, rows)
    if refs is not None and not set(refs) <= allowed:
        raise not_found()
    return [row for row in rows if row.ref in allowed]


def demand_owner(identity: Identity, workspace_id: int) -> None:
    """Raise ``WriteRefused("owners_only")`` for people who may use the draft without looking after it."""
    if not identity.owns_workspace(workspace_id):
        raise WriteRefused("owners_only", text("Only the owners of this workspace and administrators may do that."))


def by_table(rows: Iterable[DraftRow]) -> dict[TableTrait, list[RowValues]]:
    """Values of rows by their table, in order."""
    names: dict[str, list[RowValues]] = {}
    for row in rows:
        names.setdefault(row.trait.name, []).append(row.values)
    return {REGISTRY[name]: values for name, values in names.items()}
