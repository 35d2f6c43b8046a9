"""What the pages know of each other: links between them, their children and their tags."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

from app.content.imports.markdown.front_matter import FrontMatter
from app.content.imports.markdown.types import PAGE_SCHEME


@dataclass(frozen=True, kw_only=True, slots=True)
class PageFile:
    """One readable file: its page, language, path below the directory, fields (always with a title) and body."""

    key: str
    language: str
    path: str
    meta: FrontMatter
    body: str


def page_target(key: str, anchor: str = "") -> str:
    """The placeholder link to a page: ``page:<key>`` or ``page:<key>#<anchor>``."""
    return PAGE_SCHEME + quote(key, safe="/-_.~") + (f"#{quote(anchor, safe='-_.~%')}" if anchor else "")


def sibling_order(page: PageFile) -> tuple[bool, int, str, str]:
    """Weight first (none comes last), then title, then name."""
    weight = page.meta.weight
    return weight is None, weight or 0, page.meta.title.casefold(), page.key


class Site:
    """The files of all pages that will be imported, by page and language; the default language is complete."""

    def __init__(self, pages: Mapping[str, Mapping[str, PageFile]], languages: Sequence[str]) -> None:
        self.pages = pages
        self.languages = tuple(languages)
        self._keys = {key.lower(): key for key in pages}
        self._names: dict[str, str | None] = {}
        for key in pages:
            name = posixpath.basename(key).lower()
            self._names[name] = None if name in self._names else key
        self._urls = {language: self._addresses(language) for language in languages}

    def page_file(self, key: str, language: str) -> PageFile:
        """The file of a page in ``language``, else in the default language."""
        files = self.pages[key]
        return files.get(language) or files[self.languages[0]]

    def children(self, key: str, language: str) -> list[PageFile]:
        """The pages directly below ``key`` in reading order."""
        below = [child for child in self.pages if child and child != key and posixpath.dirname(child) == key]
        in_order = sorted(below, key=lambda child: sibling_order(self.pages[child][self.languages[0]]))
        return [self.page_file(child, language) for child in in_order]

    def tagged(self, tags: Iterable[str], language: str) -> list[PageFile]:
        """The pages that carry one of ``tags`` in ``language``, by title."""
        wanted = {tag.strip().casefold() for tag in tags}
        found = [
            files[language]
            for files in self.pages.values()
            if language in files and wanted & {tag.casefold() for tag in files[language].meta.tags}
        ]
        return sorted(found, key=lambda page: (page.meta.title.casefold(), page.key))

    def find_reference(self, reference: str, page: PageFile) -> str | None:
        """The key a ``relref`` names: relative to the page's folder, from the root, or by a name that exists once."""
        path = self._without_ending(reference)
        if not reference.startswith("/"):
            near = posixpath.normpath(posixpath.join(_folder(page), path))
            if near.lower() in self._keys:
                return self._keys[near.lower()]
        wanted = posixpath.normpath(path).strip("/").lower() if path.strip("/") else ""
        if wanted in self._keys:
            return self._keys[wanted]
        return self._names.get(wanted) if "/" not in wanted else None

    def find_address(self, address: str, page: PageFile) -> str | None:
        """The key of the page an address of the old site led to; relative ones start at the page's address or file."""
        path = unquote(address)
        if path.startswith("/"):
            language, rest = self._split_language(path)
            return self._look_up(rest, language or page.language)
        own = self._address(page)
        for base in (own, _folder(page)):
            joined = posixpath.normpath(posixpath.join("/", base, path))
            language, rest = self._split_language(joined)
            found = self._look_up(rest, language or page.language)
            if found is not None:
                return found
        return None

    def _look_up(self, path: str, language: str) -> str | None:
        urls = self._urls.get(language, {})
        plain = path.strip("/").lower()
        if plain in urls:
            return urls[plain]
        return urls.get(self._without_ending(plain.removesuffix("index.html")).strip("/"))

    def _addresses(self, language: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for key, files in self.pages.items():
            if language in files:
                found.setdefault(self._address(files[language]).strip("/").lower(), key)
        for key, files in self.pages.items():
            for alias in files[language].meta.aliases if language in files else ():
                found.setdefault(self._split_language(alias)[1].strip("/").lower(), key)
        for key in self.pages:
            found.setdefault(key.lower(), key)
        return found

    def _address(self, page: PageFile) -> str:
        """The page's address without language, as Hugo makes it."""
        if page.meta.url:
            return self._split_language(page.meta.url)[1]
        if page.meta.slug:
            return posixpath.join(posixpath.dirname(page.key), page.meta.slug)
        return page.key

    def _split_language(self, path: str) -> tuple[str, str]:
        first, _, rest = path.lstrip("/").partition("/")
        known = next((language for language in self.languages if language.lower() == first.lower()), None)
        return (known, rest) if known is not None else ("", path)

    def _without_ending(self, path: str) -> str:
        path = path.removesuffix("/").removesuffix(".md")
        for language in self.languages:
            path = path.removesuffix(f".{language}")
        folder, name = posixpath.split(path)
        return folder if name in {"_index", "index"} else path


def _folder(page: PageFile) -> str:
    """The folder of the file (not of its address), '' at the top."""
    return posixpath.dirname(page.path)
