"""Tools that set or clear the hidden flag of one record (DW-20). No tool publishes a workspace."""

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

HIDEABLE = ("pages", "content_elements", "contacts")
_HEADINGS: Mapping[tuple[str, bool], Text] = {
    ("pages", True): text("Hide the page “%(title)s”"),
    ("content_elements", True): text("Hide the content element “%(title)s”"),
    ("contacts", True): text("Hide the contact “%(title)s”"),
    ("pages", False): text("Clear the hidden mark of the page “%(title)s”"),
    ("content_elements", False): text("Clear the hidden mark of the content element “%(title)s”"),
    ("contacts", False): text("Clear the hidden mark of the contact “%(title)s”"),
}
HIDE = text("Hide a record")
PUBLISH = text("Clear the hidden mark of a record")


def _plan(context: ToolContext, arguments: Mapping[str, Any], *, hidden: bool) -> Plan:
    table = arguments["table"]
    row = rights.require_update(context.connection, context.acting, context.workspace_id, table, arguments["uid"])
    return Plan(
        target=RecordRef(table=table, uid=row.live_uid),
        heading=_HEADINGS[table, hidden].with_params(title=title_of(row)),
        generic_heading=HIDE if hidden else PUBLISH,
        named=(named(row, context.workspace_id),),
    )


def _execute(context: ToolContext, plan: Plan, batch: Batch, *, hidden: bool) -> WriteResult:
    target = plan.target
    kind = "hide" if hidden else "publish"
    if target is None:
        raise WriteRefused("no_target", text("The step names no record."))
    written = batch.set_hidden(target.table, target.uid, hidden=hidden)
    if written is None:
        return WriteResult(content={"unchanged": True, "uid": target.uid, "hidden": hidden}, target=target, kind=kind)
    batch.mark_target(written)
    row = store.find_stored_row(context.connection, written.table, written.uid)
    if row is None or bool(row["hidden"]) is not hidden:
        raise WriteRefused("not_saved", text("The hidden mark was not saved."))
    return WriteResult(content={"done": kind, "uid": target.uid, "hidden": hidden}, target=written, kind=kind)


class HideRecord:
    """Sets the hidden flag of one record."""

    facts = ToolFacts(name="hide_record", group="editing", effect=ToolEffect.IDEMPOTENT_WRITE)
    description = "Hides one record from visitors."
    parameters = arguments(
        ("table", "uid"), table=choice("Kind of record.", *HIDEABLE), uid=uid("Number of the record.")
    )
    label = HIDE
    sentence = text("Hides one record from visitors.")

    def plan(self, context: ToolContext, arguments: Mapping[str, Any]) -> Plan:
        """See ``WriteTool``."""
        return _plan(context, arguments, hidden=True)

    def execute(self, context: ToolContext, plan: Plan, batch: Batch) -> WriteResult:
        """See ``WriteTool``."""
        return _execute(context, plan, batch, hidden=True)


class PublishRecord:
    """Clears the hidden flag of one record; in a draft workspace only of its version there."""

    facts = ToolFacts(name="publish_record", group="publishing", effect=ToolEffect.IDEMPOTENT_WRITE)
    description = "Clears the hidden mark of one record. In a draft workspace only the draft changes."
    parameters = arguments(
        ("table", "uid"), table=choice("Kind of record.", *HIDEABLE), uid=uid("Number of the record.")
    )
    label = PUBLISH
    sentence = text("Clears the hidden mark of one record; in a draft workspace only in the draft.")

    def plan(self, context: ToolContext, arguments: Mapping[str, Any]) -> Plan:
        """See ``WriteTool``."""
        return _plan(context, arguments, hidden=False)

    def execute(self, context: ToolContext, plan: Plan, batch: Batch) -> WriteResult:
        """See ``WriteTool``."""
        return _execute(context, plan, batch, hidden=False)
