"""Who looks at the site: a visitor at what is live, or a member at what a draft workspace would publish."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from flask import Response, current_app, make_response, redirect, render_template, request

from app.content.site import SiteLink, Stance, site_address
from app.content.store import Language, list_languages
from app.core import clock
from app.core.i18n import SOURCE_LOCALE
from app.policy.identity import LIVE
from app.web.arguments import parse_number
from app.web.current import NotSignedIn, current
from app.web.locale import settle_for_visitors
from app.web.security import share

PREVIEW: Final = "workspace"
KEPT_SECONDS: Final = 60
"""How long others may keep a public page: no longer than an editor is ready to wait for a change."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Visit:
    """One request for something of the site."""

    stance: Stance
    workspace_title: str = ""

    @property
    def is_preview(self) -> bool:
        """Whether a draft is shown."""
        return self.stance.workspace_id != LIVE

    def address(self, link: SiteLink) -> str:
        """Where a page is, in the same preview."""
        return self.within(site_address(link))

    def within(self, path: str) -> str:
        """A path of the site, in the same preview."""
        return f"{path}?{PREVIEW}={self.stance.workspace_id}" if self.is_preview else path


def find_visit() -> Visit | None:
    """The visit asked for; None for a draft that does not exist, whose member the person is not, or without sign-in."""
    number = parse_number(request.args.get(PREVIEW) or str(LIVE))
    if number == LIVE:
        return Visit(stance=Stance(now=clock.now()))
    if number is None or current().signed_in is None:
        return None
    try:
        identity = current().identity
    except NotSignedIn:
        return None
    if number not in identity.workspaces:
        return None
    stance = Stance(now=clock.now(), workspace_id=number, reader=identity)
    return Visit(stance=stance, workspace_title=identity.workspaces[number])


def for_visitors(response: Response, visit: Visit) -> Response:
    """Let others keep a live answer; never a preview, nor what somebody who is signed in was given."""
    signed = current_app.config["SESSION_COOKIE_NAME"] in request.cookies
    return response if visit.is_preview or signed else share(response, KEPT_SECONDS)


def leads_to(address: str, status: int, visit: Visit) -> Response:
    """An answer that leads on; it is kept no longer than a page, so that a wrong one can be put right."""
    return for_visitors(make_response(redirect(address, code=status)), visit)


def not_found(code: str = "") -> Response:
    """The site's own page for what is not there or may not be seen: the same for both."""
    languages = list_languages(current().connection)
    chosen = next((language for language in languages if language.code == code), _first(languages))
    locale = settle_for_visitors(chosen.code)
    site_name = current().settings.site_name
    body = render_template("public/not_found.html", site_name=site_name, language=locale, locale=locale)
    return make_response(body, 404)


def _first(languages: tuple[Language, ...]) -> Language:
    return languages[0] if languages else Language(id=0, code=SOURCE_LOCALE, title="")
