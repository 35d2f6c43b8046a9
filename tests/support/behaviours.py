"""Which behaviour is proved by which test: the marks, the counts of a whole check, and the table at its end.

As a pytest plugin it refuses a mark with an unknown id and, with ``--behaviours-file``, adds the counts of this run to
that file (several runs of one check add up; the check removes the file first). As a program (``python -m
tests.support.behaviours check``) it prints the table and fails where a finished issue is not proved.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAP_FILE = ROOT / "tests" / "behaviours.toml"
RESULTS_FILE = ROOT / "build" / "behaviours.json"
PROPERTY = "behaviour"
"""Name of the user property by which a parallel worker tells the controlling process the ids of a test."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BehaviourMap:
    """Which issue finishes which behaviour (``issue_of``), and the issues that are finished."""

    issue_of: Mapping[str, int]
    finished: frozenset[int]

    def required(self) -> frozenset[str]:
        """The ids that need a passing test now."""
        return frozenset(name for name, issue in self.issue_of.items() if issue in self.finished)


@dataclass(kw_only=True, slots=True)
class Tally:
    """Passed and failed tests of one behaviour."""

    passed: int = 0
    failed: int = 0


def load_map(path: Path = MAP_FILE) -> BehaviourMap:
    """The map in ``path``; an id named twice or a finished issue without ids is a ``ValueError``."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    issues = {int(issue): list(names) for issue, names in content["issues"].items()}
    counted = Counter(name for names in issues.values() for name in names)
    if twice := sorted(name for name, count in counted.items() if count > 1):
        msg = f"{path.name} names these behaviours twice: {', '.join(twice)}"
        raise ValueError(msg)
    finished = frozenset(int(issue) for issue in content["finished"])
    if unknown := sorted(finished - issues.keys()):
        msg = f"{path.name} calls issues finished that finish nothing: {unknown}"
        raise ValueError(msg)
    issue_of = {name: issue for issue, names in issues.items() for name in names}
    return BehaviourMap(issue_of=issue_of, finished=finished)


def load_results(path: Path = RESULTS_FILE) -> dict[str, Tally]:
    """The counts in ``path``; nothing when no run has written it."""
    if not path.is_file():
        return {}
    return {name: Tally(**tally) for name, tally in json.loads(path.read_text(encoding="utf-8")).items()}


def add_results(path: Path, failed_by_test: Mapping[str, bool], names_by_test: Mapping[str, Iterable[str]]) -> None:
    """Adds one count per test and id to the file at ``path``."""
    results = load_results(path)
    for test, names in names_by_test.items():
        if test not in failed_by_test:
            continue  # skipped: it proves nothing and refutes nothing
        for name in set(names):
            tally = results.setdefault(name, Tally())
            if failed_by_test[test]:
                tally.failed += 1
            else:
                tally.passed += 1
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {name: {"passed": tally.passed, "failed": tally.failed} for name, tally in sorted(results.items())}
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def table(known: BehaviourMap, results: Mapping[str, Tally]) -> str:
    """One line per behaviour: id, issue, and passed, failed or none with the number of tests."""
    lines = ["behaviour -> tests"]
    for name, issue in sorted(known.issue_of.items()):
        tally = results.get(name, Tally())
        words = [f"{tally.passed} passed"] if tally.passed else []
        words += [f"{tally.failed} failed"] if tally.failed else []
        state = "finished" if issue in known.finished else "open"
        lines.append(f"  {name}  issue {issue} ({state})  {', '.join(words) or 'none'}")
    proved = sum(1 for name in known.issue_of if (t := results.get(name)) and t.passed and not t.failed)
    lines.append(f"{proved} of {len(known.issue_of)} behaviours have only passing tests.")
    return "\n".join(lines)


def complaints(known: BehaviourMap, results: Mapping[str, Tally]) -> list[str]:
    """What keeps the check from passing, one sentence each."""
    found = [
        f"{name}: issue {known.issue_of[name]} is finished, but no passing test carries this id."
        for name in sorted(known.required())
        if not results.get(name, Tally()).passed
    ]
    found += [
        f"{name}: issue {known.issue_of[name]} is finished, and {results[name].failed} of its tests failed."
        for name in sorted(known.required())
        if results.get(name, Tally()).failed
    ]
    found += [
        f"{name}: counted by a run, but unknown to tests/behaviours.toml."
        for name in sorted(results.keys() - known.issue_of)
    ]
    return found


@dataclass(kw_only=True, slots=True)
class _Collector:
    """The outcome of each marked test of one run, kept by the controlling process."""

    path: Path
    names: dict[str, list[str]] = field(default_factory=dict)
    failed: dict[str, bool] = field(default_factory=dict)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        names = [str(value) for key, value in report.user_properties if key == PROPERTY]
        if not names:
            return
        self.names[report.nodeid] = names
        if report.failed:
            self.failed[report.nodeid] = True
        elif report.when == "call" and report.passed:
            self.failed.setdefault(report.nodeid, False)

    def pytest_sessionfinish(self) -> None:
        add_results(self.path, self.failed, self.names)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--behaviours-file", metavar="FILE", help="add the counts per behaviour of this run to FILE")


def pytest_configure(config: pytest.Config) -> None:
    path = config.getoption("--behaviours-file")
    if path and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Collector(path=Path(path)), "behaviours-collector")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    known = load_map()
    for item in items:
        for mark in item.iter_markers("behaviour"):
            if not mark.args or mark.kwargs:
                msg = f"{item.nodeid}: behaviour(...) takes at least one id and no names"
                raise pytest.UsageError(msg)
            for name in mark.args:
                if name not in known.issue_of:
                    msg = f"{item.nodeid}: behaviour {name!r} is not listed in tests/behaviours.toml"
                    raise pytest.UsageError(msg)
                item.user_properties.append((PROPERTY, name))


def main(arguments: list[str] | None = None) -> int:
    """Prints the table; 1 when a finished issue is not proved."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.behaviours")
    parser.add_argument("command", choices=["check", "table"])
    parser.add_argument("--file", type=Path, default=RESULTS_FILE)
    options = parser.parse_args(arguments)
    known, results = load_map(), load_results(options.file)
    sys.stdout.write(table(known, results) + "\n")
    found = complaints(known, results) if options.command == "check" else []
    sys.stdout.writelines(f"{line}\n" for line in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
