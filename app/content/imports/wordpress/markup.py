"""What WordPress adds to HTML, taken away before the HTML is cleaned: block comments, shortcodes, paragraphs by blank lines."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, field

_BLOCK = re.compile(r"\s*wp:(?P<name>[a-z][a-z0-9/-]{0,80})\b(?P<rest>.*)", re.DOTALL)
_SHORTCODE = re.compile(r"\[(?P<end>/?)(?P<name>[a-z][a-z0-9_-]{0,40})(?P<values>(?:[ \t\n][^\[\]<>]{0,2000})?)/?\]")
_VALUE = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))""")
_BLANK_LINES = re.compile(r"\n[ \t]*\n\s*")
_KEPT_WHOLE = re.compile(
    r"(<(pre|table|ul|ol|dl|blockquote|style|script|iframe)\b.*?</\2\s*>)", re.DOTALL | re.IGNORECASE
)
_BLOCK_TAG = re.compile(
    r"</?(?:p|div|section|article|aside|header|footer|figure|figcaption|h[1-6]|ul|ol|li|dl|dt|dd|table|thead|tbody|tfoot"
    r"|tr|td|th|blockquote|pre|hr|address|form|details|summary|video|audio|iframe)\b",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"https?://[^\s<>\"']{1,2000}")
_WITHOUT_OWN_TEXT = frozenset({"more", "nextpage", "spacer"})
"""Blocks that are written as a single comment and mean no content of other records."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Unwrapped:
    """HTML without anything that only WordPress understands."""

    html: str
    dynamic: tuple[str, ...] = ()
    """Blocks that WordPress fills when a page is shown; nothing of them is in the file."""
    unknown: tuple[str, ...] = ()
    """Shortcodes that stay as text."""


@dataclass(kw_only=True, slots=True)
class _Seen:
    dynamic: dict[str, None] = field(default_factory=dict)
    unknown: dict[str, None] = field(default_factory=dict)


def plain_markup(content: str, gallery: Callable[[tuple[int, ...] | None], str]) -> Unwrapped:
    """``content`` as HTML. ``gallery`` gives the pictures of these numbers, of the post itself for None, as HTML."""
    seen = _Seen()
    is_blocks = "<!-- wp:" in content
    words = _without_comments(content, seen)
    words = _SHORTCODE.sub(lambda match: _shortcode(match, gallery, seen), words)
    return Unwrapped(
        html=words if is_blocks else _with_paragraphs(words),
        dynamic=tuple(seen.dynamic),
        unknown=tuple(seen.unknown),
    )


def _without_comments(content: str, seen: _Seen) -> str:
    """Searched from one mark to the next: an expression would start again at every opening that has no end."""
    parts: list[str] = []
    at = 0
    while (start := content.find("<!--", at)) >= 0:
        end = content.find("-->", start + 4)
        if end < 0:
            break
        parts.append(content[at:start])
        at = end + 3
        match = _BLOCK.fullmatch(content[start + 4 : end])
        if match is not None and match["rest"].rstrip().endswith("/") and match["name"] not in _WITHOUT_OWN_TEXT:
            seen.dynamic[match["name"].removeprefix("core/")] = None
    parts.append(content[at:])
    return "".join(parts)


def _shortcode(match: re.Match[str], gallery: Callable[[tuple[int, ...] | None], str], seen: _Seen) -> str:
    name, is_end = match["name"], bool(match["end"])
    values = {found[0]: found[1] or found[2] or found[3] for found in _VALUE.findall(match["values"])}
    if name in {"caption", "wp_caption"}:
        return "</figure>" if is_end else "<figure>"
    if name == "gallery" and not is_end:
        listed = re.findall(r"\d{1,15}", values.get("ids", ""))
        return gallery(tuple(map(int, listed)) if listed else None)
    if name == "embed":
        return ""
    if name in {"audio", "video", "playlist"}:
        source = next((value for value in values.values() if _ADDRESS.fullmatch(value)), "")
        return f'<p><a href="{html.escape(source)}">{html.escape(source)}</a></p>' if source and not is_end else ""
    if match["values"] or is_end or match.string[match.end() :].find(f"[/{name}]") >= 0:
        seen.unknown[name] = None
    return match[0]


def _with_paragraphs(words: str) -> str:
    """Classic texts have no paragraphs: a blank line ends one, a line end is a line end."""
    parts = _KEPT_WHOLE.split(words)
    out: list[str] = []
    for at in range(0, len(parts), 3):
        out += [_paragraph(chunk) for chunk in _BLANK_LINES.split(parts[at]) if chunk.strip()]
        out += parts[at + 1 : at + 2]
    return "\n\n".join(out)


def _paragraph(chunk: str) -> str:
    words = chunk.strip()
    if _ADDRESS.fullmatch(words):
        return f'<p><a href="{html.escape(words)}">{html.escape(words)}</a></p>'
    if _BLOCK_TAG.match(words):
        return words
    return "<p>" + words.replace("\n", "<br>\n") + "</p>"
