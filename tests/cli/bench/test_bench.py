"""``imprimatur bench``: every figure runs at a tiny size, and what it prints."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import pytest

from app.cli.bench import FIGURES
from app.cli.bench.contention import percentile
from app.cli.bench.figures import Reading, Scale, Setup, Verdict
from app.cli.bench.peers import Peers
from app.cli.bench.report import as_json, shown
from app.cli.bench.timing import interleave, median, ratios
from tests.cli.conftest import Commands

EXACT = {"W5": 6, "W6": 0, "C6": 3, "B1": 0}
"""Figures with a reading that is the same everywhere, and its smallest value."""


@pytest.mark.parametrize("name", FIGURES)
def test_it_measures_every_figure_on_data_of_its_own(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    readings = FIGURES[name](Setup(rounds=1, scale=Scale.tiny()))
    assert {reading.figure for reading in readings} == {name}
    for reading in readings:
        assert reading.ratio is None or reading.ratio >= 0
        assert reading.bar >= reading.aim
        assert reading.values or reading.own["ms a call"] > 0
    if name in EXACT:
        assert min(value for reading in readings for value in reading.values) == EXACT[name]
    assert list(tmp_path.iterdir()) == []


def test_it_prints_a_line_a_reading_and_leaves_the_installation_alone(empty: Commands) -> None:
    output = empty.done("bench", "w5", "--rounds", "1", "--size", "tiny")
    lines = output.splitlines()
    assert lines[1].split() == ["FIGURE", "WHAT", "MEASURED", "BAR", "AIM", "VERDICT"]
    assert "6 SQL" in lines[2]
    assert lines[2].split()[-6:] == ["<=", "14", "<=", "8", "aim", "met"]
    assert lines[3].endswith("peer not measured")
    assert lines[4].startswith("W5 one update of a page")
    assert not empty.folder.exists()


def test_it_prints_one_object_for_programs(empty: Commands) -> None:
    found = json.loads(empty.done("bench", "B1", "--json", "--rounds", "1", "--size", "tiny"))
    assert found["machine"]["cores"] >= 1
    assert [reading["figure"] for reading in found["readings"]] == ["B1", "B1", "B1"]
    assert found["readings"][2]["verdict"] == "aim met"


def test_it_refuses_a_figure_it_does_not_know(empty: Commands) -> None:
    assert empty("bench", "W9").exit_code == 2


def reading(*values: float) -> Reading:
    return Reading(figure="X", what="x", unit="x", bar=2, aim=1, values=values)


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ((), Verdict.OPEN),
        ((0.5, 1.0, 9.0), Verdict.AIM),
        ((0.5, 3.0, 3.0), Verdict.BAR),
        ((2.1, 3.0, 3.0), Verdict.MISSED),
    ],
)
def test_it_fails_a_bar_only_when_the_best_round_misses_it(values: tuple[float, ...], verdict: Verdict) -> None:
    assert reading(*values).verdict is verdict


def test_it_tells_a_reading_without_a_peer() -> None:
    found = json.loads(as_json([reading()], 5))["readings"][0]
    assert (found["ratio"], found["best"], found["verdict"]) == (None, None, "peer not measured")
    assert [shown(number) for number in (3.14159, 12.0, 1234.5, 0.25)] == ["3.14", "12", "1234", "0.25"]


def test_it_interleaves_and_prepares_without_a_clock() -> None:
    seen: list[str] = []
    cases = {"a": lambda: seen.append("a"), "b": lambda: seen.append("b")}
    samples = interleave(cases, 2, prepare={"b": lambda: seen.append("p")})
    assert "".join(seen) == "apb" * 3
    assert [len(found) for found in samples.values()] == [2, 2]
    assert ratios([4.0, 9.0, 1.0], [2.0, 3.0, 0.0]) == (2.0, 3.0)
    assert (median([1.0, 5.0, 2.0]), median([])) == (2.0, 0.0)


def test_it_runs_peers_only_where_they_can_be_imported(tmp_path: Path) -> None:
    (tmp_path / "peer.py").write_text('print("warming up")\nprint(\'{"calls": 10}\')\n', encoding="utf-8")
    here = Peers(folder=tmp_path, python=Path(sys.executable))
    assert here.can_run("peer.py", "json")
    assert not here.can_run("peer.py", "no_such_package_at_all")
    assert not here.can_run("other.py", "json")
    assert not Peers().can_run("peer.py", "json")
    assert here.run("peer.py") == [{"calls": 10}]
    with pytest.raises(OSError, match=r"other\.py ended with 2"):
        here.run("other.py")


def test_it_keeps_what_was_measured_when_a_figure_fails(empty: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_setup: Setup) -> list[Reading]:
        raise OSError("the peer has gone")

    figures = {**FIGURES, "W1": fail, "B1": lambda _setup: [reading(0.5)]}
    monkeypatch.setattr(sys.modules["app.cli.bench"], "FIGURES", figures)
    result = empty("bench", "W1", "B1")
    assert result.exit_code == 1
    assert "aim met" in result.output
    assert "W1 could not be measured: the peer has gone." in result.output


def test_it_takes_percentiles() -> None:
    assert [percentile(range(1, 102), part) for part in (0.0, 0.5, 0.99, 1.0)] == [1, 51, 100, 101]
    assert percentile([], 0.99) > 0
