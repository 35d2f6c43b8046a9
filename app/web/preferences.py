"""What people choose for themselves: for their account, or without signing in for this browser."""

from __future__ import annotations

from flask import Blueprint, Response, request, url_for

from app.accounts.preferences import save_preferences
from app.core.i18n import text
from app.web import locale
from app.web.addresses import page_before
from app.web.current import current
from app.web.forms.preferences import AppearanceForm, BrowserForm, PreferencesForm
from app.web.guards import public
from app.web.render import empty, page, see_other, wants_fragment

bp = Blueprint("preferences", __name__)
APPEARANCE = "appearance"


@bp.get("/preferences")
@public
def edit() -> Response:
    """The form; people who are not signed in choose for this browser."""
    return _page(_form(filled=True), 200)


@bp.post("/preferences")
@public
def update() -> Response:
    """Keep the choice. The form in the footer of every page leads back to that page."""
    if request.form.get("section") == APPEARANCE:
        return _keep_appearance()
    form = _form(filled=False)
    if not form.validate():
        return _page(form, 422)
    person = current().signed_in
    response = see_other(url_for("preferences.edit"), text("Your preferences are saved."))
    if person is None:
        locale.set_cookie(response, locale.COOKIE, form.language.data)
        locale.set_cookie(response, locale.THEME_COOKIE, form.theme.data)
        return response
    save_preferences(
        person.user_id,
        language=form.language.data,
        theme=form.theme.data,
        timezone=form.timezone.data,
        enter_sends=form.sending_key.data == "enter",
    )
    response.delete_cookie(locale.COOKIE, path="/")
    return response


def _keep_appearance() -> Response:
    form = AppearanceForm()
    if not form.validate():
        return _page(_form(filled=True), 422, form.problems())
    person = current().signed_in
    response = empty() if wants_fragment() else see_other(page_before(url_for("preferences.edit")))
    if person is None:
        locale.set_cookie(response, locale.THEME_COOKIE, form.theme.data)
    else:
        save_preferences(person.user_id, theme=form.theme.data)
    return response


def _form(*, filled: bool) -> BrowserForm:
    person = current().signed_in
    kind = BrowserForm if person is None else PreferencesForm
    if not filled:
        return kind()
    values = {"language": locale.locale_code(), "theme": locale.theme()}
    if person is not None:
        values |= {"timezone": person.timezone, "sending_key": "enter" if person.enter_sends else "ctrl"}
    return kind(filled=True, **values)


def _page(form: BrowserForm, status: int, problems: list[tuple[str, object]] | None = None) -> Response:
    return page("preferences/edit.html", status=status, form=form, problems=problems or form.problems())
