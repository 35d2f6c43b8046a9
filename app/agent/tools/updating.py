"""Tools that change texts of an existing record. Only the fields named here can be changed (runtime.md 4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.agent.tools.base import Plan, ToolContext, WriteResult
from app.agent.tools.schemas import arguments, line, uid, words
from app.agent.tools.words import named, not_saved, nothing_given, title_of
from app.content import rights, store
from app.content.schema import REGISTRY
from app.content.types import RecordRef
from app.content.writer import Batch
from app.core.i18n import text
from app.policy.invocation import ToolEffect, ToolFacts


def plan_update(
    context: ToolContext, table: str, uid_of_record: int, values: Mapping[str, Any], plan_words: tuple[Any, Any]
) -> Plan:
    """Resolve and authorise a change of fields; ``plan_words`` are heading (with ``title``) and generic heading."""
    if not values:
        raise nothing_given()
    row = rights.require_update(context.connection, context.acting, context.workspace_id, table, uid_of_record)
    heading, generic = plan_words
    return Plan(
        target=RecordRef(table=table, uid=row.live_uid),
        heading=heading.with_params(title=title_of(row)),
        generic_heading=generic,
        named=(named(row, context.workspace_id),),
        details={"values": dict(values)},
    )


def execute_update(context: ToolContext, plan: Plan, batch: Batch) -> WriteResult:
    """Write the fields of ``plan`` and read every one of them back (RT-18)."""
    target = plan.target
    if target is None:
        raise nothing_given()
    written = batch.update(target.table, target.uid, plan.details["values"])
    if written is None:
        row = store.find_row(context.connection, target.table, target.uid, context.workspace_id)
        check_saved(target.table, plan.details["values"], row.values if row else {})
        return WriteResult(content={"unchanged": True, "uid": target.uid}, target=target, kind="update")
    batch.mark_target(written)
    row = store.find_stored_row(context.connection, written.table, written.uid)
    saved = row.values if row else {}
    check_saved(target.table, plan.details["values"], saved)
    content = {"done": "update", "uid": target.uid, "fields": sorted(plan.details["values"])}
    return WriteResult(content=content, target=written, kind="update")


def check_saved(table: str, wanted: Mapping[str, Any], saved: Mapping[str, Any]) -> None:
    """Raise when a field does not hold what was asked for: a field without grant is dropped silently by the store."""
    traits = REGISTRY[table].field_by_name
    for name, value in wanted.items():
        if saved.get(name) != _as_stored(value):
            raise not_saved(traits[name].label)


def _as_stored(value: Any) -> Any:
    """Lines end in one way in the store; every other sign stays as it was given."""
    return value.replace("\r\n", "\n").replace("\r", "\n") if isinstance(value, str) else value


class UpdatePageMetadata:
    """Descriptive texts of a page."""

    facts = ToolFacts(name="update_page_metadata", group="editing", effect=ToolEffect.IDEMPOTENT_WRITE)
    description = "Changes descriptive texts of one page: title, menu title, subtitle, description, keywords."
    parameters = arguments(
        ("page",),
        page=uid("Number of the page."),
        title={**line("New title."), "minLength": 1},
        nav_title=line("New title in menus."),
        subtitle=line("New subtitle."),
        description=words("New description.", 2000),
        keywords=words("New keywords.", 1000),
    )
    label = text("Change texts of a page")
    sentence = text("Changes title, menu title, subtitle, description or keywords of a page.")

    def plan(self, context: ToolContext, arguments: Mapping[str, Any]) -> Plan:
        """See ``WriteTool``."""
        values = {name: value for name, value in arguments.items() if name != "page"}
        headings = (text("Change texts of the page “%(title)s”"), text("Change texts of a page"))
        return plan_update(context, "pages", arguments["page"], values, headings)

    def execute(self, context: ToolContext, plan: Plan, batch: Batch) -> WriteResult:
        """See ``WriteTool``."""
        return execute_update(context, plan, batch)


class UpdateContentElement:
    """Heading and text of a content element."""

    facts = ToolFacts(name="update_content_element", group="editing", effect=ToolEffect.IDEMPOTENT_WRITE)
    description = "Changes heading or text (Markdown) of one content element."
    parameters = arguments(
        ("element",),
        element=uid("Number of the content element."),
        header=line("New heading."),
        body=words("New text, Markdown.", 20_000),
    )
    label = text("Change a content element")
    sentence = text("Changes heading or text of a content element.")

    def plan(self, context: ToolContext, arguments: Mapping[str, Any]) -> Plan:
        """See ``WriteTool``."""
        values = {name: value for name, value in arguments.items() if name != "element"}
        headings = (text("Change the content element “%(title)s”"), text("Change a content element"))
        return plan_update(context, "content_elements", arguments["element"], values, headings)

    def execute(self, context: ToolContext, plan: Plan, batch: Batch) -> WriteResult:
        """See ``WriteTool``."""
        return execute_update(context, plan, batch)
