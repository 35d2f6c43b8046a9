"""Reading a whole Hugo-style tree: files to pages, pages in order, translations connected."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from app.content.imports.markdown.files import BrokenFile, iter_files, read_text, relative_path
from app.content.imports.markdown.front_matter import FrontMatter, split_front_matter
from app.content.imports.markdown.images import ImageFinder
from app.content.imports.markdown.report import Report
from app.content.imports.markdown.sections import BodySection, read_sections
from app.content.imports.markdown.site import PageFile, Site, sibling_order
from app.content.imports.markdown.types import ReportKind, SourcePage, SourceSection, SourceText, SourceTree
from app.content.imports.markdown.words import readable_name
from app.core import canonical
from app.core.i18n import text

_NAME = re.compile(r"(?P<name>.+)\.(?P<language>[^.]+)\.md\Z", re.IGNORECASE)
_MAX_SLUG = 40

Files = dict[str, dict[str, PageFile]]


def read_tree(directory: Path, languages: Sequence[str], on_file: Callable[[Path], None] | None = None) -> SourceTree:
    """The pages of ``directory`` in ``languages`` (the first is the default one) and what is worth reporting.

    ``on_file`` is called after each file of ``iter_files``. A broken file is reported and the rest goes on; nothing
    outside of ``directory`` is read. Raises ``ValueError`` without a language and ``NotADirectoryError``.
    """
    if not languages:
        msg = "at least one language"
        raise ValueError(msg)
    if not directory.is_dir():
        raise NotADirectoryError(directory)
    report = Report()
    files = _read_files(directory, languages, report, on_file)
    _complete(files, directory, languages[0], report)
    site = Site(files, languages)
    images = ImageFinder(directory)
    pages = tuple(_page(key, site, images, report) for key in _in_order(site))
    return SourceTree(pages=pages, report=report.entries())


def _read_files(
    directory: Path, languages: Sequence[str], report: Report, on_file: Callable[[Path], None] | None
) -> Files:
    """Every readable file by page key and language, the default language first."""
    found: Files = {}

    def unlisted(error: OSError) -> None:
        if error.filename:
            path = relative_path(Path(error.filename), directory)
            report.add(ReportKind.BROKEN_FILE, path, text("The system refused to read it."))

    for path in iter_files(directory, unlisted):
        place = relative_path(path, directory)
        try:
            named = _named(place, languages)
            if named is None:
                report.add(ReportKind.SKIPPED_NO_LANGUAGE, place)
            else:
                _take(found, read_page_file(path, directory, *named))
        except BrokenFile as error:
            report.add(ReportKind.BROKEN_FILE, place, error.reason)
        if on_file is not None:
            on_file(path)
    return {key: {code: files[code] for code in languages if code in files} for key, files in found.items()}


def _named(place: str, languages: Sequence[str]) -> tuple[str, str] | None:
    """Page key and language in a file's name, None when it has none of ``languages``."""
    folder, name = posixpath.split(place)
    match = _NAME.match(name)
    if match is None:
        return None
    language = next((code for code in languages if code.lower() == match["language"].lower()), None)
    if language is None:
        return None
    if match["name"] in {"_index", "index"}:
        return folder, language
    return posixpath.join(folder, match["name"]), language


def read_page_file(path: Path, directory: Path, key: str, language: str) -> PageFile:
    """One file with its head read and a title; raises ``BrokenFile``."""
    meta, body = split_front_matter(read_text(path, directory))
    if not meta.title:
        meta = replace(meta, title=_title_from(key, directory))
    return PageFile(key=key, language=language, path=relative_path(path, directory), meta=meta, body=body)


def _take(found: Files, page: PageFile) -> None:
    files = found.setdefault(page.key, {})
    if page.language in files:
        raise BrokenFile(text("It describes the same page as %(path)s.", path=files[page.language].path))
    files[page.language] = page


def _title_from(key: str, directory: Path) -> str:
    """A title from the last folder or file name."""
    name = readable_name(posixpath.basename(key)) or readable_name(directory.resolve().name) or key
    return name[:1].upper() + name[1:]


