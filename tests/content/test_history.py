"""The history of a record, per reader."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import insert, update

from app.content import models
from app.content.diff import Part, compare
from app.content.errors import WriteRefused
from app.content.history import HistoryView, read_histories, read_history
from app.content.types import RecordRef, Stage, VersionState
from app.core import canonical
from app.policy.identity import Identity
from tests.content.fixtures import ContentStore, admin, content_store, person

__all__ = ["content_store"]

CHANGED, NEW, DELETED, MOVED = VersionState


def _record(content: ContentStore, uid: int, live_uid: int, workspace_id: int = 0, **changes: Any) -> None:
    content.connection.execute(
        insert(models.RecordHistory.__table__).values(
            table_name="pages",
            uid=uid,
            live_uid=live_uid,
            workspace_id=workspace_id,
            action="updated",
            at=100,
            user_id=5,
            origin="person",
            correlation="x",
            changes=canonical.dumps(changes),
        )
    )


def _page(content: ContentStore) -> None:
    content.page(1)
    content.page(2, 1, title="Hours")
    content.page(20, 1, title="New hours", live_uid=2, workspace_id=1)
    _record(content, 2, 2, title=["Hour", "Hours"], keywords=["", "secret"], pid=[3, 1])
    _record(content, 20, 2, 1, title=["Hours", "New hours"])
    _record(content, 2, 2, 2, title=["Hours", "Other draft"])


@pytest.mark.behaviour("CM-06")
def test_it_lists_live_and_the_workspace_asked_for(content_store: ContentStore) -> None:
    _page(content_store)

    def seen(workspace_id: int, uid: int = 2) -> list[tuple[int, Any]]:
        view = read_history(content_store.connection, person(), "pages", uid, workspace_id)
        return [(entry.workspace_id, entry.fields[0].new) for entry in view.entries]

    assert seen(0) == [(0, "Hours")]
    assert seen(1) == seen(1, uid=20) == [(1, "New hours"), (0, "Hours")]
    assert seen(2) == [(2, "Other draft"), (0, "Hours")]


@pytest.mark.behaviour("CM-06")
def test_it_keeps_drafts_to_those_who_may_use_them(content_store: ContentStore) -> None:
    _page(content_store)
    with pytest.raises(WriteRefused):
        read_history(content_store.connection, person(workspaces={2: "Campaign"}), "pages", 2, 1)
    with pytest.raises(WriteRefused):
        read_history(content_store.connection, person(), "pages", 20, 0)
    with pytest.raises(WriteRefused):
        read_history(content_store.connection, admin(), "pages", 20, 2)


@pytest.mark.behaviour("CM-06")
def test_it_withholds_fields_without_their_grant(content_store: ContentStore) -> None:
    _page(content_store)
    entry = read_history(content_store.connection, person(), "pages", 2).entries[0]
    assert ([field.name for field in entry.fields], entry.withheld_fields) == (["title"], 1)
    granted = person(field_grants=frozenset({"pages.keywords"}))
    entry = read_history(content_store.connection, granted, "pages", 2).entries[0]
    assert ([field.name for field in entry.fields], entry.withheld_fields) == (["title", "keywords"], 0)
    assert [(part.part, part.words) for part in entry.fields[0].segments] == [
        (Part.REMOVED, "Hour"),
        (Part.ADDED, "Hours"),
    ]


@pytest.mark.behaviour("CM-06")
def test_it_lists_twenty_steps_newest_first(content_store: ContentStore) -> None:
    content_store.page(1)
    for number in range(21):
        _record(content_store, 1, 1, title=[str(number), str(number + 1)])
    with content_store.counted() as statements:
        view = read_history(content_store.connection, person(), "pages", 1)
    assert [entry.fields[0].new for entry in view.entries] == [str(number) for number in range(21, 1, -1)]
    assert view.older == view.entries[-1].id
    assert view.newer is None
    assert len(statements) == 3
    assert content_store.scans(statements) == []


def _many(content: ContentStore, count: int) -> None:
    rows = [
        {
            "table_name": "pages",
            "uid": 1,
            "live_uid": 1,
            "workspace_id": number % 2,
            "action": "updated",
            "at": number,
            "user_id": 5,
            "origin": "person",
            "correlation": "x",
            "changes": canonical.dumps({"title": [str(number), str(number + 1)]}),
        }
        for number in range(count)
    ]
    content.connection.execute(insert(models.RecordHistory.__table__), rows)


@pytest.mark.behaviour("CM-06")
def test_it_goes_through_all_changes_in_both_directions(content_store: ContentStore) -> None:
    content_store.page(1)
    _many(content_store, 65)
    read = partial(read_history, content_store.connection, person(), "pages", 1, 1)
    views = [read()]
    while (older := views[-1].older) is not None:
        views.append(read(before=older))
    forward = [entry.at for view in views for entry in view.entries]
    assert forward == list(range(64, -1, -1))
    assert [len(view.entries) for view in views] == [20, 20, 20, 5]
    back = views[-1]
    seen = [[entry.at for entry in back.entries]]
    while back.newer is not None:
        back = read(after=back.newer)
        seen.append([entry.at for entry in back.entries])
    assert [at for part in reversed(seen) for at in part] == forward
    assert read(after=10**9).entries == views[0].entries
    assert read(before=1).entries == ()


@pytest.mark.behaviour("CM-06")
@pytest.mark.parametrize("where", ["newest", "middle", "oldest"])
def test_it_opens_ten_thousand_changes_in_as_many_statements_as_ten(content_store: ContentStore, where: str) -> None:
    content_store.page(1)
    counts = []
    for count in (10, 10_000):
        _many(content_store, count)
        place = {"newest": {}, "middle": {"before": 5_000}, "oldest": {"before": 5}}[where]
        with content_store.counted() as statements:
            view = read_history(content_store.connection, person(), "pages", 1, 1, **place)
        counts.append(len(statements))
        assert content_store.scans(statements) == []
        assert len(view.entries) <= 20
    assert counts[0] == counts[1] == 3


@pytest.mark.behaviour("CM-06")
def test_it_tells_stages_publications_and_the_run_behind_an_entry(content_store: ContentStore) -> None:
    _page(content_store)
    rows = models.RecordHistory.__table__
    _record(content_store, 20, 2, 1, version_stage=[0, -10])
    content_store.connection.execute(update(rows).where(rows.c.id == 4).values(action="stage"))
    _record(content_store, 20, 2, 0, title=["Hours", "New hours"])
    changed = {"action": "published", "origin": "run", "correlation": "the-run/1/0"}
    content_store.connection.execute(update(rows).where(rows.c.id == 5).values(**changed))
    published, stage, *_ = read_history(content_store.connection, person(), "pages", 2, 1).entries
    assert (published.action, published.run_uuid, published.stage) == ("published", "the-run", None)
    assert (stage.action, stage.run_uuid, stage.stage, stage.fields) == ("stage", None, Stage.READY, ())
    assert [entry.action for entry in read_history(content_store.connection, person(), "pages", 2).entries] == [
        "published",
        "updated",
    ]


def test_it_shows_the_history_of_a_deleted_record(content_store: ContentStore) -> None:
    _page(content_store)
    content_store.change("pages", 2, deleted=True)
    assert read_history(content_store.connection, person(), "pages", 2).is_deleted


@pytest.mark.parametrize("uid", [9, 77])
def test_it_says_the_same_of_forbidden_and_missing_records(content_store: ContentStore, uid: int) -> None:
    _page(content_store)
    content_store.page(9)
    with pytest.raises(WriteRefused) as refused:
        read_history(content_store.connection, person(), "pages", uid)
    assert refused.value.reason == "not_found"


@given(old=st.text(max_size=60), new=st.text(max_size=60))
def test_it_compares_without_losing_a_character(old: str, new: str) -> None:
    segments = compare(old, new)
    assert "".join(part.words for part in segments if part.part is not Part.ADDED) == old
    assert "".join(part.words for part in segments if part.part is not Part.REMOVED) == new


def test_it_takes_changed_words_side_by_side_for_one_change() -> None:
    found = [(part.part, part.words) for part in compare("Coffee house here", "Tea room here")]
    assert found == [(Part.REMOVED, "Coffee house"), (Part.ADDED, "Tea room"), (Part.KEPT, " here")]


def test_it_does_not_compare_long_texts_word_by_word() -> None:
    long = "word " * 2000
    assert [part.part for part in compare(long, long + "x")] == [Part.REMOVED, Part.ADDED]


def _one_by_one(
    content: ContentStore, identity: Identity, refs: list[RecordRef], workspace_id: int
) -> dict[RecordRef, HistoryView]:
    found = {}
    for ref in refs:
        with suppress(WriteRefused):
            found[ref] = read_history(content.connection, identity, ref.table, ref.uid, workspace_id)
    return found


@pytest.mark.parametrize("workspace_id", [0, 1])
def test_it_reads_many_histories_as_it_reads_each(content_store: ContentStore, workspace_id: int) -> None:
    _page(content_store)
    content_store.page(3, 1, title="Secret", everybody_bits=0, group_bits=0, owner_bits=0)
    content_store.page(4, 1, title="Gone", deleted=True)
    content_store.page(5, 1, title="New here", workspace_id=1, version_state=NEW)
    content_store.page(6, 1, title="New elsewhere", workspace_id=2, version_state=NEW)
    for uid in (1, 3, 4, 5, 6):
        _record(content_store, uid, uid, 1 if uid == 5 else 0, title=["a", "b"])
    for number in range(25):
        _record(content_store, 1, 1, number % 3, title=[str(number), str(number + 1)])
    content_store.element(7, 2, header="Where")
    content_store.element(8, 3, header="On the secret page")
    refs = [RecordRef(table="pages", uid=uid) for uid in (1, 2, 3, 4, 5, 6, 20, 99, 0, 2**70)]
    refs += [RecordRef(table="content_elements", uid=uid) for uid in (7, 8)] + [RecordRef(table="nothing", uid=1)]
    for identity in (person(), admin(), person(workspaces={2: "Campaign"})):
        many = read_histories(content_store.connection, identity, refs, workspace_id)
        assert many == _one_by_one(content_store, identity, refs, workspace_id)


def test_it_cuts_every_long_history_of_many(content_store: ContentStore) -> None:
    for uid in (1, 2):
        content_store.page(uid)
        for number in range(23 * uid):
            _record(content_store, uid, uid, title=[str(number), str(number + 1)])
    refs = [RecordRef(table="pages", uid=uid) for uid in (1, 2)]
    many = read_histories(content_store.connection, person(), refs)
    assert many == _one_by_one(content_store, person(), refs, 0)
    assert [(len(view.entries), view.older) for view in many.values()] == [
        (20, view.entries[-1].id) for view in many.values()
    ]


def test_it_takes_the_same_statements_for_any_number_of_histories(content_store: ContentStore) -> None:
    content_store.page(1)
    for uid in range(2, 102):
        content_store.page(uid, 1)
        _record(content_store, uid, uid, title=["a", "b"])
    counts = []
    for last in (3, 101):
        refs = [RecordRef(table="pages", uid=uid) for uid in range(2, last + 1)]
        with content_store.counted() as statements:
            assert len(read_histories(content_store.connection, person(), refs)) == last - 1
        assert content_store.scans(statements) == []
        counts.append(len(statements))
    assert counts[0] == counts[1] <= 6
    with content_store.counted() as statements:
        assert read_histories(content_store.connection, person(), []) == {}
    assert statements == []
