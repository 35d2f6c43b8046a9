"""What can be set of a configuration: the same checks for the form and for the command line."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sqlalchemy.engine import Connection

from app.accounts import store as accounts
from app.agent.configurations import (
    ConfigurationValues,
    ConfigurationView,
    model_problem,
    name_problem,
    prompt_problem,
)
from app.agent.tools.registry import ToolRegistry
from app.content.grantable import titles_of_pages
from app.core.errors import Invalid
from app.core.i18n import Text, text


def check_configuration(
    connection: Connection, registry: ToolRegistry, values: ConfigurationValues, *, before: ConfigurationView | None
) -> None:
    """Raise ``Invalid`` with a sentence for each setting of ``values`` that cannot be stored; absent ones are not looked at.

    What the configuration ``before`` holds already stays valid, also a tool or a group that exists no more: saving another
    setting must not depend on it. An empty list means no restriction everywhere.
    """
    problems: dict[str, Text | None] = {}
    if "name" in values:
        problems["name"] = name_problem(connection, values["name"], before.id if before else 0)
    if "model" in values:
        problems["model"] = model_problem(values["model"])
    if "prompt" in values:
        problems["prompt"] = prompt_problem(values["prompt"])
    if "tool_groups" in values:
        known = {*(tool.facts.group for tool in registry), *(before.tool_groups if before else ())}
        problems["tool_groups"] = _unknown(values["tool_groups"], known, NO_TOOL_GROUP)
    if "excluded_tools" in values:
        known = {*(tool.facts.name for tool in registry), *(before.excluded_tools if before else ())}
        problems["excluded_tools"] = _unknown(values["excluded_tools"], known, NO_TOOL)
    if "allowed_groups" in values:
        problems["allowed_groups"] = _groups_problem(connection, values["allowed_groups"], before)
    if "branch_page" in values:
        problems["branch_page"] = _branch_problem(connection, values["branch_page"], before)
    wrong = {setting: sentence for setting, sentence in problems.items() if sentence is not None}
    if wrong:
        raise Invalid("configuration", fields=wrong)


NO_TOOL_GROUP = text("There is no group of tools “%(name)s”.")
NO_TOOL = text("There is no tool “%(name)s”.")


def _unknown(values: Iterable[str], known: Collection[str], sentence: Text) -> Text | None:
    return next((sentence.with_params(name=value[:120]) for value in values if value not in known), None)


def _groups_problem(
    connection: Connection, group_ids: Collection[int], before: ConfigurationView | None
) -> Text | None:
    known = {*accounts.list_group_titles(connection), *(before.allowed_groups if before else ())}
    if set(group_ids) <= known:
        return None
    return text("A chosen group does not exist any more. Choose another one.")


def _branch_problem(connection: Connection, page: int, before: ConfigurationView | None) -> Text | None:
    if page == 0 or (before is not None and page == before.branch_page):
        return None
    if page in titles_of_pages(connection, [page]):
        return None
    return text("There is no page no. %(number)s.", number=str(page))
