"""Sends draft rows on to publishing and back to editing (cms.md section 9).

A stage is no part of the record: nothing is observed, ``rev`` stays, and history has an entry of its own kind. Any update
of a row sends it back to editing (``writer.rows``).
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, update

from app.content.types import RecordRef, Stage, WriteContext
from app.content.writer.batch import raise_clock
from app.content.writer.drafts import by_table, demand_owner, handled
from app.content.writer.history import write_stages
from app.core.db import slices


def set_stage(connection: Connection, context: WriteContext, refs: Sequence[RecordRef] | None, stage: Stage) -> int:
    """Bring ``refs`` (row uids of ``context.workspace_id``; None = what the person may change there) to ``stage``.

    Returns how many were not there already. Members send on, only owners and administrators send back from ready.
    Raises ``WriteRefused``: ``not_found``, ``owners_only``.
    """
    raise_clock(connection)
    rows = handled(connection, context.actor, context.workspace_id, refs)
    differing = [row for row in rows if row.values["version_stage"] != stage]
    if differing and stage is Stage.EDITING:
        demand_owner(context.actor, context.workspace_id)
    for trait, values in by_table(differing).items():
        table = trait.table
        for part in slices([row["uid"] for row in values]):
            connection.execute(update(table).where(table.c.uid.in_(part)).values(version_stage=stage.value))
        if not context.rehearsal:
            write_stages(connection, context, trait, values, stage.value)
    return len(differing)
