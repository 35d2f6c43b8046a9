"""Signing in and out."""

from __future__ import annotations

from flask import Blueprint, Response, request, session, url_for
from flask_login import login_user

from app.accounts import sessions
from app.core.errors import Invalid, TooMany
from app.core.i18n import Text
from app.web import locale
from app.web.addresses import own_path
from app.web.current import SessionUser, current
from app.web.forms.auth import SignInForm
from app.web.guards import public, requires_sign_in
from app.web.render import page, see_other

bp = Blueprint("auth", __name__)
CLEARED = '"cache", "storage"'


@bp.get("/sign-in")
@public
def new() -> Response:
    """The form; who is signed in already goes on."""
    if current().signed_in is not None:
        return see_other(_wanted())
    return _form(SignInForm(formdata=None), 200)


@bp.post("/sign-in")
@public
def create() -> Response:
    """Check name and password; wrong ones are one sentence, whichever is wrong (B28)."""
    form = SignInForm()
    if not form.validate():
        return _form(form, 422)
    earlier = session.get("_user_id")
    owner = sessions.find_owner(current().connection, earlier) if earlier else None
    current().release()
    try:
        token = sessions.sign_in(
            form.username.data or "",
            form.password.data or "",
            address=request.remote_addr or "",
            user_agent=request.user_agent.string,
            earlier=earlier,
        )
    except TooMany as error:
        return _form(form, 429, error.text, {"Retry-After": str(error.retry_after)})
    except Invalid as error:
        return _form(form, 422, error.text)
    open_browser(token, same_person=owner)
    response = see_other(_wanted())
    response.delete_cookie(locale.COOKIE, path="/")
    return response


@bp.post("/sign-out")
@requires_sign_in
def destroy() -> Response:
    """End this browser's session and what the browser keeps of it."""
    sessions.sign_out(current().person.token)
    session.clear()
    response = see_other(url_for("auth.new"))
    response.headers["Clear-Site-Data"] = CLEARED
    return response


def open_browser(token: str, *, same_person: int | None = None) -> None:
    """Put a new session into the browser's cookie.

    Nothing of the earlier session stays (B22, B24), except that forms open in other tabs stay valid when it was the
    same person whose session had ended (T51).
    """
    current().release()
    signed_in = sessions.find_signed_in(current().connection, token, current().settings)
    kept = session.get("csrf_token")
    session.clear()
    if signed_in is None:
        return
    if kept and same_person == signed_in.user_id:
        session["csrf_token"] = kept
    login_user(SessionUser(signed_in))


def _wanted() -> str:
    return own_path(request.values.get("next")) or "/"


def _form(
    form: SignInForm, status: int, sentence: Text | None = None, headers: dict[str, str] | None = None
) -> Response:
    problems = form.problems() or ([("username", sentence)] if sentence else [])
    wanted = own_path(request.values.get("next"))
    return page("auth/sign_in.html", status=status, headers=headers, form=form, problems=problems, next=wanted)
