"""What administrators do with people and groups: only they, never the last one out, and never in a circle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask

from app.accounts import administration, group_administration, onboarding, service, sessions, store
from app.accounts.directory import list_people, read_group, read_person
from app.accounts.group_consequences import GroupConsequences, plan_group_deletion
from app.accounts.identities import find_identity
from app.accounts.rights_summary import RightKind, RightsSummary, summarize_rights
from app.accounts.values import GroupValues, PersonValues
from app.core import clock as core_clock
from app.core.db import reading, transaction
from app.core.errors import Conflict, Forbidden, Invalid, NotFound
from app.core.i18n import render
from app.policy.identity import FileMount, Identity
from app.seed.demo import DemoSite
from tests.support.clock import FakeClock

PEOPLE = ("anna", "fay", "gus")


@pytest.fixture
def admin(clock: FakeClock, app: Flask, site: DemoSite) -> int:
    """The only administrator, with a password."""
    with transaction() as connection:
        service.set_password(connection, site.people.users["admin"], "hash")
    return site.people.users["admin"]


def person(user_id: int) -> PersonValues:
    with reading() as connection:
        return read_person(connection, user_id).values


def change(admin: int, user_id: int, **values: Any) -> None:
    with reading() as connection:
        found = read_person(connection, user_id)
    administration.change_person(admin, user_id, replace(found.values, **values), seen=found.version)


def change_group(admin: int, group_id: int, **values: Any) -> None:
    with reading() as connection:
        found = read_group(connection, group_id)
    group_administration.change_group(admin, group_id, replace(found.values, **values), seen=found.version)


def identity(user_id: int) -> Identity:
    with reading() as connection:
        found = find_identity(connection, user_id)
    assert found is not None
    return found


def summary(user_id: int) -> RightsSummary:
    with reading() as connection:
        return summarize_rights(connection, user_id)


def values_of(found: RightsSummary, kind: RightKind) -> set[Any]:
    return {right.value for right in found.of(kind)}


def sentence(caught: pytest.ExceptionInfo[Invalid], field: str = "") -> str:
    return render(caught.value.fields[field] if field else caught.value.text, "en")


def second_administrator(admin: int) -> int:
    user_id = administration.create_person(admin, PersonValues(username="second", is_admin=True))
    with transaction() as connection:
        service.set_password(connection, user_id, "hash")
    return user_id


@pytest.mark.parametrize("username", PEOPLE)
def test_it_is_for_administrators_only(admin: int, site: DemoSite, username: str) -> None:
    actor, ben, group = site.people.users[username], site.people.users["ben"], site.people.groups["Editorial"]
    acts: list[Callable[[], Any]] = [
        lambda: administration.create_person(actor, PersonValues(username="new")),
        lambda: administration.change_person(actor, ben, person(ben), seen="x"),
        lambda: administration.change_person(actor, actor, replace(person(actor), is_admin=True), seen="x"),
        lambda: administration.delete_person(actor, ben),
        lambda: administration.create_password_link(actor, admin),
        lambda: administration.end_sessions_of(actor, admin),
        lambda: group_administration.create_group(actor, GroupValues(title="New")),
        lambda: group_administration.change_group(actor, group, GroupValues(title="X"), seen="x"),
        lambda: group_administration.add_member_named(actor, group, username),
        lambda: group_administration.remove_members(actor, group, [ben]),
        lambda: group_administration.delete_group(actor, group),
    ]
    for act in acts:
        with pytest.raises(Forbidden):
            act()


def test_it_asks_again_in_the_transaction_who_administers(admin: int, site: DemoSite) -> None:
    """I27"""
    second = second_administrator(admin)
    change(admin, second, is_admin=False)
    with pytest.raises(Forbidden):
        administration.create_person(second, PersonValues(username="new"))


@pytest.mark.parametrize(
    "values", [{"disabled": True}, {"is_admin": False}, {"endtime": 4_000_000_000}, {"starttime": 3_900_000_000}]
)
def test_it_keeps_the_last_administrator(admin: int, values: dict[str, Any]) -> None:
    before = person(admin)
    administration.create_person(admin, PersonValues(username="nopassword", is_admin=True))
    with pytest.raises(Invalid) as caught:
        change(admin, admin, **values)
    assert "last person who can administer" in sentence(caught)
    assert person(admin) == before
    second_administrator(admin)
    change(admin, admin, **values)
    assert person(admin) == replace(before, **values)


def test_it_does_not_delete_the_last_administrator(admin: int) -> None:
    with pytest.raises(Invalid):
        administration.delete_person(admin, admin)
    assert person(admin).is_admin
    second_administrator(admin)
    administration.delete_person(admin, admin)
    with pytest.raises(NotFound):
        person(admin)


def test_it_keeps_the_last_administrator_for_the_command_line_too(admin: int) -> None:
    for columns in ({"disabled": True}, {"is_admin": False}, {"deleted": True}):
        with pytest.raises(Invalid), transaction() as connection:
            administration.update_person(connection, admin, columns)
    assert person(admin).is_admin


@pytest.mark.parametrize("username", PEOPLE)
@pytest.mark.parametrize("values", [{"disabled": True}, {"is_admin": False}])
def test_it_ends_sign_ins_of_those_who_lose_something(
    admin: int, site: DemoSite, username: str, values: dict[str, Any]
) -> None:
    user_id = site.people.users[username]
    change(admin, user_id, is_admin=True)
    with transaction() as connection:
        sessions.open_session(connection, user_id, "test")
        sessions.open_session(connection, admin, "test")
    change(admin, user_id, name="Other name")
    assert len(sessions.list_sessions(user_id)) == 1, "a name is no right"
    change(admin, user_id, **values)
    assert sessions.list_sessions(user_id) == []
    assert len(sessions.list_sessions(admin)) == 1


def test_it_sets_everything_of_a_person(admin: int, site: DemoSite) -> None:
    groups = site.people.groups
    wanted = PersonValues(
        username="uma.new",
        name="Uma",
        email="uma@example.org",
        language="de",
        starttime=10,
        endtime=4_000_000_000,
        uses_group_page_mounts=False,
        uses_group_file_mounts=False,
        page_mounts=(site.pages["hours"],),
        file_mounts=(FileMount(storage_id=1, folder="/press/", read_only=True),),
        group_ids=(groups["Live"], groups["Editorial"]),
    )
    user_id = administration.create_person(admin, wanted)
    assert person(user_id) == wanted
    found = identity(user_id)
    assert (found.main_group_id, found.page_mounts) == (groups["Live"], {site.pages["hours"]})
    assert found.file_mounts == wanted.file_mounts
    change(admin, user_id, group_ids=(groups["Editorial"], groups["Live"]), uses_group_page_mounts=True)
    assert identity(user_id).main_group_id == groups["Editorial"]


@pytest.mark.parametrize("username", PEOPLE)
def test_it_counts_with_the_next_use(admin: int, site: DemoSite, username: str) -> None:
    """I27"""
    user_id, live = site.people.users[username], site.people.groups["Live"]
    kept = person(user_id).group_ids
    change(admin, user_id, group_ids=tuple(dict.fromkeys((*kept, live))))
    assert identity(user_id).may_work_live
    change(admin, user_id, group_ids=tuple(number for number in kept if number != live))
    assert not identity(user_id).may_work_live
    change_group(admin, live, live=False)
    assert not identity(site.people.users["dora"]).may_work_live


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"username": ""}, "username"),
        ({"username": "\u0430nna"}, "username"),
        ({"username": "anna"}, "username"),
        ({"username": "<b>"}, "username"),
        ({"name": "n" * 201}, "name"),
        ({"email": "nobody"}, "email"),
        ({"email": "a b@example.org"}, "email"),
        ({"language": "xx"}, "language"),
        ({"starttime": 20, "endtime": 10}, "endtime"),
        ({"group_ids": (987_654,)}, "group_ids"),
    ],
)
def test_it_names_the_field_that_is_wrong(admin: int, site: DemoSite, values: dict[str, Any], field: str) -> None:
    """B30 among them: a name that looks like somebody else's."""
    for user_id in [site.people.users["ben"], site.people.users["gus"]]:
        before = person(user_id)
        with pytest.raises(Invalid) as caught:
            change(admin, user_id, **values)
        assert list(caught.value.fields) == [field]
        assert person(user_id) == before
    with pytest.raises(Invalid) as caught:
        administration.create_person(admin, PersonValues(**{"username": "new", **values}))
    assert list(caught.value.fields) == [field]


