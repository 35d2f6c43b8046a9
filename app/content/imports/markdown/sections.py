"""The body of one file as sections: split at its top-level headings, targets pointed at their placeholders."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token

from app.content.imports.markdown.expansion import Expansion
from app.content.imports.markdown.images import ImageFinder
from app.content.imports.markdown.report import Report
from app.content.imports.markdown.shortcodes import parse_shortcodes
from app.content.imports.markdown.site import PageFile, Site
from app.content.imports.markdown.targets import Targets, line_starts, plain_words
from app.content.imports.markdown.types import ImageRef

_MARKDOWN = MarkdownIt("commonmark").enable("table")
_ATTRIBUTES = re.compile(r"[ \t]*\{[#.][^{}\n]*\}[ \t]*(?=#*[ \t]*\Z)")
_LABEL = re.compile(r"\[([^\[\]\n]+)\]")


@dataclass(frozen=True, kw_only=True, slots=True)
class BodySection:
    """A section before it has a key: header as plain text ('' before the first heading), body as Markdown."""

    header: str
    body: str
    images: tuple[ImageRef, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Part:
    header: str
    body: str


def read_sections(page: PageFile, site: Site, images: ImageFinder, report: Report) -> tuple[BodySection, ...]:
    """The sections of ``page``; what is unknown or missing goes to ``report``. Raises ``BrokenFile``."""
    code = _fenced_ranges(page.body)
    starts = [start for start, _ in code]

    def in_code(position: int) -> bool:
        at = bisect_right(starts, position) - 1
        return at >= 0 and position < code[at][1]

    expansion = Expansion(page=page, site=site, report=report, code=in_code)
    outer = expansion.outer(parse_shortcodes(page.body, code))
    env: dict[str, object] = {}
    parts = _split(outer, _MARKDOWN.parse(outer, env), expansion)
    targets = Targets(page=page, site=site, images=images, report=report, expansion=expansion)
    found = (_finish(part, env, expansion, targets) for part in parts)
    return tuple(section for section in found if section.header or section.body)


def _fenced_ranges(body: str) -> list[tuple[int, int]]:
    """Character ranges of fenced code, in order."""
    starts = line_starts(body)
    return [
        (starts[token.map[0]], starts[min(token.map[1], len(starts) - 1)])
        for token in _MARKDOWN.parse(body)
        if token.type == "fence" and token.map
    ]


def _split(outer: str, tokens: list[Token], expansion: Expansion) -> list[_Part]:
    headings = [
        (token, tokens[at + 1]) for at, token in enumerate(tokens) if token.type == "heading_open" and token.level == 0
    ]
    lines = outer.split("\n")
    level = min((token.tag for token, _ in headings), default="")
    marks = [(token.map, inline) for token, inline in headings if token.tag == level and token.map]
    ends = [span[0] for span, _ in marks[1:]] + [len(lines)]
    parts = [_Part(header="", body="\n".join(lines[: marks[0][0][0] if marks else len(lines)]))]
    for (span, inline), end in zip(marks, ends[: len(marks)], strict=True):
        header = _header(inline, expansion)
        parts.append(_Part(header=header, body="\n".join(lines[span[1] : end])))
    return parts


def _header(inline: Token, expansion: Expansion) -> str:
    """The words of a heading without markup and without its ``{#anchor}``."""
    words = expansion.as_prose(plain_words(inline.children or []))
    return " ".join(_ATTRIBUTES.sub("", words).split())


def _finish(part: _Part, env: dict[str, object], expansion: Expansion, targets: Targets) -> BodySection:
    body = expansion.open_blocks(part.body).strip("\n").rstrip()
    body = _with_definitions(body, env)
    tokens = _MARKDOWN.parse(body)
    body = _without_attributes(body, tokens)
    code: set[int] = set()
    raw: set[int] = set()
    for token in _walk(tokens):
        if token.type == "code_inline":
            code |= expansion.inline_numbers(token.content)
        elif token.type in {"html_inline", "html_block"}:
            raw |= expansion.inline_numbers(token.content)
    body, images = targets.rewrite(body, tokens)
    body = expansion.settle(
        body,
        lambda inline, number: inline.code if number in code else inline.target if number in raw else inline.prose,
    )
    return BodySection(header=part.header, body=body, images=images)


def _walk(tokens: Iterable[Token]) -> Iterable[Token]:
    for token in tokens:
        yield token
        yield from _walk(token.children or [])


def _with_definitions(body: str, env: dict[str, object]) -> str:
    """``body`` with the link definitions it uses but which stood in another section."""
    known = env.get("references")
    if not isinstance(known, dict):
        return body
    own: dict[str, dict[str, object]] = {}
    _MARKDOWN.parse(body, own)
    mine = own.get("references", {})
    used = {normalizeReference(match[1]) for match in _LABEL.finditer(body)}
    added = [
        f"[{label.lower()}]: <{known[label]['href']}>" + (f' "{title}"' if (title := _title(known[label])) else "")
        for label in sorted(used & known.keys() - mine.keys())
    ]
    return body + ("\n\n" + "\n".join(added) if added else "")


def _title(definition: dict[str, str]) -> str:
    return definition.get("title", "").replace("\\", "\\\\").replace('"', '\\"')


def _without_attributes(body: str, tokens: list[Token]) -> str:
    """``body`` without Hugo's ``{#anchor}`` behind headings; with the same number of lines."""
    lines = body.split("\n")
    for token in tokens:
        if token.type == "heading_open" and token.map:
            for at in range(*token.map):
                lines[at] = _ATTRIBUTES.sub("", lines[at])
    return "\n".join(lines)
