"""The table of behaviours can be trusted: the map is whole, marks are checked, counts add up."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.behaviours import ROOT, BehaviourMap, Tally, add_results, complaints, load_map, load_results

SPECIFICATION = ROOT.parent / "shared" / "behaviours.md"


def test_it_maps_every_specified_behaviour() -> None:
    if not SPECIFICATION.is_file():
        pytest.skip("the list of behaviours is not at hand beside the checkout; the map is checked where it is")
    listed = set(re.findall(r"^- ([A-Z]{2}-\d{2}) ", SPECIFICATION.read_text(encoding="utf-8"), flags=re.MULTILINE))
    assert load_map().issue_of.keys() == listed, "tests/behaviours.toml and the list of behaviours name different ids"


def test_it_refuses_an_id_named_twice(tmp_path: Path) -> None:
    path = tmp_path / "behaviours.toml"
    path.write_text('finished = []\n[issues]\n2 = ["RR-01"]\n4 = ["RR-01"]\n', encoding="utf-8")
    with pytest.raises(ValueError, match="RR-01"):
        load_map(path)


def test_it_complains_about_finished_issues_only() -> None:
    known = BehaviourMap(issue_of={"RR-01": 2, "RR-02": 2, "CH-07": 4}, finished=frozenset({2}))
    found = complaints(known, {"RR-02": Tally(passed=3, failed=1), "CH-07": Tally(failed=1)})
    assert [line[:5] for line in found] == ["RR-01", "RR-02"]


def test_it_adds_the_runs_of_one_check_up(tmp_path: Path) -> None:
    path = tmp_path / "build" / "behaviours.json"
    add_results(path, {"a": False, "b": True}, {"a": ["RR-01", "RR-01"], "b": ["RR-01"], "skipped": ["RR-02"]})
    add_results(path, {"c": False}, {"c": ["RR-01"]})
    assert load_results(path) == {"RR-01": Tally(passed=2, failed=1)}


@pytest.mark.parametrize("parallel", [[], ["-n", "1"]])
def test_it_counts_marked_tests_of_a_run(tmp_path: Path, parallel: list[str]) -> None:
    done = _run(tmp_path, _MIXED, *parallel)
    assert done.returncode == 1, done.stdout + done.stderr
    counted = json.loads((tmp_path / "behaviours.json").read_text(encoding="utf-8"))
    assert counted == {"RR-01": {"passed": 1, "failed": 2}, "RR-02": {"passed": 1, "failed": 0}}


def test_it_refuses_a_mark_with_an_unknown_id(tmp_path: Path) -> None:
    done = _run(tmp_path, 'import pytest\n@pytest.mark.behaviour("XX-99")\ndef test_a(): pass\n')
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "XX-99" in done.stderr + done.stdout


_MIXED = """
import pytest
@pytest.fixture
def broken():
    yield
    raise RuntimeError
@pytest.mark.behaviour("RR-01", "RR-02")
def test_passes(): pass
@pytest.mark.behaviour("RR-01")
def test_fails(): assert False
@pytest.mark.behaviour("RR-01")
def test_fails_at_the_end(broken): pass
@pytest.mark.behaviour("RR-03")
def test_skipped(): pytest.skip("not here")
"""


def _run(folder: Path, source: str, *options: str) -> subprocess.CompletedProcess[str]:
    test = folder / "test_sample.py"
    test.write_text(source, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = behaviour(ids): ids\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.support.behaviours", "-p", "no:cacheprovider"]
    return subprocess.run(  # noqa: S603
        [*command, "-c", folder / "pytest.ini", f"--behaviours-file={folder / 'behaviours.json'}", *options, test],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
