"""The site itself: its pages for visitors, addresses that lead on, and previews of drafts for members."""

from __future__ import annotations

import re
from typing import Final

from flask import Blueprint, Response, make_response, render_template, request

from app.content.site import find_home, find_page_link, find_redirect, read_site_page, site_address
from app.content.store import list_languages
from app.web.current import current
from app.web.guards import public
from app.web.locale import settle_for_visitors
from app.web.site_views import page_view
from app.web.site_visits import Visit, find_visit, for_visitors, leads_to, not_found

bp = Blueprint("site", __name__)
_PAGE: Final = re.compile(r"([A-Za-z0-9-]{1,20})/([1-9][0-9]{0,15})(?:-[^/]*)?")
_LANGUAGE: Final = re.compile(r"([A-Za-z0-9-]{1,20})/?")


@bp.get("/site/")
@public
def home() -> Response:
    """The first page of the site in its default language."""
    visit = find_visit()
    if visit is None:
        return not_found()
    uid = find_home(current().connection, visit.stance)
    return (None if uid is None else _page(visit, 0, uid)) or not_found()


@bp.get("/site/<path:address>")
@public
def show(address: str) -> Response:
    """A page by language and number, else what a redirect leads to."""
    code = address.partition("/")[0]
    visit = find_visit()
    if visit is None:
        return not_found(code)
    return _by_number(visit, address) or _by_language(visit, address) or _by_redirect(visit, address) or not_found(code)


def _by_number(visit: Visit, address: str) -> Response | None:
    match = _PAGE.fullmatch(address)
    number = None if match is None else _language(match[1])
    return None if match is None or number is None else _page(visit, number, int(match[2]))


def _language(code: str) -> int | None:
    found = list_languages(current().connection)
    return next((language.id for language in found if language.code == code), None)


def _by_language(visit: Visit, address: str) -> Response | None:
    """The code of a language alone leads to the first page in it."""
    match = _LANGUAGE.fullmatch(address)
    number = None if match is None else _language(match[1])
    uid = None if number is None else find_home(current().connection, visit.stance)
    if number is None or uid is None:
        return None
    link = find_page_link(current().connection, visit.stance, uid, number)
    return None if link is None else leads_to(visit.address(link), 302, visit)


def _by_redirect(visit: Visit, address: str) -> Response | None:
    found = find_redirect(current().connection, visit.stance, address)
    return None if found is None else leads_to(visit.address(found.link), found.status, visit)


def _page(visit: Visit, language_id: int, uid: int) -> Response | None:
    page = read_site_page(current().connection, visit.stance, language_id, uid)
    if page is None:
        return None
    if request.path != site_address(page.link):
        return leads_to(visit.address(page.link), 301, visit)
    locale = settle_for_visitors(page.language.code)
    view = page_view(page, visit, locale)
    response = for_visitors(make_response(render_template("public/page.html", view=view)), visit)
    response.add_etag()
    return make_response(response.make_conditional(request))
