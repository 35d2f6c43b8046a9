"""What a deletion in live takes along: the branch, its records, their translations, references and drafts."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import BigInteger, literal, or_, select

from app.content.errors import WriteRefused
from app.content.schema import PAGES, REGISTRY, TableTrait
from app.content.types import VersionState
from app.content.writer import overlay
from app.content.writer.observe import RowValues
from app.content.writer.work import Work
from app.core.i18n import text
from app.policy.identity import LIVE

Rows = list[dict[str, Any]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Branch:
    """Live rows that are deleted, by table, the named record first; ``pages``: default pages that go, drafts' new
    ones too.
    """

    live: dict[str, Rows]
    live_pages: frozenset[int] = frozenset()
    pages: frozenset[int] = frozenset()
    gone: dict[str, set[int]] = field(default_factory=dict)
    """Uids of the live rows, by table."""

    @classmethod
    def of(cls, live: dict[str, Rows], live_pages: Collection[int] = (), pages: Collection[int] = ()) -> Branch:
        """A branch of these rows, empty tables left out."""
        kept = {table: rows for table, rows in live.items() if rows}
        return cls(
            live=kept,
            live_pages=frozenset(live_pages),
            pages=frozenset(pages),
            gone={table: {row["uid"] for row in rows} for table, rows in kept.items()},
        )


def live_branch(work: Work, trait: TableTrait, row: RowValues, *, with_content: bool = True) -> Branch:
    """Everything in live that a deletion of ``row`` deletes; without content a translated page goes alone, because
    another takes its place.
    """
    if trait is not PAGES or (row["translation_parent"] and not with_content):
        return _with_dependants(work, trait, row)
    if row["translation_parent"]:
        return _translated_page(work, row)
    live_pages, pages = _pages_below(work, row["uid"])
    live = {PAGES.name: _first(overlay.rows_by(work.connection, PAGES, LIVE, "uid", live_pages), row["uid"])}
    live[PAGES.name] += overlay.rows_by(work.connection, PAGES, LIVE, "translation_parent", live_pages)
    for other in _on_pages():
        live[other.name] = overlay.rows_by(work.connection, other, LIVE, "pid", live_pages)
    return Branch.of(live, live_pages, pages)


def _on_pages() -> list[TableTrait]:
    return [trait for trait in REGISTRY.values() if trait.on_pages and trait is not PAGES]


def _first(rows: Rows, uid: int) -> Rows:
    return sorted(rows, key=lambda row: row["uid"] != uid)


def _with_dependants(work: Work, trait: TableTrait, row: RowValues) -> Branch:
    """A record, its translations, and the references to files of all of them."""
    rows = [dict(row)]
    if trait.has_language and not row["translation_parent"]:
        rows += overlay.rows_by(work.connection, trait, LIVE, "translation_parent", [row["uid"]])
    live = {trait.name: rows}
    for other in _owned_tables(trait):
        uids = [found["uid"] for found in rows]
        live[other.name] = overlay.rows_by(work.connection, other, LIVE, "owner_uid", uids, owner_table=trait.name)
    return Branch.of(live)


def _owned_tables(trait: TableTrait) -> list[TableTrait]:
    return [other for other in REGISTRY.values() if "owner_uid" in other.table.c and other is not trait]


def _translated_page(work: Work, row: RowValues) -> Branch:
    """A translated page goes with the records on its page in that language (cms.md section 10)."""
    live: dict[str, Rows] = {PAGES.name: [dict(row)]}
    for other in _on_pages():
        if other.has_language:
            page, language = [row["translation_parent"]], row["language_id"]
            live[other.name] = overlay.rows_by(work.connection, other, LIVE, "pid", page, language_id=language)
    return Branch.of(live)


def _pages_below(work: Work, root_uid: int) -> tuple[set[int], set[int]]:
    """Default pages of the branch: those of live, and those together with pages new in any draft."""
    page = PAGES.table.alias()
    tree = select(literal(root_uid, BigInteger).label("uid"), literal(LIVE, BigInteger).label("workspace_id")).cte(
        "branch", recursive=True
    )
    below = select(page.c.uid, page.c.workspace_id).where(
        page.c.pid == tree.c.uid,
        page.c.translation_parent == 0,
        page.c.deleted.is_(False),
        or_(page.c.workspace_id == LIVE, page.c.version_state == VersionState.NEW.value),
    )
    found = work.connection.execute(select(tree.union(below))).all()
    return {int(uid) for uid, workspace_id in found if workspace_id == LIVE}, {int(uid) for uid, _ in found}


def demand_rights(work: Work, branch: Branch) -> None:
    """Every table and every language of what goes; ``content.rights`` has checked the pages themselves."""
    if not all(work.actor.may_modify(table, admin_only=REGISTRY[table].admin_only) for table in branch.live):
        raise WriteRefused("denied_below", text("You may not delete everything below this page or on it."))
    rows = (row for found in branch.live.values() for row in found)
    if not all(work.actor.may_use_language(row.get("language_id")) for row in rows):
        raise WriteRefused("denied_language", text("This record has translations in languages you may not use."))


def drafts_of(work: Work, branch: Branch) -> dict[str, Rows]:
    """Rows of every draft that stand for a deleted record, lie on a deleted page, or hang on a deleted record."""
    found: dict[str, Rows] = {}
    for trait in REGISTRY.values():
        if trait.versioned:
            found[trait.name] = _unique(_drafts_in(work, trait, branch, found))
    return {table: rows for table, rows in found.items() if rows}


def _drafts_in(work: Work, trait: TableTrait, branch: Branch, found: dict[str, Rows]) -> Iterable[dict[str, Any]]:
    gone = branch.gone.get(trait.name, set())
    rows: Rows = []
    for column in ("live_uid", *(("translation_parent",) if trait.has_language else ())):
        rows += overlay.stored_rows_by(work.connection, trait, column, gone)
    if branch.pages and trait.on_pages:
        rows += overlay.stored_rows_by(work.connection, trait, "pid", branch.pages)
    if trait is PAGES:
        new_pages = branch.pages - branch.live_pages
        rows += overlay.stored_rows_by(work.connection, trait, "uid", new_pages)
    if "owner_uid" in trait.table.c:
        for table in {*branch.gone, *found}:
            owners = branch.gone.get(table, set()) | {row["uid"] for row in found.get(table, ())}
            rows += overlay.stored_rows_by(work.connection, trait, "owner_uid", owners, owner_table=table)
    return (row for row in rows if row["workspace_id"] > LIVE)


def _unique(rows: Iterable[dict[str, Any]]) -> Rows:
    return list({row["uid"]: row for row in rows}.values())
