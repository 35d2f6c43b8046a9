"""Where addresses of the old site lead now: to pages of the import, to its files, or nowhere."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import parse_qs, quote, unquote, urlsplit

from app.content.imports.markdown.types import IMAGE_SCHEME, PAGE_SCHEME
from app.content.imports.wordpress.wxr import WxrExport, WxrItem

PAGES: Final = frozenset({"page", "post"})
GONE: Final = frozenset({"trash", "auto-draft"})
"""States of entries that are not there any more, or not yet."""
FILE: Final = "attachment"
_SMALLER = re.compile(r"-\d{1,5}x\d{1,5}(?=\.[A-Za-z0-9]{1,5}$)|-scaled(?=\.[A-Za-z0-9]{1,5}$)")
_OF_PICTURE = re.compile(r"(?:^|\s)wp-image-(\d{1,15})(?:\s|$)")


def item_key(item: WxrItem) -> str:
    """How an entry is called in keys and placeholders: by its number, which never changes in WordPress."""
    return f"{item.type}-{item.id}"


class Places:
    """The entries of one export by their addresses."""

    def __init__(self, export: WxrExport) -> None:
        self._hosts = {host_of(address) for address in export.addresses} - {""}
        self._pages: dict[str, WxrItem] = {}
        self._numbers: dict[int, WxrItem] = {}
        self._files: dict[str, WxrItem] = {}
        self._by_parent: dict[int, list[WxrItem]] = {}
        for item in export.items:
            if item.type in PAGES and item.status not in GONE:
                self._numbers.setdefault(item.id, item)
                self._pages.setdefault(_path(item.link), item)
            elif item.type == FILE:
                self._numbers.setdefault(item.id, item)
                for address in (_file(item.url), _file(item.link)):
                    if address:
                        self._files.setdefault(address, item)
                self._by_parent.setdefault(item.parent, []).append(item)

    def page(self, address: str) -> str | None:
        """The placeholder of the page an address led to, with its anchor."""
        try:
            parts = urlsplit(address)
            host = parts.hostname or ""
        except ValueError:
            return None
        if (parts.scheme or host) and host.removeprefix("www.") not in self._hosts:
            return None
        found = self._by_query(parts.query)
        if found is None and parts.path.strip("/"):
            found = self._pages.get(_path(parts.path))
        if found is None:
            return f"#{parts.fragment}" if parts.fragment and not parts.path and not parts.query and not host else None
        anchor = f"#{quote(parts.fragment, safe='-_.~%')}" if parts.fragment else ""
        return f"{PAGE_SCHEME}{item_key(found)}{anchor}"

    def file(self, address: str, classes: str) -> tuple[str, str] | None:
        """Placeholder and alternative text of a file, by the number in the classes of its picture or by its address."""
        numbered = _OF_PICTURE.search(classes)
        found = self._numbers.get(int(numbered[1])) if numbered else None
        if found is None or found.type != FILE:
            found = self._files.get(_file(address)) or self._files.get(_SMALLER.sub("", _file(address)))
        return None if found is None else (f"{IMAGE_SCHEME}{item_key(found)}", found.alternative)

    def gallery(self, post: WxrItem, numbers: Iterable[int] | None) -> list[WxrItem]:
        """The pictures of a gallery: those listed, else those that were uploaded for the post."""
        if numbers is None:
            return sorted(self._by_parent.get(post.id, ()), key=lambda item: (item.order, item.id))
        found = (self._numbers.get(number) for number in numbers)
        return [item for item in found if item is not None and item.type == FILE]

    def _by_query(self, query: str) -> WxrItem | None:
        values = parse_qs(query) if query and len(query) < 2_000 else {}
        for name in ("page_id", "p"):
            words = values.get(name, [""])[0]
            found = self._numbers.get(int(words)) if words.isdecimal() and words.isascii() and len(words) < 16 else None
            if found is not None and found.type in PAGES:
                return found
        return None


def host_of(address: str) -> str:
    """The host of an address without ``www.``; empty when there is none."""
    try:
        return (urlsplit(address).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def _path(address: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    words = unquote(parts.path).strip("/").lower()
    return f"{words}?{parts.query}" if parts.query and not words else words


def _file(address: str) -> str:
    """An address without scheme and query; host and path name a file."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return f"{parts.hostname or ''}{unquote(parts.path)}" if parts.path.strip("/") else ""
