"""The tool that copies a page with its content, translations and, when asked, its subpages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.agent.tools.base import Plan, ToolContext, WriteResult
from app.agent.tools.schemas import arguments, flag, uid
from app.agent.tools.words import named, title_of
from app.content import rights, store
from app.content.errors import WriteRefused, not_found
from app.content.types import RecordRef
from app.content.writer import Batch
from app.core.i18n import text
from app.policy.invocation import ToolEffect, ToolFacts


class CopyPage:
    """A copy of a page below another page; hidden."""

    facts = ToolFacts(name="copy_page", group="editing", effect=ToolEffect.WRITE)
    description = (
        "Copies a page with its content and translations below a target page (absent = below the same parent). "
        "The copy is hidden. With subpages its subpages come along."
    )
    parameters = arguments(
        ("page",),
        page=uid("Number of the page to copy."),
        target=uid("Number of the page to copy it below; absent = below the same parent."),
        subpages=flag("Whether its subpages come along; false when absent."),
    )
    label = text("Copy a page")
    sentence = text("Copies a page with its content and translations; the copy is hidden.")

    def plan(self, context: ToolContext, arguments: Mapping[str, Any]) -> Plan:
        """See ``WriteTool``."""
        source, parent_uid = rights.require_copy_page(
            context.connection, context.acting, context.workspace_id, arguments["page"], arguments.get("target")
        )
        subpages = arguments.get("subpages", False)
        parent = store.find_row(context.connection, "pages", parent_uid, context.workspace_id) if parent_uid else None
        if parent is None:
            heading = text("Copy the page “%(title)s”", title=title_of(source))
        elif subpages:
            heading = text(
                "Copy the page “%(title)s” with its subpages below “%(page)s”",
                title=title_of(source),
                page=title_of(parent),
            )
        else:
            heading = text("Copy the page “%(title)s” below “%(page)s”", title=title_of(source), page=title_of(parent))
        return Plan(
            target=RecordRef(table="pages", uid=source.live_uid),
            heading=heading,
            generic_heading=text("Copy a page"),
            named=tuple(named(row, context.workspace_id) for row in (source, parent) if row is not None),
            details={"page": source.live_uid, "target": parent_uid, "subpages": subpages},
        )

    def execute(self, context: ToolContext, plan: Plan, batch: Batch) -> WriteResult:
        """See ``WriteTool``."""
        details = plan.details
        result = batch.copy_page(details["page"], details["target"], subpages=details["subpages"])
        batch.mark_target(result.root)
        row = store.find_stored_row(context.connection, "pages", result.root.uid)
        if row is None:
            raise not_found()
        if not row["hidden"]:
            raise WriteRefused("not_hidden", text("The new record could not be kept hidden, so it was not created."))
        counts = {table: count for table, count in result.counts.items() if count}
        content = {"done": "copy", "uid": row.live_uid, "title": row["title"], "hidden": True, "counts": counts}
        return WriteResult(content=content, target=result.root, kind="copy")
