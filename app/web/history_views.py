"""The history of a record in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy.engine import Connection

from app.accounts import store as accounts
from app.agent.run_rows import RunView, find_runs
from app.agent.runs import may_read_run
from app.chat import store as conversations
from app.chat.changes import kind_words
from app.chat.facts import workspace_words
from app.chat.links import conversation_url, edit_url
from app.chat.news import conversation_of
from app.content.history import HistoryEntry, HistoryView
from app.content.schema import REGISTRY
from app.content.types import Origin, Stage
from app.core.i18n import Text, ptext, text
from app.policy.identity import Identity
from app.web.content_views import UNTITLED
from app.web.diff_views import diff_views, withheld_fields
from app.web.workspace_values import AssignmentLinkView, HistoryEntryView, HistoryPageView

ACTIONS: Mapping[str, tuple[Text, Text]] = {
    "created": (ptext("history", "Created"), text("Created by %(name)s")),
    "updated": (ptext("history", "Changed"), text("Changed by %(name)s")),
    "moved": (ptext("history", "Moved"), text("Moved by %(name)s")),
    "deleted": (ptext("history", "Deleted"), text("Deleted by %(name)s")),
    "undeleted": (ptext("history", "Restored"), text("Restored by %(name)s")),
    "published": (ptext("history", "Published"), text("Published by %(name)s")),
    "stage": (ptext("history", "Stage changed"), text("Stage changed by %(name)s")),
    "discarded": (ptext("history", "Discarded"), text("Discarded by %(name)s")),
}
"""What happened, alone and with the name of the person."""
STAGES: Mapping[Stage, tuple[Text, Text]] = {
    Stage.READY: (ptext("history", "Sent on to publishing"), text("Sent on to publishing by %(name)s")),
    Stage.EDITING: (ptext("history", "Sent back to editing"), text("Sent back to editing by %(name)s")),
}
UNKNOWN = (ptext("history", "Action not recorded"), text("Action not recorded, by %(name)s"))
ORIGINS: Mapping[Origin, Text] = {
    Origin.PERSON: text("by a person"),
    Origin.RUN: text("by an assignment"),
    Origin.IMPORT: text("by an import"),
    Origin.SEED: text("when the site was set up"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Reader:
    """Who reads, and what the entries name."""

    identity: Identity
    names: Mapping[int, str]
    assignments: Mapping[str, AssignmentLinkView]


def history_page(connection: Connection, identity: Identity, found: HistoryView) -> HistoryPageView:
    """Some changes, with who made them and the assignment behind them; a constant number of statements."""
    reader = _Reader(
        identity=identity,
        names=accounts.names_of(connection, [entry.user_id for entry in found.entries]),
        assignments=_assignments(connection, identity, found),
    )
    address = f"/records/{found.table}/{found.uid}/history?workspace={found.workspace_id}"
    return HistoryPageView(
        title=found.title or UNTITLED,
        kind=kind_words(REGISTRY[found.table].label, found.uid),
        record_url=None if found.is_deleted else edit_url(found.table, found.uid),
        workspace=workspace_words(found.workspace_id, identity),
        entries=tuple(_entry(found.table, entry, reader) for entry in found.entries),
        older_url=None if found.older is None else f"{address}&before={found.older}",
        newer_url=None if found.newer is None else f"{address}&after={found.newer}",
    )


def _assignments(connection: Connection, identity: Identity, found: HistoryView) -> dict[str, AssignmentLinkView]:
    """The runs behind the entries this person may read; the others stay "an assignment"."""
    uuids = {entry.run_uuid for entry in found.entries if entry.run_uuid is not None}
    runs = {uuid: run for uuid, run in find_runs(connection, uuids).items() if may_read_run(identity, run)}
    numbers = {uuid: number for uuid, run in runs.items() if (number := conversation_of(run.subject)) is not None}
    readable = conversations.readable_among(connection, numbers.values(), identity.user_id, identity.group_ids)
    return {uuid: _assignment(run, numbers.get(uuid), readable) for uuid, run in runs.items()}


def _assignment(run: RunView, number: int | None, readable: frozenset[int]) -> AssignmentLinkView:
    return AssignmentLinkView(
        url=f"/runs/{run.uuid}",
        conversation_url=conversation_url(number) if number is not None and number in readable else None,
    )


def _entry(table: str, entry: HistoryEntry, reader: _Reader) -> HistoryEntryView:
    alone, with_name = ACTIONS.get(entry.action, UNKNOWN) if entry.stage is None else STAGES[entry.stage]
    name = reader.names.get(entry.user_id)
    return HistoryEntryView(
        id=entry.id,
        at=entry.at,
        heading=with_name.with_params(name=name) if name else alone,
        origin=ORIGINS[entry.origin],
        workspace=workspace_words(entry.workspace_id, reader.identity),
        fields=diff_views(table, entry.fields),
        withheld=withheld_fields(entry.withheld_fields),
        assignment=reader.assignments.get(entry.run_uuid or ""),
    )
