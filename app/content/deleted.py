"""Deleted records a person may find again, as one condition of a query (issue 4: undelete).

Only records deleted live count: a draft holds marks instead, which are taken back there.
"""

from __future__ import annotations

from sqlalchemy import CTE, ColumnElement, and_, false, or_, select, true

from app.content.access import file_condition, has_page_bit
from app.content.schema import FILES, PAGES, TableTrait
from app.content.store import NONE
from app.policy.identity import LIVE, Identity
from app.policy.permissions import PageBit


def deleted_condition(trait: TableTrait, identity: Identity, shown: CTE) -> ColumnElement[bool]:
    """Which rows of ``trait.table`` were deleted live and may be seen by a person; ``shown``: ``shown_pages_cte`` of live.

    The same rights as for records that exist (CH-16, CH-19): select on the table, live access, language, file, and the
    page it lies on, which must still be there; for a page its own show bit and the page above it.
    """
    rows = trait.table
    if not trait.soft_delete or not identity.may_select(trait.name, admin_only=trait.admin_only):
        return false()
    if not identity.may_use_workspace(LIVE):
        return false()
    parts = [rows.c.deleted == true(), _place_condition(trait, identity, shown)]
    if trait.versioned:
        parts += [rows.c.workspace_id == LIVE, rows.c.live_uid == NONE]
    if trait.has_language and not identity.is_admin and identity.languages is not None:
        parts.append(rows.c.language_id.in_(sorted({*identity.languages, -1})))
    if trait.judged_by_file is not None:
        files = FILES.table.alias("judging_file")
        parts.append(rows.c[trait.judged_by_file].in_(select(files.c.uid).where(file_condition(identity, files))))
    return and_(*parts)


def _place_condition(trait: TableTrait, identity: Identity, shown: CTE) -> ColumnElement[bool]:
    rows = trait.table
    on_shown_page = rows.c.pid.in_(select(shown.c.uid))
    at_root = rows.c.pid == 0 if identity.is_admin or trait.readable_at_root else false()
    if trait is not PAGES:
        return or_(on_shown_page, at_root)
    translates = and_(rows.c.translation_parent > NONE, rows.c.translation_parent.in_(select(shown.c.uid)))
    stands_alone = and_(rows.c.translation_parent == NONE, or_(on_shown_page, at_root))
    return and_(has_page_bit(identity, rows, PageBit.SHOW), or_(translates, stands_alone))
