"""Rights to create, change, copy, translate and delete."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from sqlalchemy import ColumnElement, and_, exists, not_, select
from sqlalchemy.engine import Connection

from app.content.access import has_page_bit, page_bits_in, subtree_cte
from app.content.errors import WriteRefused, not_found
from app.content.rights.steps import (
    demand_language,
    page_with_bit,
    writable_record,
    writable_records,
    writable_table,
)
from app.content.schema import FILES, PAGES, REGISTRY
from app.content.store import NONE, list_translations, overlay_condition
from app.content.types import Row
from app.core.i18n import text
from app.policy.identity import Identity
from app.policy.permissions import PageBit

ROOT = Row(
    table=PAGES.name,
    values=MappingProxyType({"uid": 0, "pid": 0, "title": "", "language_id": 0, "translation_parent": 0}),
    live_uid=0,
)
"""Stands for the root, where a page or record has no page above it."""


def require_update(connection: Connection, identity: Identity, workspace_id: int, table: str, uid: int) -> Row:
    """The record, if this person may change its fields: for pages the edit bit, for records the content bit."""
    trait = writable_table(identity, workspace_id, table)
    return writable_record(connection, identity, workspace_id, trait, uid, PageBit.EDIT)


def require_create(
    connection: Connection, identity: Identity, workspace_id: int, table: str, page_uid: int, language_id: int = 0
) -> Row:
    """The page a record is to lie on (for pages: below), if this person may create it there; ``ROOT`` for 0.

    A uid naming a translated page stands for its default page. At the root only administrators create, besides tables
    that are readable there. The file of a description or reference is the caller's to check.
    """
    trait = writable_table(identity, workspace_id, table)
    demand_language(identity, language_id if trait.has_language else None)
    if trait is FILES and not identity.is_admin:
        raise not_found()
    if page_uid == 0:
        if not identity.is_admin and (trait is PAGES or not trait.readable_at_root):
            raise not_found()
        return ROOT
    return page_with_bit(
        connection, identity, workspace_id, page_uid, PageBit.NEW if trait is PAGES else PageBit.CONTENT
    )


def require_copy_page(
    connection: Connection, identity: Identity, workspace_id: int, uid: int, target_uid: int | None
) -> tuple[Row, int]:
    """The page and the uid of its new parent, if this person sees the page and may create pages there.

    ``target_uid`` None = below the same parent, 0 = at the root (administrators only).
    """
    trait = writable_table(identity, workspace_id, PAGES.name)
    source = writable_record(connection, identity, workspace_id, trait, uid, PageBit.SHOW)
    if source["translation_parent"]:
        raise WriteRefused(
            "is_translation", text("This page is a translation. Copy the page in the default language instead.")
        )
    parent_uid = int(source["pid"]) if target_uid is None else target_uid
    if parent_uid == 0:
        if not identity.is_admin:
            raise not_found()
        return source, 0
    return source, page_with_bit(connection, identity, workspace_id, parent_uid, PageBit.NEW).live_uid


def require_localize(
    connection: Connection, identity: Identity, workspace_id: int, table: str, uid: int, language_id: int
) -> Row:
    """The source, if this person may translate it: the right to change it, and access to both languages.

    A page needs its edit bit, not the one for new pages. Whether the record can have that translation is checked by
    the writer.
    """
    return require_localize_all(connection, identity, workspace_id, table, [uid], language_id)[0]


def require_localize_all(
    connection: Connection, identity: Identity, workspace_id: int, table: str, uids: Sequence[int], language_id: int
) -> list[Row]:
    """The same for many records of a table, in the order of ``uids``; statements do not grow with the records."""
    trait = writable_table(identity, workspace_id, table)
    sources = writable_records(connection, identity, workspace_id, trait, uids, PageBit.EDIT)
    demand_language(identity, language_id)
    return sources


def require_create_on_pages(
    connection: Connection,
    identity: Identity,
    workspace_id: int,
    table: str,
    page_uids: Sequence[int],
    language_id: int,
) -> None:
    """Refuse unless this person may create records of ``table`` on each of these default pages; see
    ``require_create``.
    """
    trait = writable_table(identity, workspace_id, table)
    demand_language(identity, language_id if trait.has_language else None)
    bits = page_bits_in(connection, identity, workspace_id, page_uids)
    if not all(bits[uid] & PageBit.CONTENT for uid in page_uids):
        raise not_found()


def require_delete(connection: Connection, identity: Identity, workspace_id: int, table: str, uid: int) -> Row:
    """The record, if this person may delete it with everything that goes along.

    Records need the content bit; pages the delete bit on themselves and every subpage, and the right to change every
    table with records there. A record in the default language needs access to the languages of all its translations.
    """
    trait = writable_table(identity, workspace_id, table)
    row = writable_record(connection, identity, workspace_id, trait, uid, PageBit.DELETE)
    if identity.is_admin:
        return row
    if trait.has_language and not row["translation_parent"]:
        translations = list_translations(connection, table, row.live_uid, workspace_id)
        if not all(identity.may_use_language(found["language_id"]) for found in translations):
            raise WriteRefused("denied_language", text("This record has translations in languages you may not use."))
    if trait is PAGES and not row["translation_parent"]:
        _demand_branch(connection, identity, workspace_id, row.live_uid)
    return row


def _demand_branch(connection: Connection, identity: Identity, workspace_id: int, page_uid: int) -> None:
    """Every subpage and its translations may be deleted, and every table with records in the branch may be changed."""
    if any(
        connection.execute(select(condition)).scalar() for condition in _hindrances(identity, workspace_id, page_uid)
    ):
        raise WriteRefused("denied_below", text("You may not delete everything below this page or on it."))


def _hindrances(identity: Identity, workspace_id: int, page_uid: int) -> list[ColumnElement[bool]]:
    branch = subtree_cte(workspace_id, page_uid)
    below, pages = select(branch.c.uid), PAGES.table
    kept = and_(pages.c.uid.in_(below), not_(has_page_bit(identity, pages, PageBit.DELETE)))
    found: list[ColumnElement[bool]] = [exists().where(kept)]
    for trait in REGISTRY.values():
        rows = trait.table
        if not trait.on_pages or trait is PAGES or identity.may_modify(trait.name, admin_only=trait.admin_only):
            continue
        found.append(exists().where(rows.c.pid.in_(below), overlay_condition(trait, workspace_id)))
    if identity.languages is not None:
        foreign = and_(
            pages.c.translation_parent > NONE,
            pages.c.translation_parent.in_(below),
            overlay_condition(PAGES, workspace_id),
            not_(pages.c.language_id.in_(sorted(identity.languages))),
        )
        found.append(exists().where(foreign))
    return found
