"""Commands for a record: each has a page that says what it would do, and a form that gives it."""

from __future__ import annotations

from flask import Blueprint, Response, request

from app.content import editing, rights
from app.content.consequences import count_taken_along
from app.content.errors import WriteRefused, not_found
from app.content.reading import read_record
from app.content.schema import PAGES
from app.core.i18n import Text, text
from app.policy.identity import LIVE
from app.web.arguments import optional_number, parse_number, required_number
from app.web.command_flow import Named, command_page, give, named_record
from app.web.command_views import confirm, languages_left, with_problem
from app.web.command_words import (
    deletion_words,
    done_notice,
    translation_words,
    visibility_words,
)
from app.web.current import current
from app.web.editing import place_of
from app.web.editing_values import Choice
from app.web.guards import requires_sign_in, standing_or_404
from app.web.record_forms import NOT_BY_FORM
from app.web.render import see_other

bp = Blueprint("record_commands", __name__)


@bp.get("/records/<table:table>/<id:uid>/deletion")
@requires_sign_in
def confirm_deletion(table: str, uid: int) -> Response:
    """What would be deleted."""
    return _deletion_page(named_record(table, uid, lambda allowed: allowed.delete))


def _refusal(named: Named) -> Text | None:
    """Why it cannot be deleted with all that goes along, although the person may delete it; None when it can."""
    found = named.found
    try:
        rights.require_delete(current().connection, current().identity, named.workspace_id, found.table, found.uid)
    except WriteRefused as refused:
        if refused.reason == "not_found":
            raise
        return refused.text
    return None


def _deletion_page(named: Named, problem: Text | None = None, status: int = 200) -> Response:
    connection, identity, found = current().connection, current().identity, named.found
    refused = _refusal(named)
    along = count_taken_along(connection, identity, named.workspace_id, found.row)
    view = confirm(
        found,
        named.workspace_id,
        heading=text("Delete “%(title)s”", title=named.title),
        consequences=deletion_words(found, along, named.workspace_id) if refused is None else (refused,),
        command="deletion" if refused is None else "",
        is_danger=True,
    )
    return command_page(with_problem(view, problem), status)


@bp.post("/records/<table:table>/<id:uid>/deletion")
@requires_sign_in
def delete(table: str, uid: int) -> Response:
    """Delete it."""
    named = named_record(table, uid, lambda allowed: allowed.delete)
    return give(
        named,
        "delete",
        lambda problem, status: _deletion_page(named, problem, status),
        lambda identity: editing.delete_record(identity, named.workspace_id, table, named.found.uid),
    )


@bp.get("/records/<table:table>/<id:uid>/visibility")
@requires_sign_in
def confirm_visibility(table: str, uid: int) -> Response:
    """What hiding (or showing) would do."""
    return _visibility_page(named_record(table, uid, lambda allowed: allowed.hide))


def _visibility_page(named: Named, problem: Text | None = None, status: int = 200) -> Response:
    hides = not named.found.is_hidden
    heading = text("Hide “%(title)s”") if hides else text("Show “%(title)s”")
    view = confirm(
        named.found,
        named.workspace_id,
        heading=heading.with_params(title=named.title),
        consequences=visibility_words(named.found, named.workspace_id, hides=hides),
        command="visibility",
        hidden=(("hidden", "1" if hides else "0"),),
    )
    return command_page(with_problem(view, problem), status)


@bp.post("/records/<table:table>/<id:uid>/visibility")
@requires_sign_in
def set_visibility(table: str, uid: int) -> Response:
    """Hide it (``hidden`` 1) or show it (0)."""
    named = named_record(table, uid, lambda allowed: allowed.hide)
    hidden = required_number("hidden") == 1
    return give(
        named,
        "hide" if hidden else "show",
        lambda problem, status: _visibility_page(named, problem, status),
        lambda identity: editing.set_hidden(identity, named.workspace_id, table, named.found.uid, hidden=hidden),
    )


@bp.get("/records/<table:table>/<id:uid>/translation")
@requires_sign_in
def confirm_translation(table: str, uid: int) -> Response:
    """Which language, and what would be made."""
    return _translation_page(named_record(table, uid, lambda allowed: allowed.translate))


def _translation_page(named: Named, problem: Text | None = None, status: int = 200) -> Response:
    found = named.found
    asked = optional_number("in")
    languages = languages_left(current().connection, current().identity, found, asked)
    consequences = translation_words(named.workspace_id)
    if not languages:
        consequences = (text("There is no further language you can translate this record into."),)
    view = confirm(
        found,
        named.workspace_id,
        heading=text("Translate “%(title)s”", title=named.title),
        consequences=consequences,
        command="translation" if languages else "",
        choices=languages,
        choices_name="language-id",
        choices_label=text("Language"),
        box=Choice(value="with-content", label=text("With the content elements on the page"), is_chosen=True)
        if found.table == PAGES.name and languages
        else None,
    )
    return command_page(with_problem(view, problem), status)


@bp.post("/records/<table:table>/<id:uid>/translation")
@requires_sign_in
def translate(table: str, uid: int) -> Response:
    """Make the translation into the language ``language-id``."""
    named = named_record(table, uid, lambda allowed: allowed.translate)
    language_id = parse_number(request.form.get("language-id", ""))
    if not language_id:
        return _translation_page(named, text("Choose a language."), 422)
    with_content = request.form.get("with-content") == "1"
    return give(
        named,
        "translate",
        lambda problem, status: _translation_page(named, problem, status),
        lambda identity: editing.localize_record(
            identity, named.workspace_id, table, named.found.uid, language_id, with_content=with_content
        ),
    )


@bp.post("/records/<table:table>/<id:uid>/restoration")
@requires_sign_in
def restore(table: str, uid: int) -> Response:
    """Restore a record deleted in live; its row in the list of deleted records says what comes back."""
    identity = current().identity
    if standing_or_404() != LIVE or table in NOT_BY_FORM:
        raise not_found()
    current().release()
    edited = editing.undelete_record(identity, table, uid)
    found = read_record(current().connection, current().identity, LIVE, table, edited.ref.uid)
    notice, kind = done_notice("restore", found.title, LIVE, edited.changes)
    return see_other(place_of(found), notice, kind)
