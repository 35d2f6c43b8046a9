"""What a draft workspace holds that live does not, as one person may see it: by page, in parts, compared field by field."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy.engine import Connection

from app.content.access import Readable, judge, judged_row, readable
from app.content.held import HeldRow, LastChange, held_rows, last_changes
from app.content.schema import PAGES, REGISTRY
from app.content.store import find_rows, title_of
from app.content.types import RecordRef, Stage, VersionState
from app.policy.identity import LIVE, Identity

LISTED = 50
"""Records of one part of the list: a form takes no more than 100 fields."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """One record a workspace holds."""

    record: Readable
    state: VersionState
    is_ready: bool
    """Ready to publish, else being edited."""
    is_conflicting: bool
    """The live record changed, or went, after this draft of it was made."""
    changed_at: int
    last: LastChange | None

    @property
    def ref(self) -> RecordRef:
        """The row the workspace holds."""
        return RecordRef(table=self.record.table, uid=self.record.uid)


@dataclass(frozen=True, kw_only=True, slots=True)
class DifferenceGroup:
    """The listed records of one page."""

    page_uid: int
    """0 = records that lie on no page."""
    title: str
    """Empty when the page has none or the reader may not read the page's own record."""
    records: tuple[Difference, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkspaceDifferences:
    """What the reader may see of a workspace: the whole in numbers, one part of the list in full."""

    groups: tuple[DifferenceGroup, ...] = ()
    states: Mapping[VersionState, int] = field(default_factory=dict)
    """How many records of each state there are."""
    ready: int = 0
    conflicts: int = 0
    withheld: int = 0
    part: int = 1
    parts: int = 1

    @property
    def records(self) -> tuple[Difference, ...]:
        """The records of this part, page by page."""
        return tuple(item for group in self.groups for item in group.records)

    @property
    def total(self) -> int:
        """How many records the reader may see."""
        return sum(self.states.values())


def list_differences(
    connection: Connection, identity: Identity, workspace_id: int, part: int = 1
) -> WorkspaceDifferences:
    """Records new, changed, moved or to be deleted in a draft workspace, by page; filtered by rights first, then cut.

    Statements: one per versioned table and a constant number for rights, pages, rows and history (each per 900).
    """
    if not identity.may_use_workspace(workspace_id) or workspace_id == LIVE:
        return WorkspaceDifferences()
    found = [
        item for trait in REGISTRY.values() if trait.versioned for item in held_rows(connection, trait, workspace_id)
    ]
    answers = judge(connection, identity, [judged_row(item.trait, item.row) for item in found], deleted_too=True)
    shown = [item for item, ok in zip(found, answers, strict=True) if ok]
    titles = _page_titles(connection, identity, workspace_id, {item.page_uid for item in shown})
    shown.sort(key=lambda item: (titles[item.page_uid].casefold(), item.page_uid, item.order))
    parts = max(1, -(-len(shown) // LISTED))
    part = min(max(part, 1), parts)
    listed = shown[(part - 1) * LISTED : part * LISTED]
    return WorkspaceDifferences(
        groups=_grouped(_in_full(connection, identity, workspace_id, listed), titles),
        states=Counter(VersionState(item.row["version_state"]) for item in shown),
        ready=sum(item.row["version_stage"] == Stage.READY for item in shown),
        conflicts=sum(item.is_conflicting for item in shown),
        withheld=len(found) - len(shown),
        part=part,
        parts=parts,
    )


def find_differences(
    connection: Connection, identity: Identity, workspace_id: int, refs: Sequence[RecordRef]
) -> dict[RecordRef, Difference]:
    """Those of ``refs`` (row uids) the workspace holds and this person may see."""
    if not identity.may_use_workspace(workspace_id) or workspace_id == LIVE:
        return {}
    by_table: defaultdict[str, list[int]] = defaultdict(list)
    for ref in refs:
        if ref.table in REGISTRY and REGISTRY[ref.table].versioned:
            by_table[ref.table].append(ref.uid)
    found = [
        item for table, uids in by_table.items() for item in held_rows(connection, REGISTRY[table], workspace_id, uids)
    ]
    return {item.ref: item for item in _in_full(connection, identity, workspace_id, found)}


def find_difference(
    connection: Connection, identity: Identity, workspace_id: int, table: str, uid: int
) -> Difference | None:
    """One record (public or row uid) as the workspace holds it, or None where it holds none this person may see."""
    trait = REGISTRY.get(table)
    if trait is None or not trait.versioned or not identity.may_use_workspace(workspace_id) or workspace_id == LIVE:
        return None
    found = _in_full(connection, identity, workspace_id, held_rows(connection, trait, workspace_id, [uid]))
    return found[0] if found else None


def _page_titles(connection: Connection, identity: Identity, workspace_id: int, uids: Iterable[int]) -> dict[int, str]:
    """Titles of pages whose records are shown; empty where the page's own record may not be read (CH-16)."""
    wanted = set(uids)
    rows = find_rows(connection, PAGES.name, wanted, workspace_id, with_marked=True)
    may_read = identity.may_select(PAGES.name)
    return {
        uid: title_of(PAGES.name, rows[uid].values)
        if may_read and uid in rows and identity.may_use_language(rows[uid]["language_id"])
        else ""
        for uid in wanted
    }


def _in_full(
    connection: Connection, identity: Identity, workspace_id: int, found: Sequence[HeldRow]
) -> list[Difference]:
    records = readable(connection, identity, [item.ref for item in found])
    last = last_changes(connection, workspace_id, [(ref.table, record.live_uid) for ref, record in records.items()])
    return [
        Difference(
            record=records[item.ref],
            state=VersionState(item.row["version_state"]),
            is_ready=item.row["version_stage"] == Stage.READY,
            is_conflicting=item.is_conflicting,
            changed_at=int(item.row["changed_at"]),
            last=last.get((item.trait.name, records[item.ref].live_uid)),
        )
        for item in found
        if item.ref in records
    ]


def _grouped(records: Iterable[Difference], titles: Mapping[int, str]) -> tuple[DifferenceGroup, ...]:
    by_page: defaultdict[int, list[Difference]] = defaultdict(list)
    for item in records:
        by_page[item.record.page_uid].append(item)
    return tuple(
        DifferenceGroup(page_uid=uid, title=titles.get(uid, ""), records=tuple(items)) for uid, items in by_page.items()
    )
