"""What a command takes along, counted as far as the person may read it, to be said before it is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.engine import Connection

from app.content.access import reading_condition, shown_pages_cte, subtree_cte
from app.content.schema import PAGES, REGISTRY
from app.content.store import NONE, list_translations, public_uid
from app.content.types import Row
from app.policy.identity import Identity


@dataclass(frozen=True, kw_only=True, slots=True)
class TakenAlong:
    """Records by table, without the record itself; only numbers above 0."""

    translations: int = 0
    """Translations of the record itself."""
    records: Mapping[str, int] = field(default_factory=dict)
    """Pages below and records on them, translations among them; for other records what hangs on them."""


def count_taken_along(connection: Connection, identity: Identity, workspace_id: int, row: Row) -> TakenAlong:
    """What goes with a record when it is deleted (a page: the branch below it), as ``workspace_id`` shows it.

    ``row`` was found to be readable. One statement per table and one more.
    """
    trait = REGISTRY[row.table]
    if trait is PAGES and row["translation_parent"]:
        return TakenAlong(records=_counted(connection, identity, workspace_id, _in_language(row)))
    translations = [
        found
        for found in list_translations(connection, trait.name, row.live_uid, workspace_id)
        if identity.may_use_language(found["language_id"])
    ]
    if trait is PAGES:
        conditions = _branch(workspace_id, row.live_uid)
    else:
        owners = [row.live_uid, *(found.live_uid for found in translations)]
        conditions = {
            other.name: (other.table.c.owner_table == trait.name) & other.table.c.owner_uid.in_(owners)
            for other in REGISTRY.values()
            if "owner_uid" in other.table.c
        }
    return TakenAlong(translations=len(translations), records=_counted(connection, identity, workspace_id, conditions))


def _branch(workspace_id: int, page_uid: int) -> dict[str, ColumnElement[bool]]:
    """The pages below, with their translations, and the records on the page and on those below it."""
    branch = subtree_cte(workspace_id, page_uid)
    inside, pages = select(branch.c.uid), PAGES.table
    below = select(branch.c.uid).where(branch.c.uid != page_uid)
    conditions: dict[str, ColumnElement[bool]] = {
        trait.name: trait.table.c.pid.in_(inside) for trait in REGISTRY.values() if trait.on_pages
    }
    default = (pages.c.translation_parent == NONE) & public_uid(PAGES).in_(below)
    conditions[PAGES.name] = or_(default, pages.c.translation_parent.in_(below))
    return conditions


def _in_language(row: Row) -> dict[str, ColumnElement[bool]]:
    """Records of a translated page: those on its page in its language (cms.md section 10)."""
    return {
        trait.name: (trait.table.c.pid == row["translation_parent"]) & (trait.table.c.language_id == row["language_id"])
        for trait in REGISTRY.values()
        if trait.on_pages and trait.has_language and trait is not PAGES
    }


def _counted(
    connection: Connection, identity: Identity, workspace_id: int, conditions: Mapping[str, ColumnElement[bool]]
) -> Mapping[str, int]:
    shown = shown_pages_cte(identity, workspace_id)
    found: dict[str, int] = {}
    for table, condition in conditions.items():
        trait = REGISTRY[table]
        if identity.may_select(table, admin_only=trait.admin_only):
            readable = reading_condition(trait, identity, workspace_id, shown)
            statement = select(func.count()).select_from(trait.table).where(readable, condition)
            found[table] = int(connection.execute(statement).scalar_one())
    return MappingProxyType({table: count for table, count in found.items() if count})
