"""W5: one governed write: rights, row, history, capture and commit, each call its own transaction."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from app.agent.execution.recording import Desk, record_changes
from app.agent.llm.base import UserMessage
from app.agent.runs import facts_of_run, find_run, start_run
from app.agent.types import Call
from app.cli.bench.figures import Reading, Setup
from app.cli.bench.peers import publish_milliseconds
from app.cli.bench.place import Place, counted_statements, temporary_place
from app.cli.bench.timing import interleave, median
from app.cli.bench.trees import context_of
from app.content.writer import Batch
from app.core.db import transaction
from app.policy.identity import LIVE


def single_writes(setup: Setup) -> list[Reading]:
    """W5: statements and CPU of one update of a page; the peer updates and publishes one."""
    updates = setup.scale.updates
    with temporary_place(setup.server_url) as place:
        write = _writer(place)
        write()
        with counted_statements() as statements:
            write()
        samples = interleave({"updates": lambda: [write() for _ in range(updates)]}, setup.rounds, clock=setup.clock)
    own = [seconds / updates * 1e3 for seconds in samples["updates"]]
    values = []
    for milliseconds in own:
        peer = publish_milliseconds(setup.peers, updates, setup.measure)
        if peer is not None:
            values.append(milliseconds / peer)
    what = "one update of a page, history and capture, committed"
    return [
        Reading(figure="W5", what=f"{what}: statements", unit="SQL", bar=14, aim=8, values=(len(statements),)),
        Reading(
            figure="W5",
            what=f"{what}: CPU",
            unit="x Wagtail",
            bar=1 / 12,
            aim=1 / 40,
            values=tuple(values),
            own={"ms a call": median(own)},
        ),
    ]


def _writer(place: Place) -> Callable[[], None]:
    """A write that never finds its value there already."""
    actor, runtime, page = place.identity(LIVE), place.runtime, place.site.pages["hours"]
    with transaction() as connection:
        uuid = start_run(
            connection,
            owner=actor,
            configuration_id=1,
            subject="bench",
            messages=[UserMessage(content="go")],
            runtime=runtime,
        )
        run = find_run(connection, uuid)
        facts = None if run is None else facts_of_run(connection, run)
    if facts is None:
        raise LookupError(uuid)
    numbers = count(1)

    def write() -> None:
        number = next(numbers)
        call = Call(
            run_uuid=uuid,
            turn=number,
            ordinal=0,
            provider_id="",
            tool="update_page_metadata",
            arguments={},
            arguments_text="{}",
        )
        with transaction() as connection:
            batch = Batch(connection, context_of(actor))
            written = batch.update("pages", page, {"title": f"Hours {number}", "description": f"From {number}"})
            if written is not None:
                batch.mark_target(written)
            record_changes(Desk(connection=connection, facts=facts, runtime=runtime), call, batch.finish())

    return write
