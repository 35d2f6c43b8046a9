"""Finding deleted records: the same rights as for those that exist, as one condition of the query."""

from __future__ import annotations

from typing import Any

import pytest

from app.content.search import search_records
from app.policy.identity import Identity
from tests.content.fixtures import ContentStore, admin, content_store, person, postgres_store

__all__ = ["content_store", "postgres_store"]


def _fill(store: ContentStore) -> None:
    store.languages()
    store.page(1, title="Museum")
    store.page(2, 1, title="Old café", deleted=True)
    store.page(3, 1, title="Old secret", deleted=True, group_bits=30)
    store.page(4, 2, title="Old below", deleted=True)
    store.page(5, 1, title="Old draft", deleted=True, workspace_id=1)
    store.page(6, 1, title="Old French", deleted=True, language_id=2, translation_parent=1)
    store.page(7, 1, title="Old but there")
    store.element(10, 1, header="Old element", deleted=True)
    store.element(11, 2, header="Old on the café", deleted=True)
    store.file(1, "/press/a.png")
    store.file(2, "/press-archive/b.png")
    for uid in (1, 2):
        values: dict[str, Any] = {"pid": 1, "owner_table": "content_elements", "owner_uid": 10, "file_uid": uid}
        store.add("file_references", uid=uid, title=f"Old picture {uid}", deleted=True, **values)
    store.add("redirects", uid=1, source="/old", deleted=True)


def _found(store: ContentStore, identity: Identity, workspace_id: int = 0) -> list[tuple[str, int]]:
    result = search_records(store.connection, identity, workspace_id, "old", deleted=True)
    return [(hit.table, hit.uid) for hit in result.records]


def test_it_finds_what_was_deleted_live_on_pages_that_are_there(content_store: ContentStore) -> None:
    _fill(content_store)
    expected = [("pages", 2), ("pages", 6), ("content_elements", 10), ("file_references", 1), ("redirects", 1)]
    assert sorted(_found(content_store, person())) == sorted(expected)
    assert _found(content_store, person(), 1) == _found(content_store, person())
    hits = search_records(content_store.connection, person(), 0, "old café", deleted=True).records
    assert [(hit.parent_title, hit.is_exact) for hit in hits] == [("Museum", True)]


@pytest.mark.parametrize(
    ("lost", "gone"),
    [
        ({"tables_select": frozenset({"pages"}), "tables_modify": frozenset()}, {("content_elements", 10)}),
        ({"languages": frozenset({0, 1})}, {("pages", 6)}),
        ({"page_mounts": frozenset()}, {("pages", 2), ("pages", 6), ("content_elements", 10), ("file_references", 1)}),
        ({"file_permissions": frozenset()}, {("file_references", 1)}),
        ({"may_work_live": False}, {("pages", 2), ("content_elements", 10), ("redirects", 1)}),
    ],
)
def test_every_right_counts(content_store: ContentStore, lost: dict[str, Any], gone: set[tuple[str, int]]) -> None:
    _fill(content_store)
    assert gone.isdisjoint(_found(content_store, person(**lost)))
    assert gone <= set(_found(content_store, person()))


def test_an_administrator_finds_them_too_but_nothing_below_a_deleted_page(content_store: ContentStore) -> None:
    _fill(content_store)
    found = set(_found(content_store, admin()))
    assert {("pages", 3), ("file_references", 2)} <= found
    assert not found & {("pages", 4), ("pages", 5), ("pages", 7), ("content_elements", 11)}


@pytest.mark.postgres
def test_it_finds_alike_on_postgresql(postgres_store: ContentStore, content_store: ContentStore) -> None:
    found = []
    for store in (content_store, postgres_store):
        _fill(store)
        found.append([_found(store, identity) for identity in (person(), admin(), person(languages=frozenset({0})))])
    assert found[0] == found[1]
