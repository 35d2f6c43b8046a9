"""The tool that brings a deleted record back; live only, for a draft holds marks instead (cms.md section 11)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.agent.tools.base import Plan, ToolContext, WriteResult
from app.agent.tools.schemas import arguments, choice, uid
from app.agent.tools.words import named, title_of
from app.content import rights, store
from app.content.errors import WriteRefused
from app.content.types import RecordRef
from app.content.writer import Batch
from app.core.i18n import Text, text
from app.policy.identity import LIVE
from app.policy.invocation import ToolEffect, ToolFacts

_HEADINGS: Mapping[str, Text] = {
    "pages": text("Restore the deleted page “%(title)s”"),
    "content_elements": text("Restore the deleted content element “%(title)s”"),
    "contacts": text("Restore the deleted contact “%(title)s”"),
    "redirects": text("Restore the deleted redirect “%(title)s”"),
}


class UndeleteRecord:
    """A deleted record is there again: a page with what was deleted along with it, translations not."""

    facts = ToolFacts(name="undelete_record", group="editing", effect=ToolEffect.WRITE)
    description = (
        "Restores one deleted record of the live site; a page comes back with what lies on and below it, "
        "translations do not. Find it with search_records and deleted set. Not in a draft workspace."
    )
    parameters = arguments(
        ("table", "uid"), table=choice("Kind of record.", *_HEADINGS), uid=uid("Number of the deleted record.")
    )
    label = text("Restore a deleted record")
    sentence = text("Restores one deleted record; only in Live.")

    def plan(self, context: ToolContext, arguments: Mapping[str, Any]) -> Plan:
        """See ``WriteTool``."""
        if context.workspace_id != LIVE:
            raise _live_only()
        table = arguments["table"]
        row = rights.require_undelete(context.connection, context.acting, table, arguments["uid"])
        return Plan(
            target=RecordRef(table=table, uid=row.uid),
            heading=_HEADINGS[table].with_params(title=title_of(row)),
            generic_heading=self.label,
            named=(named(row, LIVE),),
        )

    def execute(self, context: ToolContext, plan: Plan, batch: Batch) -> WriteResult:
        """See ``WriteTool``."""
        target = plan.target
        if target is None:
            raise WriteRefused("no_target", text("The step names no record."))
        restored = batch.undelete(target.table, target.uid)
        batch.mark_target(restored)
        row = store.find_row(context.connection, target.table, target.uid, LIVE)
        if row is None:
            raise WriteRefused("not_restored", text("The record could not be restored."))
        content = {"done": "undelete", "table": target.table, "uid": target.uid, "hidden": row.values.get("hidden")}
        return WriteResult(content=content, target=restored, kind="undelete")


def _live_only() -> WriteRefused:
    return WriteRefused(
        "live_only",
        text(
            "Deleted records can be restored in the workspace Live only. Nothing was changed. "
            "Switch to the workspace Live and send the request again."
        ),
    )
