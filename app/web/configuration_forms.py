"""Configurations for administrators: adding, changing, the history of changes, and the rehearsal of a change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from flask import Blueprint, Response, url_for

from app.accounts import store as accounts
from app.agent.configuration_changes import newest_change
from app.agent.configuration_checks import check_configuration
from app.agent.configurations import (
    ConfigurationValues,
    ConfigurationView,
    create_configuration,
    facts_of,
    find_configuration,
    set_configuration,
)
from app.agent.replay import replay_change
from app.core.db import transaction
from app.core.errors import Conflict, Invalid, NotFound
from app.core.i18n import Text, text
from app.web import render
from app.web.arguments import optional_number, parse_number
from app.web.configuration_views import RehearsalView, history_view, rehearsal_view
from app.web.current import current
from app.web.forms.configurations import (
    REPEATED,
    ConfigurationForm,
    check_limits,
    read_branch,
    shown_configuration,
)
from app.web.guards import administrator, repeats, requires

bp = Blueprint("configuration_forms", __name__)
_FIELDS: Final[Mapping[str, str]] = {"branch_page": "branch_search"}
"""Where the form shows what is wrong with a setting, when its field is called otherwise."""


@bp.get("/configurations/new")
@requires(administrator)
def new() -> Response:
    """The form for a new configuration."""
    return _new_page(_form(None, shown_configuration(None, 0)))


@bp.post("/configurations/new")
@requires(administrator, confirmed=True)
@repeats(*REPEATED)
def create() -> Response:
    """Add a configuration."""
    form = _form(None)
    values = _read(form, None)
    if values is None:
        return _new_page(form, 422)
    actor = current().person.user_id
    current().release()
    try:
        with transaction() as connection:
            given = {name: value for name, value in values.items() if name != "name"}
            made = create_configuration(
                connection, values["name"], actor_id=actor, **cast("ConfigurationValues", given)
            )
    except Conflict as error:
        return _new_page(form, 409, error.text)
    said = text("The configuration “%(name)s” was added.", name=values["name"])
    return render.see_other(url_for(".show", configuration_id=made), said)


@bp.get("/configurations/<id:configuration_id>")
@requires(administrator)
def show(configuration_id: int) -> Response:
    """The form of a configuration and its history; ``before`` brings older changes."""
    return _page(_configuration_or_404(configuration_id))


@bp.post("/configurations/<id:configuration_id>")
@requires(administrator, confirmed=True)
@repeats(*REPEATED)
def update(configuration_id: int) -> Response:
    """Save the form; assignments in progress follow from their next step on (I27)."""
    found = _configuration_or_404(configuration_id)
    form = _form(found)
    values = _read(form, found)
    if values is None:
        return _page(found, form, 422)
    actor, seen = current().person.user_id, parse_number(form.seen.data or "")
    current().release()
    try:
        with transaction() as connection:
            has_changed = set_configuration(connection, configuration_id, actor_id=actor, seen=seen or 0, **values)
    except Conflict as error:
        return _page(_configuration_or_404(configuration_id), form, 409, error.text)
    said = text("The configuration is saved. Assignments in progress follow from their next step on.")
    address = url_for(".show", configuration_id=configuration_id, _anchor="changes")
    return render.see_other(address, said if has_changed else text("Nothing was changed."))


@bp.post("/configurations/<id:configuration_id>/rehearsal")
@requires(administrator)
@repeats(*REPEATED)
def rehearse(configuration_id: int) -> Response:
    """What the settings of the form would have done with the steps of the last days; nothing is saved or recorded."""
    found = _configuration_or_404(configuration_id)
    form = _form(found)
    values = _read(form, found)
    if values is None:
        return _page(found, form, 422)
    runtime = current().runtime
    wanted = ConfigurationView(id=found.id, **cast("Any", values))  # the form gives every setting
    replay = replay_change(
        current().connection,
        runtime,
        facts_of(found),
        facts_of(wanted),
        was_active=found.active,
        is_active=wanted.active,
    )
    return _page(found, form, rehearsal=rehearsal_view(current().connection, runtime.registry, replay))


def _configuration_or_404(configuration_id: int) -> ConfigurationView:
    found = find_configuration(current().connection, configuration_id)
    if found is None:
        raise NotFound(f"configuration {configuration_id}")
    return found


def _form(found: ConfigurationView | None, shown: dict[str, object] | None = None) -> ConfigurationForm:
    form = ConfigurationForm() if shown is None else ConfigurationForm(formdata=None, data=shown)
    connection = current().connection
    form.offer(connection, current().runtime.registry, accounts.list_group_titles(connection), found)
    return form


def _read(form: ConfigurationForm, found: ConfigurationView | None) -> ConfigurationValues | None:
    """What was entered, or None when something is wrong with it; then the form says what."""
    connection = current().connection
    form.validate()
    check_limits(form)
    read_branch(form, connection, current().identity)
    values = form.values()
    try:
        check_configuration(connection, current().runtime.registry, values, before=found)
    except Invalid as error:
        named = {_FIELDS.get(name, name): sentence for name, sentence in error.fields.items()}
        form.add_problems(Invalid(fields={name: said for name, said in named.items() if not form[name].errors}))
    return values if not form.problems() else None


def _new_page(form: ConfigurationForm, status: int = 200, problem: Text | None = None) -> Response:
    problems = [*([("", problem)] if problem else []), *form.problems()]
    return render.page("configurations/new.html", status=status, form=form, problems=problems)


def _page(
    found: ConfigurationView,
    form: ConfigurationForm | None = None,
    status: int = 200,
    problem: Text | None = None,
    *,
    rehearsal: RehearsalView | None = None,
) -> Response:
    connection = current().connection
    newest = newest_change(connection, found.id)
    if form is None:
        form = _form(found, shown_configuration(found, newest))
    elif status == 409:
        form.seen.data = str(newest)
    return render.page(
        "configurations/show.html",
        status=status,
        configuration=found,
        form=form,
        problems=[*([("", problem)] if problem else []), *form.problems()],
        history=history_view(connection, current().runtime.registry, found.id, optional_number("before")),
        rehearsal=rehearsal,
    )