def test_it_lets_a_person_keep_a_name_that_looks_like_their_own(admin: int, site: DemoSite) -> None:
    change(admin, site.people.users["anna"], username="Anna")
    assert person(site.people.users["anna"]).username == "Anna"


def test_it_refuses_what_was_filled_from_an_older_state(admin: int, site: DemoSite) -> None:
    anna, group = site.people.users["anna"], site.people.groups["Live"]
    with reading() as connection:
        seen, group_seen = read_person(connection, anna), read_group(connection, group)
    change(admin, anna, name="First")
    change_group(admin, group, grants=("audit_read",))
    with pytest.raises(Conflict):
        administration.change_person(admin, anna, replace(seen.values, name="Second"), seen=seen.version)
    with pytest.raises(Conflict):
        group_administration.change_group(admin, group, group_seen.values, seen=group_seen.version)
    assert person(anna).name == "First"


def test_it_makes_a_link_that_works_once_and_ends(admin: int, site: DemoSite, clock: FakeClock) -> None:
    anna = site.people.users["anna"]
    first, second = (administration.create_password_link(admin, anna) for _ in range(2))
    assert second.expires_at == core_clock.now() + 3 * 86400
    with pytest.raises(NotFound):
        onboarding.find_person_of_link(first.token)
    secret = "a long enough pass phrase"
    onboarding.set_password_by_link(second.token, password=secret, repeated=secret)
    with pytest.raises(NotFound):
        onboarding.find_person_of_link(second.token)
    third = administration.create_password_link(admin, anna)
    clock.advance(3 * 86400 + 1)
    with pytest.raises(NotFound):
        onboarding.find_person_of_link(third.token)
    change(admin, anna, disabled=True)
    with pytest.raises(Invalid):
        administration.create_password_link(admin, anna)


