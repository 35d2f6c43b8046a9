"""Requests of the evaluation set, read from ``requests.toml`` beside this module. Records are named by title, never by number."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

SET = Path(__file__).with_name("requests.toml")
_PLACEHOLDER = re.compile(r"\{(page|element|file):([^{}]+)\}")
_REFERENCES = ("page", "element", "file", "made")


@dataclass(frozen=True, kw_only=True, slots=True)
class Named:
    """A record by its title: ``kind`` is ``page``, ``element`` or ``file``."""

    kind: str
    title: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Made:
    """The record the ``step``-th expected write makes, counted from 1: its number is known once it was carried out."""

    step: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ExpectedCall:
    """A call a request asks for."""

    tool: str
    arguments: Mapping[str, Any]
    """Values a call must have; ``Named`` and ``Made`` stand for numbers."""
    free: frozenset[str]
    """Further arguments that may have any value."""
    defaults: Mapping[str, Any]
    """Further arguments that may be given with this value."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EvaluationRequest:
    """One request. Without ``writes`` and ``reads`` nothing may be written."""

    id: str
    language: str
    """``en`` or ``de``: of the words and of the person who asks."""
    is_documented: bool
    """Whether docs/built-in-assistant.md documents a request of this form."""
    earlier: tuple[str, ...]
    """Messages of the same conversation before; what they lead to is not judged."""
    words: str
    writes: tuple[ExpectedCall, ...]
    reads: tuple[ExpectedCall, ...]
    is_live: bool = False
    """Whether the person works on the live site instead of where they usually stand."""


def load_requests(path: Path = SET) -> tuple[EvaluationRequest, ...]:
    """The requests in their order. Raises ``ValueError`` for a set that says something twice, unknown or contradictory."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    tools = data.get("tools", {})
    found = tuple(_request(item, tools) for item in data["requests"])
    if len({request.id for request in found}) != len(found):
        raise ValueError("two requests have the same id")
    return found


def resolve_words(words: str, number_of: Callable[[Named], int]) -> str:
    """``words`` with numbers in place of ``{page:Title}``, ``{element:Heading}`` and ``{file:Name}``."""
    return _PLACEHOLDER.sub(lambda match: str(number_of(Named(kind=match[1], title=match[2]))), words)


def _request(item: Mapping[str, Any], tools: Mapping[str, Any]) -> EvaluationRequest:
    unknown = item.keys() - {"id", "language", "documented", "earlier", "words", "live", "writes", "reads"}
    if unknown or (item.get("writes") and item.get("reads")):
        msg = f"request {item.get('id')!r}: unknown {sorted(unknown)}, or both writes and reads"
        raise ValueError(msg)
    return EvaluationRequest(
        id=item["id"],
        language=item["language"],
        is_documented=item["documented"],
        earlier=tuple(item.get("earlier", ())),
        words=item["words"],
        is_live=item.get("live", False),
        writes=tuple(_call(call, tools) for call in item.get("writes", ())),
        reads=tuple(_call(call, tools) for call in item.get("reads", ())),
    )


def _call(item: Mapping[str, Any], tools: Mapping[str, Any]) -> ExpectedCall:
    about = tools.get(item["tool"], {})
    arguments = {name: _value(value) for name, value in item.items() if name != "tool"}
    return ExpectedCall(
        tool=item["tool"],
        arguments=MappingProxyType(arguments),
        free=frozenset(about.get("free", ())),
        defaults=MappingProxyType(dict(about.get("defaults", {}))),
    )


def _value(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    if len(value) != 1 or next(iter(value)) not in _REFERENCES:
        msg = f"a record is named by one of {_REFERENCES}, not by {dict(value)}"
        raise ValueError(msg)
    ((kind, name),) = value.items()
    return Made(step=name) if kind == "made" else Named(kind=kind, title=name)
