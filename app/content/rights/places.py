"""Rights to move a record and to bring a deleted one back."""

from __future__ import annotations

from sqlalchemy.engine import Connection

from app.content.access import judge, judged_row, page_bits_in
from app.content.errors import WriteRefused, not_found
from app.content.rights.steps import demand_file, page_with_bit, writable_record, writable_table
from app.content.schema import PAGES, TableTrait
from app.content.store import find_rows, find_stored_rows, list_translations
from app.content.types import Row
from app.core.i18n import text
from app.policy.identity import LIVE, Identity
from app.policy.permissions import PageBit


def require_move(
    connection: Connection, identity: Identity, workspace_id: int, table: str, uid: int, page_uid: int | None
) -> tuple[Row, int]:
    """The record and the uid of the page it is to lie on (for pages: below), if this person may move it there.

    ``page_uid`` None = where it lies now, 0 = the root. On its page a record needs the content bit and a page its edit
    bit; elsewhere a record needs the content bit on both pages, a page its delete bit and the new bit of the target.
    A record needs access to the languages of all its translations besides.
    """
    trait = writable_table(identity, workspace_id, table)
    row = writable_record(connection, identity, workspace_id, trait, uid, PageBit.SHOW)
    _demand_movable(trait, row)
    if trait.has_language and trait is not PAGES:
        _demand_all_languages(connection, identity, workspace_id, row)
    lies_on = int(row["pid"])
    target_uid = lies_on if page_uid is None else _target(connection, identity, workspace_id, trait, page_uid, lies_on)
    if trait is PAGES:
        bit = PageBit.EDIT if target_uid == lies_on else PageBit.DELETE
        writable_record(connection, identity, workspace_id, trait, uid, bit)
    if target_uid != lies_on and "owner_uid" in trait.table.c:
        raise WriteRefused("moves_with_owner", text("This record moves along with the record it belongs to."))
    return row, target_uid


def require_copy(
    connection: Connection, identity: Identity, workspace_id: int, table: str, uid: int, page_uid: int | None
) -> tuple[Row, int]:
    """The record and the uid of the page its copy lies on, if this person sees the record and may write on that page.

    ``page_uid`` None = where it lies now. Pages are copied by ``require_copy_page``. The languages of all its
    translations are needed, as for a move (cms.md section 5).
    """
    trait = writable_table(identity, workspace_id, table)
    if trait is PAGES:
        raise not_found()
    row = find_rows(connection, table, [uid], workspace_id).get(uid)
    if (
        row is None
        or not judge(connection, identity, [judged_row(trait, row.values, workspace_id)], deleted_too=False)[0]
    ):
        raise not_found()
    _demand_movable(trait, row)
    if "owner_uid" in trait.table.c:
        raise WriteRefused("moves_with_owner", text("This record moves along with the record it belongs to."))
    if trait.has_language:
        _demand_all_languages(connection, identity, workspace_id, row)
    lies_on = int(row["pid"])
    asked = lies_on if page_uid is None else page_uid
    if asked == 0:
        return row, _target(connection, identity, workspace_id, trait, 0, -1)
    return row, page_with_bit(connection, identity, workspace_id, asked, PageBit.CONTENT).live_uid


def require_undelete(connection: Connection, identity: Identity, table: str, uid: int) -> Row:
    """The deleted live record, if this person may bring it back: the content bit on its page, for pages the new bit on
    the page above (of a translated page the edit bit of its page).

    What it lies on and what it translates must exist: ``parent_deleted`` otherwise. ``not_deleted`` for a record that
    is there.
    """
    trait = writable_table(identity, LIVE, table)
    row = find_stored_rows(connection, table, [uid]).get(uid)
    if row is None or (trait.versioned and row["workspace_id"] != LIVE):
        raise not_found()
    if not judge(connection, identity, [judged_row(trait, row.values)], deleted_too=True)[0]:
        raise not_found()
    if trait.judged_by_file is not None:
        demand_file(connection, identity, trait, int(row[trait.judged_by_file]))
    _demand_parent_bit(connection, identity, trait, row)
    if not trait.soft_delete or not row["deleted"]:
        raise WriteRefused("not_deleted", text("This record is not deleted."))
    _demand_parents(connection, identity, trait, row)
    return row


def _demand_parent_bit(connection: Connection, identity: Identity, trait: TableTrait, row: Row) -> None:
    is_translated_page = trait is PAGES and row["translation_parent"]
    above = int(row["translation_parent"] if is_translated_page else row["pid"])
    bit = PageBit.NEW if trait is PAGES else PageBit.CONTENT
    if is_translated_page:
        bit = PageBit.EDIT
    if above:
        allowed = bool(page_bits_in(connection, identity, LIVE, [above], deleted_too=True)[above] & bit)
    else:
        allowed = identity.is_admin or (trait is not PAGES and trait.readable_at_root)
    if not allowed:
        raise not_found()


def _demand_parents(connection: Connection, identity: Identity, trait: TableTrait, row: Row) -> None:
    """The page and those above it, the default record and the owner exist."""
    page_uid = int(row["pid"])
    exists = not page_uid or bool(page_bits_in(connection, identity, LIVE, [page_uid])[page_uid])
    others = [(trait.name, int(row["translation_parent"]))] if trait.has_language else []
    if "owner_uid" in row.values:
        others.append((row["owner_table"], int(row["owner_uid"])))
    if not exists or any(uid and not find_rows(connection, table, [uid], LIVE) for table, uid in others):
        raise WriteRefused("parent_deleted", text("What this record belongs to is deleted. Restore that first."))


def _demand_movable(trait: TableTrait, row: Row) -> None:
    if not trait.on_pages:
        raise WriteRefused("not_movable", text("Records of the kind “%(kind)s” lie on no page.", kind=trait.label))
    if trait.has_language and row["translation_parent"]:
        raise WriteRefused(
            "is_translation",
            text("This record is a translation. It moves along with the record in the default language."),
        )


def _demand_all_languages(connection: Connection, identity: Identity, workspace_id: int, row: Row) -> None:
    translations = list_translations(connection, row.table, row.live_uid, workspace_id)
    if not all(identity.may_use_language(found["language_id"]) for found in translations):
        raise WriteRefused("denied_language", text("This record has translations in languages you may not use."))


def _target(
    connection: Connection, identity: Identity, workspace_id: int, trait: TableTrait, page_uid: int, lies_on: int
) -> int:
    if page_uid == lies_on:
        return lies_on
    if page_uid == 0:
        if not identity.is_admin and (trait is PAGES or not trait.readable_at_root):
            raise not_found()
        return 0
    if page_uid < 0:
        raise not_found()
    found = page_with_bit(connection, identity, workspace_id, page_uid, PageBit.SHOW)
    if found.live_uid == lies_on:
        return lies_on
    bit = PageBit.NEW if trait is PAGES else PageBit.CONTENT
    return page_with_bit(connection, identity, workspace_id, page_uid, bit).live_uid
