"""One page of the site with its surroundings: a fixed number of statements, whatever the size of the site."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import FromClause, Select, and_, select
from sqlalchemy.engine import Connection

from app.content.access import shown_pages
from app.content.schema import CONTENT_ELEMENTS, PAGES
from app.content.site.elements import element_of, read_contacts, read_elements, read_files
from app.content.site.lines import VisibleLine, read_visible_lines, visible_condition
from app.content.site.types import DEFAULT_LANGUAGE, SiteBranch, SiteLink, SitePage, Stance
from app.content.store import NONE, Language, list_languages, overlay_condition, public_uid
from app.content.types import Row
from app.core.db import slices

_PAGE_LINK = re.compile(r"\bpage:([1-9][0-9]{0,15})")
_MOST_LINKS = 900
"""Links of one page that are followed: as many as one statement takes; the rest stays plain text."""


def find_home(connection: Connection, stance: Stance) -> int | None:
    """The first page of the site: the first one at the root that may be seen. One statement."""
    pages = PAGES.table
    statement = (
        select(public_uid(PAGES))
        .where(
            pages.c.pid == 0,
            pages.c.translation_parent == NONE,
            overlay_condition(PAGES, stance.workspace_id),
            visible_condition(PAGES, stance.now),
        )
        .order_by(pages.c.sorting, pages.c.uid)
    )
    found = connection.execute(statement.limit(1)).scalar()
    return None if found is None else int(found)


def find_page_link(
    connection: Connection, stance: Stance, uid: int, language_id: int = DEFAULT_LANGUAGE
) -> SiteLink | None:
    """The way to a page in a language, None when it may not be seen there. Five statements, six for a reader."""
    if not _may_read(stance, language_id):
        return None
    line = read_visible_lines(connection, stance, [uid]).get(uid)
    codes = _codes(list_languages(connection))
    row = None if line is None else line.text(language_id)
    if line is None or row is None or language_id not in codes:
        return None
    return _link(line.uids[0], row, codes, find_home(connection, stance))


def read_site_page(connection: Connection, stance: Stance, language_id: int, uid: int) -> SitePage | None:
    """A page in one language; None when it may not be seen, or not in this language: there is no fallback.

    ``uid`` is the page in the default language. At most 16 statements, 18 for a reader whose rights count.
    """
    if not _may_read(stance, language_id):
        return None
    languages = list_languages(connection)
    language = next((language for language in languages if language.id == language_id), None)
    line = read_visible_lines(connection, stance, [uid]).get(uid)
    row = None if line is None else line.text(language_id)
    if language is None or line is None or row is None or line.uids[0] != uid:
        return None
    return _compose(connection, stance, language, _codes(languages), line, row)


def _may_read(stance: Stance, language_id: int) -> bool:
    reader = stance.reader
    if reader is None:
        return True
    may_read = reader.may_use_workspace(stance.workspace_id) and reader.may_select(PAGES.name)
    return may_read and reader.may_use_language(language_id)


def _compose(
    connection: Connection, stance: Stance, language: Language, codes: Mapping[int, str], line: VisibleLine, row: Row
) -> SitePage:
    uid, home_uid = line.uids[0], find_home(connection, stance)
    navigation = _navigation(connection, stance, line, language.id)
    elements = read_elements(connection, stance, uid, language.id)
    owners = {CONTENT_ELEMENTS.name: [element.live_uid for element in elements], PAGES.name: [row.live_uid]}
    files = read_files(connection, stance, owners, language.id)
    targets = _targets(elements)
    lines = read_visible_lines(connection, stance, [*targets, *([home_uid] if home_uid else [])])
    own = _link(uid, row, codes, home_uid, language.id)
    return SitePage(
        link=own,
        title=row["title"],
        subtitle=row["subtitle"],
        description=row["description"],
        keywords=row["keywords"],
        language=language,
        home=_link_in(stance, lines.get(home_uid or 0), language.id, codes, home_uid) or own,
        path=tuple(_link(step, text, codes, home_uid, language.id) for step, text in line.texts_above(language.id)),
        navigation=_branches(navigation, line.uids[-1], codes, language.id),
        translations=tuple(
            _link(uid, text, codes, home_uid, other)
            for other in line.languages()
            if other in codes and _may_read(stance, other) and (text := line.text(other)) is not None
        ),
        elements=tuple(element_of(element, files) for element in elements),
        contacts=read_contacts(connection, stance, uid),
        files=files.get((PAGES.name, row.live_uid), ()),
        links={
            target: found
            for target in targets
            if (found := _link_in(stance, lines.get(target), language.id, codes, home_uid)) is not None
        },
    )


def _codes(languages: Iterable[Language]) -> dict[int, str]:
    return {language.id: language.code for language in languages}


def _link(
    uid: int, row: Row, codes: Mapping[int, str], home_uid: int | None, language_id: int | None = None
) -> SiteLink:
    number = int(row["language_id"]) if language_id is None else language_id
    return SiteLink(
        uid=uid, title=row["title"], code=codes[number], is_home=uid == home_uid and number == DEFAULT_LANGUAGE
    )


def _link_in(
    stance: Stance, line: VisibleLine | None, language_id: int, codes: Mapping[int, str], home_uid: int | None
) -> SiteLink | None:
    """A page in a language, else in the default one: a text may lead to a page that has no translation yet."""
    if line is None:
        return None
    row = line.text(language_id)
    number = DEFAULT_LANGUAGE if row is None else language_id
    if not _may_read(stance, number):
        return None
    return _link(line.uids[0], line.pages[0] if row is None else row, codes, home_uid, number)


def _targets(elements: Sequence[Row]) -> list[int]:
    found = (int(match[1]) for element in elements for match in _PAGE_LINK.finditer(element["body"]))
    return list(dict.fromkeys(found))[:_MOST_LINKS]


Entry = tuple[int, int, str]
"""Uid, parent and title of a page of the navigation."""


def _navigation(connection: Connection, stance: Stance, line: VisibleLine, language_id: int) -> list[Entry]:
    """The pages directly below the page and below every page above it, that may be seen in the language."""
    found: list[Entry] = []
    for part in slices(line.uids):
        rows = connection.execute(_below(stance, part, language_id)).all()
        found += [(int(row.public), int(row.pid), row.nav_title or row.title) for row in rows]
    if stance.reader is not None:
        shown = shown_pages(connection, stance.reader, stance.workspace_id, [entry[0] for entry in found])
        found = [entry for entry in found if entry[0] in shown]
    return found


def _below(stance: Stance, parents: Sequence[int], language_id: int) -> Select[tuple[int, int, str, str]]:
    page, text = PAGES.table.alias("page"), PAGES.table.alias("text")
    rows: FromClause = page
    words = page
    if language_id != DEFAULT_LANGUAGE:
        own = and_(
            text.c.translation_parent > NONE,
            text.c.translation_parent == public_uid(PAGES, page),
            text.c.language_id == language_id,
            overlay_condition(PAGES, stance.workspace_id, text),
            visible_condition(PAGES, stance.now, text),
        )
        rows, words = page.join(text, own), text
    return (
        select(public_uid(PAGES, page).label("public"), page.c.pid, words.c.title, words.c.nav_title)
        .select_from(rows)
        .where(
            page.c.pid.in_(parents),
            page.c.translation_parent == NONE,
            overlay_condition(PAGES, stance.workspace_id, page),
            visible_condition(PAGES, stance.now, page),
        )
        .order_by(page.c.sorting, page.c.uid)
    )


def _branches(
    entries: Iterable[Entry], top_uid: int, codes: Mapping[int, str], language_id: int
) -> tuple[SiteBranch, ...]:
    below: defaultdict[int, list[Entry]] = defaultdict(list)
    for entry in entries:
        below[entry[1]].append(entry)

    def nested(parent_uid: int) -> tuple[SiteBranch, ...]:
        return tuple(
            SiteBranch(link=SiteLink(uid=uid, title=title, code=codes[language_id]), below=nested(uid))
            for uid, _, title in below.pop(parent_uid, [])
        )

    return nested(top_uid)
