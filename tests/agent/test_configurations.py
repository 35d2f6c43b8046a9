"""Configurations as administrators set them and the runtime reads them."""

from __future__ import annotations

import pytest
from flask import Flask

from app.agent.configurations import (
    create_configuration,
    facts_of,
    find_configuration,
    find_configuration_named,
    list_configurations,
    list_usable_configurations,
    may_use_configuration,
    set_configuration,
)
from app.core import errors
from app.core.db import reading, transaction
from app.policy.identity import GRANT_USE, Identity
from app.seed.demo import DemoSite


def _person(*groups: int, is_admin: bool = False, grants: frozenset[str] = frozenset({GRANT_USE})) -> Identity:
    return Identity(user_id=1, username="x", name="X", group_ids=groups, is_admin=is_admin, grants=grants)


@pytest.mark.behaviour("DW-01")
def test_it_creates_one_with_every_demand_switched_off(app: Flask) -> None:
    with transaction() as connection:
        number = create_configuration(connection, "  Plain ")
        found = find_configuration(connection, number)
    assert found is not None
    assert (found.name, found.model, found.active) == ("Plain", "builtin", True)
    assert not found.requires_draft_workspace
    assert not found.requires_second_approver
    assert facts_of(found).tool_groups is None


def test_it_changes_only_what_is_given(app: Flask) -> None:
    with transaction() as connection:
        number = create_configuration(connection, "Plain", tool_groups=["reading", "editing"], allowed_groups=[3, 1])
        set_configuration(connection, number, excluded_tools=["delete_record"], model="openai:x")
        found = find_configuration(connection, number)
    assert found is not None
    assert (found.tool_groups, found.allowed_groups, found.model) == (("editing", "reading"), (1, 3), "openai:x")
    facts = facts_of(found)
    assert (facts.tool_groups, facts.excluded_tools) == ({"editing", "reading"}, {"delete_record"})


@pytest.mark.parametrize("name", ["", "   ", "x" * 81])
def test_it_refuses_a_name_nobody_can_use(app: Flask, name: str) -> None:
    with transaction() as connection, pytest.raises(errors.Invalid) as caught:
        create_configuration(connection, name)
    assert "name" in caught.value.fields


def test_it_refuses_a_name_that_is_taken_but_not_its_own(app: Flask) -> None:
    with transaction() as connection:
        number = create_configuration(connection, "Plain")
        set_configuration(connection, number, name="Plain")
        with pytest.raises(errors.Conflict):
            set_configuration(connection, number, name="Editorial")
        with pytest.raises(errors.NotFound):
            set_configuration(connection, 999, name="Other")


def test_it_lists_what_a_person_may_start_with(app: Flask, site: DemoSite, identity_of) -> None:
    with transaction() as connection:
        members = create_configuration(connection, "Members", allowed_groups=[site.people.groups["Members"]])
        create_configuration(connection, "Off", active=False)
    with reading() as connection:
        names = [found.name for found in list_usable_configurations(connection, identity_of("anna"))]
        everything = [found.name for found in list_usable_configurations(connection, identity_of("admin"))]
        assert len(list_configurations(connection)) == 4
        assert list_usable_configurations(connection, identity_of("gus")) == ()
        found = find_configuration(connection, members)
        assert find_configuration_named(connection, "members") is None
    assert names == ["Editorial", "Editorial, drafts only"]
    assert everything == [*names, "Members"]
    assert found is not None
    assert may_use_configuration(_person(site.people.groups["Members"]), found)
    assert not may_use_configuration(_person(site.people.groups["Members"], grants=frozenset()), found)
