"""Numbers of new rows on both databases."""

from __future__ import annotations

import pytest
from sqlalchemy import delete, insert

from app.content.schema import CONTACTS, PAGES, SITE_SETTINGS
from app.content.uids import reserve_uids
from tests.content.writer.fixtures import Store


def test_it_reserves_ascending_numbers_nobody_has(store: Store) -> None:
    with store.engine.begin() as connection:
        first = reserve_uids(connection, PAGES.table, 3)
        second = reserve_uids(connection, PAGES.table, 2)
        assert reserve_uids(connection, PAGES.table, 0) == []
    assert [*first, *second] == [32, 33, 34, 35, 36]


def test_it_starts_the_counter_of_an_untouched_table(store: Store) -> None:
    with store.engine.begin() as connection:
        assert reserve_uids(connection, SITE_SETTINGS.table, 2) == [1, 2]
        connection.execute(insert(SITE_SETTINGS.table), {"name": "x"})
    assert [row["uid"] for row in store.rows("site_settings")] == [3]


def test_it_never_gives_the_number_of_a_removed_row_again(store: Store) -> None:
    with store.engine.begin() as connection:
        (uid,) = reserve_uids(connection, CONTACTS.table, 1)
        connection.execute(insert(CONTACTS.table), {"uid": uid, "name": "x"})
        connection.execute(delete(CONTACTS.table).where(CONTACTS.table.c.uid == uid))
        assert reserve_uids(connection, CONTACTS.table, 1) == [uid + 1]


def test_it_gives_the_numbers_back_with_a_rollback_on_sqlite(store: Store) -> None:
    with store.engine.begin() as connection:
        savepoint = connection.begin_nested()
        tried = reserve_uids(connection, PAGES.table, 5)
        savepoint.rollback()
        assert reserve_uids(connection, PAGES.table, 5) == tried


@pytest.mark.postgres
def test_it_reserves_numbers_from_the_sequence_on_postgresql(postgres_store: Store) -> None:
    with postgres_store.engine.begin() as connection:
        numbers = reserve_uids(connection, PAGES.table, 2000)
    assert numbers == sorted(set(numbers))
    assert len(numbers) == 2000
    assert numbers[0] == 32
