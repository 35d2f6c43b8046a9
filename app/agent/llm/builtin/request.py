"""The request a conversation asks for now: an answer to an own question continues the request that raised it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.agent.llm.builtin.answers import QUESTIONS
from app.agent.llm.builtin.intents import MAKES_PAGE, Intent, Parsed, Reference
from app.agent.llm.builtin.parse import parse_message
from app.agent.llm.builtin.text import clean
from app.agent.llm.builtin.transcript import Exchange
from app.agent.llm.builtin.words import language_code

_LISTED_RECORD = re.compile(r"^- (?:no\.|Nr\.) (\d+):", re.MULTILINE)
_LISTED_LANGUAGE = re.compile(r"^- ([A-Za-z][\w-]*): (.*)$", re.MULTILINE)
_NUMBER = re.compile(r"\b\d{1,9}\b")
_WORD = re.compile(r"[^\W\d_][\w-]*")
_DROPPED = re.compile(
    r"\W*(?:no|none|neither|cancel|stop|never ?mind|forget it|nein|keine[rns]?|abbrechen|stopp|lass es)"
    r"(?: (?:of them|davon|thanks|danke))?\W*",
    re.IGNORECASE,
)
_ORDINALS = (
    ("first", "erste", "ersten"), ("second", "zweite", "zweiten"), ("third", "dritte", "dritten"),
    ("fourth", "vierte", "vierten"), ("fifth", "fünfte", "fünften"),
)  # fmt: skip
_LAST = ("last", "letzte", "letzten")
_MAX_HISTORY = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """Bound intents, with what was answered to own questions: chosen records and a chosen language.

    `dropped` is true when the person answered a question with "none" or "cancel".
    """

    parsed: Parsed
    intents: tuple[Intent, ...]
    language: str
    choices: frozenset[int] = frozenset()
    chosen_language: str | None = None
    dropped: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class _Thread:
    """A request and the answers given to the questions it raised; `start` is the index of its message."""

    start: int
    parsed: Parsed
    choices: frozenset[int]
    chosen_language: str | None
    dropped: bool


def read_request(talk: Sequence[Exchange], default_language: str) -> Request:
    """The request of the newest exchange. `talk` is not empty."""
    thread = _thread(talk, len(talk) - 1, default_language)
    language = thread.parsed.language or default_language
    antecedent, choices = _antecedent(talk, thread, default_language)
    return Request(
        parsed=thread.parsed,
        intents=_bind(thread.parsed.intents, antecedent),
        language="de" if language == "de" else "en",
        choices=thread.choices | choices,
        chosen_language=thread.chosen_language,
        dropped=thread.dropped,
    )


def _thread(talk: Sequence[Exchange], newest: int, language: str) -> _Thread:
    choices: set[int] = set()
    chosen: str | None = None
    dropped = False
    index = newest
    parsed = parse_message(talk[index].said, language)
    while index > 0 and not parsed.intents and not parsed.excluded and _asked(talk[index - 1].answer):
        said, question = clean(talk[index].said), talk[index - 1].answer
        dropped = dropped or (index == newest and _DROPPED.fullmatch(said) is not None)
        if (number := _chosen_record(said, question)) is not None:
            choices.add(number)
        chosen = chosen or _chosen_language(said, question)
        index -= 1
        parsed = parse_message(talk[index].said, language)
    return _Thread(start=index, parsed=parsed, choices=frozenset(choices), chosen_language=chosen, dropped=dropped)


def _asked(answer: str) -> bool:
    return answer.rstrip().endswith(QUESTIONS)


def _chosen_record(said: str, question: str) -> int | None:
    listed = [int(number) for number in _LISTED_RECORD.findall(question)]
    numbers = [int(number) for number in _NUMBER.findall(said)]
    if numbers:
        return numbers[0] if len(numbers) == 1 and numbers[0] in listed else None
    words = {word.casefold() for word in _WORD.findall(said)}
    for position, ordinal in enumerate(_ORDINALS):
        if words.intersection(ordinal) and position < len(listed):
            return listed[position]
    return listed[-1] if listed and words.intersection(_LAST) else None


def _chosen_language(said: str, question: str) -> str | None:
    listed = {str(code).casefold(): str(title).casefold() for code, title in _LISTED_LANGUAGE.findall(question)}
    for word in _WORD.findall(said):
        known = language_code(word)
        for code, title in listed.items():
            if word.casefold() in (code, title) or known == code.split("-")[0]:
                return code
    return None


def _antecedent(talk: Sequence[Exchange], thread: _Thread, language: str) -> tuple[Reference | None, frozenset[int]]:
    """What "it" in the first intent points to: the record the request before this one was about."""
    first = thread.parsed.intents[:1]
    if not first or thread.parsed.gap == 0 or not _points(first[0]):
        return None, frozenset()
    index = thread.start - 1
    for _ in range(_MAX_HISTORY):
        if index < 0:
            break
        earlier = _thread(talk, index, language)
        for intent in reversed(_bind(earlier.parsed.intents, None)):
            if intent.kind == "create_page" and intent.text:
                return Reference(kind="title", title=intent.text), frozenset()
            if intent.subject is not None and intent.subject.kind in ("title", "number"):
                return intent.subject, earlier.choices
        index = earlier.start - 1
    return None, frozenset()


def _points(intent: Intent) -> bool:
    return any(r is not None and r.kind in ("last", "old", "new") for r in (intent.subject, intent.target))


def _bind(intents: Sequence[Intent], antecedent: Reference | None) -> tuple[Intent, ...]:
    bound: list[Intent] = []
    for intent in intents:
        bound.append(
            replace(
                intent,
                subject=_bound(intent.subject, bound, antecedent),
                target=_bound(intent.target, bound, antecedent),
            )
        )
    return tuple(bound)


def _bound(reference: Reference | None, earlier: Sequence[Intent], antecedent: Reference | None) -> Reference | None:
    if reference is None or reference.kind in ("title", "number"):
        return reference
    last = _last(earlier, antecedent)
    if reference.kind == "old":
        return _old(earlier, last)
    if reference.kind == "new":
        makers = [i for i, intent in enumerate(earlier) if intent.kind in MAKES_PAGE]
        return Reference(kind="result", index=makers[-1]) if makers else Reference(kind="unknown")
    return last


def _last(earlier: Sequence[Intent], antecedent: Reference | None) -> Reference:
    """The page talked about last: what the last intent makes, else what it is about."""
    for index in range(len(earlier) - 1, -1, -1):
        if earlier[index].kind in MAKES_PAGE:
            return Reference(kind="result", index=index)
        if earlier[index].kind == "find" and earlier[index].text:
            return Reference(kind="title", title=earlier[index].text or "")
        if (subject := earlier[index].subject) is not None:
            return subject
    return antecedent or Reference(kind="unknown")


def _old(earlier: Sequence[Intent], last: Reference) -> Reference:
    """After a copy the old one is the page copied; else an older page with the title of the page just mentioned."""
    copies = [intent.subject for intent in earlier if intent.kind == "copy" and intent.subject is not None]
    if copies:
        return copies[-1]
    if last.kind in ("title", "number"):
        return Reference(kind="older", base=last)
    return last if last.kind != "result" else Reference(kind="unknown")
