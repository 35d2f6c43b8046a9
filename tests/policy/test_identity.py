"""What a person may, from their rights alone (cms.md sections 3 to 6 and 14)."""

from __future__ import annotations

import pytest

from app.policy.identity import FileMount, Identity
from tests.policy.people import DRAFT, OTHER, person

ADMIN = person(is_admin=True)


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        ("/press", True),
        ("/press/", True),
        ("/press/a.png", True),
        ("/press/2026/a.png", True),
        ("/press-archive/a.png", False),
        ("/pres", False),
        ("/", False),
        ("/archive/press/a.png", False),
    ],
)
def test_it_compares_folders_by_component(path: str, inside: bool) -> None:
    assert FileMount(storage_id=1, folder="/press/").contains(path) is inside


@pytest.mark.parametrize("path", ["/", "/a.png", "/press/a.png"])
def test_it_mounts_a_whole_storage(path: str) -> None:
    assert FileMount(storage_id=1, folder="/").contains(path)


@pytest.mark.parametrize(
    ("who", "admin_only", "select", "modify"),
    [
        (person(), False, False, False),
        (person(tables_select=frozenset({"pages"})), False, True, False),
        (person(tables_modify=frozenset({"pages"})), False, True, True),
        (person(tables_modify=frozenset({"pages"})), True, False, False),
        (person(tables_select=frozenset({"files"})), False, False, False),
        (ADMIN, False, True, True),
        (ADMIN, True, True, True),
    ],
)
def test_it_reads_and_writes_tables(who: Identity, admin_only: bool, select: bool, modify: bool) -> None:
    assert who.may_select("pages", admin_only=admin_only) is select
    assert who.may_modify("pages", admin_only=admin_only) is modify


def test_it_grants_fields_one_by_one() -> None:
    anna = person(field_grants=frozenset({"pages.keywords"}))
    assert anna.may_use_field("pages", "keywords")
    assert not anna.may_use_field("contacts", "keywords")
    assert not person().may_use_field("pages", "keywords")
    assert ADMIN.may_use_field("pages", "keywords")


@pytest.mark.parametrize(
    ("languages", "language", "allowed"),
    [
        (None, 0, True),
        (None, 5, True),
        (frozenset({0, 1}), 1, True),
        (frozenset({0, 1}), 2, False),
        (frozenset({1}), 0, False),
        (frozenset({1}), -1, True),
        (frozenset({1}), None, True),
        (frozenset(), 0, False),
    ],
)
def test_it_limits_languages(languages: frozenset[int] | None, language: int | None, allowed: bool) -> None:
    assert person(languages=languages).may_use_language(language) is allowed
    assert person(languages=languages, is_admin=True).may_use_language(language)


@pytest.mark.parametrize(
    ("who", "live", "draft", "other"),
    [
        (person(), False, True, False),
        (person(may_work_live=True, workspaces={}), True, False, False),
        (person(is_admin=True), True, True, False),
        (person(is_admin=True, workspaces={OTHER: "Campaign"}), True, False, True),
    ],
)
def test_it_enters_workspaces_that_exist_and_are_its_own(who: Identity, live: bool, draft: bool, other: bool) -> None:
    assert [who.may_use_workspace(number) for number in (0, DRAFT, OTHER)] == [live, draft, other]
    assert not who.may_use_workspace(-99)


def test_it_asks_for_grants_by_name() -> None:
    fay = person(grants=frozenset({"agent_approve"}))
    assert fay.may("agent_approve")
    assert not fay.may("audit_read")
    assert ADMIN.may("audit_read")


def test_it_narrows_page_mounts_in_some_workspaces() -> None:
    anna = person(page_mounts=frozenset({1}), workspace_mounts={DRAFT: frozenset({20})})
    assert anna.mounts_in(DRAFT) == {20}
    assert anna.mounts_in(OTHER) == {1}
    assert anna.mounts_in(0) == {1}
