"""From references to records, with the read tools. A title that fits several records is asked back, never guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.agent.llm.builtin.answers import Voice
from app.agent.llm.builtin.intents import Reference, Table
from app.agent.llm.builtin.languages import default_code
from app.agent.llm.builtin.request import Request
from app.agent.llm.builtin.text import one_line, plain
from app.agent.llm.builtin.transcript import Call, Reply, Results, call, number_in, records_of, text_in

MAX_LISTED = 10
MAX_QUERY = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A record the read tools reported; `row` is what was read.

    `hidden` is None when they did not say; `original` is the uid of the record a translation belongs to, else the own.
    """

    table: Table
    uid: int
    title: str
    language: str
    hidden: bool | None
    original: int
    parent: str
    row: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Reads:
    """These reads come first."""

    calls: tuple[Call, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """There is no such record to work on; `line` says so."""

    line: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """The person has to choose; `text` asks."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Later:
    """The record is what step `index` makes, which has no result yet."""

    index: int


Resolved = Found | Reads | Problem | Question | Later


@dataclass(frozen=True, kw_only=True, slots=True)
class Resolver:
    """Resolves references other than `result` against the results so far. `offered` names the tools on offer."""

    request: Request
    results: Results
    offered: frozenset[str]
    voice: Voice

    def resolve(self, reference: Reference, *, deleted: bool = False) -> Resolved:
        """The record a reference names, or what stands in the way. `deleted` looks among deleted records."""
        match reference.kind:
            case "number" if deleted:
                return _unread(reference.table, reference.number)
            case "number":
                return self.by_number(reference.table, reference.number)
            case "title":
                return self._by_title(reference, deleted=deleted)
            case "older" if reference.base is not None:
                return self._older(reference.base)
        return Problem(line=self.voice.say("no_reference"))

    def by_number(self, table: Table, uid: int) -> Resolved:
        """The record with that number; unread when reading is not offered."""
        if "read_record" not in self.offered:
            return _unread(table, uid)
        made = call("read_record", table=table, uid=uid)
        reply = self.results.of(made)
        if reply is None:
            return Reads(calls=(made,))
        if reply.is_error:
            if reply.code.startswith("not_found") or not reply.text:
                return Problem(line=self.voice.say(_of_table("none_numbered", table), uid=uid))
            return Problem(line=self.voice.say("read_failed", uid=uid, reason=plain(reply.text)))
        return _found({**reply.data, "uid": uid}, table)

    def _search(self, reference: Reference, *, deleted: bool = False) -> Reply | Call | Problem:
        if "search_records" not in self.offered:
            return Problem(line=self.voice.say("cannot_search", title=self.voice.quote(reference.title)))
        query = reference.title[:MAX_QUERY]
        made = call(
            "search_records", query=query, table=reference.table, language=reference.language, deleted=deleted or None
        )
        reply = self.results.of(made)
        if reply is None:
            return made
        if reply.is_error:
            reason = plain(reply.text or reply.code) or self.voice.say("reason_unknown")
            return Problem(line=self.voice.say("search_failed", title=self.voice.quote(reference.title), reason=reason))
        return reply

    def _by_title(self, reference: Reference, *, deleted: bool = False) -> Resolved:
        reply = self._search(reference, deleted=deleted)
        if isinstance(reply, Call):
            return Reads(calls=(reply,))
        if isinstance(reply, Problem):
            return reply
        hits = _hits(reply, reference.table)
        exact = [hit for hit in hits if _same(hit.title, reference.title) or hit.row.get("exact") is True]
        if len(exact) > 1 and reference.language is None:
            narrowed = self._originals(exact)
            if isinstance(narrowed, Reads):
                return narrowed
            exact = narrowed
        chosen = [hit for hit in (exact or hits) if hit.uid in self.request.choices]
        if len(chosen) == 1:
            return chosen[0]
        if len(exact) == 1:
            return exact[0]
        title = self.voice.quote(reference.title)
        if not hits:
            key = "none_found_deleted" if deleted else _of_table("none_found", reference.table)
            return Problem(line=self.voice.say(key, title=title))
        intro = self.voice.say("several" if exact else "similar", title=title)
        return self._ask(intro, exact or hits, number_in(reply.data, "more") or 0)

    def _originals(self, exact: list[Found]) -> list[Found] | Reads:
        """Without translations that share the title of what they translate: a title names the page, not its overlay."""
        originals = [hit for hit in exact if hit.original == hit.uid]
        exact = originals or exact
        if len({hit.language for hit in exact}) < 2 or "list_languages" not in self.offered:
            return exact
        reply = self.results.of(call("list_languages"))
        if reply is None:
            return Reads(calls=(call("list_languages"),))
        default = default_code(reply)
        return [hit for hit in exact if hit.language == default] or exact

    def _older(self, base: Reference) -> Resolved:
        """The older page of a title: the one other page whose title starts with it, else the page itself."""
        mentioned = self.resolve(base)
        if not isinstance(mentioned, Found) or not mentioned.title:
            return mentioned
        reply = self._search(Reference(kind="title", title=one_line(mentioned.title), table=mentioned.table))
        if isinstance(reply, Call):
            return Reads(calls=(reply,))
        if isinstance(reply, Problem):
            return mentioned
        others = [hit for hit in _hits(reply, mentioned.table) if _is_older(hit, mentioned)]
        chosen = [hit for hit in others if hit.uid in self.request.choices]
        if len(chosen) == 1 or len(others) == 1:
            return (chosen or others)[0]
        if not others:
            return mentioned
        return self._ask(self.voice.say("several_old", title=self.voice.quote(mentioned.title)), others, 0)

    def _ask(self, intro: str, candidates: Sequence[Found], more: int) -> Question:
        lines = [intro, *(self._candidate(hit) for hit in candidates[:MAX_LISTED])]
        left = more + max(0, len(candidates) - MAX_LISTED)
        if left > 0:
            lines.append("\n" + self.voice.count("more", left))
        return Question(text="\n".join(lines) + "\n\n" + self.voice.say("which"))

    def _candidate(self, hit: Found) -> str:
        language = plain(hit.language) or ("–" if hit.table == "files" else "?")
        values: dict[str, str | int] = {"uid": hit.uid, "title": self.voice.quote(hit.title), "language": language}
        if hit.parent:
            line = self.voice.say("candidate_below", parent=self.voice.quote(hit.parent), **values)
        else:
            line = self.voice.say("candidate", **values)
        return self.voice.say("hidden_mark", line=line) if hit.hidden else line


def _unread(table: Table, uid: int) -> Found:
    """A record of which only the number is known."""
    row: Mapping[str, Any] = {"uid": uid}
    return Found(table=table, uid=uid, title="", language="", hidden=None, original=uid, parent="", row=row)


def _hits(reply: Reply, table: Table) -> list[Found]:
    rows = [row for row in records_of(reply, "records") if number_in(row, "uid") is not None]
    found = [_found(row, table) for row in rows if row.get("table", table) == table]
    return list({hit.uid: hit for hit in reversed(found)}.values())[::-1]


def _found(row: Mapping[str, Any], table: Table) -> Found:
    uid = number_in(row, "uid") or 0
    fields = row.get("fields")
    hidden = row.get("hidden", fields.get("hidden") if isinstance(fields, Mapping) else None)
    return Found(
        table=table,
        uid=uid,
        title=text_in(row, "title"),
        language=text_in(row, "language"),
        hidden=bool(hidden) if isinstance(hidden, bool | int) else None,
        original=number_in(row, "translation_of") or uid,
        parent=text_in(row, "parent_title"),
        row=row,
    )


def _of_table(key: str, table: Table) -> str:
    return key + {"content_elements": "_element", "files": "_file"}.get(table, "")


def _same(one: str, other: str) -> bool:
    return one_line(one).casefold() == one_line(other).casefold()


def _is_older(hit: Found, mentioned: Found) -> bool:
    """Whether a hit is a page of its own whose title is the mentioned one's with more after it."""
    title, start = one_line(hit.title).casefold(), one_line(mentioned.title).casefold()
    if hit.uid == mentioned.uid or hit.original != hit.uid or title == start:
        return False
    if hit.language and mentioned.language and hit.language != mentioned.language:
        return False
    return title.startswith(start) and not title[len(start)].isalnum()
