"""C6 and the sizes people meet: long histories, crowded pages in a draft, large trees."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import cast

from sqlalchemy import Table

from app.cli.bench.figures import Reading, Setup
from app.cli.bench.peers import wagtail_lines
from app.cli.bench.place import Place, counted_statements, temporary_place
from app.cli.bench.timing import Case, interleave, median, ratios
from app.cli.bench.trees import BODY, context_of, grow_tree
from app.content.history import read_histories, read_history
from app.content.models import RecordHistory
from app.content.reading import page_tree, read_record
from app.content.schema import PAGES
from app.content.search import search_records
from app.content.types import RecordRef
from app.content.writer import Batch
from app.content.writer.bulk import insert_many
from app.core.db import reading, transaction
from app.policy.identity import LIVE, Identity

_HISTORY = cast(Table, RecordHistory.__table__)


def histories_against_wagtail(setup: Setup) -> list[Reading]:
    """C6: the histories of many records with the rights of the reader, against Wagtail's log entries page by page and
    against its report of the latest ones.
    """
    pages = setup.scale.few_pages
    with temporary_place(setup.server_url) as place:
        top, actor = grow_tree(place, pages), place.identity(LIVE)
        with reading() as connection:
            nodes = page_tree(connection, actor, LIVE, top, 20)
        refs = [RecordRef(table=PAGES.name, uid=node.uid) for node in nodes]
        read = partial(_read_many, actor, refs)
        with counted_statements() as statements:
            read()
        own = interleave({"read": read}, setup.rounds, clock=setup.clock)["read"]
    what = f"history of {len(refs)} records with rights"
    peers = _wagtail_histories(setup)
    alone = {"ms a call": median(own) * 1e3}
    return [
        Reading(figure="C6", what=what, unit="SQL", bar=6, aim=6, values=(len(statements),)),
        *(
            Reading(
                figure="C6",
                what=what,
                unit=unit,
                bar=bar,
                aim=aim,
                values=tuple(mine / other[operation] for mine, other in zip(own, peers, strict=False)),
                own=alone,
            )
            for operation, unit, bar, aim in (
                ("history_naive", "x Wagtail", 1 / 8, 1 / 20),
                ("history_report", "x Wagtail's report", 1.5, 1.0),
            )
        ),
    ]


def _wagtail_histories(setup: Setup) -> list[dict[str, float]]:
    """Seconds of both ways of reading by operation, one process a round; empty without the peer."""
    found: list[dict[str, float]] = []
    for _ in range(setup.rounds):
        lines = wagtail_lines(setup.peers, "history_naive", "history_report", pages=setup.scale.few_pages)
        if lines is None:
            return []
        found.append({str(line["op"]).partition(":")[0]: float(line[setup.measure]) for line in lines})
    return found


def _read_many(actor: Identity, refs: Sequence[RecordRef]) -> None:
    with reading() as connection:
        if len(read_histories(connection, actor, refs)) != len(refs):
            raise LookupError("history")


def _read_histories(actor: Identity, uids: list[int]) -> None:
    with reading() as connection:
        for uid in uids:
            read_history(connection, actor, PAGES.name, uid)


def long_history(setup: Setup) -> list[Reading]:
    """R3: the history page of a record with very many entries against that of one with few."""
    many, few = setup.scale.entries, max(1, setup.scale.entries // 100)
    with temporary_place(setup.server_url) as place:
        actor = place.identity(LIVE)
        long, short = place.site.pages["hours"], place.site.pages["press"]
        for uid, number in ((long, many), (short, few)):
            _add_entries(place, uid, number)
        cases: dict[str, Case] = {
            "long": partial(_read_histories, actor, [long] * 10),
            "short": partial(_read_histories, actor, [short] * 10),
        }
        with counted_statements() as statements:
            _read_histories(actor, [long])
        samples = interleave(cases, setup.rounds, clock=setup.clock)
    own = {f"ms {name}": median(seconds) / 10 * 1e3 for name, seconds in samples.items()}
    what = f"history of a record, {many} to {few} entries"
    found = ratios(samples["long"], samples["short"])
    own["statements"] = len(statements)
    return [Reading(figure="R3", what=what, unit="x", bar=1.5, aim=1.2, values=found, own=own)]


def _add_entries(place: Place, uid: int, number: int) -> None:
    """Entries as an update of the page leaves them."""
    actor = place.identity(LIVE)
    with transaction() as connection:
        batch = Batch(connection, context_of(actor))
        batch.update(PAGES.name, uid, {"description": "From 1 to 2"})
        batch.finish()
        newest = _HISTORY.select().where(_HISTORY.c.table_name == PAGES.name, _HISTORY.c.live_uid == uid)
        row = connection.execute(newest.order_by(_HISTORY.c.id.desc()).limit(1)).mappings().one()
        copied = {name: value for name, value in row.items() if name != "id"}
        insert_many(connection, _HISTORY, [dict(copied) for _ in range(number)])


def crowded_page(setup: Setup) -> list[Reading]:
    """R1: a page with very many elements, a third of them changed in a draft, against one with a tenth of them."""
    many, few = setup.scale.elements, max(1, setup.scale.elements // 10)
    with temporary_place(setup.server_url) as place:
        draft = place.site.people.workspaces["Relaunch"]
        actor = place.identity(draft)
        pages = {name: _page_in_draft(place, draft, number) for name, number in (("many", many), ("few", few))}
        counts: dict[str, int] = {}
        for name, uid in pages.items():
            with counted_statements() as statements:
                _read_page(actor, draft, uid)
            counts[f"statements {name}"] = len(statements)
        cases: dict[str, Case] = {name: partial(_read_page, actor, draft, uid) for name, uid in pages.items()}
        samples = interleave(cases, setup.rounds, clock=setup.clock)
    own = {f"ms {name}": median(seconds) * 1e3 for name, seconds in samples.items()} | counts
    what = f"a page with {many} elements in a draft to one with {few}"
    found = ratios(samples["many"], samples["few"])
    return [Reading(figure="R1", what=what, unit="x", bar=11, aim=8, values=found, own=own)]


def _page_in_draft(place: Place, draft: int, elements: int) -> int:
    live = place.identity(LIVE)
    with transaction() as connection:
        batch = Batch(connection, context_of(live))
        page = batch.create("pages", place.site.pages["root"], {"title": f"Page with {elements} elements"}).uid
        made = [
            batch.create("content_elements", page, {"header": f"Element {number}", "body": BODY}).uid
            for number in range(elements)
        ]
        batch.finish()
    with transaction() as connection:
        batch = Batch(connection, context_of(place.identity(draft), draft))
        for uid in made[::3]:
            batch.update("content_elements", uid, {"header": "Changed in the draft"})
        batch.finish()
    return page


def _read_page(actor: Identity, workspace_id: int, uid: int) -> None:
    with reading() as connection:
        read_record(connection, actor, workspace_id, PAGES.name, uid)


def large_tree(setup: Setup) -> list[Reading]:
    """R2: opening the page tree and searching it with ten times the pages."""
    few = setup.scale.pages
    with temporary_place(setup.server_url) as place:
        actor = place.identity(LIVE)
        tops = [grow_tree(place, few)]
        small = _open_and_search(actor, tops[0], setup)
        tops += [grow_tree(place, few) for _ in range(9)]
        large = _open_and_search(actor, tops[0], setup)
    what = f"in a site of {10 * few} pages to one of {few}"
    return [
        Reading(
            figure="R2",
            what=f"{name} {what}",
            unit="x",
            bar=bar,
            aim=aim,
            values=ratios(large[name], small[name]),
            own={"ms": median(large[name]) * 1e3},
        )
        for name, bar, aim in (("opening a branch", 1.5, 1.2), ("searching", 12.0, 10.0))
    ]


def _open_and_search(actor: Identity, top: int, setup: Setup) -> dict[str, list[float]]:
    def open_branch() -> None:
        with reading() as connection:
            page_tree(connection, actor, LIVE, top, 1)

    def search() -> None:
        with reading() as connection:
            search_records(connection, actor, LIVE, "leaf 7")

    return interleave({"opening a branch": open_branch, "searching": search}, setup.rounds, clock=setup.clock)
