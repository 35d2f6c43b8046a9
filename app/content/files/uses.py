"""Where a file is used: records the viewer may read are named, the others counted."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.engine import Connection

from app.content.file_uses import owners_of
from app.content.reading import readable_rows
from app.content.schema import REGISTRY
from app.content.store import find_rows, title_of
from app.content.types import Row
from app.policy.identity import Identity


@dataclass(frozen=True, kw_only=True, slots=True)
class Use:
    """A record that uses a file."""

    table: str
    uid: int
    """The uid people know it by."""
    title: str
    language_id: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Uses:
    """Who uses a file."""

    named: tuple[Use, ...]
    withheld: int
    """Further records: without a right to them, or in another workspace."""

    @property
    def count(self) -> int:
        """All of them."""
        return len(self.named) + self.withheld


def find_uses(connection: Connection, identity: Identity, workspace_id: int, file_uid: int) -> Uses:
    """Records that use the file, live and in every draft; named as ``workspace_id`` sees them.

    A constant number of statements for each kind of record.
    """
    owners = owners_of(connection, file_uid)
    named: list[Use] = []
    for table in sorted({table for table, _ in owners}):
        uids = {uid for owner_table, uid in owners if owner_table == table}
        rows = {row.live_uid: row for row in find_rows(connection, table, uids, workspace_id).values()}
        kept = [row for uid, row in sorted(rows.items()) if uid in uids]
        named += [
            _use(row) for row in readable_rows(connection, identity, workspace_id, kept) if _selects(identity, table)
        ]
    return Uses(named=tuple(named), withheld=len(owners) - len(named))


def _selects(identity: Identity, table: str) -> bool:
    return identity.may_select(table, admin_only=REGISTRY[table].admin_only)


def _use(row: Row) -> Use:
    trait = REGISTRY[row.table]
    return Use(
        table=row.table,
        uid=row.live_uid,
        title=title_of(row.table, row.values),
        language_id=int(row["language_id"]) if trait.has_language else None,
    )
