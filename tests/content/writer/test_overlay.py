"""Reading many rows at once."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import event

from app.content.writer import Batch
from tests.content.writer.fixtures import DE, DRAFT, FR, LIVE, Store


def _commands(batch: Batch) -> None:
    batch.update("pages", 10, {"title": "x", "keywords": "y"})
    batch.create("content_elements", 10, {"header": "x"}, after_uid=100)
    batch.localize("pages", 10, FR, with_content=True)
    batch.localize("pages", 14, DE, with_content=True)
    batch.copy_page(10, 20, subpages=True)
    batch.delete("content_elements", 100)
    batch.delete("pages", 10)


@pytest.mark.parametrize("workspace_id", [LIVE, DRAFT])
def test_it_reads_no_table_from_end_to_end(store: Store, workspace_id: int) -> None:
    """No plan scans a table of records: each statement finds its rows by an index."""
    asked: list[tuple[str, Any]] = []

    @event.listens_for(store.engine, "before_cursor_execute")
    def _keep(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_rest: Any) -> None:
        asked.append((statement, parameters))

    store.do(_commands, workspace_id)
    event.remove(store.engine, "before_cursor_execute", _keep)
    scans = []
    with store.engine.connect() as connection:
        for statement, parameters in asked:
            if (
                statement.lstrip().startswith(("SELECT", "WITH", "UPDATE", "DELETE"))
                and "sqlite_sequence" not in statement
            ):
                plan = connection.exec_driver_sql("EXPLAIN QUERY PLAN " + statement, parameters).all()
                scans += [(row[3], statement) for row in plan if row[3].startswith("SCAN") and _is_record_table(row[3])]
    assert not scans, {(step, statement[-400:]) for step, statement in scans}


def _is_record_table(step: str) -> bool:
    names = ("pages", "content_elements", "contacts", "redirects", "file_", "row", "top")
    return step.removeprefix("SCAN ").startswith(names)
