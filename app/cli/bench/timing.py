"""CPU clocks and the rule of comparison: interleave the cases, take the ratio per round, quote the median (perf.md 6)."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

Case = Callable[[], object]
Clock = Callable[[Case], float]
_NOTHING: Mapping[str, Case] = MappingProxyType({})


def cpu_seconds(case: Case) -> float:
    """CPU seconds of this process, all its threads, while ``case`` runs."""
    before = time.process_time()
    case()
    return time.process_time() - before


def wall_seconds(case: Case) -> float:
    """Seconds on the clock while ``case`` runs."""
    before = time.perf_counter()
    case()
    return time.perf_counter() - before


def interleave(
    cases: Mapping[str, Case], rounds: int, *, prepare: Mapping[str, Case] = _NOTHING, clock: Clock = cpu_seconds
) -> dict[str, list[float]]:
    """Seconds by case, run A B A B ...; a round without a clock comes first. ``prepare`` runs before a case, unclocked."""
    samples: dict[str, list[float]] = {name: [] for name in cases}
    for number in range(rounds + 1):
        for name, case in cases.items():
            prepare.get(name, _nothing)()
            seconds = clock(case)
            if number:
                samples[name].append(seconds)
    return samples


def _nothing() -> None:
    return


def ratios(above: Sequence[float], below: Sequence[float]) -> tuple[float, ...]:
    """The ratio of each round; rounds whose divisor was too short for the clock are left out."""
    return tuple(one / other for one, other in zip(above, below, strict=True) if other > 0)


def median(values: Sequence[float]) -> float:
    """The median; 0 for nothing."""
    return statistics.median(values) if values else 0.0
