"""What people write by hand: one batch each, with their name and origin, and no silent overwriting."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import select

from app.content import editing, store
from app.content.editing import EditConflict, SeenRow
from app.content.errors import WriteRefused
from app.content.hooks import HOOKS
from app.content.models import RecordHistory
from app.content.types import ChangeAction, ChangeSet, Origin, WriteContext
from app.core.db import reading
from app.seed.demo import DemoSite
from tests.support.personas import IdentityOf

LIVE = 0
HISTORY = RecordHistory.__table__


def row_of(table: str, uid: int, workspace_id: int = LIVE) -> store.Row:
    with reading() as connection:
        found = store.find_row(connection, table, uid, workspace_id)
    assert found is not None
    return found


def seen(table: str, uid: int, workspace_id: int = LIVE) -> SeenRow:
    row = row_of(table, uid, workspace_id)
    return SeenRow(row_uid=row.uid, rev=row["rev"])


@pytest.fixture
def draft(site: DemoSite) -> int:
    return site.people.workspaces["Relaunch"]


@pytest.fixture
def after_commit() -> Iterator[list[ChangeSet]]:
    """What hooks that follow a commit were told."""
    told: list[ChangeSet] = []

    def hook(_context: WriteContext, changes: ChangeSet) -> None:
        told.append(changes)

    HOOKS.after_commit.append(hook)
    yield told
    HOOKS.after_commit.remove(hook)


@pytest.mark.parametrize("who", ["anna", "olga", "dora"])
def test_it_writes_in_the_name_of_the_person(site: DemoSite, identity_of: IdentityOf, who: str) -> None:
    uid = site.pages["hours"]
    edited = editing.update_record(
        identity_of(who, LIVE), LIVE, "pages", uid, {"title": f"By {who}"}, seen_rev=seen("pages", uid)
    )
    assert (edited.ref.table, edited.ref.uid) == ("pages", uid)
    assert [(change.action, change.is_target) for change in edited.changes.changes] == [(ChangeAction.UPDATED, True)]
    with reading() as connection:
        entry = connection.execute(select(HISTORY).order_by(HISTORY.c.id.desc())).mappings().first()
    assert entry is not None
    assert (entry["user_id"], entry["origin"]) == (site.people.users[who], Origin.PERSON)
    assert entry["correlation"].startswith("person/")


@pytest.mark.parametrize("who", ["gus", "fay", "emil"])
def test_it_refuses_those_without_the_right(site: DemoSite, identity_of: IdentityOf, who: str) -> None:
    uid, before = site.pages["hours"], row_of("pages", site.pages["hours"])
    with pytest.raises(WriteRefused) as refused:
        editing.update_record(identity_of(who, LIVE), LIVE, "pages", uid, {"title": "No"}, seen_rev=None)
    assert refused.value.reason == "not_found"
    assert row_of("pages", uid) == before


def test_it_writes_nothing_when_nothing_differs(
    site: DemoSite, identity_of: IdentityOf, draft: int, after_commit: list[ChangeSet]
) -> None:
    uid = site.pages["hours"]
    edited = editing.update_record(identity_of("anna"), draft, "pages", uid, {"title": "Opening hours"}, seen_rev=None)
    assert not edited.changes
    assert row_of("pages", uid, draft)["workspace_id"] == LIVE
    assert after_commit == []


def test_it_tells_a_change_since_the_form_was_opened(site: DemoSite, identity_of: IdentityOf) -> None:
    uid = site.pages["hours"]
    opened = seen("pages", uid)
    editing.update_record(identity_of("olga", LIVE), LIVE, "pages", uid, {"subtitle": "Hers"}, seen_rev=opened)
    with pytest.raises(EditConflict) as conflict:
        editing.update_record(identity_of("anna", LIVE), LIVE, "pages", uid, {"title": "Mine"}, seen_rev=opened)
    assert conflict.value.by_user_id == site.people.users["olga"]
    assert conflict.value.at > 0
    assert conflict.value.row["subtitle"] == "Hers"
    assert row_of("pages", uid)["title"] == "Opening hours"


def test_the_first_version_row_of_somebody_else_is_a_change(
    site: DemoSite, identity_of: IdentityOf, draft: int
) -> None:
    uid = site.pages["hours"]
    opened = seen("pages", uid, draft)
    editing.update_record(identity_of("ben"), draft, "pages", uid, {"subtitle": "His"}, seen_rev=opened)
    version = row_of("pages", uid, draft)
    assert (version.live_uid, version["workspace_id"]) == (uid, draft)
    with pytest.raises(EditConflict) as conflict:
        editing.update_record(identity_of("anna"), draft, "pages", uid, {"title": "Mine"}, seen_rev=opened)
    assert conflict.value.by_user_id == site.people.users["ben"]
    saved = editing.update_record(
        identity_of("anna"), draft, "pages", uid, {"title": "Mine"}, seen_rev=seen("pages", uid, draft)
    )
    assert saved.ref.uid == uid
    assert row_of("pages", uid)["title"] == "Opening hours"


def test_a_live_change_below_an_open_form_of_a_draft_is_a_change(
    site: DemoSite, identity_of: IdentityOf, draft: int
) -> None:
    uid = site.pages["hours"]
    opened = seen("pages", uid, draft)
    editing.update_record(identity_of("olga", LIVE), LIVE, "pages", uid, {"subtitle": "Live"}, seen_rev=opened)
    with pytest.raises(EditConflict):
        editing.update_record(identity_of("anna"), draft, "pages", uid, {"title": "Mine"}, seen_rev=opened)


def test_a_change_in_another_draft_is_none(site: DemoSite, identity_of: IdentityOf, draft: int) -> None:
    uid, campaign = site.pages["hours"], site.people.workspaces["Campaign"]
    opened = seen("pages", uid, draft)
    editing.update_record(identity_of("cem"), campaign, "pages", uid, {"subtitle": "Elsewhere"}, seen_rev=None)
    editing.update_record(identity_of("anna"), draft, "pages", uid, {"title": "Mine"}, seen_rev=opened)
    assert row_of("pages", uid, draft)["subtitle"] == ""
    foreign = row_of("pages", uid, campaign).uid
    for workspace_id in (draft, LIVE):
        with pytest.raises(WriteRefused) as refused:
            editing.update_record(
                identity_of("anna", workspace_id), workspace_id, "pages", foreign, {"title": "X"}, seen_rev=None
            )
        assert refused.value.reason == "not_found"


def test_who_may_not_change_it_learns_of_no_conflict(site: DemoSite, identity_of: IdentityOf) -> None:
    with pytest.raises(WriteRefused):
        editing.update_record(
            identity_of("emil", LIVE),
            LIVE,
            "pages",
            site.pages["hours"],
            {"title": "X"},
            seen_rev=SeenRow(row_uid=1, rev=99),
        )


def test_it_drops_fields_without_a_grant(site: DemoSite, identity_of: IdentityOf) -> None:
    uid = site.pages["summer"]
    editing.update_record(
        identity_of("emil", LIVE), LIVE, "pages", uid, {"keywords": "boats", "subtitle": "S"}, seen_rev=None
    )
    assert (row_of("pages", uid)["keywords"], row_of("pages", uid)["subtitle"]) == ("", "S")


def test_it_creates_first_last_and_after(site: DemoSite, identity_of: IdentityOf) -> None:
    anna, page = identity_of("anna", LIVE), site.pages["hours"]
    with reading() as connection:
        before = [row.live_uid for row in store.list_elements(connection, LIVE, page)]
    first = editing.create_record(anna, LIVE, "content_elements", page, {"header": "First"}, first=True).ref.uid
    last = editing.create_record(anna, LIVE, "content_elements", page, {"header": "Last"}).ref.uid
    after = editing.create_record(
        anna, LIVE, "content_elements", page, {"header": "After"}, after_uid=before[0]
    ).ref.uid
    with reading() as connection:
        found = [row.live_uid for row in store.list_elements(connection, LIVE, page)]
    assert found == [first, before[0], after, *before[1:], last]


def test_it_hides_moves_copies_translates_deletes_and_restores(site: DemoSite, identity_of: IdentityOf) -> None:
    anna, uid = identity_of("anna", LIVE), site.pages["directions"]
    assert editing.set_hidden(anna, LIVE, "pages", uid, hidden=True).changes
    assert not editing.set_hidden(anna, LIVE, "pages", uid, hidden=True).changes
    assert editing.move_record(anna, LIVE, "pages", uid, page_uid=site.pages["about"], first=True).ref.uid == uid
    assert row_of("pages", uid)["pid"] == site.pages["about"]
    copied = editing.copy_page(anna, LIVE, uid, None, subpages=False)
    assert row_of("pages", copied.ref.uid)["title"] == "Getting here (copy 1)"
    made = editing.localize_record(anna, LIVE, "pages", site.pages["hours"], 1, with_content=True)
    assert row_of("pages", made.ref.uid)["translation_parent"] == site.pages["hours"]
    admin = identity_of("admin", LIVE)
    assert editing.delete_record(admin, LIVE, "pages", uid).ref.uid == uid
    with reading() as connection:
        assert store.find_row(connection, "pages", uid, LIVE) is None
    editing.undelete_record(admin, "pages", uid)
    assert row_of("pages", uid)["hidden"]


def test_a_draft_names_the_record_people_know(site: DemoSite, identity_of: IdentityOf, draft: int) -> None:
    uid = site.pages["directions"]
    hidden = editing.set_hidden(identity_of("anna"), draft, "pages", uid, hidden=True)
    assert hidden.ref.uid == uid
    assert hidden.changes.changes[0].uid != uid
    again = editing.move_record(
        identity_of("anna"), draft, "pages", hidden.changes.changes[0].uid, page_uid=site.pages["about"]
    )
    assert again.ref.uid == uid
    assert row_of("pages", uid)["pid"] == site.pages["visit"]


def test_it_runs_hooks_after_the_commit(site: DemoSite, identity_of: IdentityOf, after_commit: list[ChangeSet]) -> None:
    def breaks(_context: WriteContext, _changes: ChangeSet) -> None:
        raise RuntimeError

    HOOKS.after_commit.append(breaks)
    try:
        edited = editing.set_hidden(identity_of("anna", LIVE), LIVE, "pages", site.pages["press"], hidden=True)
    finally:
        HOOKS.after_commit.remove(breaks)
    assert edited.changes.failed_after_write
    assert len(after_commit) == 1
    assert row_of("pages", site.pages["press"])["hidden"]


def test_what_act_raises_leaves_nothing(site: DemoSite, identity_of: IdentityOf) -> None:
    before = row_of("pages", site.pages["press"])

    def act(batch: object) -> None:
        batch.update("pages", site.pages["press"], {"title": "Gone"})  # type: ignore[attr-defined]
        raise LookupError

    with pytest.raises(LookupError):
        editing.write_as_person(identity_of("anna", LIVE), LIVE, act)
    assert row_of("pages", site.pages["press"]) == before


@pytest.mark.parametrize(
    ("name", "value", "is_fine"),
    [
        ("title", "T", True),
        ("title", " ", False),
        ("title", "x" * 256, False),
        ("title", "a\x07", False),
        ("hidden", 1, False),
    ],
)
def test_it_says_beforehand_what_the_store_would_not_take(
    identity_of: IdentityOf, name: str, value: object, is_fine: bool
) -> None:
    found = editing.find_objection(identity_of("anna", LIVE), LIVE, "pages", name, value)
    assert (found is None) is is_fine
