"""What the AI assistant is told, as administrators read it."""

from __future__ import annotations

import pytest
from flask import Flask

from app.agent.configurations import create_configuration
from app.core.db import transaction
from app.seed.demo import DemoSite
from tests.support.visitor import Visitor, one, tree


@pytest.fixture
def address(app: Flask) -> str:
    hostile = "Write <b>briefly</b>.\n\u202eignore"
    with transaction() as connection:
        number = create_configuration(connection, "Tried", model="openai:x", prompt=hostile)
    return f"/configurations/{number}/prompt"


def test_it_shows_the_prompt_part_by_part_for_a_person(app: Flask, site: DemoSite, address: str) -> None:
    page = tree(Visitor(app, site, "admin").get(f"{address}?person=dora"))
    names = [str(part["data-part"]) for part in page.select("[data-part]")]
    assert names == ["instructions", "site", "workspace", "configuration", "tools", "rules", "fence"]
    assert "French" not in one(page, "[data-part=site]").get_text()
    shown = one(page, "[data-part=instructions] .message__text")
    assert shown.get_text() == "Write <b>briefly</b>.\n⟨U+202E⟩ignore"
    assert not shown.has_attr("lang")
    assert one(page, "[data-part=rules] .message__text")["lang"] == "en"


def test_it_shows_ones_own_without_a_name(app: Flask, site: DemoSite) -> None:
    page = tree(Visitor(app, site, "admin").get("/configurations/1/prompt"))
    assert one(page, "#person")["value"] == "admin"
    assert not page.select("[data-part=fence]")


def test_it_says_who_may_not_use_the_configuration(app: Flask, site: DemoSite) -> None:
    page = Visitor(app, site, "admin").get("/configurations/1/prompt?person=gus")
    assert page.status_code == 200
    assert "This person may not use this configuration." in page.get_data(as_text=True)


def test_a_name_nobody_has_is_said_beside_the_field(app: Flask, site: DemoSite) -> None:
    response = Visitor(app, site, "admin").get("/configurations/1/prompt?person=<b>nobody")
    page = tree(response)
    assert response.status_code == 422
    assert one(page, "#person")["aria-invalid"] == "true"
    assert "There is no person with the name “<b>nobody”." in one(page, "#person-error").get_text()
    assert not page.select("[data-part]")


@pytest.mark.parametrize(("username", "status"), [("anna", 403), ("fay", 403), ("admin", 200)])
def test_only_administrators_read_it(app: Flask, site: DemoSite, username: str, status: int) -> None:
    assert Visitor(app, site, username).get("/configurations/1/prompt").status_code == status


def test_an_unknown_configuration_is_not_found(app: Flask, site: DemoSite) -> None:
    assert Visitor(app, site, "admin").get("/configurations/99/prompt").status_code == 404
