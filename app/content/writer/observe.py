"""What a batch did, row by row, folded to the net effect (rehearsal.md rule 4, cms.md section 15).

Every write of the writer is reported here: first "before", last "after" of a row decide. Created and removed again:
nothing. Changed and changed back: nothing. The row's state, not the command, names the action (cms.md section 13).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.content.schema import TableTrait
from app.content.store import title_of
from app.content.types import (
    ChangeAction,
    ChangeSet,
    FieldChange,
    HistoryEvent,
    ObservedChange,
    RecordRef,
    VersionState,
)

RowValues = Mapping[str, Any]


@dataclass(slots=True)
class ObservedRow:
    """One row: what the record was before the batch (None: it did not exist) and what the row is now (None: it is
    gone).
    """

    trait: TableTrait
    before: RowValues | None
    after: RowValues | None
    last: RowValues
    """The newest values known, for the facts of a row that is gone."""
    inserted: bool

    @property
    def is_needless_version(self) -> bool:
        """A version row made by this batch that equals the live record again: it is taken back (CM-05)."""
        return self.inserted and self.before is not None and self.after is not None and self.action is None

    @property
    def action(self) -> ChangeAction | None:
        """The net effect; None when there is none."""
        if self.after is None:
            return None if self.before is None or self.inserted else ChangeAction.DELETED
        if _is_deleted(self.after):
            return ChangeAction.DELETED
        if self.before is None:
            return ChangeAction.CREATED
        if self.before["pid"] != self.after["pid"] or self.before.get("sorting") != self.after.get("sorting"):
            return ChangeAction.MOVED
        return ChangeAction.UPDATED if self.differs or _is_deleted(self.before) else None

    @property
    def differs(self) -> bool:
        """Whether a field of the registry is not what it was."""
        before, after = self.before, self.after
        return before is None or after is None or any(before[f.name] != after[f.name] for f in self.trait.fields)


class Observation:
    """Collects the writes of one batch, in order of first observation."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, int], ObservedRow] = {}
        self._targets: set[tuple[str, int]] = set()
        self._events: dict[tuple[str, int], HistoryEvent] = {}
        self._published: dict[tuple[str, int], tuple[TableTrait, RowValues]] = {}

    def inserted(self, trait: TableTrait, rows: Sequence[RowValues], before: Sequence[RowValues] | None = None) -> None:
        """Rows were inserted; ``before`` are, for version rows, the records they stand for, in the same order."""
        stand_for: Sequence[RowValues | None] = before or [None] * len(rows)
        for values, record in zip(rows, stand_for, strict=True):
            self._rows[trait.name, values["uid"]] = ObservedRow(trait, record, values, values, inserted=True)

    def changed(self, trait: TableTrait, before: RowValues, after: RowValues) -> None:
        """A row got new values (a soft deletion and a mark are new values too)."""
        known = self._rows.get((trait.name, before["uid"]))
        if known is None:
            self._rows[trait.name, before["uid"]] = ObservedRow(trait, before, after, after, inserted=False)
        else:
            known.after = known.last = after

    def removed(self, trait: TableTrait, values: RowValues) -> None:
        """A row is gone for good."""
        known = self._rows.get((trait.name, values["uid"]))
        if known is None:
            self._rows[trait.name, values["uid"]] = ObservedRow(trait, values, None, values, inserted=False)
        else:
            known.after = None

    def note(self, trait: TableTrait, rows: Sequence[RowValues], event: HistoryEvent) -> None:
        """History is to call what happens to ``rows`` by this name; one without any net effect stays unobserved."""
        self._events.update({(trait.name, row["uid"]): event for row in rows})

    def published(self, trait: TableTrait, version: RowValues) -> None:
        """The values of a draft row became those of its live row, which is observed by itself."""
        self._published[trait.name, public_uid(version)] = (trait, version)

    def became_live(self, trait: TableTrait, row: RowValues) -> None:
        """A row that was new in a draft is a live record now: nobody in live knew it before."""
        self._rows[trait.name, row["uid"]] = ObservedRow(trait, None, row, row, inserted=False)

    def published_rows(self) -> Sequence[tuple[TableTrait, RowValues]]:
        """Draft rows that were published, in order."""
        return list(self._published.values())

    def mark_target(self, ref: RecordRef) -> None:
        """``ref`` (a row or the record it stands for) is what the tool was asked to write; stays so."""
        self._targets.add((ref.table, ref.uid))

    def needless_versions(self) -> Iterator[ObservedRow]:
        """Version rows without any difference left."""
        return (row for row in list(self._rows.values()) if row.is_needless_version)

    def fold(self) -> ChangeSet:
        """The net effect per row."""
        found = (self._fold(row) for row in self._rows.values())
        return ChangeSet(changes=tuple(change for change in found if change is not None))

    def _fold(self, row: ObservedRow) -> ObservedChange | None:
        action = row.action
        if action is None:
            return None
        trait, values = row.trait, row.last
        live_uid = public_uid(values)
        key = (trait.name, values["uid"])
        published = self._published.get(key)
        return ObservedChange(
            table=trait.name,
            uid=values["uid"],
            live_uid=live_uid,
            action=action,
            workspace_id=values.get("workspace_id", 0),
            page_uid=page_of(trait, values),
            title=title_of(trait.name, values),
            language_id=values.get("language_id"),
            hidden=values.get("hidden"),
            starttime=values.get("starttime"),
            endtime=values.get("endtime"),
            groups=_groups(values["groups"]) if trait.has_groups else None,
            is_target=bool(self._targets)
            and not self._targets.isdisjoint({(trait.name, live_uid), (trait.name, values["uid"])}),
            fields=() if action is ChangeAction.DELETED else tuple(_differences(row)),
            created_uid=row.inserted,
            event=self._events.get(key),
            published_uid=published[1]["uid"] if published is not None else 0,
        )


def public_uid(values: RowValues) -> int:
    """The uid people know a record by: of a version row its live row's, else the row's own (cms.md section 7)."""
    return int(values.get("live_uid") or values["uid"])


def page_of(trait: TableTrait, values: RowValues) -> int:
    """The page whose rights decide about a row: for pages the page itself, in the default language."""
    if trait.name == "pages":
        return int(values["translation_parent"] or public_uid(values))
    return int(values["pid"])


def _is_deleted(values: RowValues) -> bool:
    return bool(values.get("deleted")) or values.get("version_state") == VersionState.DELETED


def _differences(row: ObservedRow) -> Iterator[FieldChange]:
    after = row.after or {}
    if row.before is None:
        for name in row.trait.field_by_name:
            value = after[name]
            if value:
                yield FieldChange(name=name, old=None, new=value)
        return
    for field in row.trait.fields:
        if row.before[field.name] != after[field.name]:
            yield FieldChange(name=field.name, old=row.before[field.name], new=after[field.name])
    if row.before["pid"] != after["pid"]:  # no field of the registry, but cards and history tell from where to where
        yield FieldChange(name="pid", old=row.before["pid"], new=after["pid"])


def _groups(stored: str) -> tuple[int, ...]:
    return tuple(int(part) for part in stored.split(",")) if stored else ()
