"""Who somebody is: rights united over groups, resolved from the database at each use (cms.md sections 3 to 6)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import event, select, update
from sqlalchemy.engine import Connection

from app.accounts import service, store
from app.accounts.service import find_identity
from app.core.db import READING, db, reading, transaction
from app.policy.identity import LIVE, FileMount, Identity
from app.seed.demo import DemoSite
from tests.support.clock import START, FakeClock

NOW = int(START)


class Office:
    """Short ways to people and groups of the test's own."""

    def __init__(self) -> None:
        self.groups: dict[str, int] = {}

    def person(self, username: str, /, *groups: str, **values: Any) -> int:
        """A person in ``groups``, in that order."""
        with transaction() as connection:
            user = service.create_user(connection, username=username, **values)
            for position, title in enumerate(groups):
                service.add_member(connection, user, self.groups[title], position)
        return user

    def group(self, title: str, *included: str, **rights: Any) -> int:
        """A group that includes ``included``."""
        with transaction() as connection:
            number = service.create_group(connection, title, **rights)
            for other in included:
                service.include_group(connection, number, self.groups[other])
        self.groups[title] = number
        return number

    def workspace(self, title: str, **values: Any) -> int:
        """A draft workspace."""
        with transaction() as connection:
            return service.create_workspace(connection, title, **values)

    def do(self, command: Any, *arguments: Any, **named: Any) -> Any:
        """One use case in its own transaction."""
        with transaction() as connection:
            return command(connection, *arguments, **named)

    def set(self, table: Any, number: int, **values: Any) -> None:
        """Store ``values`` as they are, past every check."""
        with transaction() as connection:
            connection.execute(update(table).where(table.c.id == number).values(**values))


@pytest.fixture
def office(app: Flask, clock: FakeClock) -> Office:
    """The demo's database and a clock that stands still."""
    return Office()


def identity(user: int, **where: int) -> Identity:
    """The identity, which must exist."""
    found = find(user, **where)
    assert found is not None
    return found


def find(user: int, **where: int) -> Identity | None:
    """The identity, if there is one."""
    with reading() as connection:
        return find_identity(connection, user, workspace_id=where.get("workspace_id"))


@contextmanager
def statements() -> Iterator[list[str]]:
    """The statements executed inside on the reading engine."""
    found: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        found.append(statement)

    event.listen(db.engines[READING], "before_cursor_execute", note)
    yield found
    event.remove(db.engines[READING], "before_cursor_execute", note)


def test_it_unites_the_rights_of_all_groups(office: Office) -> None:
    office.group("A", grants=["tasks_use"], tables_select=["pages"], page_mounts=[1], field_grants=["pages.keywords"])
    office.group(
        "B",
        grants=["audit_read"],
        tables_modify=["contacts"],
        page_mounts=[2],
        file_permissions=["read_file"],
        live=True,
    )
    found = identity(office.person("uma", "A", "B", name="Uma", language="de", timezone="Europe/Berlin"))
    assert found.grants == {"tasks_use", "audit_read"}
    assert (found.tables_select, found.tables_modify) == ({"pages"}, {"contacts"})
    assert found.may_select("contacts")
    assert (found.field_grants, found.file_permissions) == ({"pages.keywords"}, {"read_file"})
    assert found.page_mounts == {1, 2}
    assert found.may_work_live
    assert (found.name, found.username, found.language, found.timezone) == ("Uma", "uma", "de", "Europe/Berlin")
    assert not found.is_admin


def test_it_gives_nothing_to_somebody_in_no_group(office: Office) -> None:
    found = identity(office.person("uma"))
    assert (found.group_ids, found.main_group_id, found.languages) == ((), 0, None)
    assert not found.grants | found.tables_select | found.tables_modify | found.page_mounts
    assert not found.may_work_live
    assert found.workspace_id is None


def test_it_puts_a_group_inside_before_the_group_that_includes_it(office: Office) -> None:
    inner = office.group("inner", grants=["audit_read"])
    middle = office.group("middle", "inner")
    outer = office.group("outer", "middle", "inner")
    other = office.group("other")
    found = identity(office.person("uma", "other", "outer"))
    assert found.group_ids == (inner, middle, other, outer)
    assert found.grants == {"audit_read"}


def test_it_ends_where_groups_include_each_other(office: Office) -> None:
    first = office.group("first", grants=["audit_read"])
    second = office.group("second", "first")
    office.do(service.include_group, first, second)
    assert set(identity(office.person("uma", "second")).group_ids) == {first, second}


