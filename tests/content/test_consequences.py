"""What goes along with a record, as far as the person reads it, on both databases."""

from __future__ import annotations

import pytest

from app.content import store
from app.content.consequences import count_taken_along
from app.content.permitted import permitted
from app.content.restorable import list_deleted
from app.content.types import RecordRef, Row
from tests.content.fixtures import ContentStore, admin, content_store, person, postgres_store

__all__ = ["content_store", "postgres_store"]


@pytest.fixture(params=["content_store", "postgres_store"])
def site(request: pytest.FixtureRequest) -> ContentStore:
    """1 > 2 (de 12) > 3 (de 13), 4 (closed); elements on all; 21 translates 20; 30 deleted; 31 a deleted page below 2."""
    content: ContentStore = request.getfixturevalue(str(request.param))
    content.languages()
    for uid, pid in ((1, 0), (2, 1), (3, 2)):
        content.page(uid, pid)
    content.page(4, 2, group_bits=0)
    content.page(12, 1, translation_parent=2, language_id=1)
    content.page(13, 2, translation_parent=3, language_id=1)
    content.page(31, 2, deleted=True, changed_at=9)
    content.element(20, 2)
    content.element(21, 2, translation_parent=20, language_id=1)
    content.element(22, 3)
    content.element(23, 4)
    content.element(30, 2, deleted=True, changed_at=5)
    file = content.file(1, "/press/house.txt")
    content.add("file_references", uid=1, pid=2, file_uid=file, owner_table="content_elements", owner_uid=20)
    return content


def row_of(content: ContentStore, table: str, uid: int) -> Row:
    found = store.find_row(content.connection, table, uid, 0)
    assert found is not None
    return found


def test_it_counts_a_branch(site: ContentStore) -> None:
    page = row_of(site, "pages", 2)
    found = count_taken_along(site.connection, person(), 0, page)
    assert found.translations == 1
    assert dict(found.records) == {"pages": 2, "content_elements": 3, "file_references": 1}
    more = count_taken_along(site.connection, admin(), 0, page)
    assert (more.records["pages"], more.records["content_elements"]) == (3, 4)


def test_it_counts_only_what_the_person_reads(site: ContentStore) -> None:
    page = row_of(site, "pages", 2)
    english = count_taken_along(site.connection, person(languages=frozenset({0})), 0, page)
    assert (english.translations, english.records["pages"], english.records["content_elements"]) == (0, 1, 2)
    few = count_taken_along(
        site.connection, person(tables_select=frozenset(), tables_modify=frozenset({"pages"})), 0, page
    )
    assert dict(few.records) == {"pages": 2}


def test_it_counts_what_hangs_on_a_record_and_on_a_translated_page(site: ContentStore) -> None:
    element = count_taken_along(site.connection, person(), 0, row_of(site, "content_elements", 20))
    assert (element.translations, dict(element.records)) == (1, {"file_references": 1})
    german = count_taken_along(site.connection, person(), 0, row_of(site, "pages", 12))
    assert (german.translations, dict(german.records)) == (0, {"content_elements": 1})


def test_it_lists_what_can_be_restored(site: ContentStore) -> None:
    found = [(record.table, record.uid) for record in list_deleted(site.connection, person(), 2)]
    assert found == [("pages", 31), ("content_elements", 30)]
    assert list_deleted(site.connection, person(may_work_live=False), 2) == ()
    assert list_deleted(site.connection, person(tables_modify=frozenset()), 2) == ()


def test_it_says_what_may_be_done(site: ContentStore) -> None:
    rows = [row_of(site, "pages", 2), row_of(site, "content_elements", 21), row_of(site, "pages", 4)]
    with site.counted() as statements:
        found = permitted(site.connection, person(), 0, rows)
    assert len(statements) <= 3
    page, element, closed = (found[RecordRef(table=row.table, uid=row.live_uid)] for row in rows)
    assert page.edit
    assert page.add_page
    assert page.add_element
    assert element.edit
    assert not element.move
    assert not element.translate
    assert not closed.edit
    reader = permitted(site.connection, person(tables_modify=frozenset()), 0, rows)
    assert not any(one.edit or one.delete for one in reader.values())
    nobody = permitted(site.connection, person(workspaces={}), 1, rows)
    assert not any(one.edit or one.delete for one in nobody.values())
