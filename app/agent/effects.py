"""The effect of a call in a form that can be compared: rehearsed against executed (rehearsal.md section 1).

Uids of rows a turn creates differ between rehearsal and execution, so they are written as placeholders
``+<call>.<table>.<n>`` wherever the registry says that a column refers to a record or a text holds ``page:UID``
links. Clocks, revision numbers and generated sorting keys never enter: they differ although nothing the approver read
differs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from sqlalchemy import literal, select
from sqlalchemy.engine import Connection

from app.agent.types import RecordPreview
from app.content.schema import REGISTRY
from app.content.types import ChangeAction, ChangeSet, FieldChange, FieldValue, ObservedChange
from app.core import canonical
from app.core.db import slices

SHOWN_RECORDS = 200
"""Records of one call a card shows field by field; the hash and the counts cover all (D19)."""
PAGES = "pages"
_SELF = ""  # refers to a row of the same table
_STRUCTURE = {"pid": PAGES, "live_uid": _SELF, "translation_parent": _SELF, "translation_source": _SELF}
_OWNER = {"owner_uid": "owner_table"}  # the table is named by another column of the same row
_IGNORED = frozenset({"uid", "rev", "created_at", "changed_at", "sorting", "import_key", "import_hash"})
_LINK = re.compile(r"\bpage:(\d+)")
_PLACEHOLDER = re.compile(r"\+(\d+)\.(\w+)\.(\d+)")


@dataclass(slots=True)
class Names:
    """Placeholders of the rows that the calls of one turn created so far, and the pages those lie on."""

    known: dict[tuple[str, int], str] = field(default_factory=dict)
    parents: dict[int, int] = field(default_factory=dict)
    """Uid of a created page -> uid of its parent, as far as it was observed or looked up."""
    _counts: Counter[tuple[int, str]] = field(default_factory=Counter)

    def of(self, table: str, uid: int) -> int | str:
        """The placeholder of a row this turn created, else the uid itself."""
        return self.known.get((table, uid), uid)

    def add(self, call_ordinal: int, table: str, uid: int) -> None:
        """Name a created row; rows are to be added in the order they were created. A known row keeps its name."""
        if (table, uid) in self.known:
            return
        self._counts[call_ordinal, table] += 1
        self.known[table, uid] = f"+{call_ordinal}.{table}.{self._counts[call_ordinal, table]}"

    def nearest_page(self, uid: int) -> int:
        """The page itself when it existed before the turn, else its nearest ancestor that did; 0 = the root."""
        seen: set[int] = set()
        while (PAGES, uid) in self.known and uid not in seen:
            seen.add(uid)
            uid = self.parents.get(uid, 0)
        return 0 if uid in seen else uid


@dataclass(frozen=True, kw_only=True, slots=True)
class Effect:
    """What one call does, bounded for the card and hashed as a whole."""

    hash: str
    records: tuple[RecordPreview, ...]
    """The first 200, in order of first observation."""
    counts: tuple[tuple[str, ChangeAction, int], ...]
    total: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where a row lies: the page it belongs to and the record it translates."""

    pid: int
    translation_parent: int


Places = Mapping[tuple[str, int], Place]
NO_PLACES: Places = MappingProxyType({})


def find_places(connection: Connection, changes: ChangeSet) -> Places:
    """Where the created and moved rows lie, by (table, row uid); to be asked inside the transaction that wrote them."""
    wanted: dict[str, list[int]] = {}
    for change in changes.changes:
        if change.action in {ChangeAction.CREATED, ChangeAction.MOVED}:
            wanted.setdefault(change.table, []).append(change.uid)
    found: dict[tuple[str, int], Place] = {}
    for name, uids in wanted.items():
        table = REGISTRY[name].table
        parent = table.c.translation_parent if REGISTRY[name].has_language else literal(0)
        for part in slices(uids):
            rows = connection.execute(select(table.c.uid, table.c.pid, parent).where(table.c.uid.in_(part))).all()
            found.update({(name, uid): Place(pid=pid, translation_parent=origin) for uid, pid, origin in rows})
    return found


