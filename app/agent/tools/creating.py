"""Tools that create a record, always hidden; there is no argument to change that (runtime.md 4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.agent.tools.base import Plan, ToolContext, WriteResult
from app.agent.tools.schemas import arguments, line, uid, words
from app.agent.tools.updating import check_saved
from app.agent.tools.words import named, title_of
from app.content import reading, rights, store
from app.content.errors import WriteRefused
from app.content.types import RecordRef, Row
from app.content.writer import Batch
from app.core.i18n import Text, text
from app.policy.invocation import ToolEffect, ToolFacts


def _plan(
    context: ToolContext, table: str, page: int, arguments: Mapping[str, Any], headings: tuple[Text, Text], title: str
) -> Plan:
    parent = rights.require_create(context.connection, context.acting, context.workspace_id, table, page)
    after = arguments.get("after")
    if after is not None:
        _require_sibling(context, table, after, parent)
    heading, generic = headings
    return Plan(
        target=RecordRef(table="pages", uid=parent.live_uid),
        heading=heading.with_params(title=title, page=title_of(parent)),
        generic_heading=generic,
        named=(named(parent, context.workspace_id),),
        details={
            "page": parent.live_uid,
            "after": after,
            "values": {name: value for name, value in arguments.items() if name not in {"parent", "page", "after"}},
        },
    )


def _require_sibling(context: ToolContext, table: str, after: int, parent: Row) -> None:
    anchor = store.find_row(context.connection, table, after, context.workspace_id)
    found = (
        ()
        if anchor is None
        else reading.readable_rows(context.connection, context.acting, context.workspace_id, [anchor])
    )
    if not any(row["pid"] == parent.live_uid for row in found):
        raise WriteRefused("anchor", text("The record to insert after does not lie on that page."))


def _execute(context: ToolContext, plan: Plan, batch: Batch, table: str) -> WriteResult:
    details = plan.details
    created = batch.create(table, details["page"], details["values"], after_uid=details["after"], hidden=True)
    batch.mark_target(created)
    row = store.find_stored_row(context.connection, table, created.uid)
    if row is None or not row["hidden"]:
        raise WriteRefused("not_hidden", text("The new record could not be kept hidden, so it was not created."))
    check_saved(table, details["values"], row.values)
    return WriteResult(
        content={"done": "create", "table": table, "uid": row.live_uid, "hidden": True}, target=created, kind="create"
    )


class CreatePageDraft:
    """A new page without content."""

    facts = ToolFacts(name="create_page_draft", group="editing", effect=ToolEffect.WRITE)
    description = "Creates a hidden, empty page below a page. Add text with create_content_element_draft afterwards."
    parameters = arguments(
        ("parent", "title"),
        parent=uid("Number of the page above."),
        title={**line("Title of the new page."), "minLength": 1},
        description=words("Description.", 2000),
        after=uid("Number of the page to insert it after; absent = as the last."),
    )
    label = text("Create a page")
    sentence = text("Creates a hidden, empty page below a page.")

    def plan(self, context: ToolContext, arguments: Mapping[str, Any]) -> Plan:
        """See ``WriteTool``."""
        headings = (text("Create the page “%(title)s” below “%(page)s”"), text("Create a page"))
        return _plan(context, "pages", arguments["parent"], arguments, headings, arguments["title"])

    def execute(self, context: ToolContext, plan: Plan, batch: Batch) -> WriteResult:
        """See ``WriteTool``."""
        return _execute(context, plan, batch, "pages")


class CreateContentElementDraft:
    """A new content element on a page."""

    facts = ToolFacts(name="create_content_element_draft", group="editing", effect=ToolEffect.WRITE)
    description = "Adds a hidden content element (heading and Markdown text) to a page."
    parameters = arguments(
        ("page", "body"),
        page=uid("Number of the page."),
        header=line("Heading."),
        body={**words("Text, Markdown.", 20_000), "minLength": 1},
        after=uid("Number of the content element to insert it after; absent = as the last."),
    )
    label = text("Add a content element")
    sentence = text("Adds a hidden content element to a page.")

    def plan(self, context: ToolContext, arguments: Mapping[str, Any]) -> Plan:
        """See ``WriteTool``."""
        title = arguments.get("header", "")
        if title:
            headings = (
                text("Add the content element “%(title)s” to the page “%(page)s”"),
                text("Add a content element to a page"),
            )
        else:
            headings = (text("Add a content element to the page “%(page)s”"), text("Add a content element to a page"))
        return _plan(context, "content_elements", arguments["page"], arguments, headings, title)

    def execute(self, context: ToolContext, plan: Plan, batch: Batch) -> WriteResult:
        """See ``WriteTool``."""
        return _execute(context, plan, batch, "content_elements")
