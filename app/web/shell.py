"""What the frame around every page shows: site, person, sections, languages, appearance (templates/layouts/base.html)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlencode

from babel import Locale
from flask import current_app, request

from app.agent import inbox
from app.chat.facts import workspace_words
from app.core.i18n import Text, known_locales, text
from app.policy.identity import GRANT_AUDIT, LIVE, Identity
from app.web import locale
from app.web.addresses import own_path
from app.web.current import current


@dataclass(frozen=True, kw_only=True, slots=True)
class NavigationEntry:
    """One section of the header."""

    endpoint: str
    label: Text
    current: bool
    count: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class LocaleLink:
    """This page in another language."""

    code: str
    autonym: str
    url: str
    current: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Link:
    """A further link of the personal menu."""

    url: str
    label: Text


@dataclass(frozen=True, kw_only=True, slots=True)
class SwitcherOption:
    """A workspace the person may stand in."""

    id: int
    title: Text
    current: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Switcher:
    """The form by which a person goes to another workspace, in the header of every page (cms.md section 6)."""

    options: tuple[SwitcherOption, ...]
    next: str
    """Where the person is: they stay there when it exists in the other workspace."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Person:
    """Who is signed in."""

    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Links:
    """Addresses of the frame; None = this installation or this person has no such page."""

    home: str = "/"
    preferences: str | None = "/preferences"
    sign_in: str | None = "/sign-in"
    sign_out: str | None = "/sign-out"
    accessibility: str | None = "/accessibility"
    feedback: str | None = "/feedback"
    glossary: str | None = "/glossary"
    help: str | None = "/help"


@dataclass(frozen=True, kw_only=True, slots=True)
class Shell:
    """The frame of one page for one reader."""

    site_name: str
    theme: str
    locale: str
    locales: tuple[LocaleLink, ...]
    person: Person | None = None
    workspace_label: Text | None = None
    switcher: Switcher | None = None
    """None when nobody is signed in or there is nothing to choose from."""
    nav: tuple[NavigationEntry, ...] = ()
    approvals_count: int = 0
    personal: tuple[Link, ...] = ()
    links: Links = field(default_factory=Links)


def _everybody(_identity: Identity) -> bool:
    return True


def _administrator(identity: Identity) -> bool:
    return identity.is_admin


def _auditor(identity: Identity) -> bool:
    return identity.may(GRANT_AUDIT)


APPROVALS: Final = "/approvals"
SECTIONS: Final[Mapping[str, tuple[Text, Callable[[Identity], bool]]]] = {
    "/conversations": (text("Conversations"), _everybody),
    APPROVALS: (text("Approvals"), _everybody),
    "/pages": (text("Pages"), _everybody),
    "/files": (text("Files"), _everybody),
    "/workspaces": (text("Workspaces"), _everybody),
    "/configurations": (text("Configurations"), _administrator),
    "/tools": (text("Tools"), _administrator),
    "/users": (text("People"), _administrator),
    "/groups": (text("Groups"), _administrator),
    "/runs": (text("Assignments"), _administrator),
    "/governance": (text("Governance"), _auditor),
}
"""Sections by address, with who has them; those without a page in this installation are left out."""
BELONGING: Final[Mapping[str, tuple[str, ...]]] = {"/pages": ("/records/",), APPROVALS: ("/runs/",)}
"""Addresses that belong to a section without lying below it."""
PERSONAL: Final = (
    Link(url="/sessions", label=text("Sign-ins")),
    Link(url="/keyboard", label=text("Keyboard")),
)


def build_shell() -> Shell:
    """The frame for the request being answered."""
    frame = {
        "site_name": current().settings.site_name,
        "theme": locale.theme(),
        "locale": locale.locale_code(),
        "locales": _locales(),
    }
    person = current().signed_in
    if person is None:
        return Shell(**frame)  # type: ignore[arg-type]
    identity = current().identity
    waiting = count_waiting(identity)
    return Shell(
        **frame,  # type: ignore[arg-type]
        person=Person(name=person.name),
        workspace_label=_workspace_label(identity),
        switcher=_switcher(identity),
        nav=_sections(identity, waiting),
        approvals_count=waiting,
        personal=PERSONAL,
    )


def count_waiting(identity: Identity) -> int:
    """How many waiting turns the person may decide."""
    return inbox.count_waiting(current().connection, identity)


def _workspace_label(identity: Identity) -> Text:
    if identity.workspace_id is None:
        return text("No workspace available")
    return workspace_words(identity.workspace_id, identity)


def usable_workspaces(identity: Identity) -> tuple[int, ...]:
    """Live, where the person has it, and their draft workspaces by title."""
    live = (LIVE,) if identity.may_use_workspace(LIVE) else ()
    titles = identity.workspaces
    return (*live, *sorted(titles, key=lambda number: (titles[number].casefold(), number)))


def _switcher(identity: Identity) -> Switcher | None:
    options = tuple(
        SwitcherOption(id=number, title=workspace_words(number, identity), current=number == identity.workspace_id)
        for number in usable_workspaces(identity)
    )
    if all(option.current for option in options):
        return None
    return Switcher(options=options, next=_here())


def _here() -> str:
    """The address of this page; after a refused form, and where it cannot be an address (B6), of the page before it."""
    here = request.full_path.removesuffix("?") if request.method in {"GET", "HEAD"} else None
    return own_path(here) or ""


def _sections(identity: Identity, waiting: int) -> tuple[NavigationEntry, ...]:
    endpoints = endpoints_by_address()
    path = request.path
    return tuple(
        NavigationEntry(
            endpoint=endpoints[address],
            label=label,
            current=path == address or path.startswith(_below(address)),
            count=waiting if address == APPROVALS else 0,
        )
        for address, (label, has_it) in SECTIONS.items()
        if address in endpoints and has_it(identity)
    )


def _below(address: str) -> tuple[str, ...]:
    """Beginnings of addresses that belong to a section: what lies below it unless it belongs to another, and its own guests."""
    below, guests = f"{address}/", BELONGING.get(address, ())
    is_taken = any(below in other for other in BELONGING.values())
    return guests if is_taken else (below, *guests)


def endpoints_by_address() -> Mapping[str, str]:
    """Endpoints that answer GET, by their address without variables."""
    found: dict[str, str] | None = current_app.extensions.get("imprimatur_addresses")
    if found is None:
        rules = current_app.url_map.iter_rules()
        found = {rule.rule: rule.endpoint for rule in rules if "GET" in (rule.methods or set())}
        current_app.extensions["imprimatur_addresses"] = found
    return found


def _locales() -> tuple[LocaleLink, ...]:
    shown = locale.locale_code()
    return tuple(
        LocaleLink(code=code, autonym=autonym(code), url=_in_language(code), current=code == shown)
        for code in known_locales()
    )


def autonym(code: str) -> str:
    """The name of a language in itself."""
    found = Locale.parse(code).get_display_name(code) or code
    return found[:1].upper() + found[1:]


def _in_language(code: str) -> str:
    path = request.path if request.method in {"GET", "HEAD"} and request.url_rule is not None else "/"
    kept = [] if path == "/" else [(name, value) for name, value in request.args.items() if name != locale.COOKIE]
    return f"{path}?{urlencode([*kept, (locale.COOKIE, code)])}"
