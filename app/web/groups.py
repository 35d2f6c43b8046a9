"""Groups for administrators: the list, adding, changing rights, members, deleting with its consequences."""

from __future__ import annotations

from flask import Blueprint, Response, request, url_for

from app.accounts import group_administration as groups
from app.accounts import store as accounts
from app.accounts.directory import list_groups, read_group
from app.accounts.values import GroupRecord, GroupValues
from app.core.errors import Conflict, Invalid
from app.core.i18n import Text, ntext, text
from app.web import render
from app.web.arguments import parse_number
from app.web.current import current
from app.web.forms.people import GroupForm, shown_group
from app.web.forms.rights import chosen_numbers, read_mounts, show_problems
from app.web.group_views import group_deletion_view, group_view, offered_rights
from app.web.guards import administrator, repeats, requires

bp = Blueprint("groups", __name__)
REPEATED = (
    "page_mounts",
    "grants",
    "tables_select",
    "tables_modify",
    "field_grants",
    "languages",
    "file_permissions",
)
"""Fields a form sends several values of."""
LONGEST_USERNAME = 200


@bp.get("/groups")
@requires(administrator)
def index() -> Response:
    """Every group by title."""
    return render.page("groups/index.html", groups=list_groups(current().connection))


@bp.get("/groups/new")
@requires(administrator)
def new() -> Response:
    """The form for a new group."""
    values = GroupValues(title="")
    return _new_page(_form(values, shown_group(values, "")))


@bp.post("/groups/new")
@requires(administrator, confirmed=True)
@repeats(*REPEATED)
def create() -> Response:
    """Add a group."""
    form = _form(GroupValues(title=""))
    values = _read(form, GroupValues(title=""))
    if values is None:
        return _new_page(form, 422)
    actor = current().person.user_id
    current().release()
    try:
        group_id = groups.create_group(actor, values)
    except Invalid as error:
        show_problems(form, error)
        return _new_page(form, 422)
    said = text("The group “%(title)s” was added.", title=values.title)
    return render.see_other(url_for("groups.show", group_id=group_id, _anchor="members"), said)


@bp.get("/groups/<id:group_id>")
@requires(administrator)
def show(group_id: int) -> Response:
    """A group: its people and the form of its rights."""
    return _page(group_id)


@bp.post("/groups/<id:group_id>")
@requires(administrator, confirmed=True)
@repeats(*REPEATED)
def update(group_id: int) -> Response:
    """Save the rights; they count with the next request of everybody in the group."""
    group = read_group(current().connection, group_id)
    form = _form(group.values)
    values = _read(form, group.values)
    if values is None:
        return _page(group_id, form, 422)
    actor = current().person.user_id
    current().release()
    try:
        groups.change_group(actor, group_id, values, seen=form.seen.data or "")
    except Conflict as error:
        return _page(group_id, form, 409, problem=error.text)
    except Invalid as error:
        show_problems(form, error)
        return _page(group_id, form, 422)
    return _back(group_id, text("The group is saved. Its rights count from the next request on."), "group")


@bp.post("/groups/<id:group_id>/members")
@requires(administrator, confirmed=True)
def add_member(group_id: int) -> Response:
    """Put somebody into the group by their sign-in name."""
    username = request.form.get("username", "").strip()[:LONGEST_USERNAME]
    actor = current().person.user_id
    current().release()
    try:
        groups.add_member_named(actor, group_id, username)
    except Invalid as error:
        return _page(group_id, status=422, username=username, username_error=error.text)
    return _back(group_id, text("“%(name)s” is in the group now.", name=username), "members")


@bp.post("/groups/<id:group_id>/members/removal")
@requires(administrator, confirmed=True)
@repeats("person")
def remove_members(group_id: int) -> Response:
    """Take the ticked people out of the group."""
    chosen = [number for value in request.form.getlist("person") if (number := parse_number(value))]
    if not chosen:
        read_group(current().connection, group_id)
        return _page(group_id, status=422, problem=text("Tick the people you want to take out."))
    actor = current().person.user_id
    current().release()
    count = groups.remove_members(actor, group_id, chosen)
    said = ntext("%(n)s person was taken out of the group.", "%(n)s people were taken out of the group.", count)
    return _back(group_id, said, "members")


@bp.get("/groups/<id:group_id>/deletion")
@requires(administrator)
def confirm_deletion(group_id: int) -> Response:
    """Who would lose what."""
    group = read_group(current().connection, group_id)
    return render.page("groups/deletion.html", view=group_deletion_view(current().connection, group))


@bp.post("/groups/<id:group_id>/deletion")
@requires(administrator, confirmed=True)
def delete(group_id: int) -> Response:
    """Delete the group."""
    title = read_group(current().connection, group_id).values.title
    actor = current().person.user_id
    current().release()
    groups.delete_group(actor, group_id)
    return render.see_other(url_for("groups.index"), text("The group “%(title)s” was deleted.", title=title))


def _form(stored: GroupValues, shown: dict[str, object] | None = None) -> GroupForm:
    connection = current().connection
    offered, titles = offered_rights(connection, stored), accounts.list_group_titles(connection)
    if shown is None:
        return GroupForm(offered, titles)
    return GroupForm(offered, titles, formdata=None, data=shown)


def _read(form: GroupForm, before: GroupValues) -> GroupValues | None:
    """What was entered, or None when something is wrong with it; then the form says what."""
    connection = current().connection
    is_fine = form.validate()
    mounts = read_mounts(form, connection, current().identity, before.page_mounts, before.file_mounts)
    form.offer(connection, mounts.hits)
    if not is_fine or form.problems():
        return None
    return form.values(mounts.pages, mounts.files, chosen_numbers(form.includes))


def _new_page(form: GroupForm, status: int = 200) -> Response:
    form.offer(current().connection, form.offered_pages)
    return render.page("groups/new.html", status=status, form=form, problems=form.problems())


def _page(
    group_id: int,
    form: GroupForm | None = None,
    status: int = 200,
    *,
    problem: Text | None = None,
    username: str = "",
    username_error: Text | None = None,
) -> Response:
    connection = current().connection
    group: GroupRecord = read_group(connection, group_id)
    if form is None:
        form = _form(group.values, shown_group(group.values, group.version))
    elif status == 409:
        form.seen.data = group.version
    form.offer(connection, form.offered_pages)
    problems = [*([("", problem)] if problem else []), *form.problems()]
    if username_error is not None:
        problems.append(("username", username_error))
    view = group_view(connection, group, username=username, error=username_error)
    return render.page("groups/show.html", status=status, view=view, form=form, problems=problems)


def _back(group_id: int, said: Text, anchor: str) -> Response:
    return render.see_other(url_for("groups.show", group_id=group_id, _anchor=anchor), said)
