"""Which tools exist and which of them a configuration offers (D22, DW-19)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import MappingProxyType

from app.agent.tools.base import Tool
from app.policy.identity import Identity
from app.policy.invocation import ConfigurationFacts


class ToolRegistry:
    """The tools of this installation by exact name (F32)."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        found: dict[str, Tool] = {}
        for tool in tools:
            if tool.facts.name in found:
                msg = f"two tools are called {tool.facts.name!r}"
                raise ValueError(msg)
            found[tool.facts.name] = tool
        self._tools = MappingProxyType(found)

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def find(self, name: str) -> Tool | None:
        """The tool of exactly this name."""
        return self._tools.get(name)

    def reason_not_offered(self, name: str, configuration: ConfigurationFacts, identity: Identity | None) -> str | None:
        """Why a tool is not offered, as a code, cheapest and least revealing first; None = it is offered (RT-03, DW-19)."""
        tool = self._tools.get(name)
        if tool is None:
            return "not_registered"
        facts = tool.facts
        if facts.requires_admin and (identity is None or not identity.is_admin):
            return "requires_admin"
        if configuration.tool_groups is not None and facts.group not in configuration.tool_groups:
            return "configuration_group"
        if facts.name in configuration.excluded_tools:
            return "excluded"
        return None

    def offered(self, configuration: ConfigurationFacts, identity: Identity | None) -> tuple[Tool, ...]:
        """The tools a model is told about."""
        return tuple(
            tool
            for tool in self._tools.values()
            if self.reason_not_offered(tool.facts.name, configuration, identity) is None
        )
