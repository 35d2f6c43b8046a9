"""Words for the settings of configurations: the history of changes, refusals in the effective policy, conditions of rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy.engine import Connection

from app.accounts import store as accounts
from app.agent import policy_gate
from app.agent.tools.registry import ToolRegistry
from app.agent.tools.words import GROUP_WORDS
from app.content.grantable import titles_of_pages
from app.core.i18n import Text, ptext, text
from app.core.visible import visible
from app.policy.rules import below_pages, draft_workspace, read_before_write
from app.web.forms.rights import page_words
from app.web.governance_views import RULES
from app.web.locale import format_list, number

SETTINGS: Final[Mapping[str, Text]] = {
    "name": ptext("of a configuration", "Name"),
    "model": text("Model"),
    "prompt": text("What the AI assistant is told about the site and its style"),
    "active": text("In use"),
    "allowed_groups": text("Who may use it"),
    "requires_second_approver": text("A second person has to approve every step that writes"),
    "requires_draft_workspace": text("Require a draft workspace"),
    "branch_page": text("Pages the AI assistant may change"),
    "requires_read_before_write": text("Read before write"),
    "tool_groups": text("Tools on offer"),
    "excluded_tools": text("Excluded tools"),
    "approval_days": text("Days an approval waits"),
    "budget_requests_day": text("Requests to the model a day"),
    "budget_tokens_day": text("Tokens a day"),
    "budget_cost_day": text("Cost a day in hundredths"),
}
"""Every setting in the order of the form."""
EMPTY: Final[Mapping[str, Text]] = {
    "allowed_groups": text("Everybody who may work with the AI assistant"),
    "branch_page": text("No restriction"),
    "tool_groups": text("Tools of every group, also of groups that are added"),
    "excluded_tools": ptext("excluded tools", "none"),
    "prompt": ptext("text of a configuration", "nothing"),
    "budget_requests_day": text("no limit"),
    "budget_tokens_day": text("no limit"),
    "budget_cost_day": text("no limit"),
}
"""What an empty setting means."""
REASONS: Final[Mapping[tuple[str, str], Text]] = {
    (policy_gate.OFFER, "not_registered"): text("This tool is not installed."),
    (policy_gate.OFFER, "requires_admin"): text("Only administrators may use this tool."),
    (policy_gate.OFFER, "configuration_group"): text("The configuration does not offer tools of this group."),
    (policy_gate.OFFER, "excluded"): text("The configuration excludes this tool."),
    (policy_gate.OFFER, policy_gate.CONFIGURATION_GONE): text("The configuration is switched off."),
    (policy_gate.OWNER, "no_acting_user"): text("This person cannot act at the moment."),
    (policy_gate.OWNER, "workspace_unavailable"): text("This person cannot work in this workspace."),
    (draft_workspace.RULE_ID, "live_workspace"): text(
        "The configuration requires a draft workspace, and the assignment would work live."
    ),
    (draft_workspace.RULE_ID, "workspace_unavailable"): text(
        "The configuration requires a draft workspace, and this person cannot work in this one."
    ),
    (draft_workspace.RULE_ID, "remote_write"): text(
        "The configuration requires a draft workspace, which cannot hold what a remote server writes."
    ),
    (below_pages.RULE_ID, below_pages.OUTSIDE): text("The step lies outside the pages of the configuration."),
    (read_before_write.RULE_ID, read_before_write.NOT_READ): text("The record was not read before."),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class SettingWords:
    """Names of what settings refer to, read once for a page."""

    registry: ToolRegistry
    groups: Mapping[int, str]
    pages: Mapping[int, str]

    @classmethod
    def load(cls, connection: Connection, registry: ToolRegistry, pages: Iterable[int]) -> SettingWords:
        """``pages`` are the pages that will be named."""
        return cls(
            registry=registry,
            groups=accounts.list_group_titles(connection),
            pages=titles_of_pages(connection, {uid for uid in pages if uid}),
        )

    def value(self, setting: str, value: Any) -> Text | str:
        """A stored value in words."""
        if isinstance(value, bool):
            return text("yes") if value else text("no")
        if setting == "approval_days" and not value:
            return text("as set for the installation") if value is None else text("without end")
        if not value and setting in EMPTY:
            return EMPTY[setting]
        if setting == "branch_page" and isinstance(value, int):
            return page_words(value, dict(self.pages))
        if isinstance(value, list | tuple):
            return format_list([self._item(setting, item) for item in value])
        return number(value) if isinstance(value, int) else visible(str(value))

    def _item(self, setting: str, item: Any) -> Text | str:
        if setting == "allowed_groups":
            return visible(self.groups[item]) if item in self.groups else text("Group no. %(n)s", n=str(item))
        if setting == "tool_groups":
            return GROUP_WORDS.get(item) or visible(str(item))
        return self.tool(str(item))

    def tool(self, name: str) -> Text | str:
        """A tool as people call it."""
        found = self.registry.find(name)
        return visible(name) if found is None else found.label


def rule_words(rule: str) -> Text | str:
    """What refuses: a rule, or a gate of the product."""
    return RULES.get(rule) or GATES.get(rule) or visible(rule)


GATES: Final[Mapping[str, Text]] = {
    policy_gate.OFFER: text("Tools on offer"),
    policy_gate.OWNER: text("Rights of the person"),
}


def reason_words(rule: str, reason: str, explanation: Text | None) -> Text | str:
    """Why a tool is refused; rules of the installation speak for themselves."""
    return REASONS.get((rule, reason)) or explanation or visible(reason)


def condition_words(rule: str, branch: int, titles: Mapping[int, str]) -> Text:
    """What a rule that decides step by step asks for."""
    if rule == below_pages.RULE_ID:
        page = page_words(branch, dict(titles))
        return text("Only on %(page)s and below it. Files lie on no page, so steps with files are refused.", page=page)
    if rule == read_before_write.RULE_ID:
        return text("Only when the assignment has read or made the record before.")
    return text("The rule “%(rule)s” decides for every step.", rule=rule)
