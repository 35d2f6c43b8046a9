"""The site as visitors read it: which records they may see, and one page with everything on it.

May import content; knows neither addresses of the editing interface nor HTML.
"""

from __future__ import annotations

from app.content.site.addresses import site_address, slug_of
from app.content.site.files import find_site_file
from app.content.site.lines import read_visible_lines
from app.content.site.pages import find_home, find_page_link, read_site_page
from app.content.site.redirects import SiteRedirect, find_redirect
from app.content.site.types import (
    SiteBranch,
    SiteContact,
    SiteElement,
    SiteFile,
    SiteLink,
    SitePage,
    Stance,
)

__all__ = [
    "SiteBranch",
    "SiteContact",
    "SiteElement",
    "SiteFile",
    "SiteLink",
    "SitePage",
    "SiteRedirect",
    "Stance",
    "find_home",
    "find_page_link",
    "find_redirect",
    "find_site_file",
    "read_site_page",
    "read_visible_lines",
    "site_address",
    "slug_of",
]
