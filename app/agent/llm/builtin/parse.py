"""From a message to its intents. Rules only; nothing is looked up here."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from app.agent.llm.builtin.grammar import Grammar, Rule
from app.agent.llm.builtin.grammar_de import GERMAN
from app.agent.llm.builtin.grammar_en import ENGLISH
from app.agent.llm.builtin.intents import WRITES, Intent, IntentKind, Parsed, Reference, Table
from app.agent.llm.builtin.references import MAX_TITLE, parse_references
from app.agent.llm.builtin.text import Masked, holds_token, mask, one_line, unmask
from app.agent.llm.builtin.words import detect_language

MAX_PARTS = 40
MAX_PART = 400
_SENTENCE_END = re.compile(r"(?:[.!?;]+(?=\s)|\n)+\s*")
_TOKEN = re.compile("\ue000(\\d+)\ue001")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Part:
    """What one part of a message says."""

    intents: tuple[Intent, ...] = ()
    bare: IntentKind | None = None
    negated: bool = False
    language: str = ""


def parse_message(text: str, preferred: str = "en") -> Parsed:
    """The intents of a message. `preferred` is the language tried first when the words do not tell."""
    masked = mask(text)
    bare_text = _TOKEN.sub(" ", masked.text)
    told = detect_language(bare_text)
    grammars = (GERMAN, ENGLISH) if (told or preferred) == "de" else (ENGLISH, GERMAN)
    parts = _parts(masked.text, grammars[0])
    best = [(part, _understand(part, masked, grammars)) for part in parts[:MAX_PARTS]]
    return _assemble(best, masked, told)


def _assemble(parts: list[tuple[str, _Part | None]], masked: Masked, told: str | None) -> Parsed:
    intents: list[Intent] = []
    unclear: list[str] = []
    excluded: list[str] = []
    waiting: list[IntentKind] = []
    negation_leads = False
    gap: int | None = None
    for fragment, part in parts:
        if part is None:
            unclear.append(unmask(fragment, masked))
            gap = len(intents) if gap is None else gap
            continue
        if part.negated:
            excluded.append(unmask(fragment, masked))
            continue
        negation_leads = negation_leads or bool(excluded)
        told = told or part.language or None
        if part.bare is not None:
            waiting.append(part.bare)
            continue
        for kind in waiting:
            intents += [Intent(kind=kind, subject=intent.subject) for intent in part.intents]
        waiting.clear()
        intents += part.intents
    intents += [Intent(kind=kind, subject=Reference(kind="last")) for kind in waiting]
    return Parsed(
        intents=tuple(intents),
        unclear=tuple(unclear),
        excluded=tuple(excluded),
        language=told,
        negation_leads=negation_leads,
        gap=gap,
    )


def _parts(text: str, grammar: Grammar) -> list[str]:
    parts: list[str] = []
    for sentence in _SENTENCE_END.split(text):
        parts += _split_sentence(sentence, grammar)
    return [part for part in (part.strip(" \t\n,.;:!?") for part in parts) if part]


def _split_sentence(sentence: str, grammar: Grammar) -> list[str]:
    """Cut where a connecting word or a comma is followed by a new request; titles with "and" in them stay whole."""
    cuts = list(grammar.connector.finditer(sentence))
    parts: list[str] = []
    start = 0
    for number, cut in enumerate(cuts):
        rest_end = cuts[number + 1].start() if number + 1 < len(cuts) else len(sentence)
        following = sentence[cut.end() : rest_end]
        if len(following) > MAX_PART:
            continue
        if grammar.starts.match(sentence, cut.end()) or grammar.ends.fullmatch(following):
            parts.append(sentence[start : cut.start()])
            start = cut.end()
    return [*parts, sentence[start:]]


def _understand(fragment: str, masked: Masked, grammars: tuple[Grammar, ...]) -> _Part | None:
    if len(fragment) > MAX_PART:
        return None
    for grammar in grammars:
        if (part := _understand_in(fragment, masked, grammar)) is not None:
            return part
    return None


def _understand_in(fragment: str, masked: Masked, grammar: Grammar) -> _Part | None:
    text = _trim(fragment, grammar)
    if not text:
        return _Part(language=grammar.language)
    text, subpages = _take_subpages(text, grammar)
    heading = grammar.heading.search(text)
    for rule in grammar.rules:
        if rule.kind in WRITES and (grammar.negation.search(text) or grammar.question.match(text)):
            continue
        part_text = text
        if rule.kind == "add_text" and heading is not None:
            part_text = text[: heading.start()] + text[heading.end() :]
        match = rule.pattern.fullmatch(part_text)
        if match is None:
            continue
        intents = _intents(rule, match, masked, grammar, heading)
        if intents:
            done = tuple(replace(i, subpages=True) if i.kind == "copy" and subpages else i for i in intents)
            return _Part(intents=done, language=grammar.language)
    if grammar.negation.search(text):
        return _Part(negated=True, language=grammar.language)
    for kind, pattern in grammar.bare_verbs:
        if pattern.fullmatch(text):
            return _Part(bare=kind, language=grammar.language)
    return None


def _trim(fragment: str, grammar: Grammar) -> str:
    """The part without words of courtesy; a part that is nothing else (a greeting) stays."""
    text = fragment.strip()
    while (lead := grammar.lead.match(text)) is not None and lead.end() and text[lead.end() :].strip(" ,.!?"):
        text = text[lead.end() :]
    while (trail := grammar.trail.search(text)) is not None and text[: trail.start()].strip(" ,.!?"):
        text = text[: trail.start()]
    return one_line(text)


def _take_subpages(text: str, grammar: Grammar) -> tuple[str, bool]:
    if (without := grammar.without_subpages.search(text)) is not None:
        return text[: without.start()] + text[without.end() :], False
    if (phrase := grammar.with_subpages.search(text)) is not None:
        return text[: phrase.start()] + text[phrase.end() :], True
    return text, False


def _intents(
    rule: Rule, match: re.Match[str], masked: Masked, grammar: Grammar, heading: re.Match[str] | None
) -> tuple[Intent, ...]:
    """The intents of a matched form; empty when a passage in it is not what the form needs."""
    slots = {name.rstrip("0123456789"): value for name, value in match.groupdict().items() if value is not None}
    base = Intent(kind=rule.kind, field=rule.field, language=slots.get("lang"))
    if "field" in slots:
        word = one_line(slots["field"]).casefold()
        # German plurals in the dative ("Stichwörtern") carry one letter more than the name of the field.
        field = grammar.fields.get(word) or grammar.fields.get(word[:-1]) or "description"
        base = replace(base, field=field)
    if "target" in slots:
        table = _target_table(rule, slots.get("subject", ""), masked, grammar)
        targets = parse_references(slots["target"], masked, grammar, table)
        if len(targets) != 1 or targets[0].table != table:
            return ()
        base = replace(base, target=targets[0])
    for name in ("text", "title", "query", "address"):
        if name in slots:
            value = _value(slots[name], masked)
            if value is None:
                return ()
            base = replace(base, text=value)
    if rule.kind == "add_text" and heading is not None:
        base = replace(base, heading=one_line(str(masked.values[int(heading["heading"])])))
    if rule.kind == "unsupported":
        base = replace(base, text=unmask(match.string, masked))
    if rule.kind == "redirect" and grammar.temporary.search(match.string):
        base = replace(base, temporary=True)
    if "subject" not in slots:
        return (base,)
    default: Table = "files" if rule.table == "files" else "pages"
    subjects = parse_references(slots["subject"], masked, grammar, default)
    fitting = [s for s in subjects if rule.table is None or s.table == rule.table]
    if rule.kind in ("copy", "add_text", "metadata") and any(s.table != "pages" for s in fitting):
        return ()
    if rule.kind == "move" and len(fitting) != 1:
        return ()
    if rule.table is None and any(s.table == "files" for s in fitting) and rule.kind not in _ABOUT_FILES:
        return ()
    return tuple(replace(base, subject=subject) for subject in fitting)


_ABOUT_FILES = frozenset({"show", "find"})


def _target_table(rule: Rule, subject: str, masked: Masked, grammar: Grammar) -> Table:
    """What the target of a form is: a content element for a file, for "after" the kind of what is moved, else a page."""
    if rule.kind == "attach":
        return "content_elements"
    if rule.field == "after":
        subjects = parse_references(subject, masked, grammar)
        return subjects[0].table if subjects else "pages"
    return "pages"


def _value(fragment: str, masked: Masked) -> str | None:
    """A wording: a whole quoted passage, else the words as typed. None when quotes and words are mixed."""
    words = fragment.strip(" \t\n,;")
    if (token := _TOKEN.fullmatch(words)) is not None:
        return str(masked.values[int(token[1])]).strip()
    if holds_token(words) or not words or len(words) > MAX_TITLE:
        return None
    return words
