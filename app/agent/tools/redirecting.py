"""The tool that makes an address lead to a page. Redirects have no drafts, so it works live only (DW-21)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sqlalchemy import false, select

from app.agent.tools.base import Plan, ToolContext, WriteResult
from app.agent.tools.schemas import arguments, line, number_choice, uid
from app.agent.tools.updating import check_saved
from app.agent.tools.words import named, title_of
from app.content import reading, rights, store
from app.content.errors import WriteRefused, not_found
from app.content.schema import PAGES, REDIRECTS
from app.content.site.redirects import spellings
from app.content.types import RecordRef, Row
from app.content.writer import Batch
from app.core.i18n import text
from app.policy.identity import LIVE
from app.policy.invocation import ToolEffect, ToolFacts

PERMANENT, TEMPORARY = 301, 302
_ADDRESS = re.compile(r"/(?!/)[^\s?#\\\x00-\x20\x7f-\x9f]+")
"""An address on this site: one slash first, then no blank, query, fragment or backslash (browsers read that as a slash)."""


class CreateRedirect:
    """An address that leads to a page."""

    facts = ToolFacts(name="create_redirect", group="editing", effect=ToolEffect.WRITE)
    description = (
        "Makes an address of the site lead to a page. Works on the live site only: a draft workspace cannot hold it."
    )
    parameters = arguments(
        ("source", "target"),
        source={**line("Address on the site, starting with a slash: /old-page.", 500), "minLength": 2},
        target=uid("Number of the page it leads to."),
        status=number_choice("301 = for good (when absent), 302 = for a while.", PERMANENT, TEMPORARY),
    )
    label = text("Create a redirect")
    sentence = text("Makes an address lead to a page; only in Live.")

    def plan(self, context: ToolContext, arguments: Mapping[str, Any]) -> Plan:
        """See ``WriteTool``."""
        if context.workspace_id != LIVE:
            raise _not_in_a_draft()
        rights.require_create(context.connection, context.acting, LIVE, REDIRECTS.name, 0)
        page = _shown_page(context, arguments["target"])
        source = arguments["source"].strip()
        _check_address(context, source)
        return Plan(
            target=RecordRef(table=PAGES.name, uid=page.live_uid),
            heading=text(
                "Redirect the address “%(address)s” to the page “%(title)s”", address=source, title=title_of(page)
            ),
            generic_heading=self.label,
            named=(named(page, LIVE),),
            details={
                "values": {
                    "source": source,
                    "target_page": page.live_uid,
                    "status": arguments.get("status", PERMANENT),
                }
            },
        )

    def execute(self, context: ToolContext, plan: Plan, batch: Batch) -> WriteResult:
        """See ``WriteTool``."""
        values = plan.details["values"]
        made = batch.create(REDIRECTS.name, 0, values)
        batch.mark_target(made)
        row = store.find_stored_row(context.connection, made.table, made.uid)
        check_saved(REDIRECTS.name, values, row.values if row else {})
        content = {"done": "create", "table": REDIRECTS.name, "uid": made.uid, **values}
        return WriteResult(content=content, target=made, kind="create")


def _shown_page(context: ToolContext, page_uid: int) -> Row:
    """The page, if it is shown to the acting person; ``not_found`` for missing and not theirs alike."""
    page = store.find_row(context.connection, PAGES.name, page_uid, LIVE)
    if page is None or not reading.readable_rows(context.connection, context.acting, LIVE, [page]):
        raise not_found()
    return page


def _check_address(context: ToolContext, source: str) -> None:
    if not _ADDRESS.fullmatch(source):
        raise WriteRefused(
            "address",
            text(
                "The address must start with one slash and hold no spaces, question marks, number signs or backslashes."
            ),
        )
    rows = REDIRECTS.table
    same = spellings(source.removeprefix("/site"))  # records name an address with or without it
    taken = select(rows.c.uid).where(rows.c.source.in_(same), rows.c.deleted == false()).limit(1)
    if context.connection.execute(taken).first() is not None:
        raise WriteRefused("address_taken", text("There is a redirect for this address already."))


def _not_in_a_draft() -> WriteRefused:
    return WriteRefused(
        "not_versioned",
        text(
            "A draft workspace cannot hold redirects. Nothing was changed. "
            "Switch to the workspace Live and send the request again."
        ),
    )
