"""Workspaces: who owns one, and what becomes of its people when it is deleted."""

from __future__ import annotations

import pytest

from app.accounts import service, store
from app.core.db import reading, transaction
from app.core.errors import NotFound
from app.seed.demo import DemoSite
from tests.support.personas import IdentityOf

pytestmark = pytest.mark.usefixtures("app", "clock")


def standing(site: DemoSite, name: str) -> int:
    with reading() as connection:
        user = store.find_user_by_name(connection, name)
    assert user is not None
    return int(user["workspace_id"])


def close(workspace_id: int) -> int:
    with transaction() as connection:
        return service.close_workspace(connection, workspace_id)


def test_it_knows_owners_by_themselves_and_through_a_group(site: DemoSite, identity_of: IdentityOf) -> None:
    draft, other = site.people.workspaces["Relaunch"], site.people.workspaces["Campaign"]
    assert identity_of("olga").owned_workspaces == {draft}
    assert identity_of("anna").owned_workspaces == frozenset()
    assert identity_of("admin").owns_workspace(other)
    assert not identity_of("admin").owns_workspace(9999)
    with transaction() as connection:
        service.add_to_workspace(connection, other, group_id=site.people.groups["Freelancers"], is_owner=True)
    assert identity_of("ben").owned_workspaces == {other}
    assert not identity_of("ben").owns_workspace(draft)


@pytest.mark.parametrize(
    ("name", "may"), [("admin", True), ("olga", True), ("anna", True), ("ben", False), ("cem", False), ("gus", False)]
)
def test_it_lets_owners_and_people_with_live_publish(
    site: DemoSite, identity_of: IdentityOf, name: str, may: bool
) -> None:
    assert identity_of(name).may_publish(site.people.workspaces["Relaunch"]) is may
    assert not identity_of(name).may_publish(0)
    assert not identity_of(name).may_publish(9999)


def test_it_lets_people_fall_to_their_default_workspace(site: DemoSite, identity_of: IdentityOf) -> None:
    draft, campaign = site.people.workspaces["Relaunch"], site.people.workspaces["Campaign"]
    with transaction() as connection:
        service.add_to_workspace(connection, campaign, user_id=site.people.users["ben"])
    assert close(draft) == 3
    assert (standing(site, "anna"), standing(site, "olga")) == (0, 0)
    assert standing(site, "ben") == campaign
    assert standing(site, "cem") == campaign
    for name in ("admin", "anna", "ben", "olga"):
        assert draft not in identity_of(name).workspaces


def test_it_leaves_people_without_another_workspace_nowhere(site: DemoSite, identity_of: IdentityOf) -> None:
    assert close(site.people.workspaces["Campaign"]) == 1
    assert standing(site, "cem") == 0
    assert identity_of("cem").workspace_id is None


def test_it_deletes_a_workspace_once(site: DemoSite) -> None:
    close(site.people.workspaces["Relaunch"])
    for workspace_id in (site.people.workspaces["Relaunch"], 9999, 0):
        with pytest.raises(NotFound):
            close(workspace_id)
