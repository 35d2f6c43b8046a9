"""What a draft workspace holds, per reader: grouped by page, in parts, beside live."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import insert

from app.content import models
from app.content.comparison import compare_with_live
from app.content.differences import LISTED, Difference, find_differences, list_differences
from app.content.errors import WriteRefused
from app.content.types import RecordRef, Stage, VersionState
from tests.content.fixtures import ContentStore, admin, content_store, person, postgres_store

__all__ = ["content_store", "postgres_store"]

CHANGED, NEW, DELETED, MOVED = VersionState
DRAFT = 1


def _site(content: ContentStore) -> None:
    """Live: 1 with 2 (element 20) and 3. Draft 1: 2 changed, 21 new on it, 3 to be deleted; page 9 is nobody's."""
    content.languages()
    content.page(1)
    content.page(2, 1, title="Hours", rev=4)
    content.page(3, 1, title="Old")
    content.page(9, 0, title="Closed", group_id=8)
    content.element(20, 2)
    _version(content, "pages", 12, 2, pid=1, title="New hours", version_base=4)
    _version(content, "pages", 13, 3, pid=1, title="Old", version_state=DELETED, version_base=1)
    _version(content, "pages", 19, 9, title="Secret", version_base=1)
    content.element(21, 2, header="Holidays", workspace_id=DRAFT, version_state=NEW)
    content.element(22, 2, header="Other draft", workspace_id=2, version_state=NEW)


def _version(content: ContentStore, table: str, uid: int, live_uid: int, **values: Any) -> None:
    content.add(table, uid=uid, live_uid=live_uid, workspace_id=DRAFT, **values)


def _entry(content: ContentStore, live_uid: int, user_id: int, at: int, workspace_id: int = DRAFT) -> None:
    content.connection.execute(
        insert(models.RecordHistory.__table__).values(
            table_name="pages",
            uid=1,
            live_uid=live_uid,
            workspace_id=workspace_id,
            action="updated",
            at=at,
            user_id=user_id,
            origin="person",
            correlation="x",
            changes="{}",
        )
    )


def _found(content: ContentStore) -> dict[int, Difference]:
    return {item.record.uid: item for item in list_differences(content.connection, person(), DRAFT).records}


@pytest.mark.behaviour("CM-03")
def test_it_lists_by_page_what_a_person_may_see_and_counts_the_rest(content_store: ContentStore) -> None:
    _site(content_store)
    found = list_differences(content_store.connection, person(), DRAFT)
    groups = [(group.title, [(item.record.uid, item.state) for item in group.records]) for group in found.groups]
    assert groups == [("New hours", [(12, CHANGED), (21, NEW)]), ("Old", [(13, DELETED)])]
    assert (found.withheld, found.total, found.states) == (1, 3, {CHANGED: 1, NEW: 1, DELETED: 1})
    assert list_differences(content_store.connection, admin(), DRAFT).withheld == 0


def test_it_lists_nothing_of_live_and_of_workspaces_of_others(content_store: ContentStore) -> None:
    _site(content_store)
    stranger = person(workspaces={2: "Campaign"})
    for identity, workspace_id in ((stranger, DRAFT), (person(), 0), (admin(), 3)):
        found = list_differences(content_store.connection, identity, workspace_id)
        assert (found.total, found.withheld) == (0, 0)
        assert (
            find_differences(content_store.connection, identity, workspace_id, [RecordRef(table="pages", uid=12)]) == {}
        )
        with pytest.raises(WriteRefused):
            compare_with_live(content_store.connection, identity, workspace_id, "pages", 12)


def test_it_knows_conflicts_by_the_revision_a_draft_was_made_from(content_store: ContentStore) -> None:
    _site(content_store)
    assert not any(item.is_conflicting for item in _found(content_store).values())
    content_store.change("pages", 2, rev=5)
    content_store.change("pages", 3, deleted=True)
    assert {uid for uid, item in _found(content_store).items() if item.is_conflicting} == {12, 13}
    assert list_differences(content_store.connection, person(), DRAFT).conflicts == 2
    gone = compare_with_live(content_store.connection, person(), DRAFT, "pages", 13)
    assert (gone.live_title, gone.difference.is_conflicting) == (None, True)


def test_it_tells_stage_and_last_change(content_store: ContentStore) -> None:
    _site(content_store)
    content_store.change("pages", 12, version_stage=int(Stage.READY))
    _entry(content_store, 2, 5, 100)
    _entry(content_store, 2, 6, 200)
    _entry(content_store, 2, 7, 300, workspace_id=0)
    _entry(content_store, 2, 7, 300, workspace_id=2)
    found = _found(content_store)
    assert {uid: item.is_ready for uid, item in found.items()} == {12: True, 13: False, 21: False}
    assert found[12].last is not None
    assert (found[12].last.user_id, found[12].last.at) == (6, 200)
    assert found[13].last is None
    compared = compare_with_live(content_store.connection, person(), DRAFT, "pages", 2)
    assert compared.live_last is not None
    assert compared.live_last.user_id == 7


