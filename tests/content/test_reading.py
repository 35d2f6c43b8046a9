"""Reading for one person."""

from __future__ import annotations

import pytest

from app.content import reading
from app.content.errors import WriteRefused
from app.content.types import VersionState
from app.core.folding import fold
from app.policy.identity import Identity
from tests.content.fixtures import ContentStore, admin, content_store, person, postgres_store

__all__ = ["content_store", "postgres_store"]

CHANGED, NEW, DELETED, MOVED = VersionState


def _site(content: ContentStore) -> None:
    """1 Museum > 2 Opening hours (de: 12, fr: 13) > 3 Tickets; 9 outside the mount."""
    content.languages()
    content.page(1, title="Museum")
    content.page(2, 1, title="Opening hours", keywords="time", hidden=True)
    content.page(3, 2, title="Tickets")
    content.page(9, title="Opening hours elsewhere")
    content.page(12, 1, title="Öffnungszeiten", language_id=1, translation_parent=2)
    content.page(13, 1, title="Heures d'ouverture", language_id=2, translation_parent=2)
    content.element(20, 2, header="", body="## Daily from ten\n\nOpening is free.")
    content.element(21, 2, header="Täglich", language_id=1, translation_parent=20)
    content.element(23, 2, header="Tous les jours", language_id=2, translation_parent=20)
    content.element(90, 9, header="Opening elsewhere")


def _hits(content: ContentStore, identity: Identity, query: str, workspace_id: int = 0, **more: int | str) -> list[int]:
    found = reading.search_records(content.connection, identity, workspace_id, query, **more)  # type: ignore[arg-type]
    return [record.uid for record in found.records]


def test_it_reads_a_page_with_its_content(content_store: ContentStore) -> None:
    _site(content_store)
    view = reading.read_record(content_store.connection, person(languages=frozenset({0, 1})), 0, "pages", 2)
    assert (view.uid, view.title, view.language_code, view.is_hidden) == (2, "Opening hours", "en", True)
    assert [(part.uid, part.title, part.language_code) for part in view.elements] == [
        (20, "Daily from ten Opening is free.", "en"),
        (21, "Täglich", "de"),
    ]
    assert [part.uid for part in view.translations] == [12]
    assert view.may_modify
    german = reading.read_record(content_store.connection, person(), 0, "pages", 12)
    assert [part.uid for part in german.elements] == [21]


@pytest.mark.behaviour("CM-06")
def test_it_leaves_out_fields_without_their_grant(content_store: ContentStore) -> None:
    _site(content_store)
    assert "keywords" not in reading.read_record(content_store.connection, person(), 0, "pages", 2).fields
    granted = person(field_grants=frozenset({"pages.keywords"}))
    assert reading.read_record(content_store.connection, granted, 0, "pages", 2).fields["keywords"] == "time"


@pytest.mark.behaviour("CM-03")
def test_it_reads_the_overlay_of_the_workspace(content_store: ContentStore) -> None:
    _site(content_store)
    content_store.page(22, 1, live_uid=2, workspace_id=1, title="New hours")
    content_store.page(23, 2, live_uid=3, workspace_id=1, version_state=DELETED)
    draft_only = person(may_work_live=False, workspaces={1: "Relaunch"})
    view = reading.read_record(content_store.connection, draft_only, 1, "pages", 2)
    assert (view.title, view.uid, view.row_uid, view.version_state) == ("New hours", 2, 22, CHANGED)
    assert reading.read_record(content_store.connection, draft_only, 1, "pages", 1).version_state is None
    for uid, workspace_id in ((3, 1), (2, 0), (2, 2)):
        with pytest.raises(WriteRefused):
            reading.read_record(content_store.connection, draft_only, workspace_id, "pages", uid)


@pytest.mark.parametrize(
    ("table", "uid"),
    [("pages", 9), ("pages", 77), ("content_elements", 90), ("site_settings", 1), ("nothing", 1), ("pages", 13)],
)
def test_it_does_not_read_what_is_not_shown(content_store: ContentStore, table: str, uid: int) -> None:
    _site(content_store)
    content_store.add("site_settings", uid=1, name="Logo")
    with pytest.raises(WriteRefused) as refused:
        reading.read_record(content_store.connection, person(languages=frozenset({0, 1})), 0, table, uid)
    assert refused.value.reason == "not_found"


def test_it_does_not_read_below_a_deleted_page(content_store: ContentStore) -> None:
    _site(content_store)
    content_store.page(22, 1, live_uid=2, workspace_id=1, version_state=DELETED)
    for identity in (person(), admin()):
        assert reading.read_record(content_store.connection, identity, 0, "pages", 3).uid == 3
        with pytest.raises(WriteRefused):
            reading.read_record(content_store.connection, identity, 1, "pages", 3)
        assert _hits(content_store, identity, "tickets", 1) == []


