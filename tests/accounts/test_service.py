"""Use cases on people, groups, workspaces and one-time links."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select, update

from app.accounts import service, store
from app.core.db import reading, transaction
from app.core.errors import Conflict, Invalid, NotFound
from app.core.ids import token_hash
from app.seed.demo import DemoSite
from tests.support.clock import FakeClock

pytestmark = pytest.mark.usefixtures("app", "clock")


def do(command: Any, *arguments: Any, **named: Any) -> Any:
    """One use case in its own transaction."""
    with transaction() as connection:
        return command(connection, *arguments, **named)


def test_it_adds_a_person_who_cannot_sign_in_yet() -> None:
    number = do(service.create_user, username="uma", name="Uma", email="uma@museum.example")
    with reading() as connection:
        row = connection.execute(select(store.USER).where(store.USER.c.id == number)).mappings().one()
    assert (row["username"], row["name"], row["email"]) == ("uma", "Uma", "uma@museum.example")
    assert row["password_hash"] is None
    assert not row["is_admin"]


def test_it_names_a_person_by_the_sign_in_name_when_there_is_no_other() -> None:
    number = do(service.create_user, username="uma")
    with reading() as connection:
        assert store.names_of(connection, [number, number, 0]) == {number: "uma"}
        assert store.names_of(connection, []) == {}


@pytest.mark.parametrize(
    "name",
    ["anna", "ANNA", "\u0430nna", "\u0430\u0434\u043c\u0438\u043d1 x", "", " uma", "uma ", "u" * 121, "uma\n", "a/b"],
)
def test_it_refuses_a_name_that_is_taken_or_can_be_mistaken(name: str) -> None:
    with pytest.raises(Invalid):
        do(service.create_user, username=name)


def test_it_refuses_a_name_that_only_looks_different() -> None:
    do(service.create_user, username="cope")
    with pytest.raises(Invalid):
        do(service.create_user, username="\u0441\u043e\u0440\u0435")  # the same in Cyrillic letters
    do(service.create_user, username="Änne")
    with pytest.raises(Invalid):
        do(service.create_user, username="änne")


def test_it_keeps_the_name_of_somebody_who_left() -> None:
    number = do(service.create_user, username="uma")
    do(service.update_user, number, {"deleted": True})
    with pytest.raises(Invalid):
        do(service.create_user, username="uma")
    with reading() as connection:
        assert store.find_user_by_name(connection, "uma") is None
        assert store.names_of(connection, [number]) == {number: "uma"}
        assert "uma" not in [row["username"] for row in store.list_users(connection)]


def test_it_refuses_a_second_group_of_a_title() -> None:
    number = do(service.create_group, "Night desk", grants=["tasks_use"])
    with pytest.raises(Invalid):
        do(service.create_group, "Night desk")
    do(service.update_group, number, grants=[], live=True)
    with transaction() as connection:
        found = store.find_group_by_title(connection, "Night desk")
        assert found is not None
        assert (found["grants"], found["live"]) == ("[]", True)
        assert store.group_titles(connection, [number, 999]) == {number: "Night desk"}
        connection.execute(update(store.GROUP).where(store.GROUP.c.id == number).values(deleted=True))
        assert store.find_group_by_title(connection, "Night desk") is None
        assert store.group_titles(connection, [number]) == {}
    with pytest.raises(Invalid):
        do(service.create_group, "Night desk")


def test_it_numbers_workspaces_and_knows_their_titles() -> None:
    first, second = do(service.create_workspace, "One"), do(service.create_workspace, "Two", page_mounts=[3])
    assert first != second
    assert do(service.workspace_title, second) == "Two"
    do(lambda connection: connection.execute(update(store.WORKSPACE).values(deleted=True)))
    assert do(service.workspace_title, second) is None


def test_it_lets_people_switch_only_to_workspaces_they_may_use(site: DemoSite) -> None:
    anna, spaces = site.people.users["anna"], site.people.workspaces
    do(service.switch_workspace, anna, spaces["Old draft"])
    assert do(service.find_identity, anna).workspace_id == spaces["Old draft"]
    do(service.switch_workspace, anna, 0)
    assert do(service.find_identity, anna).workspace_id == 0
    for forbidden in (spaces["Campaign"], 999, -1):
        with pytest.raises(NotFound):
            do(service.switch_workspace, anna, forbidden)
    assert do(service.find_identity, anna).workspace_id == 0
    with pytest.raises(NotFound):
        do(service.switch_workspace, 999, 0)


def test_it_opens_a_link_once(clock: FakeClock) -> None:
    token = do(service.create_link, "password", 7)
    assert do(service.find_link, "password", token)["user_id"] == 7
    do(service.use_link, token)
    with pytest.raises(NotFound):
        do(service.find_link, "password", token)
    with pytest.raises(Conflict):
        do(service.use_link, token)


def test_it_stores_no_token_of_a_link() -> None:
    token = do(service.create_link, "setup")
    with reading() as connection:
        row = connection.execute(select(store.LINK)).mappings().one()
    assert row["token_hash"] == token_hash(token)
    assert token not in str(dict(row))


def test_it_opens_no_link_of_another_purpose_or_made_up() -> None:
    token = do(service.create_link, "password", 7)
    for purpose, given in (("setup", token), ("password", "x"), ("password", ""), ("password", token + "x")):
        with pytest.raises(NotFound):
            do(service.find_link, purpose, given)


def test_it_lets_links_expire(clock: FakeClock) -> None:
    token = do(service.create_link, "password", 7)
    clock.advance(service.LINK_DAYS * 86_400 - 1)
    assert do(service.find_link, "password", token)
    clock.advance(1)
    with pytest.raises(NotFound):
        do(service.find_link, "password", token)


def test_it_ends_earlier_links_of_the_same_kind_only() -> None:
    first, other = do(service.create_link, "password", 7), do(service.create_link, "password", 8)
    second = do(service.create_link, "password", 7)
    with pytest.raises(NotFound):
        do(service.find_link, "password", first)
    assert do(service.find_link, "password", second)["user_id"] == 7
    assert do(service.find_link, "password", other)["user_id"] == 8


@pytest.mark.parametrize(
    ("values", "has_one"),
    [
        ({"password_hash": None}, False),
        ({"password_hash": "x"}, True),
        ({"password_hash": "x", "disabled": True}, False),
        ({"password_hash": "x", "deleted": True}, False),
        ({"password_hash": "x", "endtime": 1}, False),
        ({"password_hash": "x", "is_admin": False}, False),
    ],
)
def test_it_knows_whether_somebody_can_administer(site: DemoSite, values: dict[str, Any], has_one: bool) -> None:
    do(service.update_user, site.people.users["admin"], values)
    assert do(service.has_administrator) is has_one


@pytest.mark.parametrize(
    ("password", "repeated", "field"),
    [("short", "short", "password"), ("correct horse battery", "correct horse batterie", "repeated")],
)
def test_it_names_the_field_of_a_password_that_is_wrong(password: str, repeated: str, field: str) -> None:
    with pytest.raises(Invalid) as caught:
        service.check_new_password(password, repeated, "anna")
    assert list(caught.value.fields) == [field]
    service.check_new_password("correct horse battery", "correct horse battery", "anna")