def test_it_compares_fields_by_public_and_by_row_number(content_store: ContentStore) -> None:
    _site(content_store)
    for uid in (2, 12):
        found = compare_with_live(content_store.connection, person(), DRAFT, "pages", uid)
        assert [(field.name, field.old, field.new) for field in found.fields] == [("title", "Hours", "New hours")]
    new = compare_with_live(content_store.connection, person(), DRAFT, "content_elements", 21)
    assert [(field.name, field.old, field.new) for field in new.fields] == [("header", None, "Holidays")]
    assert compare_with_live(content_store.connection, person(), DRAFT, "pages", 3).fields == ()


def test_it_counts_fields_without_their_grant(content_store: ContentStore) -> None:
    _site(content_store)
    content_store.change("pages", 12, keywords="secret")
    found = compare_with_live(content_store.connection, person(), DRAFT, "pages", 2)
    assert ([field.name for field in found.fields], found.withheld) == (["title"], 1)


def test_it_names_both_pages_of_a_moved_record_as_far_as_they_may_be_read(content_store: ContentStore) -> None:
    _site(content_store)
    _version(content_store, "content_elements", 30, 20, pid=9, header="Element 20", version_state=MOVED, version_base=1)
    found = compare_with_live(content_store.connection, admin(), DRAFT, "content_elements", 20)
    assert found.pages == ((2, "New hours"), (9, "Secret"))
    content_store.change("content_elements", 30, pid=2, sorting="zz")
    found = compare_with_live(content_store.connection, person(), DRAFT, "content_elements", 20)
    assert (found.pages, found.is_moved_in_place) == (None, True)


@pytest.mark.parametrize(
    ("closed", "uid"), [({"workspaces": {2: "Campaign"}}, 2), ({"languages": frozenset({1})}, 2), ({}, 9), ({}, 77)]
)
def test_it_says_the_same_of_forbidden_and_missing_records(
    content_store: ContentStore, closed: dict[str, Any], uid: int
) -> None:
    _site(content_store)
    with pytest.raises(WriteRefused) as refused:
        compare_with_live(content_store.connection, person(**closed), DRAFT, "pages", uid)
    assert refused.value.reason == "not_found"


def test_it_keeps_titles_of_pages_from_people_without_their_language(content_store: ContentStore) -> None:
    _site(content_store)
    content_store.element(
        23, 2, header="Feiertage", workspace_id=DRAFT, version_state=NEW, language_id=1, translation_parent=20
    )
    found = list_differences(content_store.connection, person(languages=frozenset({1})), DRAFT)
    assert [(group.page_uid, group.title) for group in found.groups] == [(2, "")]


def test_it_reads_a_thousand_drafts_in_as_many_statements_as_ten(content_store: ContentStore) -> None:
    content_store.page(1)
    content_store.page(2, 1)
    counts = []
    for start, stop in ((0, 10), (10, 880)):
        for number in range(start, stop):
            content_store.element(1000 + number, 2, workspace_id=DRAFT, version_state=NEW)
        with content_store.counted() as statements:
            found = list_differences(content_store.connection, person(), DRAFT)
        counts.append(len(statements))
    assert found.total == 880
    assert (len(found.records), found.parts) == (LISTED, 18)
    assert counts[0] == counts[1]
    assert counts[0] <= 11
    for number in range(880, 1001):
        content_store.element(1000 + number, 2, workspace_id=DRAFT, version_state=NEW)
    last = list_differences(content_store.connection, person(), DRAFT, part=99)
    assert (last.part, last.parts, len(last.records), last.total) == (21, 21, 1, 1001)


def test_it_lists_every_record_in_exactly_one_part(content_store: ContentStore) -> None:
    content_store.page(1)
    for number in range(3):
        content_store.page(2 + number, 1, title="Same")
        for element in range(40):
            content_store.element(100 * (number + 1) + element, 2 + number, workspace_id=DRAFT, version_state=NEW)
    parts = [list_differences(content_store.connection, person(), DRAFT, part) for part in (1, 2, 3)]
    uids = [item.record.uid for part in parts for item in part.records]
    assert len(uids) == len(set(uids)) == 120


@pytest.mark.postgres
def test_it_lists_and_compares_on_postgresql(postgres_store: ContentStore) -> None:
    _site(postgres_store)
    _entry(postgres_store, 2, 6, 200)
    postgres_store.change("pages", 2, rev=5)
    found = list_differences(postgres_store.connection, person(), DRAFT)
    listed = {item.record.uid: (item.is_conflicting, item.last is not None) for item in found.records}
    assert listed == {12: (True, True), 13: (False, False), 21: (False, False)}
    assert found.withheld == 1
    compared = compare_with_live(postgres_store.connection, person(), DRAFT, "pages", 2)
    assert [field.name for field in compared.fields] == ["title"]
