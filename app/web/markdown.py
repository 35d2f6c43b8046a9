"""Markdown of the model and of content as safe HTML: the only module that may call text HTML (D15, I17).

markdown-it without HTML and images, then nh3 with a closed list of tags and ``a[href]`` only; headings start at h4 (ST-3); links
lead to records of this site or are text with the visible host. What is added after the cleaning are constants of this module.
On the site itself people approved the text for visitors: there pages and pictures of the site are known, and links may leave it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markupsafe import Markup, escape

from app.content.schema import REGISTRY
from app.core.i18n import Text, render, text
from app.core.visible import visible

MOST_BYTES: Final = 32 * 1024
MOST_CONTENT_BYTES: Final = 400 * 1024
"""The longest text of an element in four bytes a character: nothing of it is cut."""
NESTING: Final = 20
MOST_BRACKETS: Final = 2_000
TAGS: Final = frozenset(
    [
        *("p", "br", "hr", "strong", "em", "s", "ul", "ol", "li", "blockquote", "pre", "code"),
        *("table", "thead", "tbody", "tr", "th", "td", "h4", "h5", "h6", "a"),
    ]
)
TOP_LEVEL: Final = 4
CONTENT_TAGS: Final = frozenset(["h2", "h3", "img"])
"""What the site has beyond ``TAGS``."""
SCHEMES: Final = frozenset(["http", "https", "mailto", "tel"])
_PLACE: Final = "surroundings"
IMAGE: Final[Text] = text("image: %(alt)s")
IMAGE_WITHOUT_WORDS: Final[Text] = text("image without a description")
TABLE: Final[Text] = text("Table %(n)s")
CUT: Final[Text] = text("The text is longer. Only its beginning is shown here.")
_TABLES = "|".join(sorted(REGISTRY))
_OWN_LINK = re.compile(
    r"/pages/[1-9][0-9]{0,15}"
    rf"|/records/(?:{_TABLES})/[1-9][0-9]{{0,15}}(?:/history)?"
    r"|/(?:conversations|workspaces)/[1-9][0-9]{0,15}"
    r"|/runs/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
)
_PAGE_LINK = re.compile(r"page:([1-9][0-9]{0,15})")
_SITE_LINK = re.compile(r"(page|file):([1-9][0-9]{0,15})(?:#[\w.-]*)?")
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """Where a link of the site leads."""

    address: str
    language: str | None = None
    """Code of the language there when it is another one than here."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Picture:
    """A picture of the site."""

    address: str
    alternative: str = ""
    """Used where the text says nothing about the picture."""
    width: int = 0
    height: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Surroundings:
    """What a text of the site may lead to and show, and which level its headings start at."""

    pages: Mapping[int, Target] = field(default_factory=dict)
    files: Mapping[int, Target] = field(default_factory=dict)
    pictures: Mapping[int, Picture] = field(default_factory=dict)
    top_level: int = 2
    locale: str = "en"


def render_content(source: str, surroundings: Surroundings) -> Markup:
    """``source`` as HTML of the site: ``page:UID`` and ``file:UID`` resolved, what may not be seen is plain text."""
    words, is_cut = _bounded(source, MOST_CONTENT_BYTES)
    html = nh3.clean(
        _parser(surroundings.locale).render(_BLANK_LINES.sub("\n\n", visible(words)), {_PLACE: surroundings}),
        tags=set(TAGS | CONTENT_TAGS),
        attributes={"a": {"href", "hreflang"}, "img": {"src", "alt", "width", "height", "loading"}},
        url_schemes=set(SCHEMES),
        link_rel=None,
        strip_comments=True,
    )
    if is_cut:
        html += f"<p>{escape(render(CUT, surroundings.locale))}</p>"
    return Markup(_with_scrolling(html, surroundings.locale))  # noqa: S704  cleaned above, as below


def render_markdown(source: str, locale: str = "en") -> Markup:
    """``source`` as HTML that can do nothing but be read; ``locale`` is the reader's language for the words added."""
    return _rendered(source, locale)


@lru_cache(maxsize=512)
def _rendered(source: str, locale: str) -> Markup:
    words, is_cut = _bounded(source, MOST_BYTES)
    html = nh3.clean(
        _parser(locale).render(_BLANK_LINES.sub("\n\n", visible(words))),
        tags=set(TAGS),
        attributes={"a": {"href"}},
        url_schemes=set(),
        link_rel=None,
        strip_comments=True,
    )
    if is_cut:
        html += f"<p>{escape(render(CUT, locale))}</p>"
    return Markup(_with_scrolling(html, locale))  # noqa: S704  cleaned above; the rest are constants and escaped words


def _bounded(source: str, most: int) -> tuple[str, bool]:
    raw = source.encode("utf-8", "replace")
    words = raw[:most].decode("utf-8", "ignore") if len(raw) > most else raw.decode()
    if words.count("[") > MOST_BRACKETS:  # thousands of openings cost the parser seconds (B43)
        words = words.replace("[", "\\[")
    return words, len(raw) > most


def _with_scrolling(html: str, locale: str) -> str:
    """Names and opens what may scroll sideways to the keyboard; cleaned text holds a ``<`` only where a tag starts."""
    parts = html.split("<table>")
    opened = [parts[0]]
    for number, part in enumerate(parts[1:], start=1):
        name = escape(render(TABLE.with_params(n=number), locale))
        opened.append(f'<div class="prose__scroll" role="group" aria-label="{name}" tabindex="0"><table>{part}')
    return "".join(opened).replace("</table>", "</table></div>").replace("<pre>", '<pre tabindex="0">')


