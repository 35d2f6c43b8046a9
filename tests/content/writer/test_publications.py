"""A draft row that was published is judged by its live row; one that was discarded is gone (CH-20, D9)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.content.access import readable
from app.content.types import RecordRef
from tests.content.writer.fixtures import ANNA, DRAFT, OTHER, Store
from tests.content.writer.publishing import discard, held, in_transaction, publish

READER = replace(ANNA, tables_select=ANNA.tables_modify, workspaces={}, languages=None)


def shown(store: Store, refs: list[RecordRef], reader: object = READER) -> dict[RecordRef, tuple[int, bool]]:
    found = in_transaction(store, lambda c: readable(c, reader, refs))  # type: ignore[arg-type]
    return {ref: (record.live_uid, record.published_since) for ref, record in found.items()}


@pytest.mark.behaviour("CH-20")
def test_it_shows_published_rows_by_their_live_rows(any_store: Store) -> None:
    with any_store.batch(DRAFT) as batch:
        batch.update("content_elements", 103, {"header": "x"})
        batch.delete("content_elements", 104)
        batch.update("content_elements", 105, {"header": "On a page nobody sees"})
        batch.update("pages", 14, {"title": "x"})
        batch.finish()
    elements, pages = held(any_store, "content_elements"), held(any_store, "pages")
    assert shown(any_store, [*elements, *pages]) == {}
    publish(any_store)
    assert shown(any_store, [*elements, *pages]) == {
        elements[0]: (103, True),
        elements[1]: (104, True),
        pages[0]: (14, True),
    }
    assert shown(any_store, [*elements, *pages], replace(READER, may_work_live=False)) == {}


@pytest.mark.behaviour("CH-20")
def test_it_withholds_discarded_rows_even_when_another_version_was_published(any_store: Store) -> None:
    any_store.do(lambda b: b.update("content_elements", 103, {"header": "x"}), DRAFT)
    (first,) = held(any_store, "content_elements")
    discard(any_store)
    any_store.do(lambda b: b.update("content_elements", 103, {"header": "y"}), DRAFT)
    (second,) = held(any_store, "content_elements")
    publish(any_store)
    assert shown(any_store, [first, second]) == {second: (103, True)}


def test_it_withholds_what_was_removed_for_good_after_its_publication(store: Store) -> None:
    store.do(lambda b: b.delete("file_metadata", 1), DRAFT)
    (mark,) = held(store, "file_metadata")
    publish(store)
    assert shown(store, [mark]) == {}


@pytest.mark.behaviour("CH-20")
def test_it_asks_history_once_and_only_when_a_row_is_gone(store: Store) -> None:
    def statements(refs: list[RecordRef]) -> int:
        shown(store, refs)
        return len(store.statements)

    live = [RecordRef(table="content_elements", uid=uid) for uid in (103, 104)]
    plain = statements(live)
    for workspace_id in (DRAFT, OTHER):
        for uid in (100, 103, 104):
            store.do(lambda b, u=uid: b.update("content_elements", u, {"header": "x"}), workspace_id)
    refs = held(store, "content_elements")
    publish(store)
    assert statements(live) == plain
    assert statements([*live, refs[0]]) == statements([*live, *refs]) == plain + 2
    plan = in_transaction(
        store,
        lambda c: c.exec_driver_sql(
            "EXPLAIN QUERY PLAN SELECT live_uid FROM record_history WHERE action = 'published'"
            " AND table_name = 'pages' AND uid IN (1, 2)"
        ).all(),
    )
    assert "ix_record_history_published" in str(plan)
