"""R4: publishing very many versions at once."""

from __future__ import annotations

from functools import partial

from app.cli.bench.figures import Reading, Setup
from app.cli.bench.place import Place, counted_statements, temporary_place
from app.cli.bench.timing import median
from app.cli.bench.trees import ELEMENTS, context_of, grow_tree
from app.content.reading import page_tree
from app.content.schema import PAGES
from app.content.types import RecordRef
from app.content.writer import Batch, publish_records
from app.core.db import reading as reading_connection
from app.core.db import transaction
from app.policy.identity import LIVE


def large_publication(setup: Setup) -> list[Reading]:
    """R4: publishing many versions against a tenth of them: time a version, and statements."""
    many, few = setup.scale.pages, max(1, setup.scale.pages // 10)
    seconds: dict[int, list[float]] = {few: [], many: []}
    counts: dict[int, int] = {}
    with temporary_place(setup.server_url) as place:
        draft = place.site.people.workspaces["Relaunch"]
        uids = _pages(place, grow_tree(place, many))
        for number in range(setup.rounds + 1):
            for size, kept in seconds.items():
                refs = _versions(place, draft, uids[:size], f"{number} of {size}")
                with counted_statements() as statements:
                    took = setup.clock(partial(_publish, place, draft, refs))
                counts[size] = len(statements)
                if number:
                    kept.append(took)
    ratios = tuple(large * few / (small * many) for large, small in zip(seconds[many], seconds[few], strict=True))
    own = {f"ms for {size}": median(kept) * 1e3 for size, kept in seconds.items()}
    own |= {f"statements for {size}": count for size, count in counts.items()}
    what = f"time a version, publication of {many} versions to {few}, {ELEMENTS} elements a page"
    return [Reading(figure="R4", what=what, unit="x", bar=1.5, aim=1.15, values=ratios, own=own)]


def _pages(place: Place, top: int) -> list[int]:
    with reading_connection() as connection:
        return [node.uid for node in page_tree(connection, place.identity(LIVE), LIVE, top, 20)]


def _versions(place: Place, draft: int, uids: list[int], words: str) -> list[RecordRef]:
    """Pages changed in the draft; their rows there."""
    with transaction() as connection:
        batch = Batch(connection, context_of(place.identity(draft), draft))
        found = [batch.update(PAGES.name, uid, {"description": f"{words}, page {uid}"}) for uid in uids]
        batch.finish()
    return [ref for ref in found if ref is not None]


def _publish(place: Place, draft: int, refs: list[RecordRef]) -> None:
    with transaction() as connection:
        outcome = publish_records(connection, context_of(place.identity(draft, "admin"), draft), refs)
    if len(outcome.published) != len(refs):
        raise LookupError("publication")
