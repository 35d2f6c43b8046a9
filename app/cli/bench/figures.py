"""What a figure is: what was measured, in which unit, against which bar and aim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from app.cli.bench.peers import Peers
from app.cli.bench.servers import is_server
from app.cli.bench.timing import Clock, cpu_seconds, median, wall_seconds


class Verdict(StrEnum):
    """How a reading stands; smaller is always better."""

    AIM = "aim met"
    BAR = "bar met"
    MISSED = "missed"
    OPEN = "peer not measured"


@dataclass(frozen=True, kw_only=True, slots=True)
class Scale:
    """How much is measured; the defaults are the sizes of the goals."""

    pages: int = 1000
    few_pages: int = 100
    updates: int = 100
    calls: tuple[int, int] = (10, 50)
    long_run: int = 200
    runs: int = 50
    events: int = 200
    tree: int = 5000
    records: int = 400
    requests: int = 300
    peer_pages: int = 330
    rows: int = 10_000
    entries: int = 10_000
    elements: int = 100
    seconds: float = 5.0

    @classmethod
    def tiny(cls) -> Scale:
        """Sizes at which every figure runs in a moment and none of them means anything."""
        return cls(
            pages=24,
            few_pages=12,
            updates=2,
            calls=(2, 3),
            long_run=4,
            runs=2,
            events=20,
            tree=48,
            records=20,
            requests=3,
            peer_pages=12,
            rows=20,
            entries=200,
            elements=10,
            seconds=0.3,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """One measured number of a figure. ``values`` are those of the rounds; empty = it needs a peer that was not there."""

    figure: str
    what: str
    unit: str
    bar: float
    aim: float
    values: tuple[float, ...] = ()
    own: Mapping[str, float] = field(default_factory=dict)
    """Further numbers of our side alone, by name with its unit."""

    @property
    def ratio(self) -> float | None:
        """The median of the rounds."""
        return median(self.values) if self.values else None

    @property
    def best(self) -> float | None:
        """The best round."""
        return min(self.values, default=None)

    @property
    def verdict(self) -> Verdict:
        """The aim counts for the median; the bar is missed only when the best round misses it too."""
        if self.ratio is None or self.best is None:
            return Verdict.OPEN
        if self.ratio <= self.aim:
            return Verdict.AIM
        return Verdict.BAR if self.best <= self.bar else Verdict.MISSED


@dataclass(frozen=True, kw_only=True, slots=True)
class Setup:
    """What a figure is told: how much, how often, and which peers there are."""

    rounds: int
    scale: Scale = field(default_factory=Scale)
    peers: Peers = field(default_factory=Peers)
    server_url: str = ""
    """A server on which the figures get databases of their own; empty = SQLite in a temporary folder."""

    @property
    def clock(self) -> Clock:
        """CPU seconds of this process; with a server, whose work is not in them, wall seconds."""
        return wall_seconds if is_server(self.server_url) else cpu_seconds

    @property
    def measure(self) -> str:
        """The name peers give to what ``clock`` measures."""
        return "wall" if is_server(self.server_url) else "cpu"
