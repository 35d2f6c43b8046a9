"""Deleting a draft workspace: records, people and assignments together."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from app.accounts import store
from app.chat.workspaces import delete_workspace, plan_deletion
from app.content.hooks import HOOKS
from app.content.schema import PAGES
from app.content.types import ChangeSet, WriteContext
from app.core.db import reading
from app.core.errors import Forbidden, NotFound
from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments
from tests.support.personas import IdentityOf


def held(workspace_id: int) -> list[int]:
    rows = PAGES.table.c
    with reading() as connection:
        return list(connection.execute(select(rows.uid).where(rows.workspace_id == workspace_id)).scalars())


def exists(workspace_id: int) -> bool:
    workspace = store.WORKSPACE.c
    with reading() as connection:
        query = select(workspace.id).where(workspace.id == workspace_id, workspace.deleted.is_(False))
        return connection.execute(query).first() is not None


@pytest.fixture
def draft(site: DemoSite, assignments: Assignments) -> int:
    """Relaunch with one draft of Anna's assistant and one assignment that waits for approval."""
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["hours"]})], DONE)
    assignments.decide()
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["directions"]})], DONE)
    return site.people.workspaces["Relaunch"]


def test_it_tells_what_a_deletion_brings_about(draft: int, identity_of: IdentityOf) -> None:
    for name in ("olga", "admin"):
        with reading() as connection:
            plan = plan_deletion(connection, identity_of(name), draft)
        assert (plan.title, plan.records, plan.runs, plan.people) == ("Relaunch", 1, 1, 3)


@pytest.mark.parametrize(
    ("name", "error"), [("anna", Forbidden), ("ben", Forbidden), ("cem", NotFound), ("gus", NotFound)]
)
def test_it_is_for_owners_and_administrators(
    draft: int, identity_of: IdentityOf, name: str, error: type[Exception]
) -> None:
    with reading() as connection, pytest.raises(error):
        plan_deletion(connection, identity_of(name), draft)
    with pytest.raises(error):
        delete_workspace(identity_of(name), draft)
    assert held(draft)
    assert exists(draft)


def test_it_discards_and_deletes_in_one_go(draft: int, identity_of: IdentityOf) -> None:
    done = delete_workspace(identity_of("olga"), draft)
    assert (done.discarded, done.moved_people, done.is_extension_failed) == (1, 3, False)
    assert held(draft) == []
    assert not exists(draft)
    with pytest.raises(NotFound):
        delete_workspace(identity_of("olga"), draft)


def test_it_keeps_everything_when_a_hook_says_no(
    draft: int, identity_of: IdentityOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_batch: object, _changes: ChangeSet) -> None:
        raise RuntimeError

    monkeypatch.setattr(HOOKS, "inside", [refuse])
    with pytest.raises(RuntimeError):
        delete_workspace(identity_of("olga"), draft)
    assert held(draft)
    assert exists(draft)


def test_it_says_when_an_extension_failed_afterwards(
    draft: int, identity_of: IdentityOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_context: WriteContext, _changes: ChangeSet) -> None:
        raise RuntimeError

    monkeypatch.setattr(HOOKS, "after_commit", [fail])
    assert delete_workspace(identity_of("olga"), draft).is_extension_failed
    assert not exists(draft)


def test_it_writes_nothing_elsewhere_for_an_assignment_that_waited(
    draft: int, identity_of: IdentityOf, assignments: Assignments, site: DemoSite
) -> None:
    def live() -> list[object]:
        rows = PAGES.table
        with reading() as connection:
            return list(connection.execute(select(rows).where(rows.c.workspace_id == 0).order_by(rows.c.uid)))

    before = live()
    delete_workspace(identity_of("olga"), draft)
    assignments.decide()
    assert live() == before
    assert held(draft) == []
