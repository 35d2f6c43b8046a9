"""What the AI assistant can do, for administrators: each tool with its group, effect, approval and who offers it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flask import Blueprint, Response

from app.agent.configurations import ConfigurationView, facts_of, list_configurations
from app.agent.tools.base import Tool
from app.agent.tools.registry import ToolRegistry
from app.agent.tools.words import GROUP_WORDS
from app.core.i18n import Text, text
from app.policy.invocation import ToolEffect, ToolFacts
from app.web import render
from app.web.current import current
from app.web.guards import administrator, requires

bp = Blueprint("tools", __name__)
EFFECTS: Mapping[ToolEffect | None, Text] = {
    ToolEffect.READ: text("reads only"),
    ToolEffect.IDEMPOTENT_WRITE: text("writes; a repetition changes nothing more"),
    ToolEffect.WRITE: text("writes"),
    None: text("not declared"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolView:
    """One tool."""

    name: str
    label: Text
    sentence: Text
    effect: Text
    approval: Text
    source: Text
    offered_by: tuple[str, ...]
    """Names of active configurations that offer it; who it is for is each configuration's own setting."""
    withheld_by: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolGroupView:
    """The tools of one group."""

    name: str
    label: Text | str
    tools: tuple[ToolView, ...]


@bp.get("/tools")
@requires(administrator)
def index() -> Response:
    """Every tool of this installation by group."""
    found = [view for view in list_configurations(current().connection) if view.active]
    return render.page("tools/index.html", groups=tool_groups(current().runtime.registry, found))


def tool_groups(registry: ToolRegistry, found: Sequence[ConfigurationView]) -> tuple[ToolGroupView, ...]:
    """The tools by group, in the order in which groups are registered."""
    names = dict.fromkeys(tool.facts.group for tool in registry)
    return tuple(
        ToolGroupView(
            name=name,
            label=GROUP_WORDS.get(name, name),
            tools=tuple(_tool(registry, tool, found) for tool in registry if tool.facts.group == name),
        )
        for name in names
    )


def _tool(registry: ToolRegistry, tool: Tool, found: Sequence[ConfigurationView]) -> ToolView:
    name = tool.facts.name
    offering = {view.id for view in found if registry.reason_not_offered(name, facts_of(view), None) is None}
    return ToolView(
        name=name,
        label=tool.label,
        sentence=tool.sentence,
        effect=EFFECTS[tool.facts.effect],
        approval=_approval(tool.facts),
        source=text("remote server") if tool.facts.is_remote else text("built in"),
        offered_by=tuple(view.name for view in found if view.id in offering),
        withheld_by=tuple(view.name for view in found if view.id not in offering),
    )


def _approval(facts: ToolFacts) -> Text:
    return text("needs an approval") if facts.waits_for_approval else text("needs no approval")
