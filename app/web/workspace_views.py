"""Workspaces, and what a draft holds, in words."""

from __future__ import annotations

from sqlalchemy.engine import Connection

from app.chat.changes import kind_words
from app.chat.facts import Facts, WordsOf, workspace_words
from app.chat.links import edit_url, history_url
from app.content.differences import Difference, list_differences
from app.content.schema import REGISTRY
from app.core.i18n import ntext, text
from app.policy.identity import LIVE, Identity
from app.web.content_values import DifferencesView, RecordLinkView, WorkspaceView
from app.web.content_views import STATES, UNTITLED, group_ids, record_facts, words_of


def workspace_views(identity: Identity) -> tuple[WorkspaceView, ...]:
    """Live, where the person has it, and their draft workspaces by title."""
    live = [LIVE] if identity.may_use_workspace(LIVE) else []
    drafts = sorted(identity.workspaces, key=lambda number: (identity.workspaces[number].casefold(), number))
    return tuple(
        WorkspaceView(
            id=number,
            title=workspace_words(number, identity),
            url=f"/workspaces/{number}" if number else None,
            is_current=number == identity.workspace_id,
        )
        for number in [*live, *drafts]
    )


def difference_views(connection: Connection, identity: Identity, workspace_id: int) -> DifferencesView:
    """What a draft holds, as far as the person may read it; the rest is counted."""
    found = list_differences(connection, identity, workspace_id)
    groups = {group for item in found.records for group in group_ids(item.record.values.get("groups"))}
    words = words_of(connection, identity, groups)
    return DifferencesView(
        id=workspace_id,
        title=identity.workspaces[workspace_id],
        records=tuple(_difference(item, words) for item in found.records),
        withheld=ntext("%(n)s further record is not shown.", "%(n)s further records are not shown.", found.withheld)
        if found.withheld
        else None,
        unlisted=ntext(
            "%(n)s entry was left out because the list is limited.",
            "%(n)s entries were left out because the list is limited.",
            found.unlisted,
        )
        if found.unlisted
        else None,
    )


def _difference(item: Difference, words: WordsOf) -> RecordLinkView:
    record, trait = item.record, REGISTRY[item.record.table]
    values = record.values
    language_id = int(values["language_id"]) if trait.has_language else None
    facts = Facts(
        action="unknown",
        workspace_id=None,
        language_id=language_id,
        hidden=bool(values["hidden"]) if trait.can_hide else None,
        starttime=values["starttime"] if trait.has_times else 0,
        endtime=values["endtime"] if trait.has_times else 0,
        groups=group_ids(values["groups"]) if trait.has_groups else (),
    )
    title = record.title or UNTITLED
    return RecordLinkView(
        table=record.table,
        uid=record.live_uid,
        title=title,
        kind=kind_words(trait.label, record.live_uid),
        url=edit_url(record.table, record.live_uid),
        language=words.languages.get(language_id if language_id is not None else -2, (None, ""))[0],
        facts=record_facts(facts, words),
        state=STATES[item.state],
        at=item.changed_at,
        history_url=history_url(record.table, record.live_uid, record.workspace_id),
        history_label=text("View changes: “%(title)s”", title=title),
    )
