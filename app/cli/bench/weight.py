"""B1: what a browser loads for the conversation page, followed from the rendered page through styles and modules."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

from flask.testing import FlaskClient

from app.cli.bench.figures import Reading, Setup
from app.cli.bench.place import Place, temporary_place
from app.cli.bench.web import poll_address, session_cookie

_ORIGIN = "http://127.0.0.1"
_LOADED = frozenset({"stylesheet", "icon", "preload", "modulepreload"})
_IMPORT = re.compile(r"""(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']""")
_CSS = re.compile(r"""@import\s+(?:url\()?\s*["']([^"')]+)["']|url\(\s*["']?([^"')]+)["']?\s*\)""")


def page_weight(_setup: Setup) -> list[Reading]:
    """B1: scripts and styles after gzip, requests of a first visit, origins that are not ours."""
    with temporary_place() as place:
        loaded = load_page(place, poll_address(place).rpartition("/")[0])
    weighed = sum(found.zipped for found in loaded.files if found.kind in {"script", "style"})
    own = {
        "kB scripts": sum(found.zipped for found in loaded.files if found.kind == "script") / 1000,
        "kB styles": sum(found.zipped for found in loaded.files if found.kind == "style") / 1000,
        "kB page": sum(found.zipped for found in loaded.files if found.kind == "page") / 1000,
    }
    return [
        Reading(
            figure="B1", what="scripts and styles, gzip", unit="kB", bar=45, aim=30, values=(weighed / 1000,), own=own
        ),
        Reading(
            figure="B1", what="requests of a first visit", unit="requests", bar=8, aim=8, values=(len(loaded.files),)
        ),
        Reading(figure="B1", what="foreign origins", unit="origins", bar=0, aim=0, values=(len(loaded.foreign),)),
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class Loaded:
    """One answer a browser asks for."""

    path: str
    kind: str
    zipped: int


@dataclass(kw_only=True, slots=True)
class PageLoad:
    """Everything one page makes a browser load."""

    files: list[Loaded] = field(default_factory=list)
    foreign: set[str] = field(default_factory=set)


class _Named(HTMLParser):
    """The addresses a page names: (kind, address)."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag in {"script", "img"} and named.get("src"):
            self.found.append(("script" if tag == "script" else "picture", named["src"] or ""))
        elif tag == "link" and named.get("href") and named.get("rel") in _LOADED:
            self.found.append(("style" if named["rel"] == "stylesheet" else "other", named["href"] or ""))


def load_page(place: Place, path: str) -> PageLoad:
    """Load ``path`` as the editor, and everything it names, each address once."""
    client = place.app.test_client(use_cookies=False)
    loading = PageLoad()
    waiting = [("page", urljoin(_ORIGIN, path))]
    known = set()
    cookie = session_cookie(place)
    while waiting:
        kind, address = waiting.pop(0)
        if address in known or address.startswith("data:"):
            continue
        known.add(address)
        if not address.startswith(f"{_ORIGIN}/"):
            loading.foreign.add(urlsplit(address).netloc)
            continue
        body = _get(client, address.removeprefix(_ORIGIN), cookie)
        loading.files.append(Loaded(path=address.removeprefix(_ORIGIN), kind=kind, zipped=len(gzip.compress(body, 9))))
        waiting += [
            (found, urljoin(address, named)) for found, named in _named_in(kind, body.decode("utf-8", "replace"))
        ]
    return loading


def _get(client: FlaskClient, path: str, cookie: str) -> bytes:
    with client.get(path, headers={"Cookie": cookie}, buffered=True) as response:
        if response.status_code != 200:
            msg = f"{path}: {response.status_code}"
            raise OSError(msg)
        return response.get_data()


def _named_in(kind: str, words: str) -> Iterator[tuple[str, str]]:
    if kind == "page":
        parser = _Named()
        parser.feed(words)
        yield from parser.found
    elif kind == "script" and "htmx" not in words[:400]:
        yield from (("script", found) for found in _IMPORT.findall(words) if found.startswith((".", "/", "http")))
    elif kind == "style":
        for imported, named in _CSS.findall(words):
            yield ("style", imported) if imported else ("other", named)
