"""Shortcodes into readable Markdown.

Block shortcodes (notice, expand, tabs …) become tokens first, so that headings inside them never split a page; inline
ones stay tokens until it is known whether they stand in running text, in code or in a link target.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.content.imports.markdown.images import is_remote
from app.content.imports.markdown.report import Report
from app.content.imports.markdown.shortcodes import Literal, Node, Shortcode, as_written
from app.content.imports.markdown.site import PageFile, Site, page_target, sibling_order
from app.content.imports.markdown.types import ReportKind
from app.content.imports.markdown.words import content_words, readable_name, version_phrase

_LINE_START = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?\Z")
_TITLED = frozenset({"expand", "faq", "tab", "example"})
_PAIRED = _TITLED | {"notice", "tabs", "mermaid"}
_LISTS = frozenset({"children", "taxonomylist"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Inline:
    """An inline shortcode in its three forms: running text, code, link target."""

    prose: str
    code: str
    target: str


class Expansion:
    """Expands the shortcodes of one file. ``tokens`` of the text it gives out are replaced by ``settle`` at the end."""

    def __init__(self, *, page: PageFile, site: Site, report: Report, code: Callable[[int], bool]) -> None:
        self._page = page
        self._site = site
        self._report = report
        self._in_code = code
        self._inline: list[Inline] = []
        self._blocks: list[str] = []
        stem = "shortcode"
        while stem in page.body:
            stem += "q"
        self._stem = stem
        self._token = re.compile(rf"{stem}([ib])(\d+)z")

    def outer(self, nodes: Sequence[Node]) -> str:
        """The text with a token for every shortcode; block tokens stand in paragraphs of their own."""
        return self._flow(nodes, top=True)

    def open_blocks(self, words: str) -> str:
        """``words`` with the block tokens opened; inline tokens remain."""
        return self._token.sub(lambda match: self._blocks[int(match[2])] if match[1] == "b" else match[0], words)

    def inline_numbers(self, words: str) -> set[int]:
        """The numbers of the inline tokens in ``words``."""
        return {int(match[2]) for match in self._token.finditer(words) if match[1] == "i"}

    def settle(self, words: str, form: Callable[[Inline, int], str]) -> str:
        """``words`` with each inline token replaced by the form chosen for it."""

        def replacement(match: re.Match[str]) -> str:
            if match[1] == "b":
                return self._blocks[int(match[2])]
            return form(self._inline[int(match[2])], int(match[2]))

        return self._token.sub(replacement, words)

    def as_target(self, words: str) -> str:
        """``words`` as a link target."""
        return self.settle(words, lambda inline, _: inline.target)

    def as_prose(self, words: str) -> str:
        """``words`` as running text."""
        return self.settle(words, lambda inline, _: inline.prose)

    def _flow(self, nodes: Sequence[Node], *, top: bool) -> str:
        out = ""
        after_block: str | None = None
        for node in nodes:
            piece = node.text if isinstance(node, Literal) else ""
            if after_block is not None:
                piece = _own_paragraph(piece, after_block, is_text=isinstance(node, Literal))
                after_block = None
            out += piece
            if isinstance(node, Literal):
                continue
            line = out[out.rfind("\n") + 1 :]
            if self._in_code(node.start):
                out += self._code_form(node)
            elif not self._is_block(node) or not _LINE_START.match(line):
                out += self._inline_form(node)
            else:
                out = _with_blank_line(out, line)
                after_block = " " * len(line)
                out += self._block_form(node, after_block, top=top)
        return out

    def _is_block(self, node: Shortcode) -> bool:
        return node.inner is not None or node.name in _LISTS

    def _block_form(self, node: Shortcode, indent: str, *, top: bool) -> str:
        words = self._block(node, indent)
        if not top:
            return words
        self._blocks.append(words)
        return f"{self._stem}b{len(self._blocks) - 1}z"

    def _block(self, node: Shortcode, indent: str) -> str:
        if node.name in _LISTS:
            return _indented(self._page_list(node), indent) + self._flow(node.inner or (), top=False)
        if node.name == "mermaid":
            source = textwrap.dedent(as_written(node.inner or ()).strip("\n"))
            return _indented(_fenced(source.rstrip(), "mermaid"), indent)
        inner = self._flow(node.inner or (), top=False)
        if node.name not in _PAIRED:
            self._unknown(node)
            return node.source + inner + node.end_source
        words = textwrap.dedent(inner.strip("\n")).strip()
        if node.name == "notice":
            quoted = "\n".join(f"> {line}".rstrip() for line in (f"**{self._title(node)}**", "", *words.split("\n")))
            return _indented(quoted, indent)
        if node.name == "tabs":
            return _indented(words, indent)
        return _indented(f"**{self._title(node)}**\n\n{words}", indent)

    def _title(self, node: Shortcode) -> str:
        words = content_words(self._page.language)
        if node.name == "notice":
            kind = node.value("style") or node.value("type") or "note"
            word = words.notices.get(kind.lower(), readable_name(kind))
            title = node.value("title", 1).strip()
            return f"{word}: {title}" if title else word
        title = " ".join(node.value("title").split()) or node.value("name")
        return title or (words.example if node.name == "example" else words.details)

    def _page_list(self, node: Shortcode) -> str:
        if node.name == "taxonomylist":
            pages = self._site.tagged(node.value("filter").split(","), self._page.language)
        else:
            pages = self._site.children(self._page.key, self._page.language)
            if node.value("sort", None).lower() in {"name", "title"}:
                pages = sorted(pages, key=lambda page: (page.meta.title.casefold(), page.key))
            elif node.value("sort", None):
                pages = sorted(pages, key=sibling_order)
            if node.value("showhidden", None) != "true":
                pages = [page for page in pages if not page.meta.hidden]
        with_description = node.value("description", None) == "true"
        return "\n".join(
            f"- [{_label(page.meta.title)}]({page_target(page.key)})"
            + (f": {page.meta.description}" if with_description and page.meta.description else "")
            for page in pages
            if not page.meta.draft and page.key != self._page.key
        )

    def _inline_form(self, node: Shortcode) -> str:
        if node.name in _PAIRED and node.inner is not None:
            inner = " ".join(self._flow(node.inner, top=False).split())
            return inner if node.name in {"tabs", "mermaid"} else f"**{self._title(node)}:** {inner}"
        if node.name in _LISTS:
            return ""
        inner = self._flow(node.inner or (), top=False)
        known = self._known(node)
        if known is None:
            self._unknown(node)
            return node.source + inner + node.end_source
        self._inline.append(known)
        return f"{self._stem}i{len(self._inline) - 1}z{inner}"

    def _code_form(self, node: Shortcode) -> str:
        """In fenced code only inline values are filled in; a documented ``{{% notice %}}`` stays as it is."""
        known = self._known(node)
        if known is not None:
            return known.code
        if node.name.removeprefix("/") not in _PAIRED | _LISTS:
            self._unknown(node)
        return node.source

    def _known(self, node: Shortcode) -> Inline | None:
        value = node.value("name") if node.name == "siteparam" else node.value("path") or node.value("src")
        if node.name == "asset":
            return Inline(prose=value, code=value, target=value)
        if node.name == "siteparam":
            # The value is in the configuration of the old site, which is not part of the tree.
            return Inline(prose=f"({readable_name(value)})", code=value, target=value)
        if node.name in {"version", "version-tag"}:
            phrase = version_phrase(value.strip(), self._page.language)
            return Inline(prose=phrase, code=phrase, target=value)
        if node.name == "accesskey":
            phrase = content_words(self._page.language).access_key.format(value.upper())
            return Inline(prose=phrase, code=value, target=value)
        return self._reference(node) if node.name in {"relref", "ref"} else None

    def _reference(self, node: Shortcode) -> Inline:
        written = node.value("path").strip()
        path, _, anchor = written.partition("#")
        if is_remote(written):
            return Inline(prose=f"<{written}>", code=written, target=written)
        if not path:
            return Inline(prose=written, code=written, target=written)
        key = self._site.find_reference(path, self._page)
        if key is None:
            self._report.add(ReportKind.UNRESOLVED_LINK, self._page.path, written)
            return Inline(prose=written, code=written, target=written)
        language = node.value("lang", None) or self._page.language
        target = page_target(key, anchor)
        title = _label(self._site.page_file(key, language).meta.title)
        return Inline(prose=f"[{title}]({target})", code=written, target=target)

    def _unknown(self, node: Shortcode) -> None:
        self._report.add(ReportKind.UNKNOWN_SHORTCODE, self._page.path, node.name)


def _label(title: str) -> str:
    return re.sub(r"([\\\[\]])", r"\\\1", title)


def _indented(words: str, indent: str) -> str:
    """``words`` with every line but the first indented: the first follows what is on the line already."""
    return words.replace("\n", "\n" + indent) if indent else words


def _with_blank_line(out: str, line: str) -> str:
    """``out`` with a blank line before its last, blank ``line``: a paragraph above must not swallow the block."""
    before = out[: len(out) - len(line)]
    if line.strip() or not before or before.endswith("\n\n"):
        return out
    return f"{before}\n{line}"


def _own_paragraph(piece: str, indent: str, *, is_text: bool) -> str:
    """What follows a block, moved into the next paragraph."""
    rest = piece.lstrip(" \t")
    if not rest:
        return "" if is_text else f"\n\n{indent}"
    if not rest.startswith("\n"):
        return f"\n\n{indent}{rest}"
    return rest if re.match(r"\n[ \t]*(?:\n|\Z)", rest) else f"\n{rest}"


def _fenced(source: str, info: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", source)), default=0)
    mark = "`" * max(3, longest + 1)
    return f"{mark}{info}\n{source}\n{mark}"
