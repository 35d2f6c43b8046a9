"""``imprimatur evaluate``: the evaluation set on a demo site of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.agent.evaluation.requests import Named, load_requests
from app.agent.llm.base import LanguageModel
from app.agent.llm.scripted import ScriptedModel, call_turn, text_turn
from app.cli.evaluation import try_request
from app.cli.trial import Trial, open_trial
from app.config import Settings
from tests.cli.conftest import Commands


def _by_id(report: str) -> Mapping[str, Mapping[str, Any]]:
    return {request["id"]: request for request in json.loads(report)["requests"]}


def test_the_built_in_assistant_passes_everything_it_documents(empty: Commands) -> None:
    report = empty.done("evaluate", "--json")
    failed = [item for item in _by_id(report).values() if item["documented"] and not item["passed"]]
    assert failed == []
    assert json.loads(report)["totals"]["documented"] == {"passed": 36, "of": 36}
    assert not empty.folder.exists()


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four requests instead of forty."""
    wanted = {"en-delete-two", "en-free-summer-is-over", "de-copy-and-translate", "de-denial"}
    chosen = tuple(request for request in load_requests() if request.id in wanted)
    monkeypatch.setattr("app.cli.evaluation.load_requests", lambda: chosen)


@pytest.mark.usefixtures("few")
def test_a_configuration_decides_and_the_installation_is_left_alone(commands: Commands) -> None:
    commands.done("configuration", "create", "Careful", "--exclude-tool", "delete_record", "--second-approver")
    before = _files(commands.folder)
    found = _by_id(commands.done("evaluate", "--configuration", "Careful", "--json"))
    assert found["en-delete-two"]["passed"] is None
    assert found["en-delete-two"]["problem"] == "not_offered"
    assert found["de-copy-and-translate"]["passed"] is True
    assert _files(commands.folder) == before


@pytest.mark.usefixtures("few")
def test_the_report_shows_what_was_missing_for_each_failed_request_and_totals(empty: Commands) -> None:
    report = empty.done("evaluate")
    assert "FAILED  en-free-summer-is-over" in report
    assert "  missing  hide_record(table=“pages”, uid=" in report
    summary = [line.split() for line in report.splitlines() if line.startswith(("English", "German", "documented"))]
    assert summary == [
        ["English", "1", "2", "50", "%"],
        ["German", "2", "2", "100", "%"],
        ["documented", "3", "3", "100", "%"],
    ]


def test_it_says_that_there_is_no_such_configuration(commands: Commands) -> None:
    result = commands("evaluate", "--configuration", "Nope")
    assert result.exit_code == 1
    assert "There is no configuration “Nope”." in result.output


@pytest.fixture
def trial(settings: Settings) -> Iterator[Trial]:
    with open_trial(settings, None) as found:
        yield found


def _answering(trial: Trial, monkeypatch: pytest.MonkeyPatch, model: LanguageModel) -> None:
    monkeypatch.setattr(trial, "_runtime", replace(trial._runtime, make_model=lambda _name: model))


def test_it_fails_a_model_that_writes_besides(trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    request = next(request for request in load_requests() if request.id == "de-denial")
    trial.reset()
    uid = trial.number_of(Named(kind="page", title="Press"))
    model = ScriptedModel([call_turn(("delete_record", {"table": "pages", "uid": uid})), text_turn("Done.")])
    _answering(trial, monkeypatch, model)
    result = try_request(trial, request)
    assert not result.is_passed
    assert result.verdict.surplus == (f"delete_record(table=“pages”, uid={uid})",)
    assert result.tokens == 30


def test_it_names_the_failure_of_a_run(trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_messages: object) -> Any:
        raise RuntimeError("detail")

    _answering(trial, monkeypatch, ScriptedModel([broken]))
    result = try_request(trial, load_requests()[0])
    assert (result.is_passed, result.problem) == (False, "internal")


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*") if path.is_file() and "-shm" not in path.name}
