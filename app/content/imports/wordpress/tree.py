"""The entries of an export as pages, sections and files, ready for the writing half of the imports."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final

from app.content.imports.markdown.sections import BodySection
from app.content.imports.markdown.tree import connect_sections
from app.content.imports.markdown.types import IMAGE_SCHEME, ImageRef, SourcePage, SourceSection, SourceText, SourceTree
from app.content.imports.markdown.words import readable_name
from app.content.imports.outcome import ImportNote
from app.content.imports.wordpress.markup import plain_markup
from app.content.imports.wordpress.places import FILE, GONE, PAGES, Places, item_key
from app.content.imports.wordpress.text import Pointers, plain_text, split_sections, to_markdown
from app.content.imports.wordpress.wxr import WxrExport, WxrItem
from app.core import canonical
from app.core.i18n import Text, ntext, text

POSTS: Final = "posts"
_SHOWN: Final = frozenset({"publish", "future"})
_MENUS: Final = frozenset({"nav_menu_item", "wp_navigation"})
_POSTS_TITLES: Final = {"de": "Beiträge", "fr": "Articles"}
_NOWHERE: Final = Path("/")


@dataclass(frozen=True, kw_only=True, slots=True)
class WordPressTree:
    """What an export becomes."""

    tree: SourceTree
    media: tuple[WxrItem, ...]
    notes: tuple[ImportNote, ...]
    failed: int
    """Texts that could not be read; their pages are there without them."""


def read_items(export: WxrExport, code: str) -> WordPressTree:
    """``export`` as pages in the language ``code``: pages below each other as they were, posts below one page, newest first."""
    reading = _Reading(export, code)
    pages = tuple(reading.pages())
    return WordPressTree(
        tree=SourceTree(pages=pages, report=()),
        media=tuple(item for item in export.items if item.type == FILE and item.id),
        notes=tuple(reading.notes),
        failed=reading.failed,
    )


class _Reading:
    """One export in progress."""

    def __init__(self, export: WxrExport, code: str) -> None:
        self.notes: list[ImportNote] = []
        self.failed = 0
        self._code = code
        self._places = Places(export)
        self._items = self._usable(export.items)
        self._note_left_out(export.items)
        self._note_terms(export)

    def pages(self) -> Iterator[SourcePage]:
        """Every page, parents before children."""
        pages = [item for item in self._items if item.type == "page"]
        for item, parent in _in_order(pages):
            yield self._page(item, item_key(parent) if parent else None)
        posts = sorted(
            (item for item in self._items if item.type == "post"), key=lambda item: (-(item.date or 0), item.id)
        )
        if posts:
            yield self._posts_page()
        for item in posts:
            yield self._page(item, POSTS)

    def _usable(self, items: Sequence[WxrItem]) -> list[WxrItem]:
        found: dict[str, WxrItem] = {}
        for item in items:
            if item.type in PAGES and item.id and item.status not in GONE:
                found.setdefault(item_key(item), item)
        return list(found.values())

    def _note_left_out(self, items: Sequence[WxrItem]) -> None:
        menus = sum(1 for item in items if item.type in _MENUS)
        others = Counter(item.type for item in items if item.type not in {*_MENUS, *PAGES, FILE})
        gone = sum(1 for item in items if item.type in PAGES and item.status in GONE)
        comments = sum(item.comments for item in items)
        for count, sentence in (
            (
                menus,
                ntext(
                    "%(n)s entry of a menu was not taken over.", "%(n)s entries of menus were not taken over.", menus
                ),
            ),
            (comments, ntext("%(n)s comment was not taken over.", "%(n)s comments were not taken over.", comments)),
            (
                gone,
                ntext(
                    "%(n)s entry of the bin was not taken over.", "%(n)s entries of the bin were not taken over.", gone
                ),
            ),
        ):
            if count:
                self.notes.append(ImportNote(path="", sentence=sentence))
        for kind, count in sorted(others.items()):
            sentence = ntext(
                "%(n)s entry of the kind “%(kind)s” was not taken over.",
                "%(n)s entries of the kind “%(kind)s” were not taken over.",
                count,
                kind=kind,
            )
            self.notes.append(ImportNote(path="", sentence=sentence))

    def _note_terms(self, export: WxrExport) -> None:
        for count, sentence in (
            (
                export.categories,
                ntext("%(n)s category was not taken over.", "%(n)s categories were not taken over.", export.categories),
            ),
            (export.tags, ntext("%(n)s tag was not taken over.", "%(n)s tags were not taken over.", export.tags)),
        ):
            if count:
                self.notes.append(ImportNote(path="", sentence=sentence))

    def _posts_page(self) -> SourcePage:
        title = _POSTS_TITLES.get(self._code.lower().split("-")[0], "Posts")
        return _source_page(key=POSTS, parent=None, text=_text(self._code, POSTS, title, "", False, ()), date=None)

    def _page(self, item: WxrItem, parent: str | None) -> SourcePage:
        key = item_key(item)
        is_draft = item.status not in _SHOWN or item.is_protected
        title = plain_text(item.title) or readable_name(item.name) or key
        sections = connect_sections(key, self._sections(item, key), None)
        words = _text(self._code, key, title, plain_text(item.excerpt), is_draft, sections)
        if item.is_protected:
            self._note(key, text("%(path)s asks for a password. It was hidden."))
        return _source_page(key=key, parent=parent, text=words, date=item.date)

    def _sections(self, item: WxrItem, key: str) -> list[BodySection]:
        if item.is_cut:
            self.failed += 1
            self._note(key, text("%(path)s has a text that is too long. Its page is empty."))
            return []
        markup = plain_markup(item.content, partial(_gallery, self._places, item))
        for name in markup.dynamic:
            sentence = text("%(path)s has the block “%(detail)s”, which WordPress fills itself. It was left out.")
            self._note(key, sentence, name)
        for name in markup.unknown:
            self._note(key, text("%(path)s uses the unknown shortcode “%(detail)s”. It was kept as text."), name)
        try:
            written = to_markdown(
                _picture(self._places, item) + markup.html, Pointers(page=self._places.page, file=self._places.file)
            )
            parts = split_sections(written)
        except RecursionError:
            self.failed += 1
            self._note(key, text("%(path)s is nested too deeply. Its page is empty."))
            return []
        return [
            replace(section, images=tuple(_image(name, written.pictures[name]) for name in names))
            for section, names in parts
        ]

    def _note(self, path: str, sentence: Text, detail: str = "") -> None:
        params = {"path": path, **({"detail": detail} if detail else {})}
        self.notes.append(ImportNote(path=path, sentence=sentence.with_params(**params)))


def _in_order(pages: Sequence[WxrItem]) -> Iterator[tuple[WxrItem, WxrItem | None]]:
    """Pages with the page above, parents first, siblings by their order; circles and lost parents end at the top."""
    known = {item.id: item for item in pages}
    below: dict[int, list[WxrItem]] = {}
    for item in sorted(pages, key=lambda item: (item.order, item.title.casefold(), item.id)):
        below.setdefault(item.parent if _reaches_top(item, known) else 0, []).append(item)
    stack: list[tuple[WxrItem, WxrItem | None]] = [(item, None) for item in reversed(below.get(0, []))]
    while stack:
        item, parent = stack.pop()
        yield item, parent
        stack += [(child, item) for child in reversed(below.get(item.id, []))]


def _reaches_top(item: WxrItem, known: Mapping[int, WxrItem]) -> bool:
    """Whether the page above is there and no circle leads back."""
    seen = {item.id}
    above = item.parent
    while above in known:
        if above in seen:
            return False
        seen.add(above)
        above = known[above].parent
    return item.parent in known


def _picture(places: Places, item: WxrItem) -> str:
    """The picture that stands for an entry, unless the text shows it by itself."""
    is_shown = re.search(rf"wp-image-{item.picture}\b", item.content) is not None
    return "" if is_shown or not item.picture else _gallery(places, item, (item.picture,))


def _gallery(places: Places, item: WxrItem, numbers: tuple[int, ...] | None) -> str:
    return "".join(
        f'<figure><img class="wp-image-{picture.id}" src="{html.escape(picture.url)}" '
        f'alt="{html.escape(picture.alternative)}"></figure>'
        for picture in places.gallery(item, numbers)
    )


def _image(placeholder: str, alternative: str) -> ImageRef:
    """A picture whose record was written before: only its key and words are needed."""
    path = placeholder.removeprefix(IMAGE_SCHEME)
    return ImageRef(path=path, source=_NOWHERE, alt=alternative, sha256="", size=0, mime="")


def _text(
    code: str, path: str, title: str, description: str, draft: bool, sections: Sequence[SourceSection]
) -> SourceText:
    described = [code, title, description, draft, [[section.key, section.header, section.body] for section in sections]]
    return SourceText(
        language=code,
        path=path,
        title=title,
        description=description,
        draft=draft,
        sections=tuple(sections),
        content_hash=canonical.sha256(canonical.dumps(described)),
    )


def _source_page(*, key: str, parent: str | None, text: SourceText, date: int | None) -> SourcePage:
    return SourcePage(
        key=key,
        parent_key=parent,
        weight=None,
        date=date,
        draft=text.draft,
        translations=MappingProxyType({text.language: text}),
    )
