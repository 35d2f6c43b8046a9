"""One-time links: the first administrator, a new password."""

from __future__ import annotations

from typing import TypeVar

from flask import Blueprint, Response, request, url_for

from app.accounts import onboarding, preferences
from app.core.errors import Invalid
from app.core.i18n import text
from app.web import locale
from app.web.auth import open_browser
from app.web.forms.auth import PasswordForm, SetupForm
from app.web.guards import administrator, public, requires
from app.web.render import page, see_other

bp = Blueprint("setup", __name__)
F = TypeVar("F", bound=PasswordForm)


@bp.get("/setup/<token:token>")
@public
def new(token: str) -> Response:
    """The form for the first administrator of this installation."""
    onboarding.require_setup_link(token)
    return _setup_form(token, SetupForm(formdata=None), 200)


@bp.post("/setup/<token:token>")
@public
def create(token: str) -> Response:
    """Make the first administrator and sign them in."""
    onboarding.require_setup_link(token)
    form = SetupForm()
    if not form.validate():
        return _setup_form(token, form, 422)
    try:
        user_id = onboarding.create_first_administrator(
            token,
            username=(form.username.data or "").strip(),
            name=(form.name.data or "").strip(),
            password=form.password.data or "",
            repeated=form.repeated.data or "",
            language=locale.locale_code(),
        )
    except Invalid as error:
        return _setup_form(token, _with(form, error, "username"), 422)
    open_browser(preferences.open_browser_session(user_id, request.user_agent.string))
    return see_other(url_for("setup.finished"))


@bp.get("/setup/finished")
@requires(administrator)
def finished() -> Response:
    """Who you are now, and what to do next."""
    return page("auth/first_steps.html")


@bp.get("/password/<token:token>")
@public
def edit_password(token: str) -> Response:
    """The form for a new password."""
    person = onboarding.find_person_of_link(token)
    return page("auth/password.html", form=PasswordForm(formdata=None), problems=[], token=token, person=person)


@bp.post("/password/<token:token>")
@public
def update_password(token: str) -> Response:
    """Store the new password; every sign-in of the person ends."""
    person = onboarding.find_person_of_link(token)
    form = PasswordForm()
    if form.validate():
        try:
            onboarding.set_password_by_link(token, password=form.password.data or "", repeated=form.repeated.data or "")
            return see_other(url_for("auth.new"), text("The new password is set. Sign in with it."))
        except Invalid as error:
            form = _with(form, error, "password")
    return page("auth/password.html", status=422, form=form, problems=form.problems(), token=token, person=person)


def _setup_form(token: str, form: SetupForm, status: int) -> Response:
    return page("auth/setup.html", status=status, form=form, problems=form.problems(), token=token)


def _with(form: F, error: Invalid, field: str) -> F:
    if error.fields:
        form.add_problems(error)
    else:
        form[field].errors = [error.text]
    return form
