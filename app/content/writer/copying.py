"""Copies a page with everything on it, set-based: the number of statements does not grow with the pages (W3)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from app.content import access, rights
from app.content.errors import WriteRefused
from app.content.schema import PAGES, REGISTRY, TableTrait
from app.content.sorting import last_place
from app.content.store import find_rows
from app.content.types import RecordRef, Row
from app.content.uids import reserve_uids
from app.content.writer import overlay
from app.content.writer.observe import public_uid
from app.content.writer.ownership import new_page_owner
from app.content.writer.rows import duplicate, insert_rows
from app.content.writer.titles import free_copy_title
from app.content.writer.work import Work
from app.core.i18n import ntext, text

MAX_PAGES = 1000
"""Above this a copy holds the lock for half a second and 25 MB (rehearsal.md rule 13)."""
_LINK = re.compile(r"\bpage:(\d{1,16})(?!\d)")


@dataclass(frozen=True, kw_only=True, slots=True)
class CopyResult:
    """The new top page (row uid) and how many rows were made per table."""

    root: RecordRef
    counts: Mapping[str, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class CopyPlan:
    """What is copied (pages by public uid, parents first is not needed: uids are reserved) and where to."""

    source: Row
    parent_uid: int
    pages: tuple[int, ...]


class Copy:
    """One copy in progress: which public uid becomes which new one, per table."""

    def __init__(self, work: Work, plan: CopyPlan) -> None:
        self.work = work
        self.plan = plan
        self.uids: dict[str, dict[int, int]] = {table: {} for table in REGISTRY}
        self.counts: Counter[str] = Counter()
        self._withheld: dict[str, tuple[str, ...]] = {}

    def reserve(self, trait: TableTrait, rows: list[dict[str, Any]]) -> None:
        """Take numbers for the copies of ``rows``, before any of them is written: they refer to one another."""
        fresh = reserve_uids(self.work.connection, trait.table, len(rows))
        self.uids[trait.name].update(zip(map(public_uid, rows), fresh, strict=True))

    def withheld(self, trait: TableTrait) -> tuple[str, ...]:
        """Fields the acting person has no grant for."""
        if trait.name not in self._withheld:
            self._withheld[trait.name] = tuple(
                field.name
                for field in trait.fields
                if field.needs_grant and not self.work.actor.may_use_field(trait.name, field.name)
            )
        return self._withheld[trait.name]

    def write(self, trait: TableTrait, rows: list[dict[str, Any]]) -> None:
        """Insert copies; every before hook may veto each of them."""
        self.work.ask_before_inserting(trait, rows)
        insert_rows(self.work, trait, rows)
        self.counts[trait.name] += len(rows)


def copy_page(work: Work, uid: int, target_uid: int | None, *, subpages: bool) -> CopyResult:
    """Copy a page, its translations and all records on it below ``target_uid`` (None: below the same parent), as
    last page there.

    With ``subpages`` the showable pages below it follow. The top page and its translations are hidden and called
    "Title (copy n)". Languages, tables and fields the acting person may not write are left out. Raises
    ``WriteRefused``: ``not_found``, ``inside_itself``, ``too_large``.
    """
    source, parent_uid = rights.require_copy_page(work.connection, work.actor, work.workspace_id, uid, target_uid)
    below = overlay.subtree(work.connection, work.workspace_id, source.live_uid)
    if parent_uid in below:
        raise WriteRefused("inside_itself", text("A page cannot be copied below itself or one of its own subpages."))
    pages = _shown(work, source.live_uid, below) if subpages else (source.live_uid,)
    if len(pages) > MAX_PAGES:
        raise _too_large(len(pages))
    copy = Copy(work, CopyPlan(source=source, parent_uid=parent_uid, pages=pages))
    _copy_pages(copy)
    _copy_records(copy)
    root = RecordRef(table=PAGES.name, uid=copy.uids[PAGES.name][source.live_uid])
    return CopyResult(root=root, counts=MappingProxyType(dict(copy.counts)))


def _shown(work: Work, root_uid: int, parents: Mapping[int, int]) -> tuple[int, ...]:
    """Pages of the branch the acting person is shown, without those below a page that is not copied."""
    shown = access.shown_pages(work.connection, work.actor, work.workspace_id, tuple(parents)) | {root_uid}
    children: dict[int, list[int]] = {}
    for uid, parent in parents.items():
        if uid in shown:
            children.setdefault(parent, []).append(uid)
    found, waiting = {root_uid}, [root_uid]
    while waiting:
        new = [uid for uid in children.get(waiting.pop(), ()) if uid not in found]
        found.update(new)
        waiting += new
    return tuple(uid for uid in parents if uid in found)


def _too_large(count: int) -> WriteRefused:
    return WriteRefused(
        "too_large",
        ntext(
            "This would copy %(n)s page; at most %(most)s are copied at once. "
            "Split it: copy the branches below it one by one.",
            "This would copy %(n)s pages; at most %(most)s are copied at once. "
            "Split it: copy the branches below it one by one.",
            count,
            most=MAX_PAGES,
        ),
    )


def _copy_pages(copy: Copy) -> None:
    work, plan = copy.work, copy.plan
    defaults = _pages_in_order(work, plan)
    translations = overlay.rows_by(work.connection, PAGES, work.workspace_id, "translation_parent", plan.pages)
    sources = [*defaults, *(row for row in translations if work.actor.may_use_language(row["language_id"]))]
    copy.reserve(PAGES, sources)
    place = last_place(work.connection, PAGES, work.workspace_id, plan.parent_uid)
    number = free_copy_title(work, plan.source, plan.parent_uid)
    new_uids, top_uid = copy.uids[PAGES.name], plan.source.live_uid
    rows = []
    for row in sources:
        default_uid = row["translation_parent"] or public_uid(row)
        values = {
            **copied_values(copy, PAGES, row),
            **new_page_owner(work),
            "pid": new_uids.get(row["pid"], plan.parent_uid),
        }
        if default_uid == top_uid:
            values |= {"pid": plan.parent_uid, "sorting": place, "hidden": True, "title": number.apply(row["title"])}
        rows.append(duplicate(work, PAGES, row, values))
    copy.write(PAGES, rows)


def _pages_in_order(work: Work, plan: CopyPlan) -> list[dict[str, Any]]:
    """The default pages as seen in the workspace, the top one first, then by the uid people know."""
    found = find_rows(work.connection, PAGES.name, plan.pages, work.workspace_id)
    top_uid = plan.source.live_uid
    return [dict(found[uid].values) for uid in sorted(plan.pages, key=lambda uid: (uid != top_uid, uid))]


def _copied_tables(work: Work) -> list[TableTrait]:
    """Tables whose records are copied along: on pages, versioned (two redirects for one address contradict each
    other), writable.

    Records come before what they own: references to files name their owners.
    """
    found = [trait for trait in REGISTRY.values() if trait.on_pages and trait.versioned and trait is not PAGES]
    writable = [trait for trait in found if work.actor.may_modify(trait.name, admin_only=trait.admin_only)]
    return sorted(writable, key=lambda trait: "owner_uid" in trait.table.c)


def _copy_records(copy: Copy) -> None:
    work = copy.work
    for trait in _copied_tables(work):
        found = overlay.rows_by(work.connection, trait, work.workspace_id, "pid", copy.plan.pages)
        sources = _copyable(copy, trait, found)
        copy.reserve(trait, sources)
        new_pages = copy.uids[PAGES.name]
        rows = [
            duplicate(work, trait, row, {**copied_values(copy, trait, row), "pid": new_pages[row["pid"]]})
            for row in sources
        ]
        copy.write(trait, rows)


def _copyable(copy: Copy, trait: TableTrait, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows in languages the person may use whose default record and whose owner are copied too, defaults first."""
    found = [row for row in rows if copy.work.actor.may_use_language(row.get("language_id"))]
    if "owner_uid" in trait.table.c:
        found = [row for row in found if row["owner_uid"] in copy.uids.get(row["owner_table"], {})]
    if not trait.has_language:
        return found
    defaults = {public_uid(row) for row in found if not row["translation_parent"]}
    return [row for row in found if not row["translation_parent"] or row["translation_parent"] in defaults]


def copied_values(copy: Copy, trait: TableTrait, row: Mapping[str, Any]) -> dict[str, Any]:
    """New uid, references and links led to the copies, and nothing in fields the acting person has no grant for."""
    mine = copy.uids[trait.name]
    values: dict[str, Any] = {"uid": mine[public_uid(row)]}
    if trait.has_language and row["translation_parent"]:
        values["translation_parent"] = mine[row["translation_parent"]]
    if trait.has_language and row["translation_source"]:
        values["translation_source"] = mine.get(row["translation_source"], 0)
    if "owner_uid" in row:
        values["owner_uid"] = copy.uids[row["owner_table"]][row["owner_uid"]]
    for name in copy.withheld(trait):
        values[name] = type(row[name])()
    for name in _linked(trait.name):
        if "page:" in row[name]:
            values[name] = _relinked(row[name], copy.uids[PAGES.name])
    return values


@cache
def _linked(table: str) -> tuple[str, ...]:
    return tuple(field.name for field in REGISTRY[table].fields if field.has_links)


def _relinked(words: str, new_uids: Mapping[int, int]) -> str:
    """Links to copied pages lead to the copies, all others stay."""
    return _LINK.sub(lambda found: f"page:{new_uids.get(int(found[1]), found[1])}", words)
