"""W2, W6 and W7: the write path against Wagtail and against libraries that keep versions of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from app.cli.bench.copies import copy_once
from app.cli.bench.figures import Reading, Setup
from app.cli.bench.limits import RawInsert
from app.cli.bench.peers import versioned_seconds, wagtail_line
from app.cli.bench.place import Place, counted_statements, temporary_place
from app.cli.bench.timing import interleave, median, ratios
from app.cli.bench.trees import BODY, ELEMENTS, context_of, grow_tree
from app.content.reading import page_tree
from app.content.schema import CONTENT_ELEMENTS
from app.content.store import list_languages
from app.content.uids import reserve_uids
from app.content.writer import Batch
from app.content.writer.bulk import insert_many
from app.core.db import reading, transaction
from app.policy.identity import LIVE

_DEEP = 20


def copy_against_wagtail(setup: Setup) -> list[Reading]:
    """W2: a governed copy of a branch against Wagtail's copy of as many pages, its indexes off."""
    pages = setup.scale.peer_pages
    with temporary_place(setup.server_url) as place:
        copy = partial(copy_once, place, grow_tree(place, pages))
        own = interleave({"copy": copy}, setup.rounds, clock=setup.clock)["copy"]

    def peer() -> float | None:
        line = wagtail_line(setup.peers, "copy", pages)
        return None if line is None else float(line[setup.measure])

    return [
        Reading(
            figure="W2",
            what=f"copy of {pages} pages, {ELEMENTS * pages} elements",
            unit="x Wagtail",
            bar=1 / 20,
            aim=1 / 60,
            values=_paired(own, peer),
            own={"ms a call": median(own) * 1e3},
        )
    ]


def _paired(own: Sequence[float], peer: Callable[[], float | None]) -> tuple[float, ...]:
    """The ratio of each of our rounds to a run of the peer in a process of its own."""
    found: list[float] = []
    for seconds in own:
        other = peer()
        if other is None:
            return ()
        found.append(seconds / other)
    return tuple(found)


def translate_against_wagtail(setup: Setup) -> list[Reading]:
    """W6: translating every page of a branch with its elements, in one transaction, against ``copy_for_translation`` and
    against ``executemany`` of the rows it writes.
    """
    pages = setup.scale.few_pages
    own: list[float] = []
    raw: list[float] = []
    with temporary_place(setup.server_url) as place:
        german = _language(place, "de")
        fewer = _statements(place, _branch(place, grow_tree(place, max(1, pages // 10))), german)
        limit = RawInsert(partial(_translate, place, _branch(place, grow_tree(place, pages)), german))
        many = _statements(place, _branch(place, grow_tree(place, pages)), german)
        for _ in range(setup.rounds):
            uids = _branch(place, grow_tree(place, pages))
            limit.prepare()
            own.append(setup.clock(partial(_translate, place, uids, german)))
            limit.prepare()
            raw.append(setup.clock(limit.insert))

    def peer() -> float | None:
        line = wagtail_line(setup.peers, "translate_copy", pages)
        return None if line is None else float(line[setup.measure]) / float(line["pages"]) * pages

    what = f"translation of {pages} pages with {ELEMENTS * pages} elements"
    alone = {"ms a call": median(own) * 1e3, "raw ms": median(raw) * 1e3, "rows": limit.row_count}
    return [
        Reading(figure="W6", what=what, unit="x Wagtail", bar=1 / 15, aim=1 / 50, values=_paired(own, peer), own=alone),
        Reading(figure="W6", what=what, unit="x raw insert", bar=12, aim=6, values=ratios(own, raw)),
        Reading(
            figure="W6",
            what=f"statements more than for {max(1, pages // 10)} pages",
            unit="SQL",
            bar=0,
            aim=0,
            values=(many - fewer,),
            own={"statements": many},
        ),
    ]


def _statements(place: Place, uids: Sequence[int], language_id: int) -> int:
    with counted_statements() as statements:
        _translate(place, uids, language_id)
    return len(statements)


def _language(place: Place, code: str) -> int:
    with reading() as connection:
        found = next((language.id for language in list_languages(connection) if language.code == code), None)
    if found is None:
        raise LookupError(f"{code} in {place.settings.data_folder}")
    return found


def _branch(place: Place, top: int) -> list[int]:
    """The pages of a branch, parents first."""
    with reading() as connection:
        return [node.uid for node in page_tree(connection, place.identity(LIVE), LIVE, top, _DEEP)]


def _translate(place: Place, uids: Sequence[int], language_id: int) -> None:
    actor = place.identity(LIVE)
    with transaction() as connection:
        batch = Batch(connection, context_of(actor))
        batch.mark_target(batch.localize_all("pages", uids, language_id, with_content=True)[0])
        batch.finish()


def versioned_rows(setup: Setup) -> list[Reading]:
    """W7: many rows with one history entry each through the writer (a copy of one page with that many elements)."""
    rows = setup.scale.rows
    with temporary_place(setup.server_url) as place:
        copy = partial(copy_once, place, _crowded_page(place, rows - 1))
        own = interleave({"copy": copy}, setup.rounds, clock=setup.clock)["copy"]
    what = f"{rows} versioned rows in one batch"
    alone = {"ms a call": median(own) * 1e3}
    return [
        Reading(
            figure="W7",
            what=what,
            unit=unit,
            bar=bar,
            aim=aim,
            values=_paired(own, partial(versioned_seconds, setup.peers, peer, rows, setup.measure)),
            own=alone,
        )
        for peer, unit, bar, aim in (
            ("reversion", "x django-reversion", 1 / 8, 1 / 12),
            ("plain", "x Core bulk", 4, 2.5),
        )
    ]


def _crowded_page(place: Place, elements: int) -> int:
    """A page with that many elements: one is made by the writer, the others are its row under numbers of their own."""
    actor, table = place.identity(LIVE), CONTENT_ELEMENTS.table
    with transaction() as connection:
        batch = Batch(connection, context_of(actor))
        page = batch.create("pages", place.site.pages["root"], {"title": f"Page with {elements} elements"}).uid
        first = batch.create(CONTENT_ELEMENTS.name, page, {"header": "Element", "body": BODY}).uid
        batch.finish()
        row = connection.execute(table.select().where(table.c.uid == first)).mappings().one()
        uids = reserve_uids(connection, table, elements - 1)
        insert_many(connection, table, [{**row, "uid": uid, "header": f"Element {uid}"} for uid in uids])
    return page
