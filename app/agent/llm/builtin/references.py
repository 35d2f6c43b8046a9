"""References to records inside a masked part of a message."""

from __future__ import annotations

import re

from app.agent.llm.builtin.grammar import Grammar
from app.agent.llm.builtin.intents import Reference, Table
from app.agent.llm.builtin.text import Masked, holds_token, one_line
from app.agent.llm.builtin.words import language_code

MAX_TITLE = 255
_LIST = re.compile(r"\s*,\s*(?:(?:and|und|sowie)\s+)?|\s+(?:and|und|sowie)\s+", re.IGNORECASE)
_BARE_NUMBER = re.compile(r"\d{1,9}")
# A bare title starts like a title, and is not a sentence about a page.
_BARE_TITLE = re.compile(r"(?:(?:the|die|der|das|den|dem)\s+)?(?P<title>[^\W_a-zäöüß].*)", re.DOTALL)
_NOT_BARE = re.compile(
    r"\b(?:pages?|subpages?|unterseiten?|seiten?|elements?|elemente?n?|soll|ich|du|sie|wird|you|everything|everyone)\b",
    re.IGNORECASE,
)


def parse_references(fragment: str, masked: Masked, grammar: Grammar, table: Table = "pages") -> tuple[Reference, ...]:
    """The records a passage names: one, or several listed by quotes or numbers. Empty when it names none.

    `table` is what is meant where the passage does not say it.
    """
    passage = fragment.strip(" \t\n,.;:!?")
    if (single := _parse_one(passage, masked, grammar, table)) is not None:
        return (single,)
    parts = _LIST.split(passage)
    if len(parts) < 2 or not all(holds_token(part) for part in parts):
        return ()
    found: list[Reference] = []
    for part in parts:
        reference = _parse_one(part, masked, grammar, table)
        if reference is None:
            return ()
        table = reference.table
        found.append(reference)
    return tuple(found)


def _parse_one(passage: str, masked: Masked, grammar: Grammar, table: Table = "pages") -> Reference | None:
    for kind, pattern in grammar.pointers.items():
        if pattern.fullmatch(passage):
            return Reference(kind=kind)
    if _BARE_NUMBER.fullmatch(passage):
        return Reference(kind="number", number=int(passage), table=table)
    if (match := grammar.reference.fullmatch(passage)) is not None:
        value = masked.values[int(match["token"])]
        noun = match["noun"] or match["after"]
        return _named(value, _table(noun, grammar) if noun else table, match["adjective"])
    if holds_token(passage):
        return None
    if (match := grammar.bare_reference.fullmatch(passage)) is not None:
        return _named(match["title"], _table(match["noun"], grammar), match["adjective"])
    if (match := _BARE_TITLE.fullmatch(passage)) is not None and not _NOT_BARE.search(passage):
        return _named(match["title"], table, None)
    return None


def _named(value: str | int, table: Table, adjective: str | None) -> Reference | None:
    language = language_code(adjective) if adjective else None
    if isinstance(value, int):
        return Reference(kind="number", number=value, table=table, language=language)
    title = one_line(value)
    if not title or len(title) > MAX_TITLE:
        return None
    return Reference(kind="title", title=title, table=table, language=language)


def _table(noun: str, grammar: Grammar) -> Table:
    if grammar.file_noun.fullmatch(noun):
        return "files"
    return "content_elements" if grammar.element_noun.fullmatch(noun) else "pages"
