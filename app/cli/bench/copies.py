"""W1 and W4: copying a branch, against the database's own floor and against itself at other sizes."""

from __future__ import annotations

import tracemalloc
from functools import partial

from app.cli.bench.figures import Reading, Setup
from app.cli.bench.limits import RawInsert
from app.cli.bench.place import Place, counted_statements, temporary_place
from app.cli.bench.timing import Case, interleave, median, ratios
from app.cli.bench.trees import context_of, grow_tree
from app.content.writer import Batch
from app.core.db import transaction
from app.policy.identity import LIVE


def copy_once(place: Place, top: int) -> None:
    """One governed copy of a branch below the root page, rights asked, history written, committed."""
    actor = place.identity(LIVE)
    with transaction() as connection:
        batch = Batch(connection, context_of(actor))
        result = batch.copy_page(top, place.site.pages["root"], subpages=True)
        batch.mark_target(result.root)
        batch.finish()


def copy_against_limit(setup: Setup) -> list[Reading]:
    """W1: the copy against ``executemany`` of the rows it writes, in the same process and file."""
    pages = setup.scale.pages
    with temporary_place(setup.server_url) as place:
        copy = partial(copy_once, place, grow_tree(place, pages))
        limit = RawInsert(copy)
        with counted_statements() as statements:
            copy()
        cases: dict[str, Case] = {"copy": copy, "raw": limit.insert}
        samples = interleave(cases, setup.rounds, prepare={"raw": limit.prepare}, clock=setup.clock)
    own = {
        "copy ms": median(samples["copy"]) * 1e3,
        "raw ms": median(samples["raw"]) * 1e3,
        "rows": limit.row_count,
        "statements": len(statements),
    }
    found = ratios(samples["copy"], samples["raw"])
    what = f"copy of {pages} pages, {5 * pages} elements"
    return [Reading(figure="W1", what=what, unit="x raw insert", bar=12, aim=6, values=found, own=own)]


def copy_growth(setup: Setup) -> list[Reading]:
    """W4: time per page and memory of a large copy against a small one. The product copies 1000 pages at most at once."""
    few, many = setup.scale.few_pages, setup.scale.pages
    repeats = max(1, many // few)
    with temporary_place(setup.server_url) as place:
        small, large = (partial(copy_once, place, grow_tree(place, pages)) for pages in (few, many))
        samples = interleave(
            {"small": partial(_repeat, small, repeats), "large": large}, setup.rounds, clock=setup.clock
        )
        peaks = tuple(_peak_mb(large) for _ in range(2))
    per_page = {
        f"ms a page at {few}": median(samples["small"]) / (repeats * few) * 1e3,
        f"ms a page at {many}": median(samples["large"]) / many * 1e3,
    }
    growth = tuple(ratio * repeats * few / many for ratio in ratios(samples["large"], samples["small"]))
    memory = tuple(peak / many * 1000 for peak in peaks)
    what = f"time a page, copy of {many} to {few} pages"
    return [
        Reading(figure="W4", what=what, unit="x", bar=1.5, aim=1.15, values=growth, own=per_page),
        Reading(figure="W4", what="Python memory of a copy", unit="MB a 1000 pages", bar=30, aim=30, values=memory),
    ]


def _repeat(case: partial[None], times: int) -> None:
    for _ in range(times):
        case()


def _peak_mb(case: partial[None]) -> float:
    tracemalloc.start()
    try:
        case()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()