@pytest.mark.behaviour("CM-02")
def test_it_finds_only_what_the_person_may_read(content_store: ContentStore) -> None:
    _site(content_store)
    assert _hits(content_store, person(), "opening") == [2, 20]
    assert _hits(content_store, admin(), "opening") == [2, 9, 20, 90]
    assert _hits(content_store, person(page_mounts=frozenset()), "opening") == []
    assert _hits(content_store, person(may_work_live=False), "opening") == []
    assert _hits(content_store, person(languages=frozenset({1})), "opening") == []
    assert _hits(content_store, person(languages=frozenset({0, 1})), "ouverture") == []
    assert _hits(content_store, person(), "opening", table="pages") == [2]
    assert _hits(content_store, person(), "öffnung", language_id=1) == [12]
    assert _hits(content_store, person(), "öffnung", language_id=0) == []


@pytest.mark.behaviour("CM-03")
def test_it_searches_the_overlay(content_store: ContentStore) -> None:
    _site(content_store)
    content_store.page(22, 1, live_uid=2, workspace_id=1, title="Hours")
    content_store.page(23, 9, live_uid=3, workspace_id=1, version_state=MOVED, title="Tickets")
    assert _hits(content_store, person(), "hours", 1) == [2]
    assert _hits(content_store, person(), "opening hours", 1) == []
    assert _hits(content_store, person(), "tickets", 1) == []
    assert _hits(content_store, person(), "tickets", 0) == [3]


def test_it_ignores_case_in_every_script(content_store: ContentStore) -> None:
    _site(content_store)
    content_store.page(4, 1, title="Straße")
    content_store.page(5, 1, title="ΣΊΣΥΦΟΣ")
    for query, uid in (
        ("ÖFFNUNGS", 12),
        ("offnungs", 0),
        ("STRASSE", 4),
        ("straße", 4),
        ("σίσυφος", 5),
        ("O\u0308ffn", 12),
    ):
        assert _hits(content_store, person(), query) == ([uid] if uid else []), query


@pytest.mark.parametrize("query", ["%", "_", "\\", "/", "'", '"', "NEAR(", "", "  ", "x" * 10_000, "\x00"])
def test_it_takes_every_character_for_itself(content_store: ContentStore, query: str) -> None:
    _site(content_store)
    assert _hits(content_store, admin(), query) == ([13] if query == "'" else [])


def test_it_lists_exact_titles_first_and_says_when_there_are_more(content_store: ContentStore) -> None:
    _site(content_store)
    content_store.page(4, 1, title="Hours and tickets")
    content_store.page(5, 1, title="TICKETS")
    result = reading.search_records(content_store.connection, person(), 0, "tickets", limit=2)
    assert [(hit.uid, hit.is_exact, hit.parent_title) for hit in result.records] == [
        (3, True, "Opening hours"),
        (5, True, "Museum"),
    ]
    assert result.more
    assert not reading.search_records(content_store.connection, person(), 0, "tickets", limit=3).more


def test_it_finds_files_by_their_own_rights(content_store: ContentStore) -> None:
    content_store.file(1, "/press/photo.jpg")
    content_store.file(2, "/press-archive/photo.jpg")
    content_store.add("file_metadata", uid=1, file_uid=1, title="Photo of the house")
    content_store.add("file_metadata", uid=2, file_uid=2, title="Photo of the vault")
    found = reading.search_records(content_store.connection, person(page_mounts=frozenset()), 0, "photo").records
    assert [(hit.table, hit.uid) for hit in found] == [("files", 1), ("file_metadata", 1)]


def test_it_searches_in_a_constant_number_of_statements(content_store: ContentStore) -> None:
    _site(content_store)
    with content_store.counted() as statements:
        reading.search_records(content_store.connection, person(), 0, "opening")
    few = len(statements)
    for uid in range(100, 200):
        content_store.page(uid, 1 + uid % 3, title=f"Opening {uid}")
    with content_store.counted() as statements:
        reading.search_records(content_store.connection, person(), 0, "opening", limit=50)
    assert len(statements) == few


@pytest.mark.parametrize("workspace_id", [0, 1])
@pytest.mark.parametrize("identity", [person(), admin()])
def test_it_walks_the_tree_by_its_index(content_store: ContentStore, identity: Identity, workspace_id: int) -> None:
    _site(content_store)
    with content_store.counted() as statements:
        reading.search_records(content_store.connection, identity, workspace_id, "opening")
        reading.page_tree(content_store.connection, identity, workspace_id)
    # A search reads the records themselves one by one, but no more than that.
    assert [step for step in content_store.scans(statements) if not step.startswith("SCAN")] == []


