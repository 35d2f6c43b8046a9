"""Explanations that name a record: only for people who may see it; everybody else reads the rule's plain sentence."""

from __future__ import annotations

from sqlalchemy.engine import Connection

from app.content.access import shown_pages
from app.content.store import find_row, title_of
from app.core.i18n import Text
from app.policy.identity import LIVE, Identity
from app.policy.invocation import ConfigurationFacts
from app.policy.rules import below_pages


def named_explanation(
    connection: Connection, rule: str, configuration: ConfigurationFacts, reader: Identity
) -> Text | None:
    """The sentence of ``rule`` that names the configuration's page; None = there is none, or not for this reader."""
    if rule != below_pages.RULE_ID:
        return None
    title = shown_branch_title(connection, configuration, reader)
    return below_pages.NAMED_EXPLANATION.with_params(page=title) if title else None


def shown_branch_title(connection: Connection, configuration: ConfigurationFacts, reader: Identity) -> str | None:
    """Title of the page a configuration is restricted to; None = no restriction, no title, or not for this reader (I21)."""
    branch = configuration.branch_page
    if not branch:
        return None
    workspace_id = reader.workspace_id or LIVE
    row = find_row(connection, "pages", branch, workspace_id)
    if row is None or branch not in shown_pages(connection, reader, workspace_id, [branch]):
        return None
    return title_of("pages", row.values) or None