def test_it_refuses_a_circle_of_groups_with_a_sentence(admin: int) -> None:
    inner = group_administration.create_group(admin, GroupValues(title="Inner"))
    middle = group_administration.create_group(admin, GroupValues(title="Middle", includes=(inner,)))
    outer = group_administration.create_group(admin, GroupValues(title="Outer", includes=(middle,)))
    with pytest.raises(Invalid) as caught:
        change_group(admin, middle, includes=(outer,))
    assert sentence(caught, "includes") == "“Middle” cannot include “Outer”, because “Outer” includes “Middle”."
    with pytest.raises(Invalid) as caught:
        change_group(admin, inner, includes=(outer,))
    assert sentence(caught, "includes").endswith("because “Outer” includes “Inner” through “Middle”.")
    with pytest.raises(Invalid) as caught:
        change_group(admin, inner, includes=(inner,))
    assert sentence(caught, "includes") == "A group cannot include itself."
    change_group(admin, outer, includes=(inner, middle))
    with reading() as connection:
        assert set(read_group(connection, outer).values.includes) == {inner, middle}
    group_administration.delete_group(admin, middle)
    change_group(admin, outer, includes=())
    change_group(admin, inner, includes=(outer,))


@pytest.mark.parametrize("title", ["", "  ", "Editorial", "EDITORIAL", "Editori\u0430l", "t" * 201])
def test_it_refuses_a_title_that_is_taken_or_none(admin: int, site: DemoSite, title: str) -> None:
    with pytest.raises(Invalid) as caught:
        group_administration.create_group(admin, GroupValues(title=title))
    assert list(caught.value.fields) == ["title"]
    with pytest.raises(Invalid):
        change_group(admin, site.people.groups["Live"], title=title)


def test_it_sets_every_right_of_a_group(admin: int, site: DemoSite) -> None:
    wanted = GroupValues(
        title="Night desk",
        grants=("tasks_use", "agent_approve", "audit_read"),
        tables_select=("pages",),
        tables_modify=("contacts",),
        field_grants=("pages.keywords",),
        languages=(0, 1),
        page_mounts=(site.pages["hours"],),
        file_mounts=(FileMount(storage_id=1, folder="/press/", read_only=True),),
        file_permissions=("read_file",),
        live=True,
        includes=(site.people.groups["Keywords"],),
    )
    group_id = group_administration.create_group(admin, wanted)
    with reading() as connection:
        assert read_group(connection, group_id).values == wanted
    gus = site.people.users["gus"]
    assert group_administration.add_member_named(admin, group_id, "gus") == gus
    found = identity(gus)
    assert (found.grants, found.languages, found.may_work_live) == (set(wanted.grants), {0, 1}, True)
    assert (found.tables_select, found.tables_modify) == ({"pages"}, {"contacts"})
    assert group_administration.remove_members(admin, group_id, [gus, gus, site.people.users["anna"]]) == 1
    assert identity(gus).grants == frozenset()


def test_it_wants_a_limit_of_languages_to_name_some(admin: int) -> None:
    """An empty list would be no limit at all."""
    with pytest.raises(Invalid) as caught:
        group_administration.create_group(admin, GroupValues(title="None", languages=()))
    assert list(caught.value.fields) == ["languages"]


@pytest.mark.parametrize("username", ["nobody", "anna", "a\x00b", ""])
def test_it_says_why_somebody_cannot_be_added(admin: int, site: DemoSite, username: str) -> None:
    with pytest.raises(Invalid) as caught:
        group_administration.add_member_named(admin, site.people.groups["Editorial"], username)
    assert list(caught.value.fields) == ["username"]


