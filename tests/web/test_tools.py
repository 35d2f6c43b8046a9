"""The list of tools for administrators."""

from __future__ import annotations

from collections.abc import Callable

from flask import Flask

from app.agent.configurations import create_configuration
from app.agent.tools import built_in_tools
from app.core.db import transaction
from app.seed.demo import DemoSite
from tests.support.page import PageClient
from tests.support.visitor import Visitor


def test_it_shows_every_tool_with_what_it_does_and_who_offers_it(
    app: Flask, browser_of: Callable[[str], PageClient]
) -> None:
    with transaction() as connection:
        create_configuration(connection, "Reading only", tool_groups=["reading"])
        create_configuration(connection, "No publishing", excluded_tools=["publish_record"])
    soup = browser_of("admin").get("/tools").soup
    shown = {str(item["data-tool"]): item.get_text(" ", strip=True) for item in soup.select("li[data-tool]")}
    assert shown.keys() == {tool.facts.name for tool in built_in_tools()}
    for tool in built_in_tools():
        words = shown[tool.facts.name]
        assert ("needs an approval" in words) is tool.facts.waits_for_approval, tool.facts.name
    assert "Not offered by No publishing and Reading only" not in shown["read_record"]
    assert "Not offered by Reading only and No publishing" in shown["publish_record"]


def test_it_is_for_administrators_only(app: Flask, site: DemoSite) -> None:
    assert Visitor(app, site, "admin").get("/tools").status_code == 200
    for name in ("anna", "fay", "gus"):
        assert Visitor(app, site, name).get("/tools").status_code == 403
