"""What somebody may write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from app.content import rights
from app.content.errors import WriteRefused
from app.content.types import Row, VersionState
from app.policy.identity import FileMount, Identity
from tests.content.fixtures import ALL_TABLES, ContentStore, admin, content_store, person, postgres_store

__all__ = ["content_store", "postgres_store"]

CHANGED, NEW, DELETED, MOVED = VersionState
SHOW, EDIT, DELETE, CREATE, CONTENT = 1, 2, 4, 8, 16


def _refusal(act: Callable[[], Any]) -> str:
    try:
        act()
    except WriteRefused as refused:
        return refused.reason
    return ""


def _branch(content: ContentStore, bits: int = 31) -> None:
    """1 > 2 > 3; ``bits`` on page 2; an element on 2 and 3; page 9 outside the mount."""
    content.page(1)
    content.page(2, 1, group_bits=bits)
    content.page(3, 2)
    content.page(9)
    content.element(20, 2)
    content.element(30, 3)
    content.languages()


Act = Callable[..., Any]
ACTS: dict[str, tuple[Act, tuple[Any, ...]]] = {
    "update page": (rights.require_update, ("pages", 2)),
    "update element": (rights.require_update, ("content_elements", 20)),
    "create page": (rights.require_create, ("pages", 2)),
    "create element": (rights.require_create, ("content_elements", 2)),
    "copy page": (rights.require_copy_page, (3, 2)),
    "copy from": (rights.require_copy_page, (2, 1)),
    "translate page": (rights.require_localize, ("pages", 2, 1)),
    "translate element": (rights.require_localize, ("content_elements", 20, 1)),
    "delete page": (rights.require_delete, ("pages", 2)),
    "delete element": (rights.require_delete, ("content_elements", 20)),
}


@pytest.mark.behaviour("CM-02")
@pytest.mark.parametrize(
    ("act", "needed"),
    [
        ("update page", EDIT),
        ("update element", CONTENT),
        ("create page", CREATE),
        ("create element", CONTENT),
        ("copy page", CREATE),
        ("copy from", 0),
        ("translate page", EDIT),
        ("translate element", CONTENT),
        ("delete page", DELETE),
        ("delete element", CONTENT),
    ],
)
@pytest.mark.parametrize("workspace_id", [0, 1])
def test_it_needs_exactly_one_bit_besides_show(
    content_store: ContentStore, act: str, needed: int, workspace_id: int
) -> None:
    _branch(content_store)
    require, arguments = ACTS[act]

    def attempt(bits: int) -> str:
        content_store.change("pages", 2, group_bits=bits)
        return _refusal(lambda: require(content_store.connection, person(), workspace_id, *arguments))

    assert attempt(SHOW | needed) == ""
    assert attempt(31 & ~SHOW) == "not_found"
    if needed:
        assert attempt(31 & ~needed) == "not_found"


@pytest.mark.behaviour("RT-18", "CM-02")
@pytest.mark.parametrize("act", sorted(ACTS))
@pytest.mark.parametrize(
    "lost",
    [
        {"tables_modify": frozenset()},
        {"page_mounts": frozenset({9})},
        {"may_work_live": False},
        {"languages": frozenset({1})},
        {"group_ids": ()},
    ],
)
def test_it_answers_not_found_for_what_is_not_yours(
    content_store: ContentStore, act: str, lost: dict[str, Any]
) -> None:
    _branch(content_store)
    require, arguments = ACTS[act]
    refused = _refusal(lambda: require(content_store.connection, person(**lost), 0, *arguments))
    expected = "denied_language" if "languages" in lost and act.startswith("create") else "not_found"
    assert refused == expected
    assert _refusal(lambda: require(content_store.connection, admin(), 0, *arguments)) == ""


@pytest.mark.behaviour("RT-18")
@pytest.mark.parametrize("uid", [0, -1, 77, 2**70])
def test_it_answers_not_found_for_what_is_missing(content_store: ContentStore, uid: int) -> None:
    _branch(content_store)
    for identity in (person(), admin()):
        for table in ("pages", "content_elements", "nothing"):
            refused = _refusal(lambda: rights.require_update(content_store.connection, identity, 0, table, uid))  # noqa: B023
            assert refused == "not_found"


@pytest.mark.behaviour("DW-21", "CM-02")
@pytest.mark.parametrize("identity", [person(), admin()])
def test_it_refuses_tables_without_drafts_in_a_draft(content_store: ContentStore, identity: Identity) -> None:
    content_store.add("redirects", uid=1, source="/old")
    assert (
        _refusal(lambda: rights.require_update(content_store.connection, identity, 1, "redirects", 1))
        == "not_versioned"
    )
    assert (
        _refusal(lambda: rights.require_create(content_store.connection, identity, 1, "redirects", 0))
        == "not_versioned"
    )
    assert rights.require_update(content_store.connection, identity, 0, "redirects", 1).uid == 1
    assert rights.require_create(content_store.connection, identity, 0, "redirects", 0) is rights.ROOT


@pytest.mark.behaviour("CM-02")
def test_it_writes_in_usable_workspaces_only(content_store: ContentStore) -> None:
    _branch(content_store)
    content_store.add("redirects", uid=1, source="/old")
    draft_only = person(may_work_live=False)
    assert (
        _refusal(lambda: rights.require_update(content_store.connection, draft_only, 0, "redirects", 1)) == "not_found"
    )
    assert (
        _refusal(lambda: rights.require_create(content_store.connection, draft_only, 0, "redirects", 0)) == "not_found"
    )
    assert _refusal(lambda: rights.require_update(content_store.connection, admin(), 3, "pages", 2)) == "not_found"
    assert _refusal(lambda: rights.require_create(content_store.connection, admin(), 3, "pages", 0)) == "not_found"


def test_it_lets_administrators_alone_create_at_the_root(content_store: ContentStore) -> None:
    _branch(content_store)
    content_store.change("pages", 9, everybody_bits=31)
    for table in ("pages", "contacts"):
        assert _refusal(lambda: rights.require_create(content_store.connection, person(), 0, table, 0)) == "not_found"  # noqa: B023
        assert rights.require_create(content_store.connection, admin(), 0, table, 0) is rights.ROOT
    top = person(page_mounts=frozenset({9}))
    assert _refusal(lambda: rights.require_copy_page(content_store.connection, top, 0, 9, None)) == "not_found"
    assert rights.require_copy_page(content_store.connection, admin(), 0, 9, None)[1] == 0


@pytest.mark.behaviour("CM-02")
def test_it_copies_below_the_same_parent_in_the_workspace(content_store: ContentStore) -> None:
    _branch(content_store)
    content_store.page(31, 1, live_uid=3, workspace_id=1, version_state=MOVED)
    source, parent = rights.require_copy_page(content_store.connection, person(), 1, 3, None)
    assert (source.uid, source.live_uid, parent) == (31, 3, 1)
    assert rights.require_copy_page(content_store.connection, person(), 0, 3, None)[1] == 2


def test_it_refuses_to_copy_a_translation(content_store: ContentStore) -> None:
    _branch(content_store)
    content_store.page(4, 1, language_id=1, translation_parent=2)
    refused = _refusal(lambda: rights.require_copy_page(content_store.connection, person(), 0, 4, None))
    assert refused == "is_translation"


def test_it_creates_on_the_default_page_of_a_translation(content_store: ContentStore) -> None:
    _branch(content_store)
    content_store.page(4, 1, language_id=1, translation_parent=2)
    page: Row = rights.require_create(content_store.connection, person(), 0, "content_elements", 4)
    assert page.live_uid == 2


@pytest.mark.behaviour("CM-02")
def test_it_refuses_a_language_the_person_may_not_use(content_store: ContentStore) -> None:
    _branch(content_store)
    dora = person(languages=frozenset({0, 1}))
    create = rights.require_create
    assert _refusal(lambda: create(content_store.connection, dora, 0, "content_elements", 2, 2)) == "denied_language"
    assert create(content_store.connection, dora, 0, "content_elements", 2, -1).uid == 2
    assert create(content_store.connection, dora, 0, "contacts", 2, 2).uid == 2
    localize = rights.require_localize
    assert _refusal(lambda: localize(content_store.connection, dora, 0, "pages", 2, 2)) == "denied_language"


@pytest.mark.behaviour("CM-03")
def test_it_refuses_a_record_that_is_marked_deleted(content_store: ContentStore) -> None:
    _branch(content_store)
    content_store.page(31, 2, live_uid=3, workspace_id=1, version_state=DELETED)
    content_store.element(21, 2, live_uid=20, workspace_id=1, version_state=DELETED)
    for identity in (person(), admin()):
        for require in (rights.require_update, rights.require_delete):
            for table, uid in (("pages", 3), ("content_elements", 20)):
                refused = _refusal(lambda: require(content_store.connection, identity, 1, table, uid))  # noqa: B023
                assert refused == "marked_deleted"
        on_marked_page = _refusal(
            lambda: rights.require_update(content_store.connection, identity, 1, "content_elements", 30)  # noqa: B023
        )
        assert on_marked_page == "not_found"
    assert rights.require_update(content_store.connection, person(), 0, "pages", 3).uid == 3
    stranger = person(page_mounts=frozenset({9}))
    assert _refusal(lambda: rights.require_update(content_store.connection, stranger, 1, "pages", 3)) == "not_found"


@pytest.mark.behaviour("CM-03")
def test_it_refuses_version_rows_of_other_workspaces(content_store: ContentStore) -> None:
    _branch(content_store)
    content_store.page(31, 2, live_uid=3, workspace_id=1)
    for workspace_id in (0, 2):
        for identity in (person(), admin()):
            refused = _refusal(
                lambda: rights.require_update(content_store.connection, identity, workspace_id, "pages", 31)  # noqa: B023
            )
            assert refused == "not_found"
    assert rights.require_update(content_store.connection, person(), 1, "pages", 31).live_uid == 3


@pytest.mark.behaviour("CM-02")
def test_it_deletes_a_branch_only_as_a_whole(content_store: ContentStore) -> None:
    _branch(content_store)
    content_store.page(4, 3)
    delete = rights.require_delete

    def refusal(identity: Identity, workspace_id: int = 0) -> str:
        return _refusal(lambda: delete(content_store.connection, identity, workspace_id, "pages", 2))

    assert refusal(person()) == ""
    content_store.change("pages", 4, group_bits=31 & ~DELETE)
    assert refusal(person()) == "denied_below"
    assert refusal(admin()) == ""
    content_store.change("pages", 4, group_bits=31)
    without_contacts = person(tables_modify=ALL_TABLES - {"contacts"})
    assert refusal(without_contacts) == ""
    content_store.add("contacts", pid=4, name="Eva", workspace_id=1, version_state=NEW)
    assert refusal(without_contacts) == ""
    assert refusal(without_contacts, 1) == "denied_below"


@pytest.mark.behaviour("CM-02")
def test_it_needs_the_languages_of_all_translations_to_delete(content_store: ContentStore) -> None:
    _branch(content_store)
    content_store.element(21, 2, language_id=2, translation_parent=20)
    content_store.page(5, 2, language_id=2, translation_parent=3)
    dora = person(languages=frozenset({0, 1}))
    delete = rights.require_delete
    assert _refusal(lambda: delete(content_store.connection, dora, 0, "content_elements", 20)) == "denied_language"
    assert _refusal(lambda: delete(content_store.connection, dora, 0, "pages", 3)) == "denied_language"
    assert _refusal(lambda: delete(content_store.connection, dora, 0, "pages", 2)) == "denied_below"
    assert rights.require_update(content_store.connection, dora, 0, "content_elements", 20).uid == 20
    assert delete(content_store.connection, person(), 0, "pages", 3).uid == 3


@pytest.mark.behaviour("CM-02", "CH-17")
def test_it_needs_the_file_for_what_describes_it(content_store: ContentStore) -> None:
    content_store.page(1)
    content_store.file(1, "/press/a.pdf")
    content_store.file(2, "/press-archive/a.pdf")
    for uid in (1, 2):
        content_store.add("file_metadata", uid=uid, file_uid=uid)
        content_store.add("file_references", uid=uid, pid=1, file_uid=uid, owner_table="pages", owner_uid=1)

    def refused(table: str, uid: int, identity: Identity) -> str:
        return _refusal(lambda: rights.require_update(content_store.connection, identity, 0, table, uid))

    read_only = person(file_mounts=(FileMount(storage_id=1, folder="/press/", read_only=True),))
    assert refused("file_metadata", 1, person()) == ""
    assert refused("file_metadata", 2, person()) == "not_found"
    assert refused("file_metadata", 1, read_only) == "not_found"
    assert refused("file_references", 1, read_only) == ""
    assert refused("file_references", 2, person()) == "not_found"
    assert refused("files", 1, person()) == "not_found"
    assert refused("files", 1, admin()) == ""


def test_it_needs_few_statements_for_one_record(content_store: ContentStore) -> None:
    _branch(content_store)
    with content_store.counted() as statements:
        rights.require_update(content_store.connection, person(), 1, "content_elements", 20)
    assert len(statements) == 2
    with content_store.counted() as statements:
        rights.require_delete(content_store.connection, person(languages=frozenset({0})), 1, "pages", 2)
    assert content_store.scans(statements) == []


@pytest.mark.postgres
def test_it_answers_alike_on_postgresql(postgres_store: ContentStore) -> None:
    _branch(postgres_store)
    dora = person(languages=frozenset({0}), tables_modify=ALL_TABLES - {"contacts"})
    for require, arguments in ACTS.values():
        for workspace_id in (0, 1):
            given_right = _refusal(lambda: require(postgres_store.connection, person(), workspace_id, *arguments))  # noqa: B023
            assert given_right == ""
    assert rights.require_delete(postgres_store.connection, dora, 1, "pages", 2).uid == 2
    postgres_store.page(4, 2, language_id=1, translation_parent=3)
    assert _refusal(lambda: rights.require_delete(postgres_store.connection, dora, 1, "pages", 2)) == "denied_below"
