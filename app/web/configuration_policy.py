"""What a configuration lets a person's assistant do in a workspace, for administrators; asking records nothing (DW-13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from flask import Blueprint, Response, request
from sqlalchemy import select
from sqlalchemy.engine import Connection

from app.accounts import store as accounts
from app.accounts.identities import find_identity
from app.accounts.store import find_user_by_name
from app.agent.configurations import ConfigurationView, facts_of, find_configuration, may_use_configuration
from app.agent.effective import Standing, ToolStanding, effective_policy
from app.agent.tools.words import GROUP_WORDS
from app.content.grantable import titles_of_pages
from app.core.errors import NotFound
from app.core.i18n import Text, text
from app.policy.identity import GRANT_APPROVE, LIVE, Identity
from app.web import render
from app.web.arguments import parse_number
from app.web.configuration_words import GATES, condition_words, reason_words, rule_words
from app.web.current import current
from app.web.guards import administrator, requires
from app.web.locale import format_list

bp = Blueprint("configuration_policy", __name__)
LONGEST_NAME = 255
STANDINGS: Final[Mapping[Standing, tuple[Text, str]]] = {
    Standing.FREE: (text("offered, runs without approval"), "ok"),
    Standing.APPROVAL: (text("offered, needs an approval"), "info"),
    Standing.SECOND_PERSON: (text("offered, needs a second person"), "warn"),
    Standing.NOT_OFFERED: (text("not offered"), "neutral"),
    Standing.REFUSED: (text("refused by a rule"), "err"),
}
"""How a tool stands, with the kind of its badge."""
WHO_APPROVES: Final[Mapping[Standing, Text]] = {
    Standing.APPROVAL: text("The person who asked, or somebody with the right to approve steps of other people"),
    Standing.SECOND_PERSON: text("Somebody else with the right to approve steps of other people"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class PolicyLine:
    """One tool."""

    tool: str
    label: Text
    group: Text | str
    standing: str
    standing_words: Text
    tone: str
    rule: str
    reason: str
    rule_words: Text | str | None
    reason_words: Text | str | None
    approver: Text | None
    conditions: tuple[Text, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class PolicyView:
    """The page; without ``lines`` there is only the form."""

    configuration_id: int
    configuration: str
    asked: str
    """The sign-in name that was asked for, as typed."""
    workspace_id: int
    workspaces: tuple[tuple[int, Text | str], ...]
    person: str = ""
    workspace: Text | str = ""
    errors: tuple[tuple[str, Text], ...] = ()
    notes: tuple[Text, ...] = ()
    approvers: Text | None = None
    lines: tuple[PolicyLine, ...] = ()


@bp.get("/configurations/<id:configuration_id>/policy")
@requires(administrator)
def show(configuration_id: int) -> Response:
    """Per tool how it stands for ``person`` (default: oneself) in an assignment that starts in ``workspace``."""
    found = find_configuration(current().connection, configuration_id)
    if found is None:
        raise NotFound(f"configuration {configuration_id}")
    view = _view(current().connection, found)
    return render.page("configurations/policy.html", policy=view, status=422 if view.errors else 200)


def _view(connection: Connection, found: ConfigurationView) -> PolicyView:
    asked = " ".join(request.args.get("person", "").split())[:LONGEST_NAME]
    row = find_user_by_name(connection, asked or current().identity.username)
    titles = {LIVE: text("Live"), **_draft_titles(connection)}
    wanted = request.args.get("workspace", "")
    standing_in = None if row is None else find_identity(connection, row["id"])
    default = (standing_in.workspace_id if standing_in else None) or LIVE
    number = parse_number(wanted) if wanted else default
    errors = []
    if row is None:
        errors.append(("person", text("There is no person with the name “%(name)s”.", name=asked)))
    if number is None or number not in titles:
        errors.append(("policy-workspace", text("Choose a workspace from the list.")))
    base = PolicyView(
        configuration_id=found.id,
        configuration=found.name,
        asked=asked or current().identity.username,
        workspace_id=number if number in titles else LIVE,
        workspaces=tuple(titles.items()),
        errors=tuple(errors),
    )
    if row is None or number is None or errors:
        return base
    person = find_identity(connection, row["id"], workspace_id=number)
    return _with_lines(connection, base, found, person, row["name"] or row["username"])


def _with_lines(
    connection: Connection, base: PolicyView, found: ConfigurationView, person: Identity | None, name: str
) -> PolicyView:
    configuration = facts_of(found) if found.active else None
    standings = effective_policy(current().runtime, configuration, person, base.workspace_id)
    pages = titles_of_pages(connection, [found.branch_page] if found.branch_page else [])
    return PolicyView(
        configuration_id=base.configuration_id,
        configuration=base.configuration,
        asked=base.asked,
        workspace_id=base.workspace_id,
        workspaces=base.workspaces,
        person=name,
        workspace=dict(base.workspaces)[base.workspace_id],
        notes=tuple(_notes(found, person)),
        approvers=_approvers(connection, standings),
        lines=tuple(_line(standing, found, pages) for standing in standings),
    )


def _draft_titles(connection: Connection) -> dict[int, Text | str]:
    rows = accounts.list_workspaces_for(connection, 0, (), everyone=True)
    return {row["id"]: text("Draft “%(title)s”", title=row["title"]) for row in rows}


def _notes(found: ConfigurationView, person: Identity | None) -> list[Text]:
    if not found.active:
        return [text("The configuration is switched off: nobody can use it, and every step is refused.")]
    if person is None:
        return [text("This person cannot act at the moment: every step would be refused.")]
    if not may_use_configuration(person, found):
        return [text("This person may not use this configuration, so no assignment would start.")]
    return []


def _approvers(connection: Connection, standings: Sequence[ToolStanding]) -> Text | None:
    """Who may approve for others; only where somebody has to."""
    if not any(line.standing in WHO_APPROVES for line in standings):
        return None
    group = accounts.GROUP.c
    rows = connection.execute(select(group.title, group.grants).where(group.deleted.is_(False)).order_by(group.title))
    titles = [row.title for row in rows if GRANT_APPROVE in accounts.decode_list(row.grants)]
    if not titles:
        return text("No group has the right to approve steps of other people. Administrators have it.")
    listed = format_list([text("“%(title)s”", title=title) for title in titles])
    return text("The right to approve steps of other people: %(groups)s, and administrators.", groups=listed)


def _line(standing: ToolStanding, found: ConfigurationView, pages: Mapping[int, str]) -> PolicyLine:
    words, tone = STANDINGS[standing.standing]
    rule = standing.rule
    if standing.standing is Standing.REFUSED and rule in GATES:
        words = text("refused")
    return PolicyLine(
        tool=standing.tool,
        label=standing.label,
        group=GROUP_WORDS.get(standing.group) or standing.group,
        standing=standing.standing.value,
        standing_words=words,
        tone=tone,
        rule=rule,
        reason=standing.reason,
        rule_words=rule_words(rule) if rule else None,
        reason_words=reason_words(rule, standing.reason, standing.explanation) if rule else None,
        approver=WHO_APPROVES.get(standing.standing),
        conditions=tuple(condition_words(name, found.branch_page, pages) for name in standing.conditions),
    )
