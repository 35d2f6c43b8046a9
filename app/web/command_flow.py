"""The way every command goes: the record it names, its page, the write, the result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flask import Response, request, url_for

from app.content.access import shown_pages
from app.content.editing import Edited
from app.content.errors import WriteRefused, not_found
from app.content.permitted import Permitted
from app.content.reading import RecordView, read_record
from app.content.schema import PAGES
from app.content.types import VersionState
from app.core.i18n import Text
from app.policy.identity import Identity
from app.web.command_words import SWITCHED, done_notice
from app.web.content_views import UNTITLED
from app.web.current import current
from app.web.editing import place_of
from app.web.editing_values import ConfirmView, TargetView
from app.web.forms.records import WORKSPACE
from app.web.guards import standing_or_404
from app.web.record_forms import NOT_BY_FORM
from app.web.record_views import may_do
from app.web.render import page, see_other


@dataclass(frozen=True, kw_only=True, slots=True)
class Named:
    """The record a command is for, and what the person may do with it."""

    found: RecordView
    allowed: Permitted
    workspace_id: int

    @property
    def title(self) -> str | Text:
        """Its title in a sentence."""
        return self.found.title or UNTITLED


def named_record(table: str, uid: int, allows: Callable[[Permitted], bool]) -> Named:
    """Raises ``not_found`` for a record that is not there for this person, and for a command they may not give."""
    workspace_id = standing_or_404()
    if table in NOT_BY_FORM:
        raise not_found()
    found = read_record(current().connection, current().identity, workspace_id, table, uid)
    allowed = may_do(current().connection, current().identity, workspace_id, found.row)
    if not allows(allowed):
        raise not_found()
    return Named(found=found, allowed=allowed, workspace_id=workspace_id)


def command_page(view: ConfirmView, status: int = 200, target: TargetView | None = None) -> Response:
    """The page of a command; ``target``: with the choice of a page."""
    return page("records/confirm.html", status=status, view=view, target=target)


def give(
    named: Named, command: str, show: Callable[[Text, int], Response], act: Callable[[Identity], Edited]
) -> Response:
    """Carry a command out and lead to its result; ``show`` renders its page with a problem and a status."""
    if request.form.get(WORKSPACE, str(named.workspace_id)) != str(named.workspace_id):
        return show(SWITCHED, 409)
    identity = current().identity
    current().release()
    try:
        edited = act(identity)
    except WriteRefused as refused:
        if refused.reason == "not_found":
            raise
        return show(refused.text, 422)
    return _result(named, command, edited)


def _result(named: Named, command: str, edited: Edited) -> Response:
    found = named.found
    if command == "delete":
        was_new = found.version_state is VersionState.NEW
        notice, kind = done_notice(command, found.title, named.workspace_id, edited.changes, was_new=was_new)
        return see_other(_above(found), notice, kind)
    shown = read_record(current().connection, current().identity, named.workspace_id, edited.ref.table, edited.ref.uid)
    notice, kind = done_notice(command, shown.title, named.workspace_id, edited.changes)
    return see_other(place_of(shown), notice, kind)


def _above(found: RecordView) -> str:
    """The page above a page, the default page of a translation, or the page a record was on; the tree when that is not
    shown.
    """
    row = found.row
    uid = int(row["translation_parent"] or row["pid"]) if found.table == PAGES.name else found.page_uid
    if uid not in shown_pages(current().connection, current().identity, standing_or_404(), [uid]):
        uid = 0
    return url_for("pages.show", uid=uid, _anchor="h-content") if uid else url_for("pages.index", _anchor="main")
