"""Steps the rights of every command share: the table, the record, its page, language and file."""

from __future__ import annotations

from sqlalchemy.engine import Connection

from app.content.access import files_readable, files_writable, judged_row, page_bits_in
from app.content.errors import WriteRefused, not_found
from app.content.schema import FILE_METADATA, FILES, PAGES, REGISTRY, TableTrait
from app.content.store import find_rows
from app.content.types import Row, VersionState
from app.core.i18n import text
from app.policy.identity import LIVE, Identity
from app.policy.permissions import PageBit


def writable_table(identity: Identity, workspace_id: int, table: str) -> TableTrait:
    """The trait of a table this person may write in this workspace."""
    trait = REGISTRY.get(table)
    if trait is None or not identity.may_modify(table, admin_only=trait.admin_only):
        raise not_found()
    if not identity.may_use_workspace(workspace_id):
        raise not_found()
    if workspace_id != LIVE and not trait.versioned:
        raise WriteRefused(
            "not_versioned",
            text("Records of the kind “%(kind)s” cannot be changed in a draft workspace.", kind=trait.label),
        )
    return trait


def writable_record(
    connection: Connection, identity: Identity, workspace_id: int, trait: TableTrait, uid: int, page_bit: PageBit
) -> Row:
    """A record this person may write: language, file, ``page_bit`` on pages, else the content bit of its page."""
    row = find_rows(connection, trait.name, [uid], workspace_id, with_marked=True).get(uid)
    if row is None or not identity.may_use_language(row["language_id"] if trait.has_language else None):
        raise not_found()
    if trait.judged_by_file is not None:
        demand_file(connection, identity, trait, int(row[trait.judged_by_file]))
    marked = trait.versioned and row["version_state"] == VersionState.DELETED
    record = judged_row(trait, row.values, workspace_id)
    if record.needs_page:
        bit = page_bit if trait is PAGES else PageBit.CONTENT
        if record.page_uid:
            bits = page_bits_in(
                connection, identity, workspace_id, [record.page_uid], deleted_too=bool(marked and trait is PAGES)
            )
            allowed = bool(bits[record.page_uid] & bit)
        else:
            allowed = identity.is_admin or trait.readable_at_root
        if not allowed:
            raise not_found()
    if marked:
        raise WriteRefused("marked_deleted", text("This record is already marked to be deleted in this workspace."))
    return row


def page_with_bit(connection: Connection, identity: Identity, workspace_id: int, uid: int, bit: PageBit) -> Row:
    """The default page meant by ``uid``, if this person has ``bit`` on it."""
    if not page_bits_in(connection, identity, workspace_id, [uid])[uid] & bit:
        raise not_found()
    page = find_rows(connection, PAGES.name, [uid], workspace_id).get(uid)
    if page is not None and page["translation_parent"]:
        default_uid = int(page["translation_parent"])
        page = find_rows(connection, PAGES.name, [default_uid], workspace_id).get(default_uid)
    if page is None:
        raise not_found()
    return page


def demand_language(identity: Identity, language_id: int | None) -> None:
    if not identity.may_use_language(language_id):
        raise WriteRefused("denied_language", text("You have no access to this language."))


def demand_file(connection: Connection, identity: Identity, trait: TableTrait, file_uid: int) -> None:
    """Files are written by administrators only, descriptions need a mount that is not read-only, references read."""
    if trait is FILES and not identity.is_admin:
        raise not_found()
    allowed = files_writable if trait is FILE_METADATA else files_readable
    if file_uid not in allowed(connection, identity, [file_uid]):
        raise not_found()
