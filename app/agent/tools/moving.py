"""Tools that move a page or a content element: to another page, or right after a neighbour. The number is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.agent.tools.base import Plan, ToolContext, WriteResult
from app.agent.tools.schemas import arguments, uid
from app.agent.tools.words import named, nothing_given, title_of
from app.content import reading, rights, store
from app.content.errors import WriteRefused
from app.content.schema import CONTENT_ELEMENTS, PAGES
from app.content.types import RecordRef, Row
from app.content.writer import Batch
from app.core.i18n import Text, text
from app.policy.invocation import ToolEffect, ToolFacts


@dataclass(frozen=True, kw_only=True, slots=True)
class _Headings:
    below: Text
    after: Text
    generic: Text


def _plan(
    context: ToolContext, table: str, moved: int, page: int | None, after: int | None, headings: _Headings
) -> Plan:
    """Resolve and authorise the record, the page it goes to and the neighbour, each on its own (I25)."""
    if page is None and after is None:
        raise nothing_given()
    anchor = None if after is None else _anchor(context, table, after)
    asked = anchor["pid"] if page is None and anchor is not None else page
    row, page_uid = rights.require_move(context.connection, context.acting, context.workspace_id, table, moved, asked)
    _check_anchor(anchor, row, page_uid)
    target = store.find_row(context.connection, PAGES.name, page_uid, context.workspace_id) if page_uid else None
    if anchor is not None:
        heading = headings.after.with_params(title=title_of(row), anchor=title_of(anchor))
    else:
        heading = headings.below.with_params(
            title=title_of(row), page=text("untitled") if target is None else title_of(target)
        )
    return Plan(
        target=RecordRef(table=table, uid=row.live_uid),
        heading=heading,
        generic_heading=headings.generic,
        named=tuple(named(found, context.workspace_id) for found in (row, target, anchor) if found is not None),
        details={"page": page_uid, "after": None if anchor is None else anchor.live_uid},
    )


def _anchor(context: ToolContext, table: str, after: int) -> Row:
    """The neighbour, if the acting person may read it."""
    anchor = store.find_row(context.connection, table, after, context.workspace_id)
    if anchor is None or not reading.readable_rows(context.connection, context.acting, context.workspace_id, [anchor]):
        raise _bad_anchor()
    return anchor


def _check_anchor(anchor: Row | None, row: Row, page_uid: int) -> None:
    """A neighbour lies on the page the record goes to, is another record, and stands in the same language."""
    if anchor is None:
        return
    if anchor["pid"] != page_uid or anchor.live_uid == row.live_uid or anchor["language_id"] != row["language_id"]:
        raise _bad_anchor()


def _bad_anchor() -> WriteRefused:
    return WriteRefused("anchor", text("The record to insert after does not lie on that page."))


def _execute(context: ToolContext, plan: Plan, batch: Batch) -> WriteResult:
    """Move and read back where the record lies now (RT-18)."""
    target, details = plan.target, plan.details
    if target is None:
        raise WriteRefused("no_target", text("The step names no record."))
    page_uid, after = details["page"], details["after"]
    moved = batch.move(target.table, target.uid, page_uid=page_uid, after_uid=after)
    row = store.find_row(context.connection, target.table, target.uid, context.workspace_id)
    anchor = None if after is None else store.find_row(context.connection, target.table, after, context.workspace_id)
    if row is None or row["pid"] != page_uid or (anchor is not None and row["sorting"] <= anchor["sorting"]):
        raise WriteRefused("not_moved", text("The record was not moved."))
    if moved is None:
        return WriteResult(content={"unchanged": True, "uid": target.uid}, target=target, kind="move")
    batch.mark_target(moved)
    content = {"done": "move", "table": target.table, "uid": target.uid, "page": page_uid}
    return WriteResult(content=content, target=moved, kind="move")


class MovePage:
    """A page with everything below it to another place in the tree."""

    facts = ToolFacts(name="move_page", group="editing", effect=ToolEffect.WRITE)
    description = (
        "Moves one page with its subpages below another page (as the last one) or right after another page. "
        "Give target, after, or both when they fit."
    )
    parameters = arguments(
        ("page",),
        page=uid("Number of the page to move."),
        target=uid("Number of the page it is to be below; absent = below the page that after is below."),
        after=uid("Number of the page to put it right after; absent = as the last."),
    )
    label = text("Move a page")
    sentence = text("Moves a page with its subpages to another place.")

    def plan(self, context: ToolContext, arguments: Mapping[str, Any]) -> Plan:
        """See ``WriteTool``."""
        headings = _Headings(
            below=text("Move the page “%(title)s” below “%(page)s”"),
            after=text("Move the page “%(title)s” right after “%(anchor)s”"),
            generic=self.label,
        )
        target, after = arguments.get("target"), arguments.get("after")
        return _plan(context, PAGES.name, arguments["page"], target, after, headings)

    def execute(self, context: ToolContext, plan: Plan, batch: Batch) -> WriteResult:
        """See ``WriteTool``."""
        return _execute(context, plan, batch)


class MoveContentElement:
    """A content element to another page or another place on its page."""

    facts = ToolFacts(name="move_content_element", group="editing", effect=ToolEffect.WRITE)
    description = (
        "Moves one content element to a page (as the last one) or right after another content element. "
        "Give page, after, or both when they fit."
    )
    parameters = arguments(
        ("element",),
        element=uid("Number of the content element to move."),
        page=uid("Number of the page to move it to; absent = the page that after lies on."),
        after=uid("Number of the content element to put it right after; absent = as the last."),
    )
    label = text("Move a content element")
    sentence = text("Moves a content element to another page or place.")

    def plan(self, context: ToolContext, arguments: Mapping[str, Any]) -> Plan:
        """See ``WriteTool``."""
        headings = _Headings(
            below=text("Move the content element “%(title)s” to the page “%(page)s”"),
            after=text("Move the content element “%(title)s” right after “%(anchor)s”"),
            generic=self.label,
        )
        page, after = arguments.get("page"), arguments.get("after")
        return _plan(context, CONTENT_ELEMENTS.name, arguments["element"], page, after, headings)

    def execute(self, context: ToolContext, plan: Plan, batch: Batch) -> WriteResult:
        """See ``WriteTool``."""
        return _execute(context, plan, batch)
