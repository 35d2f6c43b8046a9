"""The text of one file: elements as sections the import splits again at the same places."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

_MARKDOWN = MarkdownIt("commonmark").enable("table")
_HIGHEST, _USUAL, _LOWEST = 1, 2, 6
_SHORTCODE = re.compile(r"\{\{([<%])(?!/\*)(.{0,2000}?)([%>])\}\}", re.DOTALL)
_SPECIAL = re.compile(r"([\\`*_\[\]<>&~|!])")
_NUMBERED = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")
_TRAILING_MARKS = re.compile(r"(#+)$")
_TARGET = re.compile(
    r"(?P<lead>\]\([ \t]*<?|^[ ]{0,3}\[[^\[\]\n]+\]:[ \t]*<?)(?P<scheme>page|file):(?P<uid>[1-9][0-9]{0,15})",
    re.MULTILINE,
)
_EMPTY_PICTURE = re.compile(r"!\[\]\((?P<target>[^()\s]+)\)")


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """An element: a heading in plain words, maybe none, and a body in Markdown."""

    header: str
    body: str


def joined(sections: Sequence[Section]) -> str:
    """The sections as one Markdown text.

    Headings of sections stand one level above the highest heading inside any body, so that a reader that splits at the
    highest level finds the sections again; bodies that begin at level 1 move down by one.
    """
    bodies = [_closed(section.body.strip("\n").rstrip()) for section in sections]
    highest = min((level for body in bodies for level, _ in _headings(body)), default=_LOWEST + 1)
    if highest == _HIGHEST and any(section.header for section in sections):
        bodies, highest = [_lowered(body) for body in bodies], _HIGHEST + 1
    mark = "#" * max(_HIGHEST, min(_USUAL, highest - 1))
    parts: list[str] = []
    for section, body in zip(sections, bodies, strict=True):
        head = f"{mark} {plain_heading(section.header)}" if section.header.strip() else ""
        parts += [part for part in (head, escaped(body)) if part]
    return "\n\n".join(parts)


def escaped(body: str) -> str:
    """``body`` with what the import takes for shortcodes written so that it stays text."""
    return _SHORTCODE.sub(lambda match: f"{{{{{match[1]}/*{match[2]}*/{match[3]}}}}}", body)


def plain_heading(words: str) -> str:
    """Plain words as a Markdown heading that reads as these words."""
    line = _SPECIAL.sub(r"\\\1", " ".join(words.split()))
    line = _NUMBERED.sub(r"\1\\\2", line)
    return _TRAILING_MARKS.sub(lambda match: "\\" + match[1], escaped(line))


def pointed(body: str, target: Callable[[str, int], str | None], words: Callable[[str], str]) -> str:
    """``body`` with ``page:UID`` and ``file:UID`` replaced by what ``target`` gives for scheme and number.

    None leaves a target as it is. ``words`` gives the text of a picture that has none, by its new target.
    """

    def replaced(match: re.Match[str]) -> str:
        found = target(match["scheme"], int(match["uid"]))
        return match[0] if found is None else f"{match['lead']}{found}"

    pointing = _TARGET.sub(replaced, body)
    return _EMPTY_PICTURE.sub(lambda match: f"![{_alt(words(match['target']))}]({match['target']})", pointing)


def picture(alternative: str, address: str) -> str:
    """A picture in Markdown."""
    return f"![{_alt(alternative)}]({address})"


def _alt(words: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(words.split()))


def _headings(body: str) -> list[tuple[int, Token]]:
    tokens = _MARKDOWN.parse(body)
    return [(int(token.tag[1]), token) for token in tokens if token.type == "heading_open" and token.level == 0]


def _lowered(body: str) -> str:
    """``body`` with every heading one level lower; the lowest stay."""
    lines = body.split("\n")
    for level, token in reversed(_headings(body)):
        if token.map is None:
            continue
        start, end = token.map
        below = "#" * min(_LOWEST, level + 1)
        if token.markup in {"=", "-"}:
            words = " ".join(line.strip() for line in lines[start : end - 1])
            lines[start:end] = [f"{below} {words}"]
        elif level < _LOWEST:
            lines[start] = lines[start].replace("#", "##", 1)
    return "\n".join(lines)


def _closed(body: str) -> str:
    """``body`` with its last fence closed: an open one would swallow the sections behind it."""
    tokens = _MARKDOWN.parse(f"{body}\n\n# end")
    if not tokens or tokens[-1].type == "heading_close":
        return body
    fences = [token for token in tokens if token.type == "fence" and token.level == 0]
    return f"{body}\n{fences[-1].markup}" if fences else body
