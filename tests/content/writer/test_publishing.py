"""Publishing a draft, whole and in part (cms.md section 9)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.content.errors import WriteRefused
from app.content.hooks import Hooks
from app.content.schema import REGISTRY
from app.content.types import ChangeAction, RecordRef, VersionState
from tests.content.writer.fixtures import ANNA, DE, DRAFT, FR, LIVE, NOW, OTHER, Store
from tests.content.writer.publishing import held, plan, publish

CREATED, UPDATED, MOVED, DELETED = (
    ChangeAction.CREATED,
    ChangeAction.UPDATED,
    ChangeAction.MOVED,
    ChangeAction.DELETED,
)


def is_empty(store: Store, workspace_id: int = DRAFT) -> bool:
    return not any(store.rows(name, workspace_id=workspace_id) for name, trait in REGISTRY.items() if trait.versioned)


@pytest.mark.behaviour("CM-03", "CM-04")
def test_it_gives_changed_values_to_the_live_uid(any_store: Store) -> None:
    before = any_store.row("content_elements", 103)
    any_store.do(lambda b: b.update("content_elements", 103, {"header": "New", "hidden": True}), DRAFT)
    (ref,) = held(any_store, "content_elements")
    outcome = publish(any_store)
    assert outcome.published == (ref,)
    (change,) = outcome.changes.changes
    assert (change.uid, change.action, change.workspace_id) == (103, UPDATED, LIVE)
    assert {field.name: field.new for field in change.fields} == {"header": "New", "hidden": True}
    after = any_store.row("content_elements", 103)
    assert before is not None
    expected = {**before, "header": "New", "hidden": True, "rev": before["rev"] + 1, "changed_at": NOW + 100}
    assert after == expected
    assert is_empty(any_store)


def test_it_makes_new_records_live_under_their_own_uid(any_store: Store) -> None:
    with any_store.batch(DRAFT) as batch:
        page = batch.create("pages", 14, {"title": "New"})
        below = batch.create("pages", page.uid, {"title": "Below"})
        element = batch.create("content_elements", below.uid, {"header": "On it"})
        batch.localize("pages", page.uid, DE, with_content=False)
        batch.finish()
    outcome = publish(any_store)
    assert [ref.table for ref in outcome.published] == ["pages", "pages", "pages", "content_elements"]
    assert outcome.published[0] == page
    assert {change.action for change in outcome.changes.changes} == {CREATED}
    for ref in (page, below, element):
        row = any_store.row(ref.table, ref.uid)
        assert row is not None
        assert (row["workspace_id"], row["version_state"], row["live_uid"], row["created_at"]) == (0, 0, 0, NOW)
    assert is_empty(any_store)


def test_it_moves_live_records_to_their_new_place(any_store: Store) -> None:
    with any_store.batch(DRAFT) as batch:
        batch.move("pages", 11, page_uid=20)
        batch.move("content_elements", 100, page_uid=14)
        batch.update("content_elements", 100, {"header": "Changed too"})
        batch.finish()
    outcome = publish(any_store)
    assert {change.action for change in outcome.changes.changes} == {MOVED}
    assert [any_store.row("pages", uid)["pid"] for uid in (11, 31)] == [20, 20]  # type: ignore[index]
    rows = [any_store.row("content_elements", uid) for uid in (100, 102)]
    assert [row["pid"] for row in rows if row] == [14, 14]
    assert rows[0] is not None
    assert rows[0]["header"] == "Changed too"
    assert [row["pid"] for row in any_store.rows("file_references")] == [14, 14]
    assert is_empty(any_store)


def test_it_deletes_with_all_consequences(any_store: Store) -> None:
    any_store.do(lambda b: b.update("content_elements", 103, {"header": "Elsewhere"}), OTHER)
    any_store.do(lambda b: b.delete("pages", 11), DRAFT)
    marks = held(any_store, "pages")
    outcome = publish(any_store)
    assert set(outcome.published) == set(marks)
    gone = {(change.table, change.uid) for change in outcome.changes.changes if change.workspace_id == LIVE}
    assert {("pages", 11), ("pages", 31), ("content_elements", 103), ("contacts", 1), ("redirects", 1)} <= gone
    assert {change.action for change in outcome.changes.changes} == {DELETED}
    assert any_store.rows("content_elements", workspace_id=OTHER) == []
    assert is_empty(any_store)
    published = [row for row in any_store.history() if row["action"] == "published"]
    assert {(row["table_name"], row["uid"]) for row in published} == {(ref.table, ref.uid) for ref in marks}


@pytest.mark.behaviour("CM-03")
def test_it_publishes_a_part_and_leaves_the_rest(store: Store) -> None:
    store.do(lambda b: b.update("content_elements", 103, {"header": "One"}), DRAFT)
    store.do(lambda b: b.update("content_elements", 104, {"header": "Two"}), DRAFT)
    first, second = held(store, "content_elements")
    assert publish(store, [first]).published == (first,)
    assert held(store, "content_elements") == [second]
    assert store.row("content_elements", 104)["header"] == ""  # type: ignore[index]


@pytest.mark.behaviour("CM-03")
def test_it_never_overwrites_a_live_change_unasked(any_store: Store) -> None:
    any_store.do(lambda b: b.update("content_elements", 103, {"header": "Draft"}), DRAFT)
    any_store.do(lambda b: b.update("content_elements", 104, {"header": "Fine"}), DRAFT)
    any_store.do(lambda b: b.update("content_elements", 103, {"header": "Live"}))
    ref, fine = held(any_store, "content_elements")
    (conflict,) = plan(any_store).conflicts
    assert (conflict.ref, conflict.reason, conflict.title) == (ref, "changed_since", "Draft")
    outcome = publish(any_store)
    assert outcome.published == (fine,)
    assert outcome.conflicts == (conflict,)
    assert any_store.row("content_elements", 103)["header"] == "Live"  # type: ignore[index]
    assert held(any_store, "content_elements") == [ref]
    outcome = publish(any_store, [ref], overwrite=[ref])
    assert (outcome.published, outcome.conflicts) == ((ref,), ())
    assert any_store.row("content_elements", 103)["header"] == "Draft"  # type: ignore[index]


def test_it_takes_a_live_change_back_that_was_undone_for_a_change(store: Store) -> None:
    store.do(lambda b: b.delete("content_elements", 103), DRAFT)
    store.do(lambda b: b.update("content_elements", 103, {"header": "Live"}))
    outcome = publish(store)
    assert [conflict.reason for conflict in outcome.conflicts] == ["changed_since"]
    assert store.row("content_elements", 103)["deleted"] is False  # type: ignore[index]


def test_it_says_when_the_live_record_is_gone(store: Store) -> None:
    store.do(lambda b: b.update("content_elements", 103, {"header": "Draft"}), DRAFT)
    (ref,) = held(store, "content_elements")
    with store.engine.begin() as connection:
        elements = REGISTRY["content_elements"].table
        connection.execute(elements.update().where(elements.c.uid == 103).values(deleted=True))
    outcome = publish(store, [ref], overwrite=[ref])
    assert [(conflict.ref, conflict.reason) for conflict in outcome.conflicts] == [(ref, "live_gone")]
    assert outcome.published == ()


def test_it_refuses_what_hangs_on_an_unpublished_page(store: Store) -> None:
    with store.batch(DRAFT) as batch:
        page = batch.create("pages", 14, {"title": "New"})
        element = batch.create("content_elements", page.uid, {"header": "On it"})
        batch.move("content_elements", 103, page_uid=page.uid)
        german = batch.localize("pages", page.uid, DE, with_content=False)
        batch.finish()
    moved = next(ref for ref in held(store, "content_elements", live_uid=103))
    outcome = publish(store, [element, moved, german])
    assert {(found.ref, found.reason) for found in outcome.refused} == {
        (element, "parent_unpublished"),
        (moved, "parent_unpublished"),
        (german, "parent_unpublished"),
    }
    assert (outcome.published, bool(outcome.changes)) == ((), False)
    assert publish(store, [element, page, moved, german]).published[:1] == (page,)
    assert is_empty(store)


def test_it_refuses_a_move_that_would_make_a_circle(store: Store) -> None:
    with store.batch(DRAFT) as batch:
        batch.move("pages", 11, page_uid=20)
        batch.move("pages", 10, page_uid=11)
        batch.finish()
    refs = {row["live_uid"]: RecordRef(table="pages", uid=row["uid"]) for row in store.rows("pages", workspace_id=1)}
    outcome = publish(store, [refs[10]])
    assert [(found.ref, found.reason) for found in outcome.refused] == [(refs[10], "inside_itself")]
    assert publish(store).refused == ()
    assert [store.row("pages", uid)["pid"] for uid in (10, 11)] == [11, 20]  # type: ignore[index]


def test_it_does_not_double_a_translation(store: Store) -> None:
    store.do(lambda b: b.localize("content_elements", 103, FR, with_content=False), DRAFT)
    store.do(lambda b: b.localize("content_elements", 103, FR, with_content=False))
    (ref,) = held(store, "content_elements")
    assert [(found.ref, found.reason) for found in publish(store).refused] == [(ref, "translation_exists")]


def test_it_replaces_a_translation_in_one_publish(any_store: Store) -> None:
    any_store.do(lambda b: b.overwrite_translation("content_elements", 100, DE, with_content=False), DRAFT)
    new = next(ref for ref in held(any_store, "content_elements", version_state=VersionState.NEW.value))
    assert [found.reason for found in publish(any_store, [new]).refused] == ["translation_exists"]
    outcome = publish(any_store)
    assert outcome.refused == ()
    german = any_store.rows("content_elements", translation_parent=100, deleted=False)
    assert [row["uid"] for row in german] == [new.uid]


def test_it_keeps_the_content_of_a_page_translation_that_is_replaced(store: Store) -> None:
    store.do(lambda b: b.overwrite_translation("pages", 10, DE, with_content=False), DRAFT)
    assert publish(store).refused == ()
    assert store.row("pages", 30)["deleted"] is True  # type: ignore[index]
    assert store.row("content_elements", 102)["deleted"] is False  # type: ignore[index]


def test_it_moves_what_was_moved_away_before_it_deletes_the_page(store: Store) -> None:
    with store.batch(DRAFT) as batch:
        batch.move("content_elements", 103, page_uid=14)
        batch.delete("pages", 11)
        batch.finish()
    assert publish(store).refused == ()
    row = store.row("content_elements", 103)
    assert row is not None
    assert (row["pid"], row["deleted"]) == (14, False)


def test_it_does_not_delete_what_was_moved_away_and_stays_in_the_draft(store: Store) -> None:
    with store.batch(DRAFT) as batch:
        batch.move("content_elements", 103, page_uid=14)
        mark = batch.delete("pages", 11)
        batch.finish()
    outcome = publish(store, [mark])
    assert [(found.ref, found.reason) for found in outcome.refused] == [(mark, "holds_moved")]
    assert store.row("pages", 11)["deleted"] is False  # type: ignore[index]


def test_it_lets_live_translations_follow_and_makes_no_conflict_of_it(store: Store) -> None:
    store.do(lambda b: b.move("content_elements", 100, page_uid=14), DRAFT)
    refs = {row["live_uid"]: row["uid"] for row in store.rows("content_elements", workspace_id=DRAFT)}
    publish(store, [RecordRef(table="content_elements", uid=refs[100])])
    assert store.row("content_elements", 102)["pid"] == 14  # type: ignore[index]
    assert publish(store).conflicts == ()
    assert is_empty(store)


def test_it_puts_new_translations_where_their_record_lies_by_now(any_store: Store) -> None:
    any_store.do(lambda b: b.localize("content_elements", 100, FR, with_content=False), DRAFT)
    any_store.do(lambda b: b.move("content_elements", 100, page_uid=14))
    (new,) = held(any_store, "content_elements")
    assert new in publish(any_store).published
    row = any_store.row(new.table, new.uid)
    live = any_store.row("content_elements", 100)
    assert row is not None
    assert live is not None
    assert (row["pid"], row["sorting"]) == (live["pid"], live["sorting"])
    assert {found["pid"] for found in any_store.rows("file_references", deleted=False)} == {14}


@pytest.mark.behaviour("CH-20")
def test_it_leaves_a_history_row_under_the_uid_of_every_published_row(any_store: Store) -> None:
    with any_store.batch(DRAFT) as batch:
        batch.update("content_elements", 103, {"header": "New"})
        batch.update("content_elements", 104, {"header": "x"})
        batch.delete("content_elements", 101)
        batch.create("content_elements", 14, {"header": "New"})
        batch.finish()
    any_store.do(lambda b: b.update("content_elements", 104, {"header": ""}), DRAFT)  # nothing differs any more
    refs = held(any_store, "content_elements")
    live_uids = {
        row["uid"]: row["live_uid"] or row["uid"] for row in any_store.rows("content_elements", workspace_id=1)
    }
    publish(any_store)
    published = {row["uid"]: row for row in any_store.history() if row["action"] == "published"}
    assert set(published) == {ref.uid for ref in refs}
    assert {uid: row["live_uid"] for uid, row in published.items()} == live_uids
    assert {row["workspace_id"] for row in published.values()} == {LIVE}
    changed = next(row for row in published.values() if row["live_uid"] == 103)
    assert '"header":["When","New"]' in changed["changes"]


@pytest.mark.parametrize(
    ("rights", "reason"),
    [
        ({"workspaces": {}}, "not_found"),
        ({"may_work_live": False}, "may_not_publish"),
    ],
)
def test_it_needs_the_workspace_and_live_or_ownership(store: Store, rights: dict[str, object], reason: str) -> None:
    store.do(lambda b: b.update("content_elements", 103, {"header": "New"}), DRAFT)
    with pytest.raises(WriteRefused, match=reason):
        publish(store, actor=replace(ANNA, **rights))  # type: ignore[arg-type]
    owner = replace(ANNA, may_work_live=False, owned_workspaces=frozenset({DRAFT}))
    assert len(publish(store, actor=owner).published) == 1


def test_it_leaves_out_what_the_person_may_not_change(store: Store) -> None:
    store.do(lambda b: b.update("content_elements", 105, {"header": "Secret"}), DRAFT)
    store.do(lambda b: b.update("content_elements", 103, {"header": "Open"}), DRAFT)
    open_ref, secret = (
        held(store, "content_elements", live_uid=103)[0],
        held(store, "content_elements", live_uid=105)[0],
    )
    found = plan(store, actor=ANNA)
    assert (found.records, found.conflicts, found.refused) == ((open_ref,), (), ())
    outcome = publish(store, [open_ref, secret], actor=ANNA)
    assert outcome.published == (open_ref,)
    assert [(item.ref, item.reason, item.title) for item in outcome.refused] == [(secret, "not_found", "")]


def test_it_needs_the_right_to_delete_for_a_mark(store: Store) -> None:
    store.do(lambda b: b.delete("pages", 11), DRAFT)
    member = replace(ANNA, user_id=5)  # may edit page 11, not delete it
    outcome = publish(store, actor=member)
    assert {item.reason for item in outcome.refused} == {"not_found"}
    assert outcome.published == ()
    assert store.row("pages", 11)["deleted"] is False  # type: ignore[index]


def test_it_is_vetoed_by_a_before_hook_and_heard_by_inside_hooks(store: Store) -> None:
    store.do(lambda b: b.update("content_elements", 103, {"header": "New"}), DRAFT)
    heard: list[tuple[str, int]] = []
    hooks = Hooks(inside=[lambda _batch, changes: heard.extend((c.table, c.uid) for c in changes.changes)])
    hooks.before.append(lambda _c, table, uid, values: heard.append((table, uid)))
    publish(store, hooks=hooks)
    assert heard == [("content_elements", 103), ("content_elements", 103)]


def test_it_publishes_in_statements_that_do_not_grow_with_the_rows(store: Store) -> None:
    counts = []
    for number in (3, 30):
        with store.batch(DRAFT) as batch:
            for index in range(number):
                batch.create("content_elements", 14, {"header": f"{number} {index}"})
            batch.finish()
        publish(store)
        counts.append(len(store.statements))
    assert counts[0] == counts[1]
