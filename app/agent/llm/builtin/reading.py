"""Answers to what only asks: what the read tools reported, in the order they reported it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.agent.llm.builtin.answers import Voice
from app.agent.llm.builtin.intents import Intent
from app.agent.llm.builtin.languages import site_languages
from app.agent.llm.builtin.resolve import MAX_QUERY, Found, Problem, Reads, Resolved, Resolver
from app.agent.llm.builtin.text import plain
from app.agent.llm.builtin.transcript import Reply, Results, call, number_in, records_of, text_in

MAX_ROWS = 40
_SHOWN_FIELDS = ("subtitle", "description", "keywords", "nav_title", "header", "body")


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """An answer."""

    text: str


def answer_reading(intent: Intent, subject: Resolved | None, results: Results, resolver: Resolver) -> Said | Resolved:
    """The answer to an intent that changes nothing, or the reads it needs first."""
    voice = resolver.voice
    match intent.kind:
        case "help":
            return Said(text="\n\n".join(voice.say(key) for key in ("who", "cannot", "examples")))
        case "greet":
            return Said(text=voice.say("hello"))
        case "thanks":
            return Said(text=voice.say("thanks"))
        case "unsupported":
            return Said(text=voice.say("unsupported", part=voice.quote(intent.text or "")))
        case "languages":
            return _languages(results, resolver)
        case "find":
            return _search(intent.text or "", results, resolver)
        case "tree":
            if subject is not None and not isinstance(subject, Found):
                return subject
            return _tree(subject, results, resolver)
    if not isinstance(subject, Found):
        return subject or Problem(line=voice.say("no_reference"))
    record = resolver.by_number(subject.table, subject.uid)
    return Said(text=_record(record, voice)) if isinstance(record, Found) else record


def _failure(reply: Reply, voice: Voice) -> str:
    return plain(reply.text or reply.code) or voice.say("reason_unknown")


def _languages(results: Results, resolver: Resolver) -> Said | Reads:
    voice = resolver.voice
    if "list_languages" not in resolver.offered:
        return Said(text=voice.say("languages_missing"))
    reply = results.of(call("list_languages"))
    if reply is None:
        return Reads(calls=(call("list_languages"),))
    if reply.is_error:
        return Said(text=voice.say("languages_failed", reason=_failure(reply, voice)))
    rows = [voice.say("languages_line", code=plain(row.code), title=plain(row.title)) for row in site_languages(reply)]
    return Said(text="\n".join([voice.say("languages_intro"), *rows]))


def _search(query: str, results: Results, resolver: Resolver) -> Said | Reads:
    voice = resolver.voice
    quoted = voice.quote(query)
    if "search_records" not in resolver.offered:
        return Said(text=voice.say("cannot_search", title=quoted))
    made = call("search_records", query=query.strip()[:MAX_QUERY])
    reply = results.of(made)
    if reply is None:
        return Reads(calls=(made,))
    if reply.is_error:
        return Said(text=voice.say("search_failed", title=quoted, reason=_failure(reply, voice)))
    rows = records_of(reply, "records")
    if not rows:
        return Said(text=voice.say("found_none", query=quoted))
    lines = [_hit(row, voice) for row in rows[:MAX_ROWS]]
    more = (number_in(reply.data, "more") or 0) + max(0, len(rows) - MAX_ROWS)
    if more > 0:
        lines.append("\n" + voice.count("more", more))
    return Said(text="\n".join([voice.count("found", len(lines), query=quoted), *lines]))


def _hit(row: Mapping[str, Any], voice: Voice) -> str:
    uid = number_in(row, "uid") or 0
    language, parent = plain(text_in(row, "language")) or "?", text_in(row, "parent_title")
    if (hit := {"content_elements": "element_hit", "files": "file_hit"}.get(text_in(row, "table"))) is not None:
        title = voice.say(hit, title=voice.quote(text_in(row, "title")))
    else:
        title = voice.quote(text_in(row, "title"))
    if parent:
        line = voice.say("candidate_below", uid=uid, title=title, parent=voice.quote(parent), language=language)
    else:
        line = voice.say("candidate", uid=uid, title=title, language=language)
    return voice.say("hidden_mark", line=line) if row.get("hidden") else line


def _tree(below: Found | None, results: Results, resolver: Resolver) -> Said | Reads:
    voice = resolver.voice
    if "get_page_tree" not in resolver.offered:
        return Said(text=voice.say("cannot_read"))
    made = call("get_page_tree", page=below.original if below is not None else None)
    reply = results.of(made)
    if reply is None:
        return Reads(calls=(made,))
    if reply.is_error:
        return Said(text=voice.say("tree_failed", reason=_failure(reply, voice)))
    rows = records_of(reply, "pages")
    if not rows:
        return Said(text=voice.say("tree_empty"))
    top = min(number_in(row, "level") or 0 for row in rows)
    lines = [voice.say("tree_intro")]
    for row in rows[:MAX_ROWS]:
        depth = min(8, max(0, (number_in(row, "level") or 0) - top))
        title = voice.quote(text_in(row, "title"))
        line = voice.say("tree_line", indent="  " * depth, title=title, uid=number_in(row, "uid") or 0)
        lines.append(voice.say("hidden_mark", line=line) if row.get("hidden") else line)
    if len(rows) > MAX_ROWS:
        lines.append("\n" + voice.count("more", len(rows) - MAX_ROWS))
    return Said(text="\n".join(lines))


def _record(found: Found, voice: Voice) -> str:
    lines = [voice.say("show_intro", record=voice.record(found.table, found.title, found.uid))]
    if found.language:
        lines.append(voice.say("show_language", language=plain(found.language)))
    if found.hidden:
        lines.append(voice.say("show_hidden"))
    fields = found.row.get("fields")
    for name in _SHOWN_FIELDS:
        if isinstance(fields, Mapping) and text_in(fields, name).strip():
            text = voice.quote(text_in(fields, name))
            lines.append(voice.say("show_field", field=voice.field(name), text=text))
    reply = Reply(data=found.row)
    elements = records_of(reply, "elements")
    for row in elements[:MAX_ROWS]:
        title = voice.quote(text_in(row, "title"))
        line = voice.say("show_element", uid=number_in(row, "uid") or 0, title=title)
        lines.append(voice.say("hidden_mark", line=line) if row.get("hidden") else line)
    for row in records_of(reply, "translations")[:MAX_ROWS]:
        language = plain(text_in(row, "language"))
        lines.append(voice.say("show_translation", language=language, uid=number_in(row, "uid") or 0))
    if len(elements) > MAX_ROWS:
        lines.append("\n" + voice.count("more", len(elements) - MAX_ROWS))
    return "\n".join(lines)
