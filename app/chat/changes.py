"""The list of what an assignment changed, for one viewer by their own rights (CH-01 to CH-31).

Statements of one opening: the conversation, runs with their events, one per table named, page rights, files, languages, groups.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import cast

from sqlalchemy import Table, select
from sqlalchemy.engine import Connection

from app.accounts import store as accounts
from app.agent.events import EventKind, StoredEvent
from app.agent.models import Run, RunEvent
from app.chat import links, run_record, store
from app.chat.change_notes import Counts, announcement, note_views
from app.chat.facts import Facts, WordsOf, fact_views
from app.chat.folding import STEP_WORKED, Folded, FoldedRecord, fold_events, says_nothing
from app.chat.view_models import ChangedRecordView, ChangeListView
from app.content import access
from app.content import store as content
from app.content.access import Readable
from app.content.schema import REGISTRY
from app.content.types import RecordRef
from app.core.errors import NotFound
from app.core.i18n import Text, text
from app.policy.identity import LIVE, Identity

MOST_RECORDS = 100
KINDS = (EventKind.TOOL, EventKind.TOOL_CHANGES, EventKind.TOOL_WRITE)
_run = cast(Table, Run.__table__)
_event = cast(Table, RunEvent.__table__)


def read_changes(connection: Connection, identity: Identity, conversation_id: int, *, site_name: str) -> ChangeListView:
    """The list for ``identity``; ``site_name`` names the CMS in the coverage note.

    Raises ``NotFound`` for a conversation this person may not read.
    """
    row = store.find_readable(connection, conversation_id, identity.user_id, identity.group_ids)
    if row is None:
        raise NotFound(f"conversation {conversation_id}")
    entries = run_record.decode(row["run_record"])
    uuids = run_record.run_uuids(entries)
    if row["run_uuid"] is not None and row["run_uuid"] not in uuids:
        uuids = (*uuids, row["run_uuid"])
    events, unreadable = _read_runs(connection, uuids, owner_id=row["owner_id"])
    old = [entry for entry in entries if entry.run_uuid is None]
    folded = fold_events(events, old)
    shown, withheld = _split(connection, identity, folded)
    listed = shown[:MOST_RECORDS]
    counts = Counts(
        listed=len(listed),
        incomplete=folded.incomplete_steps,
        omitted=folded.omitted + len(shown) - len(listed),
        withheld=withheld,
        predates=folded.runs_without_details,
        unreadable=unreadable,
        dropped=bool(row["run_record_dropped"]),
    )
    words = _words(connection, identity, listed)
    return ChangeListView(
        conversation_id=conversation_id,
        records=tuple(_record_view(record, found, words) for record, found in listed),
        notes=note_views(counts, site_name),
        announcement=announcement(counts),
    )


def _read_runs(connection: Connection, uuids: Sequence[str], *, owner_id: int) -> tuple[list[StoredEvent], int]:
    """Events of all runs in one statement, each read once (CH-27), and how many runs could not be read (CH-01)."""
    if not uuids:
        return [], 0
    query = (
        select(
            _run.c.uuid, _run.c.owner_id, _event.c.seq, _event.c.kind, _event.c.version, _event.c.payload, _event.c.at
        )
        .select_from(
            _run.outerjoin(
                _event,
                (_event.c.run_uuid == _run.c.uuid)
                & _event.c.kind.in_([kind.value for kind in KINDS])
                & ~((_event.c.kind == EventKind.TOOL.value) & _event.c.payload.contains(STEP_WORKED)),
            )
        )
        .where(_run.c.uuid.in_(uuids))
    )
    place = {uuid: number for number, uuid in enumerate(uuids)}
    rows = [row for row in connection.execute(query).all() if row.owner_id == owner_id]
    detailed = {row.uuid for row in rows if row.kind == EventKind.TOOL_CHANGES}
    rows.sort(key=lambda row: (place[row.uuid], row.seq or 0))
    events = [
        StoredEvent(run_uuid=row.uuid, seq=row.seq, kind=row.kind, version=row.version, payload=row.payload, at=row.at)
        for row in rows
        if row.seq is not None and not (row.uuid in detailed and says_nothing(row.kind, row.payload))
    ]
    return events, len(uuids) - len({row.uuid for row in rows})


def _split(
    connection: Connection, identity: Identity, folded: Folded
) -> tuple[list[tuple[FoldedRecord, Readable]], int]:
    """Records this person may see, in order of first observation, and how many are withheld: filtered before the cap (D9)."""
    refs = {RecordRef(table=record.table, uid=record.uid) for record in folded.records}
    readable = access.readable(connection, identity, refs) if refs else {}
    shown = [
        (record, found)
        for record in folded.records
        if (found := readable.get(RecordRef(table=record.table, uid=record.uid))) is not None
    ]
    return shown, len(folded.records) - len(shown)


def _words(connection: Connection, identity: Identity, listed: Collection[tuple[FoldedRecord, Readable]]) -> WordsOf:
    if not listed:
        return WordsOf(identity=identity, languages={})
    groups = {group for record, _ in listed for group in record.groups}
    titles: Mapping[int, str] = {}
    if groups and identity.is_admin:
        titles = accounts.group_titles(connection, groups)
    languages = {language.id: (language.code, language.title) for language in content.list_languages(connection)}
    return WordsOf(identity=identity, languages=languages, group_titles=titles)


def _record_view(record: FoldedRecord, found: Readable, words: WordsOf) -> ChangedRecordView:
    identity, trait = words.identity, REGISTRY[record.table]
    may_edit = identity.may_modify(record.table, admin_only=trait.admin_only) and not found.is_deleted
    is_gone = found.is_deleted or record.action == "deleted"
    works_there = found.workspace_id > LIVE and identity.workspace_id == found.workspace_id
    title = found.title or text("untitled")
    code = words.languages.get(found.values.get("language_id", -2), (None, ""))[0]
    return ChangedRecordView(
        table=record.table,
        uid=found.uid,
        live_uid=found.live_uid,
        title=title,
        title_language=code,
        kind=kind_words(trait.label, found.live_uid),
        facts=fact_views(_facts(record), words),
        edit_url=links.edit_url(record.table, found.live_uid) if may_edit else None,
        history_url=None if is_gone else links.history_url(record.table, found.live_uid, found.workspace_id),
        history_label=None if is_gone else text("View changes: “%(title)s”", title=title),
        workspace_url=links.workspace_url(found.workspace_id) if works_there else None,
    )


def kind_words(label: Text, number: int) -> Text:
    """ "Page, no. 42"."""
    return text("%(kind)s, no. %(number)s", kind=label, number=str(number))


def _facts(record: FoldedRecord) -> Facts:
    return Facts(
        action=record.action,
        workspace_id=record.workspace_id,
        language_id=record.language_id,
        hidden=record.hidden,
        starttime=record.starttime,
        endtime=record.endtime,
        groups=record.groups,
        is_target=record.is_target,
        step_failed=record.step_failed,
        is_partial=record.is_partial,
        has_details=record.has_details,
    )
