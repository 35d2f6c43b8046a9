"""Configurations for administrators: the list, the model of one, and whether that model answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flask import Blueprint, Response, request, url_for

from app.agent.configurations import ConfigurationView, find_configuration, list_configurations, set_configuration
from app.agent.connections import ConnectionCheck, check_connection
from app.agent.llm.provider.connection import SettingState, settings_for
from app.core.db import transaction
from app.core.errors import Invalid, NotFound
from app.core.i18n import Text, ntext, text
from app.web import render
from app.web.current import current
from app.web.guards import administrator, requires
from app.web.model_notices import ModelNotice, model_notices

bp = Blueprint("configurations", __name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigurationRow:
    """One line of the list."""

    id: int
    name: str
    model: str
    is_active: bool
    demands: tuple[Text, ...]
    """What restricts the AI assistant in it, one short text each."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigurationIndex:
    """The list page."""

    rows: tuple[ConfigurationRow, ...]
    notices: tuple[ModelNotice, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ConnectionView:
    """The connection page of one configuration."""

    configuration_id: int
    name: str
    model: str
    """As stored."""
    typed: str
    """What the field ``model`` holds."""
    settings: tuple[SettingState, ...]
    error: Text | None = None


@bp.get("/configurations")
@requires(administrator)
def index() -> Response:
    """Every configuration with its model and what it demands."""
    rows = tuple(
        ConfigurationRow(
            id=found.id, name=found.name, model=found.model, is_active=found.active, demands=tuple(_demands(found))
        )
        for found in list_configurations(current().connection)
    )
    view = ConfigurationIndex(rows=rows, notices=model_notices())
    return render.page("configurations/index.html", index=view)


def _demands(found: ConfigurationView) -> Iterator[Text]:
    if found.requires_draft_workspace:
        yield text("draft workspace required")
    if found.requires_second_approver:
        yield text("second person required")
    if found.branch_page:
        yield text("one part of the page tree only")
    if found.requires_read_before_write:
        yield text("read before write")
    if found.tool_groups:
        yield text("some groups of tools only")
    if found.excluded_tools:
        yield ntext("%(n)s tool excluded", "%(n)s tools excluded", len(found.excluded_tools))
    if found.allowed_groups:
        yield text("some groups of people only")


@bp.get("/configurations/<id:configuration_id>/connection")
@requires(administrator)
def connection(configuration_id: int) -> Response:
    """The model of a configuration, the settings it is reached with by name, and the forms that change and test it."""
    found = _configuration_or_404(configuration_id)
    return _page(found, typed=found.model)


@bp.post("/configurations/<id:configuration_id>/connection")
@requires(administrator)
def test(configuration_id: int) -> Response:
    """Ask the model for a word; nothing is held open in the database meanwhile."""
    model = _configuration_or_404(configuration_id).model
    runtime = current().runtime
    current().release()
    checked = check_connection(model, runtime)
    return render.see_other(_address(configuration_id), _result(checked), "ok" if checked.problem is None else "err")


@bp.post("/configurations/<id:configuration_id>/model")
@requires(administrator, confirmed=True)
def choose_model(configuration_id: int) -> Response:
    """Another model; assignments in progress ask it from their next step on."""
    found = _configuration_or_404(configuration_id)
    typed, actor = request.form.get("model", ""), current().person.user_id
    current().release()
    try:
        with transaction() as writing:
            set_configuration(writing, configuration_id, actor_id=actor, model=typed)
    except Invalid as error:
        return _page(found, typed=typed, error=error.fields.get("model", error.text))
    return render.see_other(_address(configuration_id), text("The model was saved. Test the connection now."))


def _configuration_or_404(configuration_id: int) -> ConfigurationView:
    found = find_configuration(current().connection, configuration_id)
    if found is None:
        raise NotFound(f"configuration {configuration_id}")
    return found


def _address(configuration_id: int) -> str:
    return url_for("configurations.connection", configuration_id=configuration_id)


def _page(found: ConfigurationView, *, typed: str, error: Text | None = None) -> Response:
    view = ConnectionView(
        configuration_id=found.id,
        name=found.name,
        model=found.model,
        typed=typed,
        settings=settings_for(found.model, current().settings),
        error=error,
    )
    return render.page("configurations/connection.html", status=422 if error else 200, view=view)


def _result(checked: ConnectionCheck) -> Text:
    if checked.problem is None:
        milliseconds = round(checked.seconds * 1000)
        return text("%(model)s answers. It took %(ms)s ms.", model=checked.model, ms=milliseconds)
    if checked.said:
        return text(
            "Test of %(model)s: %(problem)s The provider says: “%(said)s”",
            model=checked.model,
            problem=checked.problem,
            said=checked.said,
        )
    return text("Test of %(model)s: %(problem)s", model=checked.model, problem=checked.problem)
