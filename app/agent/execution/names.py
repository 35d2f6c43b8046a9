"""The placeholders of earlier calls of a turn, rebuilt from the record history at execution (rehearsal.md rule 3)."""

from __future__ import annotations

from sqlalchemy import Table, select
from sqlalchemy.engine import Connection

from app.agent.effects import PAGES, Names
from app.agent.types import Call
from app.content.models import Page, RecordHistory
from app.content.types import ChangeAction
from app.core.db import slices

_history: Table = RecordHistory.__table__
_pages: Table = Page.__table__


def rebuild_names(connection: Connection, call: Call) -> Names:
    """Names of the rows that the calls before ``call`` created in its turn; nothing needs to be stored for it."""
    names = Names()
    earlier = {f"{call.run_uuid}/{call.turn}/{ordinal}": ordinal for ordinal in range(call.ordinal)}
    if not earlier:
        return names
    rows = connection.execute(
        select(_history.c.correlation, _history.c.table_name, _history.c.uid)
        .where(
            _history.c.correlation.in_(list(earlier)),
            _history.c.action == ChangeAction.CREATED.value,
            _history.c.uid == _history.c.live_uid,
        )
        .order_by(_history.c.id)
    ).all()
    for correlation, table, uid in rows:
        names.add(earlier[correlation], table, uid)
    _add_parents(connection, names, [uid for _correlation, table, uid in rows if table == PAGES])
    return names


def _add_parents(connection: Connection, names: Names, uids: list[int]) -> None:
    for part in slices(uids):
        found = connection.execute(
            select(_pages.c.uid, _pages.c.pid, _pages.c.translation_parent).where(_pages.c.uid.in_(part))
        ).all()
        names.parents.update({uid: origin or pid for uid, pid, origin in found})