def test_it_takes_the_first_own_group_as_main_group(office: Office) -> None:
    shared = office.group("shared")
    outer = office.group("outer", "shared")
    assert identity(office.person("uma", "shared", "outer")).main_group_id == shared
    assert identity(office.person("vera", "outer", "shared")).main_group_id == outer
    assert identity(office.person("wim", "outer")).main_group_id == outer


def test_it_forgets_deleted_groups_and_what_they_include(office: Office) -> None:
    office.group("inner", grants=["audit_read"])
    office.group("outer", "inner", grants=["tasks_use"])
    user = office.person("uma", "outer")
    assert identity(user).grants == {"audit_read", "tasks_use"}
    office.set(store.GROUP, office.groups["outer"], deleted=True)
    assert (identity(user).grants, identity(user).group_ids) == (frozenset(), ())


def test_it_does_not_reach_through_a_deleted_group_in_between(office: Office) -> None:
    office.group("inner", grants=["audit_read"])
    office.group("middle", "inner")
    outer = office.group("outer", "middle")
    user = office.person("uma", "outer")
    assert identity(user).grants == {"audit_read"}
    office.set(store.GROUP, office.groups["middle"], deleted=True)
    assert (identity(user).grants, identity(user).group_ids) == (frozenset(), (outer,))


def test_it_limits_languages_as_soon_as_one_group_does(office: Office) -> None:
    office.group("free", languages=[])
    office.group("german", languages=[0, 1])
    office.group("french", languages=[2])
    assert identity(office.person("uma", "free")).languages is None
    assert identity(office.person("vera", "free", "german")).languages == {0, 1}
    assert identity(office.person("wim", "german", "french")).languages == {0, 1, 2}


def test_it_takes_mounts_of_groups_only_if_the_person_wants_them(office: Office) -> None:
    office.group("A", page_mounts=[1], file_mounts=[{"storage": 1, "folder": "press", "read_only": True}])
    own = {"page_mounts": "[9]", "file_mounts": '[{"storage":2,"folder":"/"}]'}
    both = identity(office.person("uma", "A", **own))
    assert both.page_mounts == {1, 9}
    assert both.file_mounts == (
        FileMount(storage_id=2, folder="/"),
        FileMount(storage_id=1, folder="/press/", read_only=True),
    )
    switched = {"uses_group_page_mounts": False, "uses_group_file_mounts": False}
    alone = identity(office.person("vera", "A", **own, **switched))
    assert (alone.page_mounts, alone.file_mounts) == ({9}, (FileMount(storage_id=2, folder="/"),))


def test_it_takes_rights_away_when_a_row_is_damaged(office: Office) -> None:
    number = office.group(
        "A", grants=["tasks_use"], languages=[0], page_mounts=[1], file_mounts=[{"storage": 1, "folder": "/"}]
    )
    user = office.person("uma", "A")
    for damage in ("", "null", "7", "{", '["x",null,{}]', '{"a":1}'):
        columns = ("languages", "page_mounts", "file_mounts", "grants", "tables_select", "field_grants")
        office.set(store.GROUP, number, **dict.fromkeys(columns, damage))
        found = identity(user)
        assert found.languages == frozenset(), damage
        assert (found.page_mounts, found.file_mounts) == (frozenset(), ()), damage
        assert found.grants <= {"x"}


def test_it_knows_no_narrowing_that_was_damaged_away(office: Office) -> None:
    office.group("A", page_mounts=[1])
    user = office.person("uma", "A")
    draft = office.workspace("Draft", page_mounts=[5])
    office.do(service.add_to_workspace, draft, user_id=user)
    assert identity(user).mounts_in(draft) == {5}
    office.set(store.WORKSPACE, draft, page_mounts="?")
    assert identity(user).mounts_in(draft) == frozenset()
    office.set(store.WORKSPACE, draft, page_mounts="[]")
    assert identity(user).mounts_in(draft) == {1}


@pytest.mark.parametrize(
    ("values", "acts"),
    [
        ({"disabled": False}, True),
        ({"deleted": True}, False),
        ({"disabled": True}, False),
        ({"starttime": NOW}, True),
        ({"starttime": NOW + 1}, False),
        ({"endtime": NOW + 1}, True),
        ({"endtime": NOW}, False),
        ({"endtime": 1}, False),
    ],
)
@pytest.mark.parametrize("is_admin", [False, True])
def test_it_resolves_only_people_who_may_act_now(
    office: Office, values: dict[str, Any], is_admin: bool, acts: bool
) -> None:
    user = office.person("uma", is_admin=is_admin)
    office.set(store.USER, user, **values)
    assert (find(user) is not None) is acts


