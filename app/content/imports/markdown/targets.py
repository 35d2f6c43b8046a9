"""Link and image targets in Markdown source, found by the parser and rewritten in place."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from markdown_it.common.normalize_url import normalizeLink
from markdown_it.common.utils import unescapeAll
from markdown_it.token import Token

from app.content.imports.markdown.expansion import Expansion
from app.content.imports.markdown.images import ImageFinder, is_remote, local_path
from app.content.imports.markdown.report import Report
from app.content.imports.markdown.site import PageFile, Site, page_target
from app.content.imports.markdown.types import IMAGE_SCHEME, PAGE_SCHEME, ImageRef, ReportKind

_DESTINATION = re.compile(
    r"""(?P<lead>\]\([ \t]*|^[ ]{0,3}\[[^\[\]\n]+\]:[ \t]*)
        (?:<(?P<angled>[^<>\n]*)>|(?P<bare>[^\s<()]+(?:\([^\s()]*\)[^\s()]*)*))""",
    re.VERBOSE | re.MULTILINE,
)
_REMOTE_IMAGE = re.compile(
    r"""(?P<link>\[)?!\[(?P<alt>(?:[^\[\]\\]|\\.){0,1000})\]\([ \t]*<?(?P<target>(?:[a-z][a-z0-9+.-]*:|//)[^\s<>()]*)>?
        (?:[ \t]+"[^"\n]*")?[ \t]*\)""",
    re.VERBOSE | re.IGNORECASE,
)


class Targets:
    """Points the targets of one file at pages and pictures of the import."""

    def __init__(
        self, *, page: PageFile, site: Site, images: ImageFinder, report: Report, expansion: Expansion
    ) -> None:
        self._page = page
        self._site = site
        self._images = images
        self._report = report
        self._expansion = expansion

    def rewrite(self, body: str, tokens: list[Token]) -> tuple[str, tuple[ImageRef, ...]]:
        """``body`` with its targets rewritten, and the pictures it shows. ``tokens`` are those of ``body``."""
        links: set[str] = set()
        pictures: dict[str, str] = {}
        for token in _inline_tokens(tokens):
            if token.type == "link_open":
                links.add(str(token.attrGet("href") or ""))
            elif token.type == "image":
                alt = " ".join(self._expansion.as_prose(plain_words(token.children or [])).split())
                pictures.setdefault(str(token.attrGet("src") or ""), alt)
        found = {source: self._picture(source, alt) for source, alt in pictures.items()}
        code = _code_lines(tokens)
        starts = line_starts(body)

        def destination(match: re.Match[str]) -> str:
            if bisect_right(starts, match.start()) - 1 in code:
                return match[0]
            written = match["angled"] if match["angled"] is not None else match["bare"]
            target = normalizeLink(unescapeAll(written))
            if target in found:
                return match["lead"] + _written(found[target][0])
            return match["lead"] + _written(self._link(target, written)) if target in links else match[0]

        def remote(match: re.Match[str]) -> str:
            if bisect_right(starts, match.start()) - 1 in code:
                return match[0]
            alt = match["alt"] or match["target"]
            return f"[{alt}" if match["link"] else f"[{alt}]({match['target']})"

        # Remote pictures become links in lines of the same number, so the second pass still knows its code lines.
        body = _REMOTE_IMAGE.sub(remote, body)
        starts = line_starts(body)
        links.update(source for source in pictures if is_remote(source))
        body = _DESTINATION.sub(destination, body)
        return body, tuple(image for _, image in found.values() if image is not None)

    def _picture(self, source: str, alt: str) -> tuple[str, ImageRef | None]:
        target = self._expansion.as_target(source)
        if is_remote(target):
            return target, None
        image = self._images.find(target, self._page.path, alt)
        if image is not None:
            return IMAGE_SCHEME + quote(image.path, safe="/-_.~"), image
        self._report.add(ReportKind.MISSING_IMAGE, self._page.path, local_path(target) or target)
        return re.split(r"[?#]", target, maxsplit=1)[0] or target, None

    def _link(self, target: str, written: str) -> str:
        target = self._expansion.as_target(target)
        if target.startswith(PAGE_SCHEME):
            return target
        path, _, anchor = target.partition("#")
        address = local_path(path)
        if is_remote(target) or not address or "{{" in address:
            return self._expansion.as_target(written)
        key = self._site.find_address(address, self._page)
        if key is not None:
            return page_target(key, anchor)
        self._report.add(ReportKind.UNRESOLVED_LINK, self._page.path, address)
        return self._expansion.as_target(written)


def line_starts(words: str) -> list[int]:
    """The positions at which the lines of ``words`` start, and its end."""
    return [0, *(match.end() for match in re.finditer(r"\n", words)), len(words)]


def plain_words(children: Iterable[Token]) -> str:
    """The words of inline tokens without markup."""
    words = ""
    for token in children:
        if token.type in {"text", "code_inline"}:
            words += token.content
        elif token.type in {"softbreak", "hardbreak"}:
            words += " "
        elif token.type == "image":
            words += plain_words(token.children or [])
    return words


def _written(target: str) -> str:
    return f"<{target}>" if re.search(r"[\s()]", target) and not re.search(r"[<>\n]", target) else target


def _code_lines(tokens: list[Token]) -> set[int]:
    blocks = (token.map for token in tokens if token.type in {"fence", "code_block"} and token.map)
    return {line for start, end in blocks for line in range(start, end)}


def _inline_tokens(tokens: Iterable[Token]) -> Iterator[Token]:
    for token in tokens:
        if token.children:
            yield from token.children
            for child in token.children:
                if child.type != "image":
                    yield from _inline_tokens([child])
