"""Addresses that lead to a page (table ``redirects``). They lead to pages of the site only, never elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.engine import Connection

from app.content.schema import REDIRECTS
from app.content.site.addresses import SITE
from app.content.site.lines import visible_condition
from app.content.site.pages import find_page_link
from app.content.site.types import SiteLink, Stance
from app.content.store import overlay_condition

_LONGEST = 500
_PERMANENT, _PASSING = 301, 302


@dataclass(frozen=True, kw_only=True, slots=True)
class SiteRedirect:
    """Where an address leads, and how."""

    link: SiteLink
    status: int
    """301 or 302."""


def find_redirect(connection: Connection, stance: Stance, address: str) -> SiteRedirect | None:
    """The visible page a record leads ``address`` to (a path below ``/site/``), or None; at most seven statements.

    A record may name the address with or without ``/site``, with or without a slash at either end. Redirects are not
    versioned: a preview uses the live ones, to pages as the preview shows them.
    """
    redirects = REDIRECTS.table
    statement = select(redirects.c.target_page, redirects.c.status).where(
        redirects.c.source.in_(spellings(address)),
        overlay_condition(REDIRECTS, stance.workspace_id),
        visible_condition(REDIRECTS, stance.now),
    )
    found = connection.execute(statement.order_by(redirects.c.uid).limit(1)).first()
    link = None if found is None else find_page_link(connection, stance, int(found.target_page))
    if found is None or link is None:
        return None
    return SiteRedirect(link=link, status=_PERMANENT if found.status in {_PERMANENT, 308} else _PASSING)


def spellings(address: str) -> list[str]:
    """How a record may write the path ``address``; empty for one that no record can hold."""
    plain = address.strip("/")
    if not plain or len(plain) > _LONGEST:
        return []
    return [f"{start}{plain}{end}" for start in ("/", "", SITE, SITE.lstrip("/")) for end in ("", "/")]
