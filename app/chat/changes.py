"""The list of what an assignment changed, for one viewer by their own rights (CH-01 to CH-31).

Statements of one opening: the conversation, its runs, their events, one per table named, page rights, files, languages, groups.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import cast

from sqlalchemy import ColumnElement, Table, and_, bindparam, or_, select
from sqlalchemy.engine import Connection, RowMapping

from app.accounts import store as accounts
from app.agent.events import EventKind, StoredEvent
from app.agent.models import Run, RunEvent
from app.chat import links, run_record, store
from app.chat.change_notes import Counts, announcement, note_views
from app.chat.facts import Facts, WordsOf, fact_views
from app.chat.filters import NO_FILTERS, Filters, matching, overview
from app.chat.folding import STEP_WORKED, WRITE_FINISHED, Folded, FoldedRecord, fold_runs
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
_run = cast(Table, Run.__table__)
_event = cast(Table, RunEvent.__table__)


def read_changes(
    connection: Connection,
    identity: Identity,
    conversation_id: int,
    *,
    site_name: str,
    filters: Filters = NO_FILTERS,
) -> ChangeListView:
    """The list for ``identity``; ``site_name`` names the CMS in the coverage note. ``filters`` come before the cap, after rights.

    Raises ``NotFound`` for a conversation this person may not read.
    """
    row = store.find_readable(connection, conversation_id, identity.user_id, identity.group_ids)
    if row is None:
        raise NotFound(f"conversation {conversation_id}")
    folded, unreadable = _fold(connection, row)
    shown, withheld = _split(connection, identity, folded)
    languages = _languages(connection) if shown else {}
    asked = matching(shown, filters, languages)
    listed = asked[:MOST_RECORDS]
    counts = Counts(
        listed=len(listed),
        incomplete=folded.incomplete_steps,
        omitted=folded.omitted + len(asked) - len(listed),
        withheld=withheld,
        predates=folded.runs_without_details,
        unreadable=unreadable,
        dropped=bool(row["run_record_dropped"]),
    )
    words = _words(connection, identity, listed, languages)
    return ChangeListView(
        conversation_id=conversation_id,
        records=tuple(_record_view(record, found, words) for record, found in listed),
        notes=note_views(counts, site_name),
        announcement=announcement(counts),
        overview=overview(shown, listed, filters, words),
    )


def _fold(connection: Connection, row: RowMapping) -> tuple[Folded, int]:
    """What the events of the conversation's runs say, and how many runs could not be read."""
    entries = run_record.decode(row["run_record"])
    uuids = run_record.run_uuids(entries)
    if row["run_uuid"] is not None and row["run_uuid"] not in uuids:
        uuids = (*uuids, row["run_uuid"])
    runs, unreadable = _read_runs(connection, uuids, owner_id=row["owner_id"])
    old = [entry for entry in entries if entry.run_uuid is None]
    return fold_runs(runs, old), unreadable


def _read_runs(
    connection: Connection, uuids: Sequence[str], *, owner_id: int
) -> tuple[Iterator[Iterator[StoredEvent]], int]:
    """Events of all runs, each read once (CH-27), run by run, and how many runs could not be read (CH-01).

    What cannot change the list stays in the database (perf.md C2): steps that worked, and writes that were finished in a run with
    details.
    """
    if not uuids:
        return iter(()), 0
    found = set(connection.execute(_OWN_RUNS, {"uuids": list(uuids), "owner": owner_id}).scalars())
    rows: dict[str, list[_EventRow]] = {uuid: [] for uuid in uuids if uuid in found}
    if rows:
        for row in connection.execute(_TELLING_EVENTS, {"uuids": list(rows)}):
            rows[row[0]].append(cast(_EventRow, tuple(row)))
    return (map(_stored, read) for read in rows.values()), len(uuids) - len(rows)


_EventRow = tuple[str, int, str, int, str, int]


def _stored(row: _EventRow) -> StoredEvent:
    run_uuid, seq, kind, version, payload, at = row
    return StoredEvent(run_uuid=run_uuid, seq=seq, kind=kind, version=version, payload=payload, at=at)


def _holds(words: Sequence[str]) -> ColumnElement[bool]:
    return and_(*[_event.c.payload.contains(part, autoescape=True) for part in words])


# Built once: building them costs more than asking.
_OWN_RUNS = select(_run.c.uuid).where(
    _run.c.uuid.in_(bindparam("uuids", expanding=True)),
    _run.c.owner_id == bindparam("owner", type_=_run.c.owner_id.type),
)
_WITH_DETAILS = (
    select(_event.c.run_uuid)
    .where(_event.c.run_uuid.in_(bindparam("uuids", expanding=True)), _event.c.kind == EventKind.TOOL_CHANGES.value)
    .distinct()
)
_TELLING_EVENTS = select(
    _event.c.run_uuid, _event.c.seq, _event.c.kind, _event.c.version, _event.c.payload, _event.c.at
).where(
    _event.c.run_uuid.in_(bindparam("uuids", expanding=True)),
    or_(
        _event.c.kind == EventKind.TOOL_CHANGES.value,
        and_(_event.c.kind == EventKind.TOOL.value, ~_holds([STEP_WORKED])),
        and_(
            _event.c.kind == EventKind.TOOL_WRITE.value,
            or_(~_holds(WRITE_FINISHED), _event.c.run_uuid.not_in(_WITH_DETAILS)),
        ),
    ),
)


def _split(
    connection: Connection, identity: Identity, folded: Folded
) -> tuple[list[tuple[FoldedRecord, Readable]], int]:
    """Records this person may see, in order of first observation, and how many are withheld: filtered before the cap (D9)."""
    named = [(record, RecordRef(table=record.table, uid=record.uid)) for record in folded.records]
    readable = access.readable(connection, identity, {ref for _, ref in named}) if named else {}
    shown = [(record, found) for record, ref in named if (found := readable.get(ref)) is not None]
    return shown, len(folded.records) - len(shown)


def _languages(connection: Connection) -> Mapping[int, tuple[str, str]]:
    return {language.id: (language.code, language.title) for language in content.list_languages(connection)}


def _words(
    connection: Connection,
    identity: Identity,
    listed: Collection[tuple[FoldedRecord, Readable]],
    languages: Mapping[int, tuple[str, str]],
) -> WordsOf:
    groups = {group for record, _ in listed for group in record.groups}
    titles: Mapping[int, str] = {}
    if groups and identity.is_admin:
        titles = accounts.group_titles(connection, groups)
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
        facts=fact_views(_facts(record, found), words),
        edit_url=links.edit_url(record.table, found.live_uid) if may_edit else None,
        history_url=None if is_gone else links.history_url(record.table, found.live_uid, found.workspace_id),
        history_label=None if is_gone else text("View changes: “%(title)s”", title=title),
        workspace_url=links.workspace_url(found.workspace_id) if works_there else None,
    )


def kind_words(label: Text, number: int) -> Text:
    """ "Page, no. 42"."""
    return text("%(kind)s, no. %(number)s", kind=label, number=str(number))


def _facts(record: FoldedRecord, found: Readable) -> Facts:
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
        # A row that was new in its draft keeps its uid when it is published: live now, it was published since (CH-20).
        published_since=found.published_since or (found.is_live and (record.workspace_id or LIVE) > LIVE),
    )
