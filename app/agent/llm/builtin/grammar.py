"""The form of a grammar: what one language needs to say for its requests to be understood.

A grammar is data. Patterns are matched against a whole part of a masked message; `<name>` in a pattern stands for a
passage of that name, the shortest that lets the rest match.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from app.agent.llm.builtin.intents import IntentKind, ReferenceKind, Table
from app.agent.llm.builtin.text import TOKEN
from app.agent.llm.builtin.words import ADJECTIVE

_SLOT = re.compile(r"(?<!\?P)<(\w+)>")


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """One form of a request."""

    kind: IntentKind
    pattern: re.Pattern[str]
    field: str = ""
    table: Table | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Grammar:
    """One language. `question` starts a part that asks and so must not become a change."""

    language: str
    rules: tuple[Rule, ...]
    lead: re.Pattern[str]
    trail: re.Pattern[str]
    connector: re.Pattern[str]
    starts: re.Pattern[str]
    ends: re.Pattern[str]
    negation: re.Pattern[str]
    question: re.Pattern[str]
    bare_verbs: tuple[tuple[IntentKind, re.Pattern[str]], ...]
    with_subpages: re.Pattern[str]
    without_subpages: re.Pattern[str]
    heading: re.Pattern[str]
    pointers: Mapping[ReferenceKind, re.Pattern[str]]
    reference: re.Pattern[str]
    bare_reference: re.Pattern[str]
    element_noun: re.Pattern[str]
    file_noun: re.Pattern[str]
    temporary: re.Pattern[str]
    fields: Mapping[str, str]


def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern with its slots, case left out of account."""
    return re.compile(_SLOT.sub(r"(?P<\1>.+?)", pattern), re.IGNORECASE | re.DOTALL)


def rule(kind: IntentKind, pattern: str, field: str = "", table: Table | None = None) -> Rule:
    """A rule of a pattern with slots."""
    return Rule(kind=kind, pattern=compiled(pattern), field=field, table=table)


def reference_patterns(*, article: str, noun: str, called: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """How a record is named: with a token (quoted title or number), and with a bare title."""
    token = TOKEN % "token"
    start = rf"(?:(?:{article})\s+)?(?:(?P<adjective>{ADJECTIVE})\s+)?"
    marked = rf"{start}(?:(?P<noun>{noun})\s+)?(?:(?:{called})\s+)?{token}(?:\s+(?P<after>{noun}))?"
    bare = rf"(?:(?:{article})\s+)?(?:(?P<adjective>{ADJECTIVE})\s+)?(?P<noun>{noun})\s+"
    bare += rf"(?:(?:{called})\s+)?(?P<title>.+)"
    return compiled(marked), compiled(bare)
