"""Configurations for administrators: their models, whether these answer, and the notice when one cannot be used."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from flask import Flask

from app.agent.configurations import find_configuration, set_configuration
from app.agent.llm.base import KeyRefused, ModelTurn, RateLimited
from app.agent.llm.scripted import ScriptedModel, text_turn
from app.agent.notices import NoticeKind, leave_notice, list_notices
from app.agent.runtime import Services
from app.core.db import db, reading, transaction
from app.seed.demo import DemoSite
from tests.support.clock import FakeClock
from tests.support.visitor import Visitor, one, tree

KEY = "sk-canary-0123456789"
CONNECTION = "/configurations/1/connection"


@pytest.fixture
def admin(app: Flask, site: DemoSite) -> Visitor:
    return Visitor(app, site, "admin")


def use(app: Flask, **settings: Any) -> None:
    """Other settings for the pages that follow."""
    services: Services = app.extensions["imprimatur"]
    app.extensions["imprimatur"] = replace(services, settings=replace(services.settings, **settings))


def set_model(model: str) -> None:
    with transaction() as connection:
        set_configuration(connection, 1, model=model)


def model() -> str:
    with reading() as connection:
        found = find_configuration(connection, 1)
    assert found is not None
    return found.model


def flashed(visitor: Visitor, address: str = CONNECTION) -> str:
    return one(tree(visitor.get(address)), "#flash").get_text(" ", strip=True)


def test_it_lists_configurations_with_their_models(admin: Visitor) -> None:
    set_model("openai:small")
    page = tree(admin.get("/configurations"))
    row = one(page, "tr[data-configuration='1']")
    assert [cell.get_text(" ", strip=True) for cell in row.select("th, td")][:3] == ["Editorial", "openai:small", "yes"]
    assert [link["href"] for link in row.select("a")] == [
        "/configurations/1",
        "/configurations/1/policy",
        CONNECTION,
        "/configurations/1/prompt",
    ]
    assert one(page, "nav a[aria-current=page]").get_text(strip=True) == "Configurations"


def test_it_names_settings_and_never_shows_a_value(app: Flask, admin: Visitor) -> None:
    set_model("openai:small")
    use(app, openai_api_key=KEY, openai_base_url="https://models.example.com/v1")
    response = admin.get(CONNECTION)
    found = {str(row["data-setting"]): one(row, "dd").get_text() for row in tree(response).select("[data-setting]")}
    assert found == {
        "IMPRIMATUR_OPENAI_BASE_URL": "set",
        "IMPRIMATUR_OPENAI_API_KEY": "set",
        "IMPRIMATUR_MODEL_STREAMING": "not set",
    }
    assert KEY not in response.get_data(as_text=True)
    assert "models.example.com" not in response.get_data(as_text=True)
    set_model("anthropic:large")
    found = {
        str(row["data-setting"]): one(row, "dd").get_text()
        for row in tree(admin.get(CONNECTION)).select("[data-setting]")
    }
    assert found["IMPRIMATUR_ANTHROPIC_API_KEY"] == "not set"
    set_model("builtin")
    assert tree(admin.get(CONNECTION)).select("[data-setting]") == []


def test_it_tests_the_connection(admin: Visitor, models: Any) -> None:
    set_model("openai:small")
    models.by_name["openai:small"] = ScriptedModel([text_turn("Hello")])
    response = admin.post(CONNECTION)
    assert (response.status_code, response.location) == (303, CONNECTION)
    assert flashed(admin).startswith("openai:small answers. It took ")
    refused = KeyRefused("x", code="key", detail="Incorrect key <b>")
    models.by_name["openai:small"] = ScriptedModel([refused, RateLimited("x", code="wait")])
    admin.post(CONNECTION)
    assert flashed(admin) == (
        "Test of openai:small: The provider does not accept the key. The provider says: “Incorrect key <b>”"
    )
    admin.post(CONNECTION)
    assert flashed(admin) == "Test of openai:small: The provider asks to wait. The connection itself works."


def test_it_holds_nothing_open_while_it_asks(app: Flask, admin: Visitor, models: Any) -> None:
    def look(_messages: object) -> ModelTurn:
        assert db.engine.pool.checkedout() == 0  # type: ignore[attr-defined]
        with transaction() as connection:  # another writer does not wait
            connection.exec_driver_sql("SELECT 1")
        return text_turn("Hello")

    set_model("openai:small")
    models.by_name["openai:small"] = ScriptedModel([look])
    admin.post(CONNECTION)
    assert "answers" in flashed(admin)


def test_it_chooses_another_model(admin: Visitor) -> None:
    response = admin.post("/configurations/1/model", model="  openai:small ")
    assert (response.status_code, response.location, model()) == (303, CONNECTION, "openai:small")
    assert flashed(admin) == "The model was saved. Test the connection now."


@pytest.mark.parametrize("typed", ["", "nonsense", "openai:", "openai:<b>\u0007", "openai:" + "x" * 120])
def test_what_is_no_name_of_a_model_is_said_beside_the_field(admin: Visitor, typed: str) -> None:
    response = admin.post("/configurations/1/model", model=typed)
    page = tree(response)
    assert (response.status_code, model()) == (422, "builtin")
    assert one(page, "input#model")["aria-invalid"] == "true"
    assert "Enter builtin, openai:NAME or anthropic:NAME" in one(page, "#model-error").get_text()
    assert one(page, ".error-summary a")["href"] == "#model"
    if typed.isprintable():
        assert one(page, "input#model")["value"] == typed


@pytest.mark.parametrize("address", ["/configurations", CONNECTION])
@pytest.mark.parametrize(("username", "status"), [("anna", 403), ("fay", 403), ("admin", 200)])
def test_only_administrators_see_it(app: Flask, site: DemoSite, address: str, username: str, status: int) -> None:
    assert Visitor(app, site, username).get(address).status_code == status


def test_only_administrators_change_it(app: Flask, site: DemoSite, models: Any) -> None:
    anna = Visitor(app, site, "anna")
    assert anna.post("/configurations/1/model", model="openai:small").status_code == 403
    assert anna.post(CONNECTION).status_code == 403
    assert model() == "builtin"


def test_an_unknown_configuration_is_not_found(admin: Visitor) -> None:
    assert admin.get("/configurations/99/connection").status_code == 404
    assert admin.post("/configurations/99/connection").status_code == 404
    assert admin.post("/configurations/99/model", model="builtin").status_code == 404


def left(code: str = "key") -> None:
    with transaction() as connection:
        leave_notice(connection, NoticeKind.MODEL, "openai:small", code)


@pytest.mark.parametrize("address", ["/conversations", "/configurations"])
def test_administrators_are_told_of_a_model_that_cannot_be_used(admin: Visitor, models: Any, address: str) -> None:
    set_model("openai:small")
    left()
    left("no_key")
    notice = one(tree(admin.get(address)), "[data-notice]")
    said = notice.get_text(" ", strip=True)
    assert said.startswith(
        "The AI model openai:small of the configuration “Editorial” cannot be used: The key is missing."
    )
    assert "IMPRIMATUR_OPENAI_API_KEY" in said
    assert "It happened 2 times, last on " in said
    assert [link["href"] for link in notice.select("a")] == [CONNECTION]
    assert notice.find_parents(attrs={"aria-live": True}) == []
    assert not notice.has_attr("role")
    models.by_name["openai:small"] = ScriptedModel([text_turn("Hello")])
    admin.post(CONNECTION)
    assert tree(admin.get(address)).select("[data-notice]") == []
    with reading() as connection:
        assert list_notices(connection, NoticeKind.MODEL) == ()


def test_nobody_else_is_told(clock: FakeClock, app: Flask, site: DemoSite) -> None:
    visitors = [Visitor(app, site, name) for name in ("anna", "cem", "fay")]
    before = [visitor.get("/conversations").get_data(as_text=True) for visitor in visitors]
    set_model("openai:small")
    left()
    assert [visitor.get("/conversations").get_data(as_text=True) for visitor in visitors] == before


def test_a_model_nobody_uses_is_not_worth_a_word(admin: Visitor) -> None:
    left()
    assert tree(admin.get("/conversations")).select("[data-notice]") == []
