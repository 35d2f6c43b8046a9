"""Which pages may be seen: the page and every page above it (cms.md section 12), in which languages.

A page hands its marks on: hidden, out of its time or limited to groups means that nothing below it is seen either. In a
language other than the default one the translation itself decides too, and a translation of a page above that may not be
seen closes what is below it in that language. Groups of visitors do not exist: what is limited to some is seen by nobody.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import ColumnElement, FromClause, and_, false, or_, select, true
from sqlalchemy.engine import Connection

from app.content.access import shown_pages
from app.content.access.rootlines import read_rootlines
from app.content.schema import PAGES, TableTrait
from app.content.site.types import DEFAULT_LANGUAGE, Stance
from app.content.store import NONE, overlay_condition, read_rows
from app.content.types import Row
from app.core.db import slices

_FOR_EVERYBODY = ("", "0")


def visible_condition(trait: TableTrait, now: int, rows: FromClause | None = None) -> ColumnElement[bool]:
    """Which rows of a table a visitor may see at ``now`` by their own marks (cms.md section 12)."""
    source = trait.table if rows is None else rows
    parts: list[ColumnElement[bool]] = [true()]
    if trait.can_hide:
        parts.append(source.c.hidden == false())
    if trait.has_times:
        parts += [source.c.starttime <= now, or_(source.c.endtime == NONE, source.c.endtime > now)]
    if trait.has_groups:
        parts.append(source.c.groups.in_(_FOR_EVERYBODY))
    return and_(*parts)


@dataclass(frozen=True, kw_only=True, slots=True)
class VisibleLine:
    """A page that may be seen in the default language, with the pages above it."""

    pages: tuple[Row, ...]
    """The page first."""
    translations: Mapping[int, Mapping[int, Row]]
    """Translations that may be seen, by page and language."""
    closed: frozenset[tuple[int, int]]
    """Page and language of translations that may not be seen."""

    @property
    def uids(self) -> tuple[int, ...]:
        """The page and those above it."""
        return tuple(page.live_uid for page in self.pages)

    def text(self, language_id: int) -> Row | None:
        """The page in a language, None when it may not be seen there."""
        if language_id == DEFAULT_LANGUAGE:
            return self.pages[0]
        if any((uid, language_id) in self.closed for uid in self.uids):
            return None
        return self.translations.get(self.uids[0], {}).get(language_id)

    def texts_above(self, language_id: int) -> Iterable[tuple[int, Row]]:
        """The pages from the top to this one in a language, with their uid; those without it are left out."""
        for page in reversed(self.pages):
            found = (
                page if language_id == DEFAULT_LANGUAGE else self.translations.get(page.live_uid, {}).get(language_id)
            )
            if found is not None:
                yield page.live_uid, found

    def languages(self) -> tuple[int, ...]:
        """The languages in which the page may be seen."""
        found = self.translations.get(self.uids[0], {})
        return (DEFAULT_LANGUAGE, *(language_id for language_id in sorted(found) if self.text(language_id) is not None))


def read_visible_lines(connection: Connection, stance: Stance, uids: Collection[int]) -> dict[int, VisibleLine]:
    """Those of the pages ``uids`` that may be seen, by the uid asked for; a translation stands for its page.

    Three statements per 900 pages, one more for a reader whose rights count.
    """
    workspace_id = stance.workspace_id
    rootlines = read_rootlines(connection, [(workspace_id, uid) for uid in uids])
    ways: dict[int, tuple[int, ...]] = {}
    for uid in uids:
        line = rootlines.line(workspace_id, uid)
        if line.places and line.reaches_root and not any(place.is_gone for place in line.places):
            ways[uid] = tuple(place.uid for place in line.places)
    rows = _visible_pages(connection, stance, {uid for way in ways.values() for uid in way})
    ways = {uid: way for uid, way in ways.items() if rows.keys() >= set(way)}
    ways = _shown(connection, stance, ways)
    translations, closed = _translations(connection, stance, {uid for way in ways.values() for uid in way})
    return {
        uid: VisibleLine(pages=tuple(rows[step] for step in way), translations=translations, closed=closed)
        for uid, way in ways.items()
    }


def _visible_pages(connection: Connection, stance: Stance, uids: Collection[int]) -> dict[int, Row]:
    pages = PAGES.table
    found: dict[int, Row] = {}
    for part in slices(sorted(uids)):
        meant = or_(pages.c.uid.in_(part), and_(pages.c.live_uid > NONE, pages.c.live_uid.in_(part)))
        statement = select(pages).where(
            meant,
            pages.c.translation_parent == NONE,
            overlay_condition(PAGES, stance.workspace_id),
            visible_condition(PAGES, stance.now),
        )
        found |= {row.live_uid: row for row in read_rows(connection, PAGES, statement)}
    return found


def _shown(connection: Connection, stance: Stance, ways: dict[int, tuple[int, ...]]) -> dict[int, tuple[int, ...]]:
    """In a preview only pages the reader is shown (permission bits, mounts); visitors have no such rights."""
    if stance.reader is None or not ways:
        return ways
    shown = shown_pages(connection, stance.reader, stance.workspace_id, {way[0] for way in ways.values()})
    return {uid: way for uid, way in ways.items() if way[0] in shown}


def _translations(
    connection: Connection, stance: Stance, uids: Collection[int]
) -> tuple[dict[int, dict[int, Row]], frozenset[tuple[int, int]]]:
    pages = PAGES.table
    found: defaultdict[int, dict[int, Row]] = defaultdict(dict)
    closed: set[tuple[int, int]] = set()
    for part in slices(sorted(uids)):
        statement = select(pages, visible_condition(PAGES, stance.now).label("is_visible")).where(
            pages.c.translation_parent > NONE,
            pages.c.translation_parent.in_(part),
            overlay_condition(PAGES, stance.workspace_id),
        )
        for row in read_rows(connection, PAGES, statement):
            key = int(row["translation_parent"]), int(row["language_id"])
            if row["is_visible"] and _may_use(stance, row):
                found[key[0]][key[1]] = row
            else:
                closed.add(key)
    return found, frozenset(closed)


def _may_use(stance: Stance, row: Row) -> bool:
    return stance.reader is None or stance.reader.may_use_language(row["language_id"])
