"""Steps the rights of every command share: the table, the record, its page, language and file."""

from __future__ import annotations

from collections.abc import Collection, Sequence

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
    return writable_records(connection, identity, workspace_id, trait, [uid], page_bit)[0]


def writable_records(
    connection: Connection,
    identity: Identity,
    workspace_id: int,
    trait: TableTrait,
    uids: Sequence[int],
    page_bit: PageBit,
) -> list[Row]:
    """The same for many records, in the order of ``uids``; refuses for the first that may not be written.

    The statements do not grow with the records (one more per 900).
    """
    found = find_rows(connection, trait.name, uids, workspace_id, with_marked=True)
    rows = [found[uid] for uid in dict.fromkeys(uids) if uid in found]
    files = _allowed_files(connection, identity, trait, rows)
    bits = _bits_of(connection, identity, workspace_id, trait, rows)
    for uid in uids:
        row = found.get(uid)
        if row is None or not identity.may_use_language(row["language_id"] if trait.has_language else None):
            raise not_found()
        if trait.judged_by_file is not None and int(row[trait.judged_by_file]) not in files:
            raise not_found()
        record = judged_row(trait, row.values, workspace_id)
        if record.needs_page:
            bit = page_bit if trait is PAGES else PageBit.CONTENT
            at_root = identity.is_admin or trait.readable_at_root
            if not (bits[_is_marked_page(trait, row), record.page_uid] & bit if record.page_uid else at_root):
                raise not_found()
        if _is_marked(trait, row):
            raise WriteRefused("marked_deleted", text("This record is already marked to be deleted in this workspace."))
    return [found[uid] for uid in uids]


def _is_marked(trait: TableTrait, row: Row) -> bool:
    return trait.versioned and row["version_state"] == VersionState.DELETED


def _is_marked_page(trait: TableTrait, row: Row) -> bool:
    """Whether the page is judged although it is marked to be deleted, so that the refusal can say so."""
    return trait is PAGES and _is_marked(trait, row)


def _bits_of(
    connection: Connection, identity: Identity, workspace_id: int, trait: TableTrait, rows: Sequence[Row]
) -> dict[tuple[bool, int], PageBit]:
    """The bits on the pages that decide about ``rows``, each page judged once, those marked to be deleted by themselves."""
    asked: dict[bool, set[int]] = {False: set(), True: set()}
    for row in rows:
        record = judged_row(trait, row.values, workspace_id)
        if record.needs_page and record.page_uid:
            asked[_is_marked_page(trait, row)].add(record.page_uid)
    return {
        (marked, uid): bits
        for marked, uids in asked.items()
        if uids
        for uid, bits in page_bits_in(connection, identity, workspace_id, uids, deleted_too=marked).items()
    }


def page_with_bit(connection: Connection, identity: Identity, workspace_id: int, uid: int, bit: PageBit) -> Row:
    """The default page meant by ``uid``, if this person has ``bit`` on it."""
    if not page_bits_in(connection, identity, workspace_id, [uid])[uid] & bit:
        raise not_found()
    page = find_rows(connection, PAGES.name, [uid], workspace_id).get(uid)
    if page is not None and page["translation_parent"]:
        if not identity.may_use_language(page["language_id"]):
            raise not_found()  # a number of a language the person has no access to is like one that does not exist
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
    if file_uid not in _usable_files(connection, identity, trait, [file_uid]):
        raise not_found()


def _usable_files(
    connection: Connection, identity: Identity, trait: TableTrait, file_uids: Collection[int]
) -> frozenset[int]:
    if trait is FILES and not identity.is_admin:
        return frozenset()
    allowed = files_writable if trait is FILE_METADATA else files_readable
    return allowed(connection, identity, file_uids)


def _allowed_files(
    connection: Connection, identity: Identity, trait: TableTrait, rows: Sequence[Row]
) -> frozenset[int]:
    """Those of the files ``rows`` are judged by that this person may use for writing them."""
    if trait.judged_by_file is None:
        return frozenset()
    return _usable_files(connection, identity, trait, {int(row[trait.judged_by_file]) for row in rows})