class _Parser(MarkdownIt):
    """CommonMark that takes one more kind of target: the numbers of files in addresses that start with ``file:``."""

    def validateLink(self, url: str) -> bool:  # noqa: N802  the library's name
        """Whether a target is taken at all."""
        return super().validateLink(url) or _SITE_LINK.fullmatch(url) is not None


@lru_cache(maxsize=16)
def _parser(locale: str) -> MarkdownIt:
    parser = _Parser("commonmark", {"html": False, "maxNesting": NESTING}).enable(["table", "strikethrough"])
    parser.core.ruler.push("house_rules", lambda state: _apply_rules(state, locale))
    return parser


def _apply_rules(state: StateCore, locale: str) -> None:
    place = state.env.get(_PLACE)
    surroundings = place if isinstance(place, Surroundings) else None
    for token in state.tokens:
        if token.type == "inline" and token.children is not None:
            token.children = _decided_links(_with_pictures(token.children, locale, surroundings), surroundings)
    state.tokens = _clamped(state.tokens, TOP_LEVEL if surroundings is None else surroundings.top_level)


def _with_pictures(children: Sequence[Token], locale: str, place: Surroundings | None) -> list[Token]:
    return [_picture(child, locale, place) if child.type == "image" else child for child in children]


def _picture(image: Token, locale: str, place: Surroundings | None) -> Token:
    """A picture of the site, else words for it."""
    named = _SITE_LINK.fullmatch(str(image.attrGet("src") or ""))
    picture = place.pictures.get(int(named[2])) if place is not None and named and named[1] == "file" else None
    if picture is None:
        return _as_text(_image_words(image, locale))
    attributes: dict[str, str | int | float] = {"src": picture.address, "alt": "", "loading": "lazy"}
    if picture.width and picture.height:
        attributes |= {"width": picture.width, "height": picture.height}
    image.attrs = attributes
    if not image.content.strip() and picture.alternative:
        image.children = [_as_text(picture.alternative)]
    return image


def _image_words(image: Token, locale: str) -> str:
    alt = "".join(child.content for child in image.children or []).strip()
    return render(IMAGE.with_params(alt=alt), locale) if alt else render(IMAGE_WITHOUT_WORDS, locale)


def _as_text(words: str) -> Token:
    return Token("text", "", 0, content=words)


def _decided_links(children: Sequence[Token], place: Surroundings | None = None) -> list[Token]:
    """Links to own records stay; others become their words and, when they lead elsewhere, the host in brackets."""
    decided: list[Token] = []
    closing: list[Token | None] = []
    for child in children:
        if child.type == "link_open":
            target = str(child.attrGet("href") or "")
            attributes = _link_attributes(target, place)
            if attributes:
                child.attrs = attributes
                decided.append(child)
            closing.append(None if attributes else _words_after(target, child, place))
        elif child.type == "link_close":
            words = closing.pop() if closing else None
            decided.append(child if words is None else words)
        else:
            decided.append(child)
    return decided


def _words_after(target: str, link: Token, place: Surroundings | None) -> Token:
    return _as_text("") if place is not None else _host_words(target, shows_it=link.info == "auto")


def _link_attributes(target: str, place: Surroundings | None) -> dict[str, str | int | float]:
    """Attributes of a link, none when there is to be no link."""
    if place is None:
        own = own_link(target)
        return {} if own is None else {"href": own}
    named = _SITE_LINK.fullmatch(target)
    if named:
        found = (place.pages if named[1] == "page" else place.files).get(int(named[2]))
        if found is None:
            return {}
        return {"href": found.address, **({"hreflang": found.language} if found.language else {})}
    return {"href": target} if _scheme(target) in SCHEMES else {}


def _scheme(target: str) -> str:
    try:
        return urlsplit(target).scheme.lower()
    except ValueError:
        return ""


def own_link(target: str) -> str | None:
    """The address within this site that ``target`` means, or None: a closed list, by the whole path (B34)."""
    page = _PAGE_LINK.fullmatch(target)
    if page:
        return f"/pages/{page[1]}"
    return target if _OWN_LINK.fullmatch(target) else None


def _host_words(target: str, *, shows_it: bool) -> Token:
    try:
        address = urlsplit(target)
        host = address.hostname if address.scheme.lower() in {"http", "https"} else None
    except ValueError:
        host = None
    return _as_text(f" ({host})" if host and not shows_it else "")


def _clamped(tokens: Sequence[Token], top: int) -> list[Token]:
    """Headings from level ``top`` on without a skipped one; empty ones go (ST-3)."""
    kept: list[Token] = []
    levels: list[int] = []
    skipping = False
    for index, token in enumerate(tokens):
        if token.type == "heading_open":
            skipping = not _has_words(tokens[index + 1])
            if not skipping:
                token.tag = _next_heading(levels, int(token.tag[1]), top)
        if token.type == "heading_close" and not skipping:
            token.tag = f"h{min(6, top + len(levels) - 1)}"
        if not skipping:
            kept.append(token)
        if token.type == "heading_close":
            skipping = False
    return kept


def _next_heading(levels: list[int], level: int, top: int) -> str:
    while levels and levels[-1] >= level:
        levels.pop()
    levels.append(level)
    return f"h{min(6, top + len(levels) - 1)}"


def _has_words(inline: Token) -> bool:
    return any(child.content.strip() for child in inline.children or [])