@pytest.mark.parametrize("username", ["anna", "ben", "olga", "cem", "dora", "emil", "fay", "gus"])
def test_it_summarizes_exactly_what_the_identity_holds(admin: int, site: DemoSite, username: str) -> None:
    user_id = site.people.users[username]
    found, rights = summary(user_id), identity(user_id)
    assert values_of(found, RightKind.GRANT) == rights.grants
    assert values_of(found, RightKind.SELECT) == rights.tables_select | rights.tables_modify
    assert values_of(found, RightKind.MODIFY) == rights.tables_modify
    assert values_of(found, RightKind.FIELD) == rights.field_grants
    assert values_of(found, RightKind.PAGE) == rights.page_mounts
    assert values_of(found, RightKind.FILE) == set(rights.file_mounts)
    assert values_of(found, RightKind.FILE_PERMISSION) == rights.file_permissions
    assert bool(values_of(found, RightKind.LIVE)) is rights.may_work_live
    assert values_of(found, RightKind.WORKSPACE) == set(rights.workspaces.values())
    assert found.limits_languages is (rights.languages is not None)
    assert values_of(found, RightKind.LANGUAGE) == (rights.languages or frozenset())


def test_it_names_the_group_and_the_one_that_includes_it(admin: int, site: DemoSite) -> None:
    group_id = group_administration.create_group(
        admin, GroupValues(title="Outer", includes=(site.people.groups["Keywords"],))
    )
    group_administration.add_member_named(admin, group_id, "gus")
    (right,) = summary(site.people.users["gus"]).of(RightKind.FIELD)
    assert [(source.title, source.through) for source in right.sources] == [("Keywords", "Outer")]
    (right,) = summary(site.people.users["anna"]).of(RightKind.FIELD)
    assert [(source.title, source.through) for source in right.sources] == [("Keywords", "")]


def test_it_names_groups_that_do_not_lift_a_limit(admin: int, site: DemoSite) -> None:
    found = summary(site.people.users["dora"])
    assert found.limits_languages
    assert set(found.unlimited) == {"Editorial", "Whole site", "Live"}
    assert summary(site.people.users["anna"]).unlimited == ()


def plan(group_id: int) -> GroupConsequences:
    with reading() as connection:
        return plan_group_deletion(connection, group_id)


@pytest.mark.parametrize("title", ["Editorial", "Live", "Keywords", "German desk", "Freelancers", "Members"])
def test_it_foresees_exactly_what_deleting_a_group_takes(admin: int, site: DemoSite, title: str) -> None:
    group_id = site.people.groups[title]
    outer = group_administration.create_group(admin, GroupValues(title="Outer", includes=(group_id,)))
    group_administration.add_member_named(admin, outer, "gus")
    before = {user_id: summary(user_id) for user_id in site.people.users.values()}
    found = plan(group_id)
    assert found.included_by == ("Outer",)
    group_administration.delete_group(admin, group_id)
    for user_id, old in before.items():
        new = summary(user_id)
        loss = next((loss for loss in found.losses if loss.user_id == user_id), None)
        gone = {(right.kind, right.value) for right in old.rights} - {(right.kind, right.value) for right in new.rights}
        if not new.limits_languages:
            gone = {(kind, value) for kind, value in gone if kind is not RightKind.LANGUAGE}
        assert {(right.kind, right.value) for right in loss.lost} == gone if loss else not gone
        assert (loss is not None and loss.loses_language_limit) is (old.limits_languages and not new.limits_languages)
    with reading() as connection:
        assert store.find_group_by_title(connection, title) is None


def test_it_foresees_that_groups_inside_go_too_where_nothing_else_leads_there(admin: int, site: DemoSite) -> None:
    keywords = site.people.groups["Keywords"]
    outer = group_administration.create_group(admin, GroupValues(title="Outer", includes=(keywords,)))
    for username in ("gus", "anna"):
        group_administration.add_member_named(admin, outer, username)
    (loss,) = plan(outer).losses
    assert loss.user_id == site.people.users["gus"], "Anna has the right by herself"
    assert [right.value for right in loss.lost] == ["pages.keywords"]
    assert loss.main_group == ""


def test_it_finds_people_by_words_and_state(admin: int, site: DemoSite) -> None:
    change(admin, site.people.users["ben"], disabled=True)
    with reading() as connection:

        def names(**asked: Any) -> list[str]:
            return [entry.username for entry in list_people(connection, **asked).people]

        assert names(words="BERG") == ["anna"]
        assert names(words="%") == []
        assert names(state="disabled") == ["ben"]
        assert names(state="administrators") == ["admin"]
        assert "ben" not in names(state="active")
        assert len(names()) == 9
