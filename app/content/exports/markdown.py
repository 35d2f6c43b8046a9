"""A branch as Markdown files in the shape the import reads: ``page.LANGUAGE.md`` with a head, folders for pages below."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

import yaml

from app.content.exports.bodies import Section, joined, picture, pointed
from app.content.exports.branch import DEFAULT, EVERY, Branch
from app.content.site.addresses import slug_of
from app.content.types import Row
from app.core.i18n import Text, ntext

FILES: Final = "static/files"
_RESERVED: Final = frozenset({"", "index", "static"})
_STEP: Final = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class ExportNote:
    """Something the files do not say."""

    path: str
    sentence: Text


@dataclass(frozen=True, kw_only=True, slots=True)
class MarkdownExport:
    """Texts and files of an export, by their path below its folder."""

    texts: Mapping[str, str]
    files: Mapping[str, Row]
    """Rows of the table of files."""
    notes: tuple[ExportNote, ...]
    page_count: int


def render_branch(branch: Branch, codes: Mapping[int, str]) -> MarkdownExport:
    """``branch`` in the languages ``codes`` (numbers with their codes, the default one included)."""
    rendering = _Rendering(branch, codes)
    for at, page in enumerate(branch.pages):
        rendering.add(page, weight=(at + 1) * _STEP)
    return MarkdownExport(
        texts=rendering.texts,
        files={rendering.file_paths[uid]: branch.files[uid] for uid in sorted(rendering.used)},
        notes=tuple(rendering.notes),
        page_count=len(branch.pages),
    )


class _Rendering:
    """One export in progress."""

    def __init__(self, branch: Branch, codes: Mapping[int, str]) -> None:
        self.branch, self.codes = branch, codes
        self.texts: dict[str, str] = {}
        self.notes: list[ExportNote] = []
        self.used: set[int] = set()
        self.keys = _keys(branch, codes)
        self.file_paths = {uid: f"{FILES}/{uid}-{_file_name(row['name'])}" for uid, row in branch.files.items()}

    def add(self, page: Row, *, weight: int) -> None:
        """The files of one page."""
        uid = page.live_uid
        for number, code in self.codes.items():
            row = page if number == DEFAULT else self.branch.translations.get(uid, {}).get(number)
            if row is None:
                continue
            elements = self._elements(uid, number)
            head = _head(row, weight=weight if number == DEFAULT else None)
            open_ones = [self._section(element, number) for element in elements if not _limits(element)]
            self._put(f"{self._stem(uid)}.{code}.md", head, joined(open_ones))
            self._put_apart(f"{self._stem(uid)}.{code}.hidden.md", row, elements, number)

    def _put(self, path: str, head: str, body: str) -> None:
        self.texts[path] = f"{head}\n{body}\n" if body else head

    def _put_apart(self, path: str, row: Row, elements: Sequence[Row], number: int) -> None:
        """What visitors do not see (always) goes into a file of its own, which an import tells and leaves out."""
        apart = [element for element in elements if _limits(element)]
        if not apart:
            return
        sections = [self._section(element, number) for element in apart]
        marked = [
            Section(header=section.header, body=f"<!-- {_limits(element)} -->\n\n{section.body}")
            for element, section in zip(apart, sections, strict=True)
        ]
        self._put(path, _head(row, weight=None), joined(marked))
        sentence = ntext(
            "%(path)s holds %(n)s content element that is hidden or limited. An import leaves it out.",
            "%(path)s holds %(n)s content elements that are hidden or limited. An import leaves them out.",
            len(apart),
            path=path,
        )
        self.notes.append(ExportNote(path=path, sentence=sentence))

    def _stem(self, uid: int) -> str:
        key = self.keys[uid]
        is_folder = uid == self.branch.top_uid or bool(self.branch.below.get(uid))
        return posixpath.join(key, "_index") if is_folder else key

    def _elements(self, uid: int, number: int) -> list[Row]:
        """Elements in a language, in the order of their originals, and those for every language."""
        own = self.branch.elements.get((uid, number), ())
        default = self.branch.elements.get((uid, DEFAULT), ())
        places = {element.live_uid: element["sorting"] for element in default}
        found = [*own, *self.branch.elements.get((uid, EVERY), ())]
        return sorted(
            found,
            key=lambda element: (places.get(element["translation_parent"], element["sorting"]), element.live_uid),
        )

    def _section(self, element: Row, number: int) -> Section:
        uses = [use for use in self.branch.uses.get(element.live_uid, ()) if use.file_uid in self.branch.files]
        words = {
            f"/{self.file_paths[use.file_uid].removeprefix('static/')}": use.alternative
            or self.branch.words.get((use.file_uid, number), "")
            or self.branch.words.get((use.file_uid, DEFAULT), "")
            for use in uses
        }
        self.used |= {use.file_uid for use in uses}
        body = pointed(element["body"], self._target, partial(_words_of, words))
        apart = [address for address in words if f"]({address})" not in body]
        pictures = "\n\n".join(picture(words[address], address) for address in apart)
        return Section(header=element["header"], body="\n\n".join(part for part in (body, pictures) if part))

    def _target(self, scheme: str, uid: int) -> str | None:
        if scheme == "page":
            return f"/{self._stem(uid)}.md" if uid in self.keys else None
        if uid not in self.file_paths:
            return None
        self.used.add(uid)
        return f"/{self.file_paths[uid].removeprefix('static/')}"


def _words_of(words: Mapping[str, str], address: str) -> str:
    return words.get(address, "")


def _keys(branch: Branch, codes: Mapping[int, str]) -> dict[int, str]:
    """Paths of pages without language and ending; unique below each page."""
    taken: set[str] = set()
    keys = {branch.top_uid: ""}
    reserved = _RESERVED | {code.lower() for code in codes.values()}
    for page in branch.pages[1:]:
        slug = slug_of(page["title"])
        key = posixpath.join(keys[page["pid"]], slug)
        if slug in reserved or key in taken:
            key = posixpath.join(keys[page["pid"]], f"{slug or 'page'}-{page.live_uid}")
        taken.add(key)
        keys[page.live_uid] = key
    return keys


def _file_name(name: str) -> str:
    stem, dot, ending = name.rpartition(".")
    plain = slug_of(stem if dot else name) or "file"
    return f"{plain}.{slug_of(ending)}" if dot and slug_of(ending) else plain


def _limits(element: Row) -> str:
    """Why not every visitor sees an element at all times, in words for those who read the file; empty if all do."""
    limits = ["hidden"] if element["hidden"] else []
    limits += [f"from {_moment(element['starttime'])}"] if element["starttime"] else []
    limits += [f"until {_moment(element['endtime'])}"] if element["endtime"] else []
    limits += [f"groups {_groups(element)}"] if _groups(element) else []
    return ", ".join(limits)


def _groups(row: Row) -> str:
    return "" if row["groups"] in {"", "0"} else str(row["groups"])


def _head(row: Row, *, weight: int | None) -> str:
    """The head of a file. A page limited to groups becomes a draft: what reads the file knows no such limit."""
    fields: dict[str, Any] = {"title": row["title"]}
    if row["description"]:
        fields["description"] = row["description"]
    if weight is not None:
        fields["weight"] = weight
    if row["starttime"]:
        fields["date"] = _moment(row["starttime"])
    if row["endtime"]:
        fields["expiryDate"] = _moment(row["endtime"])
    if row["hidden"] or _groups(row):
        fields["draft"] = True
    written = yaml.safe_dump(fields, allow_unicode=True, sort_keys=False, width=10**9)
    return f"---\n{written}---\n"


def _moment(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()
