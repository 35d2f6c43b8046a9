"""Which commands a person may give for records they read: for buttons, so that nobody presses in vain.

``rights`` decides when a command is given; this says the same for many records at once, but for what only the whole
branch below a page can tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.engine import Connection

from app.content.access import files_readable, files_writable, judged_row, page_bits_in
from app.content.schema import CONTENT_ELEMENTS, FILE_METADATA, FILES, PAGES, REGISTRY, TableTrait
from app.content.types import RecordRef, Row, VersionState
from app.policy.identity import LIVE, Identity
from app.policy.permissions import PageBit


@dataclass(frozen=True, kw_only=True, slots=True)
class Permitted:
    """What may be done with one record."""

    edit: bool = False
    delete: bool = False
    move: bool = False
    copy: bool = False
    translate: bool = False
    """Whether translations of it may be made, in languages the person may use."""
    hide: bool = False
    add_page: bool = False
    add_element: bool = False


NOTHING = Permitted()


def permitted(
    connection: Connection, identity: Identity, workspace_id: int, rows: Sequence[Row]
) -> Mapping[RecordRef, Permitted]:
    """For each record (named by table and public uid) what this person may do with it in ``workspace_id``.

    At most three statements, however many records.
    """
    judged = [(row, judged_row(REGISTRY[row.table], row.values, workspace_id)) for row in rows]
    pages = {record.page_uid for _, record in judged if record.needs_page and record.page_uid}
    bits = page_bits_in(connection, identity, workspace_id, pages) if pages else {}
    files = _writable_files(connection, identity, rows)
    found: dict[RecordRef, Permitted] = {}
    for row, record in judged:
        trait = REGISTRY[row.table]
        root = PageBit(31) if identity.is_admin or trait.readable_at_root else PageBit(0)
        page = bits.get(record.page_uid, root) if record.needs_page else PageBit(31)
        ref = RecordRef(table=row.table, uid=row.live_uid)
        is_open = _is_open(identity, workspace_id, trait, row) and (
            trait.judged_by_file is None or row[trait.judged_by_file] in files[trait.name]
        )
        found[ref] = _commands(identity, workspace_id, trait, row, page) if is_open else NOTHING
    return found


def _writable_files(connection: Connection, identity: Identity, rows: Sequence[Row]) -> dict[str, frozenset[int]]:
    found: dict[str, frozenset[int]] = {}
    for trait in REGISTRY.values():
        column = trait.judged_by_file
        uids = [int(row[column]) for row in rows if column is not None and row.table == trait.name]
        if uids:
            allowed = files_writable if trait is FILE_METADATA else files_readable
            found[trait.name] = frozenset(allowed(connection, identity, uids))
    return found


def _is_open(identity: Identity, workspace_id: int, trait: TableTrait, row: Row) -> bool:
    """The table, the workspace and the language, before any page is asked."""
    if not identity.may_modify(trait.name, admin_only=trait.admin_only):
        return False
    if not identity.may_use_workspace(workspace_id) or (workspace_id != LIVE and not trait.versioned):
        return False
    if trait is FILES and not identity.is_admin:
        return False
    if trait.versioned and row["version_state"] == VersionState.DELETED:
        return False
    return identity.may_use_language(row["language_id"] if trait.has_language else None)


def _commands(identity: Identity, workspace_id: int, trait: TableTrait, row: Row, bits: PageBit) -> Permitted:
    is_page = trait is PAGES
    edit = bool(bits & (PageBit.EDIT if is_page else PageBit.CONTENT))
    is_translation = trait.has_language and row["translation_parent"] > 0
    is_default = not trait.has_language or (not is_translation and row["language_id"] == 0)
    return Permitted(
        edit=edit,
        delete=bool(bits & (PageBit.DELETE if is_page else PageBit.CONTENT)),
        move=edit and trait.has_sorting and not is_translation,
        copy=_is_copyable(trait) and bool(bits & PageBit.SHOW) and not is_translation,
        translate=edit and trait.has_language and is_default,
        hide=edit and trait.can_hide,
        add_page=is_page and bool(bits & PageBit.NEW) and not is_translation,
        add_element=is_page
        and bool(bits & PageBit.CONTENT)
        and not is_translation
        and identity.may_modify(CONTENT_ELEMENTS.name),
    )


def _is_copyable(trait: TableTrait) -> bool:
    """Records that lie on pages by themselves; references to files are copied with what they belong to."""
    return trait.on_pages and "owner_uid" not in trait.table.c
