"""A page of the site as its template takes it: addresses made, Markdown rendered, the languages named."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from babel import Locale, UnknownLocaleError

from app.content.files import is_picture
from app.content.site import SiteBranch, SiteContact, SiteElement, SiteFile, SiteLink, SitePage, site_address
from app.web.markdown import Picture, Surroundings, Target, render_content
from app.web.security import own_origin
from app.web.site_visits import Visit

_UNSAFE_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_IN_TEXT = re.compile(r"\bfile:([1-9][0-9]{0,15})")


@dataclass(frozen=True, kw_only=True, slots=True)
class LinkView:
    """A link of the site."""

    title: str
    address: str
    is_current: bool = False
    is_above: bool = False
    """Whether it leads to a page above the current one."""
    below: tuple[LinkView, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class LanguageView:
    """The page in a language."""

    code: str
    name: str
    address: str
    absolute: str
    is_current: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ElementView:
    """A piece of the page."""

    anchor: str
    header: str
    body: str
    """HTML as ``render_content`` makes it."""
    pictures: tuple[Picture, ...]
    """Those the text itself does not show."""
    downloads: tuple[LinkView, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class SitePageView:
    """A whole page."""

    title: str
    subtitle: str
    description: str
    keywords: str
    site_name: str
    is_home: bool
    home: str
    home_language: str
    """Another one than that of the page where the first page is not translated."""
    language: str
    locale: str
    """Language of the few words that are not content."""
    canonical: str
    path: tuple[LinkView, ...]
    sections: tuple[LinkView, ...]
    """Top level of the navigation."""
    branch: LinkView | None
    """The section the page lies in, when there are pages below it."""
    languages: tuple[LanguageView, ...]
    elements: tuple[ElementView, ...]
    pictures: tuple[Picture, ...]
    downloads: tuple[LinkView, ...]
    contacts: tuple[SiteContact, ...]
    preview: str | None
    """Title of the workspace shown; None = the live site."""
    workspace_url: str


def page_view(page: SitePage, visit: Visit, locale: str) -> SitePageView:
    """``page`` for the reader of ``visit``; ``locale`` is the language of the frame's words."""
    path = tuple(_link(step, visit, page.link.uid) for step in page.path)
    above = {step.uid for step in page.path}
    sections = tuple(_branch(branch, visit, page.link.uid, above) for branch in page.navigation)
    branch = next((found for found in sections if (found.is_current or found.is_above) and found.below), None)
    elements = tuple(_element(element, page, visit, locale) for element in page.elements)
    return SitePageView(
        title=page.title,
        subtitle=page.subtitle,
        description=" ".join(page.description.split()),
        keywords=" ".join(page.keywords.split()),
        site_name=page.home.title,
        is_home=page.link.uid == page.home.uid,
        home=visit.address(page.home),
        home_language=page.home.code,
        language=page.language.code,
        locale=locale,
        canonical=own_origin() + site_address(page.link),
        path=path,
        sections=sections,
        branch=branch,
        languages=tuple(_language(link, page, visit) for link in page.translations),
        elements=elements,
        pictures=_pictures(page.files, visit, ()),
        downloads=_downloads(page.files, visit),
        contacts=page.contacts,
        preview=visit.workspace_title if visit.is_preview else None,
        workspace_url=f"/workspaces/{visit.stance.workspace_id}",
    )


def file_address(file: SiteFile, visit: Visit) -> str:
    """Where a file can be fetched; its name is for people."""
    name = _UNSAFE_NAME.sub("-", file.name).strip(".-") or "file"
    return visit.within(f"/site/files/{file.uid}/{name}")


def language_name(code: str) -> str:
    """The name of a language in itself, else its code."""
    try:
        name = Locale.parse(code, sep="-").get_display_name() or code
    except (UnknownLocaleError, ValueError):
        return code
    return name[:1].upper() + name[1:]


def _link(link: SiteLink, visit: Visit, current_uid: int) -> LinkView:
    return LinkView(title=link.title, address=visit.address(link), is_current=link.uid == current_uid)


def _branch(branch: SiteBranch, visit: Visit, current_uid: int, above: Collection[int]) -> LinkView:
    return LinkView(
        title=branch.link.title,
        address=visit.address(branch.link),
        is_current=branch.link.uid == current_uid,
        is_above=branch.link.uid in above and branch.link.uid != current_uid,
        below=tuple(_branch(below, visit, current_uid, above) for below in branch.below),
    )


def _language(link: SiteLink, page: SitePage, visit: Visit) -> LanguageView:
    return LanguageView(
        code=link.code,
        name=language_name(link.code),
        address=visit.address(link),
        absolute=own_origin() + site_address(link),
        is_current=link.code == page.language.code,
    )


def _element(element: SiteElement, page: SitePage, visit: Visit, locale: str) -> ElementView:
    in_text = {int(match[1]) for match in _IN_TEXT.finditer(element.body)}
    pictures = {file.uid: _picture(file, visit) for file in element.files if is_picture(file.mime)}
    surroundings = Surroundings(
        pages={uid: _target(link, page, visit) for uid, link in page.links.items()},
        files={file.uid: Target(address=file_address(file, visit)) for file in element.files},
        pictures=pictures,
        top_level=3 if element.header else 2,
        locale=locale,
    )
    return ElementView(
        anchor=f"c{element.uid}",
        header=element.header,
        body=render_content(element.body, surroundings),
        pictures=_pictures(element.files, visit, in_text),
        downloads=_downloads((file for file in element.files if file.uid not in in_text), visit),
    )


def _target(link: SiteLink, page: SitePage, visit: Visit) -> Target:
    return Target(address=visit.address(link), language=link.code if link.code != page.language.code else None)


def _picture(file: SiteFile, visit: Visit) -> Picture:
    return Picture(
        address=file_address(file, visit), alternative=file.alternative, width=file.width, height=file.height
    )


def _pictures(files: Iterable[SiteFile], visit: Visit, shown: Collection[int]) -> tuple[Picture, ...]:
    return tuple(_picture(file, visit) for file in files if is_picture(file.mime) and file.uid not in shown)


def _downloads(files: Iterable[SiteFile], visit: Visit) -> tuple[LinkView, ...]:
    return tuple(
        LinkView(title=file.title or file.name, address=file_address(file, visit))
        for file in files
        if not is_picture(file.mime)
    )
