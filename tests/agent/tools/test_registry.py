"""Which tools there are, what each declares, and which a configuration offers (RT-03, DW-19)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from app.agent.tools import built_in_tools
from app.agent.tools.base import ReadTool, Tool, WriteTool
from app.agent.tools.registry import ToolRegistry
from app.core.i18n import render
from app.policy.identity import Identity
from app.policy.invocation import ConfigurationFacts, ToolEffect, ToolFacts

TOOLS = built_in_tools()
ANNA = Identity(user_id=1, username="anna", name="Anna")
ADMIN = Identity(user_id=2, username="admin", name="Admin", is_admin=True)
WRITES = {
    "update_page_metadata": ToolEffect.IDEMPOTENT_WRITE,
    "update_content_element": ToolEffect.IDEMPOTENT_WRITE,
    "create_page_draft": ToolEffect.WRITE,
    "create_content_element_draft": ToolEffect.WRITE,
    "copy_page": ToolEffect.WRITE,
    "create_translation_draft": ToolEffect.WRITE,
    "move_page": ToolEffect.WRITE,
    "move_content_element": ToolEffect.WRITE,
    "create_redirect": ToolEffect.WRITE,
    "set_file_alternative_text": ToolEffect.WRITE,
    "attach_file_to_content_element": ToolEffect.WRITE,
    "hide_record": ToolEffect.IDEMPOTENT_WRITE,
    "publish_record": ToolEffect.IDEMPOTENT_WRITE,
    "delete_record": ToolEffect.WRITE,
    "undelete_record": ToolEffect.WRITE,
}
READS = {"get_page_tree", "read_record", "search_records", "list_languages"}
VALID: dict[str, dict[str, Any]] = {
    "get_page_tree": {},
    "read_record": {"table": "pages", "uid": 1},
    "search_records": {"query": "x"},
    "list_languages": {},
    "update_page_metadata": {"page": 1, "title": "x"},
    "update_content_element": {"element": 1, "body": "x"},
    "create_page_draft": {"parent": 1, "title": "x"},
    "create_content_element_draft": {"page": 1, "body": "x"},
    "copy_page": {"page": 1},
    "create_translation_draft": {"table": "pages", "uid": 1, "language": "de"},
    "hide_record": {"table": "pages", "uid": 1},
    "publish_record": {"table": "pages", "uid": 1},
    "delete_record": {"table": "pages", "uid": 1},
    "move_page": {"page": 1, "target": 2},
    "move_content_element": {"element": 1, "page": 2},
    "create_redirect": {"source": "/old", "target": 1},
    "set_file_alternative_text": {"file": 1, "text": "x"},
    "attach_file_to_content_element": {"file": 1, "element": 1},
    "undelete_record": {"table": "pages", "uid": 1},
}
named = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.facts.name)


def accepts(tool: Tool, arguments: object) -> bool:
    """Whether the schema takes these arguments."""
    return bool(Draft202012Validator(tool.parameters).is_valid(arguments))


def configuration(**values: Any) -> ConfigurationFacts:
    """A configuration that offers everything unless told otherwise."""
    return ConfigurationFacts(id=1, name="Editorial", **values)


def test_it_has_exactly_these_tools_that_write() -> None:
    assert {tool.facts.name: tool.facts.effect for tool in TOOLS if isinstance(tool, WriteTool)} == WRITES


def test_it_has_exactly_these_tools_that_read() -> None:
    reads = {tool.facts.name for tool in TOOLS if isinstance(tool, ReadTool)}
    assert reads == READS
    assert {tool.facts.name for tool in TOOLS} == READS | WRITES.keys()


@named
def test_it_declares_what_it_does(tool: Tool) -> None:
    writes = isinstance(tool, WriteTool)
    assert writes is not isinstance(tool, ReadTool)
    assert tool.facts.effect is not None
    assert (tool.facts.is_write, tool.facts.waits_for_approval) == (writes, writes)
    assert (tool.facts.is_remote, tool.facts.requires_admin) == (False, False)


@pytest.mark.behaviour("DW-20")
def test_it_lets_the_tool_that_clears_the_mark_be_excluded_alone() -> None:
    registry = ToolRegistry(TOOLS)
    groups = {tool.facts.name: tool.facts.group for tool in registry}
    assert [name for name, group in groups.items() if group == "publishing"] == ["publish_record"]
    assert [name for name, group in groups.items() if group == "deleting"] == ["delete_record"]
    without = configuration(excluded_tools=frozenset({"publish_record"}))
    assert {tool.facts.name for tool in registry.offered(without, ANNA)} == groups.keys() - {"publish_record"}


@named
def test_it_takes_its_own_arguments(tool: Tool) -> None:
    Draft202012Validator.check_schema(dict(tool.parameters))
    Draft202012Validator(tool.parameters).validate(VALID[tool.facts.name])


@pytest.mark.behaviour("RT-18")
@named
@pytest.mark.parametrize(
    "extra", ["workspace", "workspace_id", "language_id", "user_id", "hidden", "uid ", "pid", "__proto__"]
)
def test_it_takes_no_unknown_argument(tool: Tool, extra: str) -> None:
    assert tool.parameters["additionalProperties"] is False
    with pytest.raises(ValidationError):
        Draft202012Validator(tool.parameters).validate({**VALID[tool.facts.name], extra: 1})


@named
def test_it_asks_for_every_argument_it_needs(tool: Tool) -> None:
    valid = VALID[tool.facts.name]
    for name in tool.parameters["required"]:
        assert not accepts(tool, {key: value for key, value in valid.items() if key != name})
        assert not accepts(tool, {**valid, name: None})
    assert not accepts(tool, [])


@named
@pytest.mark.parametrize("number", [0, -1, "1", "1,2", "NEW1", "live", True, 1.5, None, [1], 2**53])
def test_it_takes_only_record_numbers(tool: Tool, number: object) -> None:
    numbers = [
        name for name, schema in tool.parameters["properties"].items() if "maximum" in schema and name != "depth"
    ]
    for name in numbers:
        assert not accepts(tool, {**VALID[tool.facts.name], name: number})


@named
def test_it_bounds_every_text(tool: Tool) -> None:
    for name, schema in tool.parameters["properties"].items():
        if schema["type"] == "string" and "enum" not in schema:
            assert not accepts(tool, {**VALID[tool.facts.name], name: "x" * (schema["maxLength"] + 1)})


@named
def test_it_describes_itself_to_the_model_and_to_people(tool: Tool) -> None:
    assert re.fullmatch(r"[a-z_]{3,40}", tool.facts.name)
    assert tool.description.endswith(".")
    assert all(schema["description"] for schema in tool.parameters["properties"].values())
    label, sentence = render(tool.label, "en"), render(tool.sentence, "en")
    assert not label.endswith(".")
    assert sentence.endswith(".")
    assert render(tool.label, "de") != label
    assert render(tool.sentence, "de") != sentence


class Small:
    """A tool with a name and nothing else."""

    description, parameters = "", {}
    label = sentence = TOOLS[0].label

    def __init__(self, name: str, **facts: Any) -> None:
        self.facts = ToolFacts(**{"name": name, "group": "reading", "effect": ToolEffect.READ, **facts})


def test_it_finds_a_tool_by_its_exact_name() -> None:
    registry = ToolRegistry(TOOLS)
    found = registry.find("copy_page")
    assert found is not None
    assert found.facts.name == "copy_page"
    for name in ("Copy_page", "copy_page ", "copy", "", "copy_page\x00"):
        assert registry.find(name) is None


def test_it_refuses_two_tools_of_one_name() -> None:
    with pytest.raises(ValueError, match="copy_page"):
        ToolRegistry([*TOOLS, Small("copy_page")])


@pytest.mark.behaviour("RT-03", "DW-19")
@pytest.mark.parametrize(
    ("facts", "values", "who", "reason"),
    [
        ({}, {}, ANNA, None),
        ({}, {}, None, None),
        ({"requires_admin": True}, {}, ANNA, "requires_admin"),
        ({"requires_admin": True}, {}, None, "requires_admin"),
        ({"requires_admin": True}, {}, ADMIN, None),
        ({}, {"tool_groups": frozenset({"editing"})}, ANNA, "configuration_group"),
        ({}, {"tool_groups": frozenset()}, ADMIN, "configuration_group"),
        ({}, {"tool_groups": frozenset({"reading"})}, ANNA, None),
        ({}, {"excluded_tools": frozenset({"small"})}, ANNA, "excluded"),
        ({}, {"excluded_tools": frozenset({"other"})}, ANNA, None),
        (
            {"requires_admin": True},
            {"tool_groups": frozenset(), "excluded_tools": frozenset({"small"})},
            ANNA,
            "requires_admin",
        ),
        ({}, {"tool_groups": frozenset(), "excluded_tools": frozenset({"small"})}, ADMIN, "configuration_group"),
    ],
)
def test_it_says_why_a_tool_is_not_offered(
    facts: dict[str, Any], values: dict[str, Any], who: Identity | None, reason: str | None
) -> None:
    registry = ToolRegistry([Small("small", **facts)])
    assert registry.reason_not_offered("small", configuration(**values), who) == reason
    assert [tool.facts.name for tool in registry.offered(configuration(**values), who)] == ([] if reason else ["small"])


def test_it_knows_no_tool_that_is_not_registered() -> None:
    registry = ToolRegistry([])
    assert registry.reason_not_offered("small", configuration(), ADMIN) == "not_registered"
    assert registry.offered(configuration(), ADMIN) == ()


@pytest.mark.behaviour("DW-19")
def test_it_offers_a_later_tool_of_an_allowed_group() -> None:
    registry = ToolRegistry([*TOOLS, Small("later")])
    offered = registry.offered(configuration(tool_groups=frozenset({"reading"})), ANNA)
    assert {tool.facts.name for tool in offered} == READS | {"later"}