def _complete(files: Files, directory: Path, default: str, report: Report) -> None:
    """Drop pages without the default language and give every folder on the way to a page a page."""
    for key in [key for key, texts in files.items() if default not in texts]:
        for page in files.pop(key).values():
            report.add(ReportKind.MISSING_DEFAULT_LANGUAGE, page.path)
    for key in sorted(files):
        folder = key
        while folder:
            folder = posixpath.dirname(folder)
            if folder in files:
                continue
            title = _title_from(folder, directory)
            report.add(ReportKind.MISSING_INDEX, folder or ".", title)
            invented = PageFile(key=folder, language=default, path=folder, meta=FrontMatter(title=title), body="")
            files[folder] = {default: invented}


def _in_order(site: Site) -> list[str]:
    """All keys, parents before their children, siblings in reading order."""
    default = site.languages[0]
    below: dict[str, list[str]] = {}
    for key in site.pages:
        if key:
            below.setdefault(posixpath.dirname(key), []).append(key)
    ordered: list[str] = []
    waiting = [""] if "" in site.pages else []
    while waiting:
        key = waiting.pop()
        ordered.append(key)
        children = sorted(below.get(key, ()), key=lambda child: sibling_order(site.pages[child][default]), reverse=True)
        waiting.extend(children)
    return ordered


def _page(key: str, site: Site, images: ImageFinder, report: Report) -> SourcePage:
    files = site.pages[key]
    default = files[site.languages[0]]
    texts: dict[str, SourceText] = {}
    original: tuple[SourceSection, ...] | None = None
    for language, page in files.items():
        sections = connect_sections(key, _sections(page, site, images, report), original)
        original = sections if original is None else original
        texts[language] = _text(page, sections)
    return SourcePage(
        key=key,
        parent_key=posixpath.dirname(key) if key else None,
        weight=default.meta.weight,
        date=default.meta.date,
        draft=default.meta.draft,
        translations=MappingProxyType(texts),
    )


def _sections(page: PageFile, site: Site, images: ImageFinder, report: Report) -> tuple[BodySection, ...]:
    try:
        return read_sections(page, site, images, report)
    except BrokenFile as error:
        report.add(ReportKind.BROKEN_FILE, page.path, error.reason)
    except RecursionError:
        report.add(ReportKind.BROKEN_FILE, page.path, text("It is nested too deeply."))
    # The head was fine: the page keeps its place and title, only its body is missing.
    return ()


def connect_sections(
    key: str, sections: Sequence[BodySection], original: Sequence[SourceSection] | None
) -> tuple[SourceSection, ...]:
    """``sections`` with keys and partners; ``original`` are those of the default language, None for itself.

    The text before the first heading has its like as partner, the headed sections are paired by their position.
    """
    partners = _partners(sections, original)
    connected: list[SourceSection] = []
    for at, (section, partner) in enumerate(zip(sections, partners, strict=True)):
        if original is not None and partner is not None:
            name = original[partner].key
        else:
            slug = _slug(section.header)
            name = f"{key}#{at + 1}" + (f"-{slug}" if slug else "")
        connected.append(
            SourceSection(
                key=name, header=section.header, body=section.body, images=section.images, partner_index=partner
            )
        )
    return tuple(connected)


def _partners(sections: Sequence[BodySection], original: Sequence[SourceSection] | None) -> list[int | None]:
    if original is None:
        return list(range(len(sections)))
    shift = int(bool(original) and not original[0].header) - int(bool(sections) and not sections[0].header)
    partners: list[int | None] = []
    for at, section in enumerate(sections):
        partner = at + shift if section.header else 0
        fits = 0 <= partner < len(original) and bool(original[partner].header) == bool(section.header)
        partners.append(partner if fits else None)
    return partners


def _slug(header: str) -> str:
    plain = unicodedata.normalize("NFKD", header.lower().replace("ß", "ss")).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:_MAX_SLUG].strip("-")


def _text(page: PageFile, sections: tuple[SourceSection, ...]) -> SourceText:
    described: Mapping[str, object] = {
        "language": page.language,
        "title": page.meta.title,
        "description": page.meta.description,
        "draft": page.meta.draft,
        "sections": [
            [
                section.key,
                section.header,
                section.body,
                [[image.path, image.alt, image.sha256] for image in section.images],
            ]
            for section in sections
        ],
    }
    return SourceText(
        language=page.language,
        path=page.path,
        title=page.meta.title,
        description=page.meta.description,
        draft=page.meta.draft,
        sections=sections,
        content_hash=canonical.sha256(canonical.dumps(described)),
    )
