"""Forms of records: saving an existing one, and making a new one."""

from __future__ import annotations

from flask import Blueprint, Response, request, url_for

from app.content import editing
from app.content.editing import EditConflict
from app.content.errors import WriteRefused, not_found
from app.content.reading import RecordView, read_record
from app.content.schema import CONTENT_ELEMENTS, PAGES, REGISTRY
from app.content.types import ChangeSet
from app.core.i18n import Text, text
from app.web.arguments import optional_number
from app.web.current import current
from app.web.forms.base import Form
from app.web.forms.records import GROUP_FIELDS, OPENED, SEEN, WORKSPACE, read_seen
from app.web.guards import repeats, requires_sign_in, standing_or_404
from app.web.new_records import new_form, new_page, read_place
from app.web.record_forms import (
    NOT_BY_FORM,
    editable_fields,
    fill_form,
    note_missing_targets,
    read_form,
)
from app.web.record_views import conflict_views, edit_page, form_view, is_translation, opened_hidden, saved_notice
from app.web.render import page, see_other

bp = Blueprint("editing", __name__)
AFTERWARDS = text("“%(title)s” is saved, but an extension failed afterwards. Check the record.")


@bp.post("/records/<table:table>/<id:uid>")
@requires_sign_in
@repeats(*GROUP_FIELDS)
def update(table: str, uid: int) -> Response:
    """Save the form of a record; 422 and 409 bring back what was typed."""
    workspace_id = standing_or_404()
    try:
        found = _read(table, uid)
    except WriteRefused as refused:
        return _gone(table, refused)
    fields = editable_fields(current().identity, REGISTRY[table], is_translation=is_translation(found.row))
    form = fill_form(current().connection, current().identity, fields, found.fields, request.form)
    if request.form.get(WORKSPACE, str(workspace_id)) != str(workspace_id):
        return _answer(found, form, 409, problem=_switched(), is_fresh=True)
    given = read_form(current().identity, workspace_id, table, form, fields, found.fields)
    given = note_missing_targets(current().connection, current().identity, workspace_id, fields, form, given)
    if given.problems:
        return _answer(found, form, 422)
    identity = current().identity
    current().release()
    try:
        seen = read_seen(request.form[SEEN]) if SEEN in request.form else None
        edited = editing.update_record(identity, workspace_id, table, uid, given.values, seen_rev=seen)
    except EditConflict as conflict:
        return _conflict(table, uid, form, conflict)
    except WriteRefused as refused:
        if refused.reason == "not_found":
            return _gone(table, refused)
        return _answer(_read(table, uid), form, 422, problem=refused.text)
    return _saved(found, workspace_id, edited.changes)


def _read(table: str, uid: int) -> RecordView:
    if table in NOT_BY_FORM:
        raise not_found()
    return read_record(current().connection, current().identity, standing_or_404(), table, uid)


def _switched() -> Text:
    return text(
        "You stand in another workspace than when you opened this form. Nothing was saved. Save again to write here."
    )


def _answer(
    found: RecordView, form: Form, status: int, *, problem: Text | None = None, is_fresh: bool = False
) -> Response:
    """The page with what was typed; ``is_fresh``: as if the form had been opened now."""
    connection, identity, workspace_id = current().connection, current().identity, standing_or_404()
    hidden: tuple[tuple[str, str], ...] = tuple(
        (name, request.form.get(name, "")) for name in (SEEN, OPENED, WORKSPACE) if name in request.form
    )
    if is_fresh:
        fields = editable_fields(identity, REGISTRY[found.table], is_translation=is_translation(found.row))
        hidden = opened_hidden(workspace_id, found, fields)
    problems = () if problem is None else (("", problem),)
    view = form_view(connection, identity, workspace_id, found, form, hidden, problems=problems)
    return page(
        "records/show.html", status=status, view=edit_page(connection, identity, workspace_id, found, form=view)
    )