def effect_of(changes: ChangeSet, call_ordinal: int, names: Names, places: Places = NO_PLACES) -> Effect:
    """The effect of ``changes``; names the rows this call created in ``names``, so later calls of the turn can refer
    to them.
    """
    for change in changes.changes:
        if _is_new(change):
            names.add(call_ordinal, change.table, change.uid)
            if change.table == PAGES and (place := places.get((PAGES, change.uid))) is not None:
                names.parents[change.uid] = place.translation_parent or place.pid
    fields = [_fields(change, names) for change in changes.changes]
    lines = sorted(
        (_sort_key(change, names), _line(change, parts, names, places.get((change.table, change.uid))))
        for change, parts in zip(changes.changes, fields, strict=True)
    )
    counts = Counter((change.table, change.action) for change in changes.changes)
    return Effect(
        hash=canonical.sha256("\n".join(line for _key, line in lines)),
        records=tuple(
            _record(change, parts, names)
            for change, parts in zip(changes.changes[:SHOWN_RECORDS], fields[:SHOWN_RECORDS], strict=True)
        ),
        counts=tuple((table, action, count) for (table, action), count in sorted(counts.items())),
        total=len(changes.changes),
    )


def _is_new(change: ObservedChange) -> bool:
    """Whether the record, not only a version row of it, came into being."""
    return change.action is ChangeAction.CREATED and change.uid == change.live_uid


def _sort_key(change: ObservedChange, names: Names) -> tuple[str, int, int, str, int, int]:
    name = names.of(change.table, change.live_uid)
    if isinstance(name, int):
        return change.table, 0, name, "", 0, change.workspace_id
    found = _PLACEHOLDER.fullmatch(name)
    call, number = (int(found[1]), int(found[3])) if found else (0, 0)
    return change.table, 1, call, name if not found else "", number, change.workspace_id


def _line(change: ObservedChange, fields: Sequence[FieldChange], names: Names, place: Place | None) -> str:
    return canonical.dumps(
        {
            "table": change.table,
            "name": names.of(change.table, change.live_uid),
            "workspace": change.workspace_id,
            "action": change.action.value,
            "new_row": change.created_uid,
            "page": names.of(PAGES, change.page_uid),
            "lies_in": None if place is None else names.of(PAGES, place.pid),
            "translates": None if place is None else names.of(change.table, place.translation_parent),
            "title": _renamed(change.title, names),
            "target": change.is_target,
            "language": change.language_id,
            "hidden": change.hidden,
            "starttime": change.starttime,
            "endtime": change.endtime,
            "groups": None if change.groups is None else list(change.groups),
            "fields": [[item.name, item.old, item.new] for item in fields],
        }
    )


def _record(change: ObservedChange, fields: tuple[FieldChange, ...], names: Names) -> RecordPreview:
    name = names.of(change.table, change.live_uid)
    exists = isinstance(name, int)
    return RecordPreview(
        table=change.table,
        uid=_stored_uid(change) if exists else 0,
        live_uid=change.live_uid if exists else 0,
        name=str(name),
        action=change.action,
        workspace_id=change.workspace_id,
        page_uid=names.nearest_page(change.page_uid),
        title=change.title,
        is_target=change.is_target,
        language_id=change.language_id,
        hidden=change.hidden,
        starttime=change.starttime,
        endtime=change.endtime,
        groups=change.groups,
        fields=fields,
    )


def _stored_uid(change: ObservedChange) -> int:
    """The row to judge by: a version row that the call would insert does not exist yet, so it is the live row's."""
    return change.live_uid if change.created_uid else change.uid


def _fields(change: ObservedChange, names: Names) -> tuple[FieldChange, ...]:
    owner = _owner_table(change)
    kept = [item for item in change.fields if item.name not in _IGNORED]
    return tuple(
        FieldChange(
            name=item.name,
            old=_value(change.table, item.name, item.old, names, owner),
            new=_value(change.table, item.name, item.new, names, owner),
        )
        for item in sorted(kept, key=lambda item: item.name)
    )


def _owner_table(change: ObservedChange) -> str:
    for item in change.fields:
        if item.name in _OWNER.values():
            return str(item.new or item.old or "")
    return ""


def _value(table: str, name: str, value: FieldValue, names: Names, owner: str) -> FieldValue:
    if isinstance(value, str):
        trait = REGISTRY[table].field_by_name.get(name)
        return _renamed(value, names) if trait is not None and trait.has_links else value
    if isinstance(value, bool) or value is None:
        return value
    refers_to = _refers_to(table, name, owner)
    return value if refers_to is None else names.of(refers_to, value)


def _refers_to(table: str, name: str, owner: str) -> str | None:
    if name in _STRUCTURE:
        return _STRUCTURE[name] or table
    if name in _OWNER:
        return owner or None
    trait = REGISTRY[table].field_by_name.get(name)
    return None if trait is None else trait.reference


def _renamed(words: str, names: Names) -> str:
    def rename(found: re.Match[str]) -> str:
        return f"page:{names.of(PAGES, int(found[1]))}"

    return _LINK.sub(rename, words)