def test_it_shows_the_tree_from_the_top_of_what_is_shown(content_store: ContentStore) -> None:
    _site(content_store)
    content_store.page(4, 1, title="Above", sorting="a0001")
    content_store.page(5, 1, title="Secret", group_bits=30)
    content_store.page(6, 5, title="Open again")

    def tree(identity: Identity, **more: int) -> list[tuple[int, int]]:
        return [(node.uid, node.level) for node in reading.page_tree(content_store.connection, identity, 0, **more)]

    assert tree(person()) == [(1, 1), (4, 2), (2, 2)]
    assert tree(person(), depth=3) == [(1, 1), (4, 2), (2, 2), (3, 3)]
    assert tree(person(), root_uid=2) == [(2, 0), (3, 1)]
    assert tree(person(), root_uid=12) == [(2, 0), (3, 1)]
    assert tree(person(page_mounts=frozenset({1, 3, 6}))) == [(1, 1), (4, 2), (2, 2), (6, 1)]
    assert tree(admin(), depth=1) == [(1, 1), (9, 1)]
    assert tree(person(page_mounts=frozenset())) == []
    assert tree(person(may_work_live=False)) == []
    with pytest.raises(WriteRefused):
        tree(person(), root_uid=9)
    nodes = {node.uid: node for node in reading.page_tree(content_store.connection, person(), 0)}
    assert (nodes[2].has_children, nodes[4].has_children, nodes[2].is_hidden, nodes[2].parent_uid) == (
        True,
        False,
        True,
        1,
    )


@pytest.mark.behaviour("CM-03")
def test_it_shows_the_tree_of_the_workspace(content_store: ContentStore) -> None:
    _site(content_store)
    content_store.page(22, 1, live_uid=2, workspace_id=1, title="Hours")
    content_store.page(23, 1, live_uid=3, workspace_id=1, version_state=MOVED, title="Tickets")
    content_store.page(24, 2, workspace_id=1, version_state=NEW, title="Summer")
    with content_store.counted() as statements:
        nodes = reading.page_tree(content_store.connection, person(), 1, depth=5)
    assert [(node.uid, node.parent_uid, node.title, node.version_state) for node in nodes] == [
        (1, 0, "Museum", None),
        (2, 1, "Hours", CHANGED),
        (24, 2, "Summer", NEW),
        (3, 1, "Tickets", MOVED),
    ]
    assert len(statements) == 2
    assert content_store.scans(statements) == []


def test_it_gives_the_path_as_far_as_it_is_shown(content_store: ContentStore) -> None:
    _site(content_store)
    path = reading.page_path(content_store.connection, person(page_mounts=frozenset({2})), 0, 3)
    assert [(step.uid, step.title) for step in path] == [(2, "Opening hours"), (3, "Tickets")]
    assert reading.page_path(content_store.connection, person(), 0, 9) == ()


def test_it_lists_records_of_a_page(content_store: ContentStore) -> None:
    _site(content_store)
    content_store.add("contacts", uid=1, pid=2, name="Eva")
    listed = reading.list_readable_records(content_store.connection, person(), 0, "contacts", 2)
    assert [(record.title, record.language_id, record.starttime) for record in listed] == [("Eva", None, None)]
    assert reading.list_readable_records(content_store.connection, person(), 0, "content_elements", 9) == ()


def test_it_folds_alike_whatever_the_form() -> None:
    assert fold("ÖSS") == fold("O\u0308ß") == "öss"
    assert fold(None) is None


@pytest.mark.postgres
def test_it_reads_alike_on_postgresql(postgres_store: ContentStore, content_store: ContentStore) -> None:
    read: list[object] = []
    for store in (content_store, postgres_store):
        _site(store)
        store.page(4, 1, title="Straße")
        store.page(5, 1, title="ΣΊΣΥΦΟΣ")
        store.page(22, 1, live_uid=2, workspace_id=1, title="Hours")
        store.page(23, 1, live_uid=3, workspace_id=1, version_state=MOVED, title="Tickets", sorting="Zz")
        store.file(1, "/press/Öffnung.jpg")
        queries = ("öffn", "O\u0308FFN", "strasse", "σίσυφος", "opening", "%", "hours", "/")
        for identity in (person(), person(languages=frozenset({0, 1})), admin()):
            for workspace_id in (0, 1):
                read += [reading.search_records(store.connection, identity, workspace_id, query) for query in queries]
                read.append(reading.page_tree(store.connection, identity, workspace_id, depth=5))
                read.append(reading.read_record(store.connection, identity, workspace_id, "pages", 2))
    half = len(read) // 2
    assert read[:half] == read[half:]
