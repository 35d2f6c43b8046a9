"""The tool that deletes one record; in a draft workspace it marks the record to be deleted."""

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
from app.policy.invocation import ToolEffect, ToolFacts

_HEADINGS: Mapping[str, tuple[Text, Text]] = {
    "pages": (text("Delete the page “%(title)s”"), text("Delete a page")),
    "content_elements": (text("Delete the content element “%(title)s”"), text("Delete a content element")),
    "contacts": (text("Delete the contact “%(title)s”"), text("Delete a contact")),
}


class DeleteRecord:
    """Deletes one record: live with everything below it, in a draft as a mark."""

    facts = ToolFacts(name="delete_record", group="deleting", effect=ToolEffect.WRITE)
    description = (
        "Deletes one record. Live, a page goes with its subpages; in a draft workspace it is marked to be deleted."
    )
    parameters = arguments(
        ("table", "uid"), table=choice("Kind of record.", *_HEADINGS), uid=uid("Number of the record.")
    )
    label = text("Delete a record")
    sentence = text("Deletes one record; in a draft workspace it is marked to be deleted.")

    def plan(self, context: ToolContext, arguments: Mapping[str, Any]) -> Plan:
        """See ``WriteTool``."""
        table = arguments["table"]
        row = rights.require_delete(context.connection, context.acting, context.workspace_id, table, arguments["uid"])
        heading, generic = _HEADINGS[table]
        return Plan(
            target=RecordRef(table=table, uid=row.live_uid),
            heading=heading.with_params(title=title_of(row)),
            generic_heading=generic,
            named=(named(row, context.workspace_id),),
        )

    def execute(self, context: ToolContext, plan: Plan, batch: Batch) -> WriteResult:
        """See ``WriteTool``."""
        target = plan.target
        if target is None:
            raise WriteRefused("no_target", text("The step names no record."))
        deleted = batch.delete(target.table, target.uid)
        batch.mark_target(deleted)
        if store.find_row(context.connection, target.table, target.uid, context.workspace_id) is not None:
            raise WriteRefused("not_deleted", text("The record could not be deleted."))
        return WriteResult(content={"done": "delete", "uid": target.uid}, target=deleted, kind="delete")