def test_it_resolves_nobody_for_a_number_that_is_none(office: Office) -> None:
    assert [find(number) for number in (0, -1, 999_999)] == [None, None, None]


def test_it_follows_the_clock(office: Office, clock: FakeClock) -> None:
    user = office.person("uma", starttime=NOW + 10, endtime=NOW + 20)
    seen = []
    for _ in range(4):
        seen.append(find(user) is not None)
        clock.advance(8)
    assert seen == [False, False, True, False]


@pytest.mark.behaviour("DW-04")
def test_it_never_falls_back_to_another_workspace(office: Office, site: DemoSite) -> None:
    anna, relaunch = site.people.users["anna"], site.people.workspaces["Relaunch"]
    campaign = site.people.workspaces["Campaign"]
    assert identity(anna).workspace_id == relaunch
    assert identity(anna, workspace_id=campaign).workspace_id is None
    assert identity(anna, workspace_id=LIVE).workspace_id == LIVE
    assert identity(anna, workspace_id=relaunch).workspace_id == relaunch
    with transaction() as connection:
        connection.execute(store.WORKSPACE_MEMBER.delete().where(store.WORKSPACE_MEMBER.c.user_id == anna))
    assert identity(anna).workspace_id is None
    assert identity(anna, workspace_id=relaunch).workspace_id is None


def test_it_gives_live_only_with_the_live_grant(site: DemoSite) -> None:
    people = site.people.users
    assert identity(people["ben"], workspace_id=LIVE).workspace_id is None
    assert not identity(people["ben"]).may_use_workspace(LIVE)
    assert identity(people["gus"]).workspace_id is None
    assert identity(people["admin"]).workspace_id == LIVE


def test_it_gives_workspaces_through_nested_groups_and_ownership(office: Office) -> None:
    inner = office.group("inner")
    office.group("outer", "inner")
    member, owner, stranger = office.person("uma", "outer"), office.person("vera"), office.person("wim")
    draft = office.workspace("Draft")
    office.do(service.add_to_workspace, draft, group_id=inner)
    office.do(service.add_to_workspace, draft, user_id=owner, is_owner=True)
    assert [identity(user, workspace_id=draft).workspace_id for user in (member, owner, stranger)] == [
        draft,
        draft,
        None,
    ]
    assert identity(member).workspaces == {draft: "Draft"}


@pytest.mark.behaviour("DW-04")
@pytest.mark.parametrize("name", ["admin", "olga"])
def test_it_gives_a_deleted_workspace_to_nobody(site: DemoSite, office: Office, name: str) -> None:
    relaunch = site.people.workspaces["Relaunch"]
    assert identity(site.people.users[name], workspace_id=relaunch).workspace_id == relaunch
    office.set(store.WORKSPACE, relaunch, deleted=True)
    found = identity(site.people.users[name], workspace_id=relaunch)
    assert found.workspace_id is None
    assert not found.may_use_workspace(relaunch)


def test_it_gives_administrators_every_workspace_there_is(site: DemoSite) -> None:
    found = identity(site.people.users["admin"])
    assert set(found.workspaces) == set(site.people.workspaces.values())
    assert found.may_use_workspace(LIVE)
    assert identity(site.people.users["admin"], workspace_id=999).workspace_id is None


def test_it_has_no_side_effects(site: DemoSite) -> None:
    def everything(connection: Connection) -> list[Any]:
        tables = (store.USER, store.GROUP, store.MEMBER, store.WORKSPACE, store.WORKSPACE_MEMBER)
        return [tuple(row) for table in tables for row in connection.execute(select(table))]

    with transaction() as connection:
        before = everything(connection)
        for user in site.people.users.values():
            find_identity(connection, user, workspace_id=999)
            find_identity(connection, user)
        assert everything(connection) == before


@pytest.mark.parametrize("name", ["admin", "anna", "ben", "gus"])
def test_it_asks_at_most_three_statements(site: DemoSite, name: str) -> None:
    with statements() as found:
        identity(site.people.users[name])
    assert 0 < len(found) <= 3


def test_it_asks_no_more_for_many_groups(office: Office) -> None:
    for number in range(15):
        office.group(f"G{number}", *([f"G{number - 1}"] if number else []))
    user = office.person("uma", *office.groups)
    with statements() as found:
        assert len(identity(user).group_ids) == 15
    assert len(found) <= 3
