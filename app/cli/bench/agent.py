"""A1, A2 and A4: what one tool call costs in the loop, in CPU and in bytes that stay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from app.agent.types import RunStatus
from app.cli.bench.figures import Reading, Setup
from app.cli.bench.floors import HandLoop
from app.cli.bench.peers import loop_milliseconds
from app.cli.bench.place import Place, counted_statements, temporary_place
from app.cli.bench.runs import AskingModel, Assignment
from app.cli.bench.timing import cpu_seconds, interleave, median, ratios
from app.core.db import db

_HAND_RUNS = 20
TRIVIAL: Mapping[str, Any] = {"table": "pages", "uid": 7, "title": "A new title"}


def read_calls(setup: Setup) -> list[Reading]:
    """A1: a call that reads nothing, through claim, gates, outcome and events, each step committed."""
    with temporary_place() as place, _hand_loop(place) as hand:
        return [_read_calls(setup, place, hand, calls) for calls in setup.scale.calls]


def _read_calls(setup: Setup, place: Place, hand: HandLoop, calls: int) -> Reading:
    assignment = Assignment(place)
    cases = {"loop": assignment.work, "hand": lambda: _repeat(hand, calls)}
    with counted_statements() as statements:
        samples = interleave(cases, setup.rounds, prepare={"loop": lambda: assignment.send(_reading(calls))})
    assignment.require_completed()
    own = {
        "ms a call": median(samples["loop"]) / calls * 1e3,
        "x the loop by hand": median(ratios(samples["loop"], samples["hand"])) * _HAND_RUNS,
        "statements a call": len(statements) / (setup.rounds + 1) / calls,
    }
    values = _against_peer(setup, calls, [seconds / calls * 1e3 for seconds in samples["loop"]])
    return Reading(
        figure="A1",
        what=f"read call, {calls} in a run",
        unit="x langgraph",
        bar=1 / 4,
        aim=1 / 10,
        values=values,
        own=own,
    )


def _reading(calls: int) -> AskingModel:
    return AskingModel(calls, "trivial_read", lambda _done: TRIVIAL)


def _repeat(hand: HandLoop, calls: int) -> None:
    for _ in range(_HAND_RUNS):
        hand.run(calls)


def _against_peer(setup: Setup, calls: int, own: list[float]) -> tuple[float, ...]:
    """The ratio to the peer's call, one process of the peer per round of ours."""
    found = []
    for milliseconds in own:
        peer = loop_milliseconds(setup.peers, (calls,))
        if peer is None:
            return ()
        found.append(milliseconds / peer[calls])
    return tuple(found)


def write_calls(setup: Setup) -> list[Reading]:
    """A2: an update of a page a turn, with rehearsal, card, decision, commit unit and history."""
    calls = setup.scale.calls[0]
    with temporary_place() as place:
        page = place.site.pages["hours"]
        done: list[float] = []
        decided: list[float] = []
        with counted_statements() as statements:
            for number in range(setup.rounds + 1):
                assignment = Assignment(place)
                assignment.send(_writing(calls, page, number))
                working, deciding = _work_through(assignment)
                if number:
                    done.append((working + deciding) / calls * 1e3)
                    decided.append(deciding / calls * 1e3)
    own = {
        "ms a call": median(done),
        "of it deciding": median(decided),
        "statements a call": len(statements) / (setup.rounds + 1) / calls,
    }
    values = _against_peer(setup, calls, done)
    what = f"approved write call, {calls} in a run, a card each"
    return [Reading(figure="A2", what=what, unit="x langgraph", bar=3 / 4, aim=2 / 5, values=values, own=own)]


def _writing(calls: int, page: int, number: int) -> AskingModel:
    """A model whose updates never find their value there already."""
    return AskingModel(calls, "update_page_metadata", lambda done: {"page": page, "title": f"Hours {number}/{done}"})


def _work_through(assignment: Assignment) -> tuple[float, float]:
    """CPU seconds of the worker and of the decisions until the run has ended."""
    working, deciding = cpu_seconds(assignment.work), 0.0
    while assignment.status is RunStatus.WAITING_FOR_APPROVAL:
        deciding += cpu_seconds(assignment.approve)
        working += cpu_seconds(assignment.work)
    assignment.require_completed()
    return working, deciding


def stored_bytes(setup: Setup) -> list[Reading]:
    """A4: what one trivial call adds to the database in a short and in a long run; a run without calls is taken off."""
    short, long = setup.scale.calls[0], setup.scale.long_run
    repeats = max(1, long // short)
    with temporary_place() as place:
        none = _stored(place, 0, repeats)
        few = (_stored(place, short, repeats) - none) / short
        many = (_stored(place, long, 2) - none) / long
    own = {f"bytes at {short}": few, f"bytes at {long}": many, "bytes of a run without calls": none}
    return [
        Reading(
            figure="A4",
            what="stored bytes a trivial call",
            unit="B",
            bar=2000,
            aim=1000,
            values=(max(few, many),),
            own=own,
        ),
        Reading(
            figure="A4",
            what=f"difference between {short} and {long} calls",
            unit="%",
            bar=10,
            aim=10,
            values=(abs(many - few) / few * 100 if few else 0.0,),
        ),
    ]


def _stored(place: Place, calls: int, repeats: int) -> float:
    """Bytes one run of ``calls`` calls leaves."""
    assignment = Assignment(place)
    before = _file_size(place)
    for _ in range(repeats):
        assignment.send(_reading(calls))
        assignment.work()
    return (_file_size(place) - before) / repeats


def _file_size(place: Place) -> int:
    """Bytes of the database with the write-ahead log folded in."""
    raw = db.engine.raw_connection()
    try:
        raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        raw.close()
    return (place.settings.data_folder / "imprimatur.db").stat().st_size


@contextmanager
def _hand_loop(place: Place) -> Iterator[HandLoop]:
    hand = HandLoop(Path(place.settings.data_folder) / "hand.db")
    try:
        yield hand
    finally:
        hand.close()
