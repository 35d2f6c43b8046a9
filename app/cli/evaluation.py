"""``imprimatur evaluate``: how a model does on the evaluation set."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import click

from app.agent.configurations import ConfigurationView
from app.agent.evaluation.matching import Verdict, judge
from app.agent.evaluation.requests import EvaluationRequest, load_requests
from app.agent.llm.registry import BUILT_IN
from app.cli.installation import Installation, echo_table, yes
from app.cli.lookups import configuration_named
from app.cli.trial import Attempt, Trial, open_trial
from app.core.db import reading

_NO_CALLS = Verdict(missing=(), surplus=())


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """How one request went."""

    request: EvaluationRequest
    words: str
    verdict: Verdict
    problem: str
    """Why there is nothing to judge: ``not_offered``, or the code of a failed run; empty = judged."""
    seconds: float
    tokens: int

    @property
    def is_counted(self) -> bool:
        """Whether it counts: what the configuration does not offer was not asked for."""
        return self.problem != "not_offered"

    @property
    def is_passed(self) -> bool:
        """Whether exactly the expected calls were made."""
        return not self.problem and self.verdict.is_passed

    @property
    def word(self) -> str:
        """The result in one word or two."""
        if not self.is_counted:
            return "not offered"
        return "passed" if self.is_passed else "FAILED"


@click.command()
@click.option("--configuration", "name", metavar="NAME", help="Configuration to try; default: the built-in assistant.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.pass_context
def evaluate(context: click.Context, name: str | None, as_json: bool) -> None:
    """Try 40 requests, 20 English and 20 German, and compare the proposed steps with the expected ones.

    Everything happens on a demo site in a temporary folder; the data of this installation is not touched. A model of a
    provider is really asked, several times for each request, and the provider may charge for it.
    """
    installation = context.find_object(Installation) or Installation()
    configuration = None if name is None else _configuration(installation, name)
    with (
        open_trial(installation.settings, configuration) as trial,
        # A model of a provider takes minutes: a bar on a terminal, nothing in a file.
        click.progressbar(load_requests(), label="Requests", file=sys.stderr) as requests,
    ):
        results = [try_request(trial, request) for request in requests]
    model = configuration.model if configuration else BUILT_IN
    report = _print_json if as_json else _print_report
    report(name or "Editorial", model, results)


def try_request(trial: Trial, request: EvaluationRequest) -> Result:
    """Try one request on a fresh demo."""
    trial.reset()
    needed = {call.tool for call in (*request.writes, *request.reads)}
    if not needed <= trial.offered:
        return Result(
            request=request, words=request.words, verdict=_NO_CALLS, problem="not_offered", seconds=0.0, tokens=0
        )
    started = time.monotonic()
    attempt: Attempt = trial.attempt(request)
    seconds = time.monotonic() - started
    return Result(
        request=request,
        words=attempt.words,
        verdict=judge(request, attempt.calls, trial.number_of),
        problem=attempt.problem,
        seconds=seconds,
        tokens=attempt.tokens,
    )


def _configuration(installation: Installation, name: str) -> ConfigurationView:
    with installation.app.app_context(), reading() as connection:
        return configuration_named(connection, name)


def _totals(results: Sequence[Result]) -> dict[str, tuple[int, int]]:
    """(passed, counted) by line of the summary."""
    lines: dict[str, Callable[[Result], bool]] = {
        "English": lambda result: result.request.language == "en",
        "German": lambda result: result.request.language == "de",
        "documented": lambda result: result.request.is_documented,
        "in other words": lambda result: not result.request.is_documented,
        "all": lambda _result: True,
    }
    return {line: _share(filter(belongs, results)) for line, belongs in lines.items()}


def _share(results: Iterable[Result]) -> tuple[int, int]:
    counted = [result for result in results if result.is_counted]
    return sum(result.is_passed for result in counted), len(counted)


def _print_report(name: str, model: str, results: Sequence[Result]) -> None:
    click.echo(f"Configuration “{name}”, model {model}, {len(results)} requests on a demo site of their own.\n")
    echo_table(
        ("RESULT", "REQUEST", "DOCUMENTED", "SECONDS", "WORDS"),
        (
            (result.word, result.request.id, yes(result.request.is_documented), f"{result.seconds:.1f}", result.words)
            for result in results
        ),
    )
    for result in results:
        if result.is_counted and not result.is_passed:
            _print_failure(result)
    click.echo()
    echo_table(
        ("REQUESTS", "PASSED", "OF", "SHARE"),
        (
            (line, passed, of, f"{100 * passed // of} %" if of else "–")
            for line, (passed, of) in _totals(results).items()
        ),
    )
    click.echo(f"\nTokens: {sum(result.tokens for result in results)}")


def _print_failure(result: Result) -> None:
    click.echo(f"\n{result.request.id}: {result.words}")
    if result.problem:
        click.echo(f"  the assignment failed: {result.problem}")
    for call in result.verdict.missing:
        click.echo(f"  missing  {call}")
    for call in result.verdict.surplus:
        click.echo(f"  surplus  {call}")


def _print_json(name: str, model: str, results: Sequence[Result]) -> None:
    data = {
        "configuration": name,
        "model": model,
        "requests": [
            {
                "id": result.request.id,
                "language": result.request.language,
                "documented": result.request.is_documented,
                "words": result.words,
                "passed": result.is_passed if result.is_counted else None,
                "problem": result.problem,
                "missing": result.verdict.missing,
                "surplus": result.verdict.surplus,
                "seconds": round(result.seconds, 3),
                "tokens": result.tokens,
            }
            for result in results
        ],
        "totals": {line: {"passed": passed, "of": of} for line, (passed, of) in _totals(results).items()},
    }
    click.echo(json.dumps(data, ensure_ascii=False, indent=2))
