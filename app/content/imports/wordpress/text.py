"""HTML of strangers into Markdown: cleaned by a closed list first, then written anew, so that nothing else gets through."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

import nh3
from markdown_it import MarkdownIt
from markdownify import ATX, MarkdownConverter

from app.content.imports.markdown.sections import BodySection
from app.content.imports.markdown.targets import plain_words

TAGS: Final = frozenset(
    [
        *("p", "br", "hr", "strong", "b", "em", "i", "s", "del", "sub", "sup", "q", "ul", "ol", "li", "dl", "dt", "dd"),
        *("blockquote", "pre", "code", "kbd", "samp", "h1", "h2", "h3", "h4", "h5", "h6", "a", "img", "figure"),
        *("figcaption", "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td", "div", "section", "article"),
        *("details", "summary", "address", "video", "audio", "iframe"),
    ]
)
ATTRIBUTES: Final = {
    "a": {"href"},
    "img": {"src", "alt", "class"},
    "td": {"colspan"},
    "th": {"colspan"},
    "ol": {"start"},
    **{name: {"src"} for name in ("video", "audio", "iframe")},
}
SCHEMES: Final = frozenset({"http", "https", "mailto", "tel"})
_SPECIAL = re.compile(r"[\\`*\[\]<]|~~|&(?=#?\w{1,30};)|(?<![^\W_])_|_(?![^\W_])")
_AT_LINE_START = re.compile(r"^([ \t]*)(#{1,6}(?=\s|$)|[+>-](?=\s|$)|>|[=-]+[ \t]*$)", re.MULTILINE)
_LIST_NUMBER = re.compile(r"^([ \t]*\d{1,9})([.)])(?=\s|$)", re.MULTILINE)
_TAG = re.compile(r"<(?P<end>/?)(?P<name>[A-Za-z][A-Za-z0-9-]*)")
_DEEPEST: Final = 200
_CLOSE_THEMSELVES: Final = frozenset(
    [
        *(
            "area",
            "base",
            "br",
            "col",
            "embed",
            "hr",
            "img",
            "input",
            "link",
            "meta",
            "param",
            "source",
            "track",
            "wbr",
        ),
        *("p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "option", "colgroup", "caption"),
        *("path", "rect", "circle", "line", "polygon", "polyline", "ellipse", "use", "stop"),
    ]
)
_BLANK = re.compile(r"^[ \t]+$", re.MULTILINE)
_MARKDOWN = MarkdownIt("commonmark").enable("table")
_MANY_BLANK_LINES = re.compile(r"\n{3,}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Pointers:
    """What addresses of the old site have become; None = nothing of the import."""

    page: Callable[[str], str | None]
    """A link target for the address of a page."""
    file: Callable[[str, str], tuple[str, str] | None]
    """Placeholder and alternative text for the address of a file and the classes of its picture."""


@dataclass(kw_only=True, slots=True)
class _Found:
    pictures: dict[str, str] = field(default_factory=dict)
    """Alternative texts by placeholder."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """A text with the pictures of the import it shows, by placeholder with their alternative texts."""

    markdown: str
    pictures: dict[str, str]


def to_markdown(source: str, pointers: Pointers) -> Written:
    """HTML as Markdown. Raises ``RecursionError`` for markup nested without measure."""
    _check_depth(source)
    cleaned = nh3.clean(
        source,
        tags=set(TAGS),
        attributes={name: set(values) for name, values in ATTRIBUTES.items()},
        url_schemes=set(SCHEMES),
        link_rel=None,
        strip_comments=True,
    )
    found = _Found()
    words = _Writer(pointers, found).convert(cleaned)
    lines = _MANY_BLANK_LINES.sub("\n\n", _BLANK.sub("", str(words)))
    return Written(markdown=lines.strip("\n"), pictures=found.pictures)


def _check_depth(source: str) -> None:
    """Elements nested, or marks left open, in thousands cost the cleaning minutes: counted before it begins."""
    opened: Counter[str] = Counter()
    depth = 0
    for match in _TAG.finditer(source):
        name = match["name"].lower()
        if name in _CLOSE_THEMSELVES:
            continue
        if not match["end"]:
            opened[name] += 1
            depth += 1
        elif opened[name]:
            opened[name] -= 1
            depth -= 1
        if depth > _DEEPEST:
            raise RecursionError


def plain_text(source: str) -> str:
    """The words of HTML in one line."""
    words = nh3.clean(source, tags=set(), link_rel=None)
    return " ".join(html.unescape(words).split())


def split_sections(written: Written) -> tuple[tuple[BodySection, tuple[str, ...]], ...]:
    """The text split at its highest headings, each part with the placeholders of its pictures."""
    lines = written.markdown.split("\n")
    tokens = _MARKDOWN.parse(written.markdown)
    headings = [
        (token.map, token.tag, " ".join(plain_words(tokens[at + 1].children or []).split()))
        for at, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map
    ]
    level = min((tag for _, tag, words in headings if words), default="")
    marks = [(span, words) for span, tag, words in headings if tag == level and words and span]
    ends = [span[0] for span, _ in marks[1:]] + [len(lines)]
    parts = [("", lines[: marks[0][0][0] if marks else len(lines)])]
    parts += [(words, lines[span[1] : end]) for (span, words), end in zip(marks, ends[: len(marks)], strict=True)]
    bodies = [(header, "\n".join(part).strip("\n").rstrip()) for header, part in parts]
    return tuple(
        (
            BodySection(header=header, body=body, images=()),
            tuple(key for key in written.pictures if f"]({key})" in body),
        )
        for header, body in bodies
        if header or body
    )


class _Writer(MarkdownConverter):
    """Our Markdown: links and pictures through ``Pointers``, players and frames as links to what they showed."""

    def __init__(self, pointers: Pointers, found: _Found) -> None:
        super().__init__(heading_style=ATX, bullets="-", autolinks=False, table_infer_header=True)
        self._pointers = pointers
        self._found = found

    def escape(self, text: str, parent_tags: set[str]) -> str:
        """Plain words that stay plain words; no sign is escaped that means nothing where it stands."""
        words = _escaped(text)
        if "td" in parent_tags or "th" in parent_tags:
            return words.replace("|", "\\|")
        return _LIST_NUMBER.sub(r"\1\\\2", _AT_LINE_START.sub(r"\1\\\2", words))

    def convert_a(self, el: Any, text: str, parent_tags: set[str]) -> str:
        words = " ".join(text.split())
        target = str(el.get("href") or "").strip()
        if "_noformat" in parent_tags or not words or not target:
            return text
        lead, trail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        file = self._pointers.file(target, "")
        address = file[0] if file else self._pointers.page(target) or _written(target)
        if file and file[0] not in self._found.pictures and f"]({file[0]})" not in words:
            self._found.pictures.setdefault(file[0], file[1])
        return f"{lead}[{words}]({address}){trail}" if address else text

    def convert_img(self, el: Any, text: str, parent_tags: set[str]) -> str:
        source, alt = str(el.get("src") or "").strip(), " ".join(str(el.get("alt") or "").split())
        classes = el.get("class") or ()
        file = self._pointers.file(source, classes if isinstance(classes, str) else " ".join(classes))
        words = _escaped(alt or (file[1] if file else "") or _name_of(source))
        if "_inline" in parent_tags or not source:
            return words
        if file is None:
            address = _written(source)
            return words if "a" in parent_tags or not address else f"[{words}]({address})"
        self._found.pictures[file[0]] = alt or file[1]
        return f"![{words if alt or file[1] else ''}]({file[0]})"

    def convert_figure(self, el: Any, text: str, parent_tags: set[str]) -> str:
        return text if "_inline" in parent_tags else f"\n\n{text.strip()}\n\n"

    def convert_summary(self, el: Any, text: str, parent_tags: set[str]) -> str:
        return f"\n\n**{text.strip()}**\n\n" if text.strip() else ""

    convert_dt = convert_summary
    convert_details = convert_section = convert_article = convert_address = convert_dd = convert_figure

    def convert_video(self, el: Any, text: str, parent_tags: set[str]) -> str:
        source = str(el.get("src") or "").strip()
        file = self._pointers.file(source, "")
        address = file[0] if file else _written(source)
        if not address:
            return text
        if file:
            self._found.pictures.setdefault(file[0], file[1])
        return f"\n\n[{_escaped(_name_of(source))}]({address})\n\n"

    convert_audio = convert_iframe = convert_video


def _escaped(words: str) -> str:
    return _SPECIAL.sub(lambda match: "\\" + match[0], words)


def _written(target: str) -> str:
    """A target of another site as Markdown takes it; empty for what is no address of one."""
    try:
        scheme = urlsplit(target).scheme.lower()
    except ValueError:
        return ""
    if scheme not in SCHEMES:
        return ""
    return re.sub(r"[\s()<>\\]", lambda match: f"%{ord(match[0]):02X}" if ord(match[0]) < 128 else "", target)


def _name_of(address: str) -> str:
    """What an address is called by people: the file, else the host."""
    try:
        parts = urlsplit(address)
        return parts.path.rstrip("/").rpartition("/")[2] or parts.hostname or ""
    except ValueError:
        return ""