def _conflict(table: str, uid: int, form: Form, conflict: EditConflict) -> Response:
    connection, identity, workspace_id = current().connection, current().identity, standing_or_404()
    found = _read(table, uid)
    mark = request.form.get(OPENED, "")
    merged, view = conflict_views(connection, identity, workspace_id, found, form, mark, conflict)
    return page(
        "records/conflict.html",
        status=409,
        view=edit_page(connection, identity, workspace_id, found, form=merged, conflict=view),
    )


def _gone(table: str, refused: WriteRefused) -> Response:
    """The record is not there (any more) for this person: what was typed is shown all the same, so that it is not lost.

    Nothing on the page depends on the record, so that missing and forbidden ones are one answer (I21).
    """
    identity = current().identity
    trait = REGISTRY[table]
    if table in NOT_BY_FORM or not identity.may_modify(table, admin_only=trait.admin_only):
        raise refused
    typed = [
        (field, request.form[field.name])
        for field in editable_fields(identity, trait)
        if field.name not in GROUP_FIELDS and request.form.get(field.name)
    ]
    if not typed:
        raise refused
    return page("records/gone.html", status=404, sentence=refused.text, typed=typed)


def _saved(found: RecordView, workspace_id: int, changes: ChangeSet) -> Response:
    titles = [change.title for change in changes.changes if change.is_target]
    title = titles[0] if titles else found.title
    notice, kind = saved_notice(title, workspace_id, current().identity, unchanged=not changes), "ok"
    if changes.failed_after_write:
        notice, kind = AFTERWARDS.with_params(title=title), "warn"
    return see_other(url_for("records.show", table=found.table, uid=found.uid, _anchor="record"), notice, kind)


@bp.get("/records/<table:table>/new")
@requires_sign_in
def new(table: str) -> Response:
    """The form of a new record on the page ``page`` (for pages: below it; without: at the root)."""
    view = new_page(
        table, optional_number("page") or 0, after=request.args.get("after"), language=request.args.get("in")
    )
    return page("records/new.html", view=view)


@bp.post("/records/<table:table>/new")
@requires_sign_in
@repeats(*GROUP_FIELDS)
def create(table: str) -> Response:
    """Make the record; 422 brings back what was typed."""
    workspace_id, page_uid = standing_or_404(), optional_number("page") or 0
    if request.form.get(WORKSPACE, str(workspace_id)) != str(workspace_id):
        return page("records/new.html", status=409, view=new_page(table, page_uid, sent=True, problem=_switched()))
    form, fields = new_form(table, page_uid, sent=True)
    given = read_form(current().identity, workspace_id, table, form, fields, {})
    given = note_missing_targets(current().connection, current().identity, workspace_id, fields, form, given)
    if given.problems:
        return page("records/new.html", status=422, view=new_page(table, page_uid, sent=True, form=form))
    identity, place = current().identity, read_place()
    current().release()
    try:
        made = editing.create_record(
            identity,
            workspace_id,
            table,
            page_uid,
            given.values,
            language_id=place.language_id,
            after_uid=place.after_uid,
            first=place.first,
        )
    except WriteRefused as refused:
        if refused.reason == "not_found" and not place.after_uid:
            raise
        view = new_page(table, page_uid, sent=True, form=form, problem=refused.text)
        return page("records/new.html", status=422, view=view)
    return _created(table, made.ref.uid, workspace_id)


def _created(table: str, uid: int, workspace_id: int) -> Response:
    found = read_record(current().connection, current().identity, workspace_id, table, uid)
    notice = saved_notice(found.title, workspace_id, current().identity, unchanged=False)
    return see_other(place_of(found), notice)


def place_of(found: RecordView) -> str:
    """Where a record is to be seen: a page on its own, an element on its page, everything else as a record."""
    if found.table == PAGES.name:
        return url_for("pages.show", uid=found.uid, _anchor="record")
    if found.table == CONTENT_ELEMENTS.name and found.page_uid:
        return url_for("pages.show", uid=found.page_uid, _anchor=f"element-{found.uid}")
    return url_for("records.show", table=found.table, uid=found.uid, _anchor="record")
