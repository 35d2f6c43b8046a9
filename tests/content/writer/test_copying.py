"""A page copy with everything on it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import insert

from app.content.errors import WriteRefused
from app.content.schema import CONTENT_ELEMENTS, FILE_REFERENCES, PAGES
from app.content.sorting import keys_between
from app.content.types import ChangeAction
from tests.content.writer.fixtures import ADMIN, ANNA, DE, DRAFT, LIVE, NOW, Store

WORKSPACES = pytest.mark.parametrize("workspace_id", [LIVE, DRAFT])


@pytest.mark.behaviour("CM-04")
@WORKSPACES
def test_it_copies_a_page_with_everything_on_it(any_store: Store, workspace_id: int) -> None:
    live = any_store.hash_of_live()
    with any_store.batch(workspace_id, ANNA) as batch:
        result = batch.copy_page(10, 20, subpages=True)
        batch.mark_target(result.root)
        changes = batch.finish()
    assert dict(result.counts) == {"pages": 5, "content_elements": 5, "contacts": 1, "file_references": 2}
    assert len(changes.changes) == 13
    assert {change.action for change in changes.changes} == {ChangeAction.CREATED}
    assert [change.uid for change in changes.changes if change.is_target] == [result.root.uid]
    assert changes.changes[0].uid == result.root.uid
    pages = [row for row in any_store.rows("pages") if row["uid"] > 31]
    assert [(row["title"], row["hidden"], row["pid"]) for row in pages] == [
        ("Museum (copy 1)", True, 20),
        ("Hours", False, 32),
        ("Shop", False, 32),
        ("Museum, deutsch (copy 1)", True, 20),
        ("Zeiten", False, 32),
    ]
    assert all(row["workspace_id"] == workspace_id and row["live_uid"] == 0 for row in pages)
    assert all(row["version_state"] == (1 if workspace_id else 0) for row in pages)
    if workspace_id:
        assert any_store.hash_of_live() == live


def test_it_gives_copies_the_rights_of_who_copies(store: Store) -> None:
    store.do(lambda batch: batch.copy_page(10, 20, subpages=True), LIVE, ANNA)
    for row in store.rows("pages", created_at=NOW):
        assert [row[name] for name in ("owner_id", "group_id", "owner_bits", "group_bits", "everybody_bits")] == [
            2,
            7,
            31,
            27,
            0,
        ]
        assert (row["rev"], row["import_key"], row["keywords"]) == (1, "", "")  # Anna has no grant for keywords


def test_it_leads_links_references_and_translations_to_the_copies(any_store: Store) -> None:
    any_store.do(lambda batch: batch.copy_page(10, 20, subpages=True))
    elements = {row["header"]: row for row in any_store.rows("content_elements", created_at=NOW)}
    # The administrator copies page 12 too; page 20 lies outside the branch.
    pages = {row["title"]: row["uid"] for row in any_store.rows("pages", created_at=NOW)}
    hours, secret = pages["Hours"], pages["Secret"]
    assert elements["Welcome"]["body"] == f"See [hours](page:{hours}), [guides](page:20) and [secret](page:{secret})."
    assert elements["Willkommen"]["body"] == f"Siehe [Zeiten](page:{hours})."
    assert elements["Willkommen"]["translation_parent"] == elements["Welcome"]["uid"]
    assert elements["Willkommen"]["translation_source"] == elements["Welcome"]["uid"]
    assert elements["Hidden one"]["hidden"]
    assert not elements["Welcome"]["hidden"]
    front, vorn = any_store.rows("file_references", created_at=NOW)
    assert (front["owner_uid"], front["pid"]) == (elements["Welcome"]["uid"], pages["Museum (copy 1)"])
    assert (vorn["owner_uid"], vorn["translation_parent"]) == (elements["Willkommen"]["uid"], front["uid"])
    german = {row["title"]: row for row in any_store.rows("pages", created_at=NOW, language_id=DE)}
    assert german["Zeiten"]["translation_parent"] == hours
    assert [row["sorting"] for row in any_store.rows("pages", pid=pages["Museum (copy 1)"], language_id=0)] == [
        "a0",
        "a1",
        "a2",
    ]


def test_it_copies_only_the_page_without_subpages(store: Store) -> None:
    with store.batch() as batch:
        result = batch.copy_page(10, None, subpages=False)
        batch.finish()
    assert dict(result.counts) == {"pages": 2, "content_elements": 3, "contacts": 0, "file_references": 2}
    copy = store.row("pages", result.root.uid)
    assert copy is not None
    assert (copy["pid"], copy["sorting"]) == (1, "a2")


def test_it_takes_the_next_free_number(any_store: Store) -> None:
    for expected in ("Shop (copy 1)", "Shop (copy 2)"):
        with any_store.batch() as batch:
            root = batch.copy_page(14, None, subpages=False).root
            batch.finish()
        row = any_store.row("pages", root.uid)
        assert row is not None
        assert row["title"] == expected
    with any_store.batch() as batch:
        again = batch.copy_page(root.uid, None, subpages=False).root
        long = batch.create("pages", 1, {"title": "x" * 255})
        cut = batch.copy_page(long.uid, None, subpages=False).root
        batch.finish()
    assert [any_store.rows("pages", uid=uid)[0]["title"] for uid in (again.uid, cut.uid)] == [
        "Shop (copy 3)",
        "x" * 246 + " (copy 1)",
    ]


def test_it_leaves_out_languages_and_tables_the_person_may_not_write(store: Store) -> None:
    actor = replace(ANNA, languages=frozenset({0}), tables_modify=frozenset({"pages", "content_elements"}))
    with store.batch(LIVE, actor) as batch:
        result = batch.copy_page(10, 20, subpages=True)
        batch.finish()
    assert dict(result.counts) == {"pages": 3, "content_elements": 4}


def test_it_copies_what_the_draft_shows(any_store: Store) -> None:
    with any_store.batch(DRAFT) as batch:
        batch.update("pages", 11, {"title": "New hours"})
        batch.delete("pages", 14)
        batch.delete("content_elements", 101)
        batch.finish()
    any_store.do(lambda batch: batch.create("pages", 11, {"title": "Only here"}), DRAFT, ANNA)
    with any_store.batch(DRAFT, ANNA) as batch:
        batch.copy_page(10, 20, subpages=True)
        titles = [change.title for change in batch.finish().changes]
    assert "New hours" in titles
    assert "Only here" in titles
    assert not {"Shop", "Hidden one", "Hours"} & set(titles)


@WORKSPACES
def test_it_refuses_to_copy_a_page_into_itself(store: Store, workspace_id: int) -> None:
    for target in (10, 11, 13):
        with pytest.raises(WriteRefused, match="inside_itself"):
            store.do(lambda batch, t=target: batch.copy_page(10, t, subpages=True), workspace_id)


def _add_branch(store: Store, pages: int) -> None:
    keys = keys_between(None, None, pages)
    common = {"owner_id": 2, "group_id": 7, "group_bits": 27}
    branch = [{"uid": 1000, "pid": 1, "title": "Top", "sorting": "a5", **common}]
    branch += [
        {"uid": 1000 + n, "pid": 1000 + (n - 1) // 10, "title": f"Page {n}", "sorting": keys[n], **common}
        for n in range(1, pages)
    ]
    elements = [
        {"pid": page["uid"], "header": f"H{n}", "body": "[x](page:1001)", "sorting": f"a{n}"}
        for page in branch
        for n in range(5)
    ]
    references = [
        {"pid": page["uid"], "owner_table": "pages", "owner_uid": page["uid"], "file_uid": 1, "sorting": "a0"}
        for page in branch
    ]
    with store.engine.begin() as connection:
        connection.execute(insert(PAGES.table), branch)
        connection.execute(insert(CONTENT_ELEMENTS.table), elements)
        connection.execute(insert(FILE_REFERENCES.table), references)


@pytest.mark.parametrize("pages", [100, 1000])
@WORKSPACES
def test_it_needs_few_statements_however_many_pages(store: Store, pages: int, workspace_id: int) -> None:
    _add_branch(store, pages)
    changes = store.do(lambda batch: batch.copy_page(1000, 20, subpages=True), workspace_id, ANNA)
    assert len(changes.changes) == 7 * pages
    rows = 7 * pages
    assert len(store.statements) <= 21 + rows // 900, store.statements  # at most 40 + 1 per 900 rows (W3)


def test_it_refuses_more_than_a_thousand_pages_with_the_count(store: Store) -> None:
    _add_branch(store, 1001)
    with pytest.raises(WriteRefused, match="too_large") as refused:
        store.do(lambda batch: batch.copy_page(1000, 20, subpages=True), LIVE, ANNA)
    assert refused.value.text.count == 1001
    store.do(lambda batch: batch.copy_page(1000, 20, subpages=False), LIVE, ANNA)


@pytest.mark.postgres
def test_it_copies_the_same_on_postgresql(store: Store, postgres_store: Store) -> None:
    def seen(where: Store) -> list[object]:
        changes = where.do(lambda batch: batch.copy_page(10, 20, subpages=True), DRAFT, ANNA)
        return [(c.table, c.uid, c.title, c.hidden, c.fields) for c in changes.changes]

    assert seen(store) == seen(postgres_store)
    assert store.rows("pages") == postgres_store.rows("pages")
    assert store.history()[0]["changes"] == postgres_store.history()[0]["changes"]


def test_it_copies_for_an_administrator_to_the_root(store: Store) -> None:
    with store.batch(LIVE, ADMIN) as batch:
        root = batch.copy_page(14, 0, subpages=False).root
        batch.finish()
    assert store.rows("pages", uid=root.uid)[0]["pid"] == 0
