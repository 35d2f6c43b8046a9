"""Whether the calls a model made are the calls a request asks for. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.agent.evaluation.requests import EvaluationRequest, ExpectedCall, Made, Named


@dataclass(frozen=True, kw_only=True, slots=True)
class MadeCall:
    """A call as the runtime took it."""

    tool: str
    arguments: Mapping[str, Any] | None
    """None = refused because of its arguments."""
    is_write: bool
    made_uid: int | None = None
    """The record its result named, once it was carried out."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """The comparison, calls in words: ``hide_record(table="pages", uid=7)``."""

    missing: tuple[str, ...]
    surplus: tuple[str, ...]

    @property
    def is_passed(self) -> bool:
        """Whether the calls are exactly the expected ones."""
        return not self.missing and not self.surplus


def judge(request: EvaluationRequest, made: Sequence[MadeCall], number_of: Callable[[Named], int]) -> Verdict:
    """Compare ``made``, the calls of all turns after the last message, with what ``request`` expects; order does not count.

    The writes must be exactly the expected ones, none where none is expected. Reads count only where reads are expected, and
    then those of the tools that are expected: looking something up on the way is the model's own affair.
    """
    writes = [call for call in made if call.is_write]
    tools = {expected.tool for expected in request.reads}
    reads = [call for call in made if not call.is_write and call.tool in tools]
    by_write = _compare(request.writes, writes, number_of)
    by_read = _compare(request.reads, _distinct(reads), number_of)
    return Verdict(missing=by_write.missing + by_read.missing, surplus=by_write.surplus + by_read.surplus)


def _distinct(calls: Sequence[MadeCall]) -> list[MadeCall]:
    """Reading the same twice is reading it."""
    found: list[MadeCall] = []
    for call in calls:
        if all(call.tool != other.tool or call.arguments != other.arguments for other in found):
            found.append(call)
    return found


def _compare(expected: Sequence[ExpectedCall], made: Sequence[MadeCall], number_of: Callable[[Named], int]) -> Verdict:
    left = list(made)
    numbers: list[int | None] = []
    missing = []
    for call in expected:
        wanted = {name: _resolved(value, numbers, number_of) for name, value in call.arguments.items()}
        match = next((other for other in left if _fits(call, wanted, other)), None)
        numbers.append(None if match is None else match.made_uid)
        if match is None:
            missing.append(_worded(call.tool, wanted))
        else:
            left.remove(match)
    return Verdict(missing=tuple(missing), surplus=tuple(_worded(call.tool, call.arguments) for call in left))


def _resolved(value: Any, numbers: Sequence[int | None], number_of: Callable[[Named], int]) -> Any:
    if isinstance(value, Named):
        return number_of(value)
    if isinstance(value, Made):
        return numbers[value.step - 1] if value.step <= len(numbers) else None
    return value


def _fits(expected: ExpectedCall, wanted: Mapping[str, Any], made: MadeCall) -> bool:
    given = made.arguments
    if made.tool != expected.tool or given is None:
        return False
    further = given.keys() - wanted.keys() - expected.free
    return all(name in given and _same(value, given[name], made) for name, value in wanted.items()) and all(
        name in expected.defaults and given[name] == expected.defaults[name] for name in further
    )


def _same(wanted: Any, given: Any, made: MadeCall) -> bool:
    if isinstance(wanted, str) and isinstance(given, str):
        first, second = " ".join(wanted.split()), " ".join(given.split())
        # What is written must be the words asked for; a search does not mind capitals.
        return first == second if made.is_write else first.casefold() == second.casefold()
    return type(wanted) is type(given) and bool(wanted == given)


def _worded(tool: str, arguments: Mapping[str, Any] | None) -> str:
    if arguments is None:
        return f"{tool}(arguments that were refused)"
    listed = ", ".join(f"{name}={_short(value)}" for name, value in sorted(arguments.items()))
    return f"{tool}({listed})"


def _short(value: Any) -> str:
    if value is None:
        return "the new record"
    return f"“{value[:60]}{'…' if len(value) > 60 else ''}”" if isinstance(value, str) else str(value).lower()
