"""People for administrators: the list, adding, changing, a link for a password, ending sign-ins, deleting."""

from __future__ import annotations

import re
from urllib.parse import urlencode

from flask import Blueprint, Response, request, url_for

from app.accounts import administration as people
from app.accounts import store as accounts
from app.accounts.directory import read_person
from app.accounts.values import STATES, PersonRecord, PersonValues
from app.core.errors import Conflict, Invalid
from app.core.i18n import Text, ntext, text
from app.web import render
from app.web.arguments import optional_number, search_words
from app.web.current import current
from app.web.forms.people import PersonForm, shown_person
from app.web.forms.rights import chosen_numbers, read_mounts, show_problems
from app.web.guards import administrator, repeats, requires
from app.web.locale import locale_code, time_zone
from app.web.people_views import REFERENCE, facts_of, people_view, person_view
from app.web.people_views import STATES as STATE_WORDS
from app.web.security import own_origin

bp = Blueprint("people", __name__)
_SIGNS = re.compile(rf"[0-9a-f]{{{REFERENCE}}}")
_ALIASES = {"group_ids": "groups"}


@bp.get("/users")
@requires(administrator)
def index() -> Response:
    """People by name; ``q`` searches, ``state`` filters."""
    words, state = search_words(), request.args.get("state", "")
    state = state if state in STATES else ""
    asked = {name: value for name, value in (("q", words), ("state", state)) if value}
    pages_url = f"{url_for('people.index')}?{urlencode([*asked.items()])}{'&' if asked else ''}page={{page}}"
    view = people_view(current().connection, words, state, max(1, optional_number("page") or 1), pages_url)
    return render.page("users/index.html", view=view, states=STATE_WORDS)


@bp.get("/users/new")
@requires(administrator)
def new() -> Response:
    """The form for a new person."""
    values = PersonValues(username="", language=locale_code())
    return _new_page(_form(shown_person(values, time_zone(), "")))


@bp.post("/users/new")
@requires(administrator, confirmed=True)
@repeats("page_mounts")
def create() -> Response:
    """Add a person; the page about them then offers the link for their password."""
    form = _form()
    values = _read(form, None)
    if values is None:
        return _new_page(form, 422)
    actor = current().person.user_id
    current().release()
    try:
        user_id = people.create_person(actor, values)
    except Invalid as error:
        show_problems(form, error, _ALIASES)
        return _new_page(form, 422)
    said = text("“%(name)s” was added. A link for a password comes next.", name=values.name or values.username)
    return render.see_other(url_for("people.show", user_id=user_id, _anchor="password"), said)


@bp.get("/users/<id:user_id>")
@requires(administrator)
def show(user_id: int) -> Response:
    """A person: what they may do and through which group, the form, their sign-ins."""
    return _page(user_id)


@bp.post("/users/<id:user_id>")
@requires(administrator, confirmed=True)
@repeats("page_mounts")
def update(user_id: int) -> Response:
    """Save the form; it counts with the person's next request."""
    person = read_person(current().connection, user_id)
    form = _form()
    values = _read(form, person)
    if values is None:
        return _page(user_id, form, 422)
    actor = current().person.user_id
    current().release()
    try:
        people.change_person(actor, user_id, values, seen=form.seen.data or "")
    except Conflict as error:
        return _page(user_id, form, 409, error.text)
    except Invalid as error:
        show_problems(form, error, _ALIASES)
        return _page(user_id, form, 422, None if error.fields else error.text)
    return _back(user_id, text("The person is saved. The rights count from the next request on."), "may")


@bp.post("/users/<id:user_id>/password")
@requires(administrator, confirmed=True)
def create_link(user_id: int) -> Response:
    """Make a link for a new password and show it this once; it is not kept anywhere in plain."""
    actor = current().person.user_id
    current().release()
    try:
        link = people.create_password_link(actor, user_id)
    except Invalid as error:
        return _page(user_id, status=422, problem=error.text)
    return render.page(
        "users/link.html",
        person=read_person(current().connection, user_id),
        link=own_origin() + url_for("setup.edit_password", token=link.token),
        expires_at=link.expires_at,
    )


@bp.post("/users/<id:user_id>/sessions")
@requires(administrator, confirmed=True)
def end_sessions(user_id: int) -> Response:
    """End one sign-in of the person (``session``), or every one (``every``)."""
    reference, every = request.form.get("session", ""), request.form.get("every") == "yes"
    if not every and not _SIGNS.fullmatch(reference):
        raise Invalid("session")
    actor = current().person.user_id
    current().release()
    ended = people.end_sessions_of(actor, user_id, "" if every else reference)
    return _back(user_id, ntext("%(n)s sign-in has ended.", "%(n)s sign-ins have ended.", ended), "sign-ins")


@bp.get("/users/<id:user_id>/deletion")
@requires(administrator)
def confirm_deletion(user_id: int) -> Response:
    """What deleting a person means."""
    return _deletion_page(user_id)


@bp.post("/users/<id:user_id>/deletion")
@requires(administrator, confirmed=True)
def delete(user_id: int) -> Response:
    """Delete a person."""
    name = read_person(current().connection, user_id).shown_name
    actor = current().person.user_id
    current().release()
    try:
        people.delete_person(actor, user_id)
    except Invalid as error:
        return _deletion_page(user_id, 422, error.text)
    return render.see_other(url_for("people.index"), text("“%(name)s” was deleted.", name=name))


def _form(shown: dict[str, object] | None = None) -> PersonForm:
    titles = accounts.list_group_titles(current().connection)
    if shown is None:
        return PersonForm(time_zone(), titles)
    return PersonForm(time_zone(), titles, formdata=None, data=shown)


def _read(form: PersonForm, person: PersonRecord | None) -> PersonValues | None:
    """What was entered, or None when something is wrong with it; then the form says what."""
    before = person.values if person else PersonValues(username="")
    connection = current().connection
    is_fine = form.validate()
    mounts = read_mounts(form, connection, current().identity, before.page_mounts, before.file_mounts)
    form.offer(connection, mounts.hits)
    if not is_fine or form.problems():
        return None
    return form.values(mounts.pages, mounts.files, chosen_numbers(form.groups))


def _new_page(form: PersonForm, status: int = 200) -> Response:
    form.offer(current().connection, form.offered_pages)
    return render.page("users/new.html", status=status, form=form, problems=form.problems())


def _page(user_id: int, form: PersonForm | None = None, status: int = 200, problem: Text | None = None) -> Response:
    connection = current().connection
    person = read_person(connection, user_id)
    if form is None:
        form = _form(shown_person(person.values, time_zone(), person.version))
    elif status == 409:
        form.seen.data = person.version
    form.offer(connection, form.offered_pages)
    problems = [*([("", problem)] if problem else []), *form.problems()]
    view = person_view(connection, user_id, current().settings)
    return render.page("users/show.html", status=status, view=view, form=form, problems=problems)


def _deletion_page(user_id: int, status: int = 200, problem: Text | None = None) -> Response:
    person = read_person(current().connection, user_id)
    return render.page("users/deletion.html", status=status, person=person, facts=facts_of(person), problem=problem)


def _back(user_id: int, said: Text, anchor: str) -> Response:
    return render.see_other(url_for("people.show", user_id=user_id, _anchor=anchor), said)
