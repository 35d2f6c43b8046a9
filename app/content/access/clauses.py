"""The page check and the whole reading rule in SQL; twins of ``evaluator`` and ``judging``."""

from __future__ import annotations

from sqlalchemy import CTE, ColumnElement, FromClause, Integer, and_, case, false, literal_column, or_, select, true

from app.content.access.files import file_condition
from app.content.schema import FILES, PAGES, TableTrait
from app.content.store import NONE, opaque, overlay_condition, public_uid
from app.policy.identity import Identity
from app.policy.permissions import PageBit

_INSIDE: ColumnElement[int] = literal_column("1", Integer)


def has_page_bit(identity: Identity, page: FromClause, bit: PageBit) -> ColumnElement[bool]:
    """Whether a person has ``bit`` by the permission columns of ``page`` (the pages table or an alias)."""
    if identity.is_admin:
        return true()
    parts = [page.c.everybody_bits.bitwise_and(int(bit)) > 0]
    if identity.user_id:
        parts.append(and_(page.c.owner_id == identity.user_id, page.c.owner_bits.bitwise_and(int(bit)) > 0))
    groups = [group_id for group_id in identity.group_ids if group_id]
    if groups:
        parts.append(and_(page.c.group_id.in_(groups), page.c.group_bits.bitwise_and(int(bit)) > 0))
    return or_(*parts)


def shown_pages_cte(identity: Identity, workspace_id: int) -> CTE:
    """``uid`` of every page (default language, public uid) shown to a person in a workspace: walks down from the root.

    Empty for a workspace the person may not use.
    """
    row, keeper = PAGES.table.alias("row"), PAGES.table.alias("keeper")
    uid = public_uid(PAGES, row)
    # The permission columns are those of the live (or new) row, never of a version row; see ``rootlines``.
    pages = row.join(keeper, keeper.c.uid == uid)
    present = opaque(
        and_(row.c.translation_parent == 0, keeper.c.deleted == false(), overlay_condition(PAGES, workspace_id, row))
    )
    mounts = identity.mounts_in(workspace_id)
    is_mount = true() if identity.is_admin else uid.in_(sorted(mounts))
    shows = has_page_bit(identity, keeper, PageBit.SHOW)
    usable = true() if identity.may_use_workspace(workspace_id) else false()
    tree = (
        select(uid.label("uid"), case((and_(shows, is_mount), _INSIDE), else_=NONE).label("inside"))
        .select_from(pages)
        .where(usable, row.c.pid == 0, present)
        .cte("tree", recursive=True)
    )
    inside = case((and_(shows, or_(tree.c.inside == _INSIDE, is_mount)), _INSIDE), else_=NONE)
    below = row.join(tree, row.c.pid == tree.c.uid).join(keeper, keeper.c.uid == uid)
    tree = tree.union_all(select(uid, inside).select_from(below).where(present))
    return select(tree.c.uid).where(tree.c.inside == _INSIDE).cte("shown_pages")


def subtree_cte(workspace_id: int, page_uid: int) -> CTE:
    """``uid`` of a page and of every page below it as ``workspace_id`` sees them, without rights."""
    row = PAGES.table.alias("row")
    uid = public_uid(PAGES, row)
    present = opaque(and_(row.c.translation_parent == 0, overlay_condition(PAGES, workspace_id, row)))
    top = PAGES.table.alias("top")
    tree = select(top.c.uid.label("uid")).where(top.c.uid == page_uid).cte("subtree", recursive=True)
    return tree.union_all(select(uid).select_from(row.join(tree, row.c.pid == tree.c.uid)).where(present))


def reading_condition(trait: TableTrait, identity: Identity, workspace_id: int, shown: CTE) -> ColumnElement[bool]:
    """Which rows of ``trait.table`` a person standing in ``workspace_id`` may read; ``shown``: ``shown_pages_cte``."""
    rows = trait.table
    if not identity.may_select(trait.name, admin_only=trait.admin_only):
        return false()
    if not identity.may_use_workspace(workspace_id):
        return false()
    parts = [overlay_condition(trait, workspace_id), _page_condition(trait, identity, shown)]
    if trait.has_language and not identity.is_admin and identity.languages is not None:
        parts.append(rows.c.language_id.in_(sorted({*identity.languages, -1})))
    if trait is FILES:
        parts.append(file_condition(identity, rows))
    elif trait.judged_by_file is not None:
        files = FILES.table.alias("judging_file")
        parts.append(rows.c[trait.judged_by_file].in_(select(files.c.uid).where(file_condition(identity, files))))
    return and_(*parts)


def default_page_uid() -> ColumnElement[int]:
    """Public uid of the page a row of the pages table stands for: of the default page for translations."""
    pages = PAGES.table
    return case((pages.c.translation_parent > NONE, pages.c.translation_parent), else_=public_uid(PAGES))


def _page_condition(trait: TableTrait, identity: Identity, shown: CTE) -> ColumnElement[bool]:
    rows = trait.table
    if trait is PAGES:
        return default_page_uid().in_(select(shown.c.uid))
    if not trait.on_pages and trait.judged_by_file is not None:
        return true()
    on_shown_page = rows.c.pid.in_(select(shown.c.uid))
    if identity.is_admin or trait.readable_at_root:
        return or_(on_shown_page, rows.c.pid == 0)
    return on_shown_page
