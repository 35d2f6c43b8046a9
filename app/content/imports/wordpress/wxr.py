"""Reading a WordPress export file (WXR) into plain values, without database and without believing anything in it (B76)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from app.core.errors import Invalid
from app.core.i18n import text

MOST_BYTES: Final = 256 * 1024 * 1024
MOST_ITEMS: Final = 100_000
MOST_CONTENT: Final = 1_000_000
"""Characters of one text; a longer one is not taken over."""
MOST_LINE: Final = 2_000
_NAMESPACE = re.compile(
    r"\{https?://(?:wordpress\.org/export/\d+\.\d+/(?P<excerpt>excerpt/)?|purl\.org/rss/1\.0/modules/(?P<content>content)/)\}(?P<name>.+)"
)
_NUMBER = re.compile(r"[0-9]{1,15}")
_ALTERNATIVE: Final = "_wp_attachment_image_alt"
_PICTURE: Final = "_thumbnail_id"
_CATEGORY: Final = "category"
_TAG: Final = "post_tag"
_TERMS: Final = {"category": (_CATEGORY, "category_nicename"), "tag": (_TAG, "tag_slug")}
"""Elements of the channel that describe a category or tag, and which part of them is its name in addresses."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WxrItem:
    """A page, post, file or menu entry as written."""

    id: int
    type: str
    title: str
    link: str
    name: str
    status: str
    parent: int
    order: int
    date: int | None
    """Seconds; None when there is no date that can be read."""
    is_protected: bool
    """Whether a password is asked for."""
    content: str
    excerpt: str
    is_cut: bool
    """Whether the content was too long to be taken."""
    url: str = ""
    """Of a file."""
    alternative: str = ""
    comments: int = 0
    picture: int = 0
    """Number of the file that stands for a page or post; 0 = none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WxrExport:
    """A whole file."""

    addresses: tuple[str, ...]
    """Where the old site was."""
    items: tuple[WxrItem, ...]
    categories: int = 0
    """How many are named in the file, whether an entry has them or not."""
    tags: int = 0


def read_wxr(path: Path) -> WxrExport:
    """The items of an export file. Raises ``Invalid``: no XML, with a document type, no WordPress export, too large."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise Invalid("file", text=text("The file is larger than %(most)s MB.", most=MOST_BYTES // 1024**2))
        return _read(path)
    except DefusedXmlException as error:
        raise Invalid("file", text=text("The file declares a document type or entities. It is not read.")) from error
    except (ParseError, UnicodeDecodeError, LookupError) as error:
        raise Invalid("file", text=text("The file is not valid XML.")) from error
    except OSError as error:
        raise Invalid("file", text=text("The file cannot be read.")) from error


def _read(path: Path) -> WxrExport:
    version, addresses, items = "", dict[str, None](), list[WxrItem]()
    terms: dict[str, set[str]] = {kind: set() for kind in (_CATEGORY, _TAG)}
    depth = 0
    for event, element in iterparse(str(path), events=("start", "end"), forbid_dtd=True):
        depth += 1 if event == "start" else -1
        if event == "start":
            continue
        name = _name(element)
        if name == "item":
            for given in element.iterfind("category"):
                terms.get(given.get("domain", ""), set()).add(given.get("nicename", ""))
            items.append(_item(element))
            element.clear()
            if len(items) > MOST_ITEMS:
                raise Invalid("file", text=text("The file has more than %(most)s entries.", most=MOST_ITEMS))
        elif depth == _CHANNEL:
            version = _line(element) if name == "wxr_version" else version
            if name in {"link", "base_site_url", "base_blog_url"} and _line(element):
                addresses[_line(element)] = None
            if name in _TERMS:
                kind, slug = _TERMS[name]
                terms[kind] |= {_line(part) for part in element if _name(part) == slug}
    if not version:
        raise Invalid("file", text=text("The file is no WordPress export."))
    return WxrExport(
        addresses=tuple(addresses), items=tuple(items), categories=len(terms[_CATEGORY]), tags=len(terms[_TAG])
    )


_CHANNEL: Final = 2
"""Depth below which what describes the whole site stands: in the channel of the feed."""


def _name(element: Element) -> str:
    """``post_id`` for ``wp:post_id``, ``excerpt:encoded`` for that, others as they are."""
    match = _NAMESPACE.fullmatch(element.tag)
    if match is None:
        return element.tag
    return ("excerpt:" if match["excerpt"] else "content:" if match["content"] else "") + match["name"]


def _item(item: Element) -> WxrItem:
    values: dict[str, str] = {}
    metas: dict[str, str] = {}
    comments = 0
    for child in item:
        name = _name(child)
        if name == "postmeta":
            meta = {_name(part): part.text or "" for part in child}
            metas.setdefault(meta.get("meta_key", "").strip(), meta.get("meta_value", ""))
        elif name == "comment":
            comments += 1
        else:
            values.setdefault(name, child.text or "")
    content = _plain(values.get("content:encoded", ""))
    return WxrItem(
        id=_number(values, "post_id"),
        type=_short(values, "post_type"),
        title=_short(values, "title"),
        link=_short(values, "link"),
        name=_short(values, "post_name"),
        status=_short(values, "status"),
        parent=_number(values, "post_parent"),
        order=_number(values, "menu_order"),
        date=_date(values),
        is_protected=bool(values.get("post_password", "").strip()),
        content="" if len(content) > MOST_CONTENT else content,
        excerpt=_plain(values.get("excerpt:encoded", ""))[:MOST_CONTENT],
        is_cut=len(content) > MOST_CONTENT,
        url=_short(values, "attachment_url") or _short(values, "guid"),
        alternative=" ".join(_plain(metas.get(_ALTERNATIVE, "")).split())[:MOST_LINE],
        comments=comments,
        picture=_number(metas, _PICTURE),
    )


def _plain(words: str) -> str:
    return words.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")


def _line(element: Element) -> str:
    return " ".join((element.text or "").split())[:MOST_LINE]


def _short(values: Mapping[str, str], name: str) -> str:
    return " ".join(_plain(values.get(name, "")).split())[:MOST_LINE]


def _number(values: Mapping[str, Any], name: str) -> int:
    words = str(values.get(name, "")).strip()
    return int(words) if _NUMBER.fullmatch(words) else 0


def _date(values: Mapping[str, str]) -> int | None:
    """The day of publication in UTC, else in the time of the old site taken as UTC."""
    for name in ("post_date_gmt", "post_date"):
        try:
            found = datetime.strptime(values.get(name, "").strip(), "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
        except ValueError:
            continue
        return int(found.timestamp())
    return None
