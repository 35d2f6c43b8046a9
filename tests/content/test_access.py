"""Who may see which record, page and file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, Engine, delete, select

from app.content.access import (
    PlannedRef,
    file_condition,
    files_readable,
    files_writable,
    judge_planned,
    page_bits_in,
    page_lines,
    readable,
    shown_pages,
    shown_pages_cte,
)
from app.content.schema import FILES, PAGES
from app.content.types import RecordRef, VersionState
from app.policy.identity import FileMount, Identity
from app.policy.permissions import PageBit
from tests.content.fixtures import (
    ALL_TABLES,
    EDITORS,
    ContentStore,
    admin,
    content_store,
    make_engines,
    person,
    postgres_store,
)

__all__ = ["content_store", "postgres_store"]

CHANGED, NEW, DELETED, MOVED = VersionState


def _ref(table: str, uid: int) -> RecordRef:
    return RecordRef(table=table, uid=uid)


def _sees(content: ContentStore, identity: Identity, table: str, uid: int) -> bool:
    return _ref(table, uid) in readable(content.connection, identity, [_ref(table, uid)])


def _branch(content: ContentStore) -> None:
    """1 > 2 > 3 with an element on each, and 9 outside."""
    content.page(1)
    content.page(2, 1)
    content.page(3, 2)
    content.page(9)
    for page in (1, 2, 3, 9):
        content.element(page * 10, page)


@pytest.mark.behaviour("CH-16")
def test_it_shows_records_below_a_mount(content_store: ContentStore) -> None:
    _branch(content_store)
    refs = [_ref("pages", 1), _ref("pages", 3), _ref("content_elements", 30), _ref("pages", 9)]
    found = readable(content_store.connection, person(), refs)
    assert set(found) == set(refs[:3])
    shown = found[refs[2]]
    assert (shown.title, shown.page_uid, shown.workspace_id, shown.is_live, shown.is_deleted) == (
        "Element 30",
        3,
        0,
        True,
        False,
    )


@pytest.mark.behaviour("CH-16")
@pytest.mark.parametrize("hidden_page", [1, 2, 3])
def test_it_needs_the_show_bit_up_to_and_on_the_mount(content_store: ContentStore, hidden_page: int) -> None:
    _branch(content_store)
    content_store.change("pages", hidden_page, group_bits=30)
    assert not _sees(content_store, person(), "content_elements", 30)
    assert _sees(content_store, person(), "content_elements", 20) == (hidden_page == 3)


@pytest.mark.behaviour("CH-16")
def test_it_does_not_look_above_the_mount(content_store: ContentStore) -> None:
    _branch(content_store)
    content_store.change("pages", 1, group_bits=0)
    assert _sees(content_store, person(page_mounts=frozenset({2})), "content_elements", 30)


@pytest.mark.behaviour("CH-16")
@pytest.mark.parametrize(
    "lost",
    [
        {"tables_select": frozenset({"pages"}), "tables_modify": frozenset()},
        {"page_mounts": frozenset()},
        {"page_mounts": frozenset({0})},
        {"may_work_live": False},
        {"languages": frozenset({1})},
        {"group_ids": ()},
    ],
)
def test_it_withholds_when_one_right_is_missing(content_store: ContentStore, lost: dict[str, Any]) -> None:
    _branch(content_store)
    assert _sees(content_store, person(), "content_elements", 30)
    assert not _sees(content_store, person(**lost), "content_elements", 30)


@pytest.mark.behaviour("CH-16")
def test_it_lets_the_right_to_write_a_table_include_reading(content_store: ContentStore) -> None:
    _branch(content_store)
    assert _sees(content_store, person(tables_select=frozenset()), "content_elements", 30)


def test_it_lets_an_owner_without_groups_in(content_store: ContentStore) -> None:
    content_store.page(1, owner_id=5, owner_bits=1)
    assert _sees(content_store, person(group_ids=()), "pages", 1)
    content_store.page(2, owner_id=0, owner_bits=31, group_id=0, group_bits=31)
    nobody = person(user_id=0, group_ids=(0,), page_mounts=frozenset({2}))
    assert not _sees(content_store, nobody, "pages", 2)


@pytest.mark.behaviour("CH-16")
def test_it_asks_for_the_language_of_the_row_alone(content_store: ContentStore) -> None:
    _branch(content_store)
    content_store.element(31, 3, language_id=1, translation_parent=30)
    content_store.element(32, 3, language_id=2, translation_parent=30)
    content_store.element(33, 3, language_id=-1)
    refs = [_ref("content_elements", uid) for uid in (30, 31, 32, 33)]

    def shown(*languages: int) -> list[int]:
        found = readable(content_store.connection, person(languages=frozenset(languages)), refs)
        return [ref.uid for ref in refs if ref in found]

    assert shown(0, 1) == [30, 31, 33]
    assert shown(1) == [31, 33]


@pytest.mark.behaviour("CH-16")
def test_it_judges_a_translated_page_by_its_default_page(content_store: ContentStore) -> None:
    _branch(content_store)
    content_store.page(4, 1, language_id=1, translation_parent=2, group_bits=31)
    assert _sees(content_store, person(), "pages", 4)
    assert _sees(content_store, person(page_mounts=frozenset({2})), "pages", 4)
    assert not _sees(content_store, person(page_mounts=frozenset({4})), "pages", 4)
    content_store.change("pages", 2, group_bits=0)
    assert not _sees(content_store, person(), "pages", 4)


@pytest.mark.behaviour("CH-16")
def test_it_asks_for_the_workspace_the_row_is_stored_in(content_store: ContentStore) -> None:
    _branch(content_store)
    content_store.element(40, 3, workspace_id=1, live_uid=30)
    content_store.element(41, 3, workspace_id=1, version_state=NEW)
    draft_only = person(may_work_live=False, workspaces={1: "Relaunch"})
    refs = [_ref("content_elements", uid) for uid in (30, 40, 41)]
    assert {ref.uid for ref in readable(content_store.connection, draft_only, refs)} == {40, 41}
    live_only = person(workspaces={})
    assert {ref.uid for ref in readable(content_store.connection, live_only, refs)} == {30}
    # Published since: the row is live now.
    content_store.change("content_elements", 41, workspace_id=0, version_state=CHANGED)
    assert {ref.uid for ref in readable(content_store.connection, live_only, refs)} == {30, 41}


@pytest.mark.behaviour("CH-16")
def test_it_walks_in_the_workspace_of_the_row(content_store: ContentStore) -> None:
    _branch(content_store)
    content_store.page(90, 9, workspace_id=1, live_uid=3, version_state=MOVED)  # moved out of the mount in draft 1
    content_store.element(50, 3, workspace_id=1, version_state=NEW)
    content_store.element(51, 3, workspace_id=2, version_state=NEW)
    refs = [_ref("pages", 3), _ref("pages", 90), *(_ref("content_elements", uid) for uid in (30, 50, 51))]
    shown = readable(content_store.connection, person(workspace_id=1), refs)
    assert {(ref.table, ref.uid) for ref in shown} == {("pages", 3), ("content_elements", 30), ("content_elements", 51)}


@pytest.mark.behaviour("CH-16")
def test_it_follows_a_move_into_the_mount(content_store: ContentStore) -> None:
    _branch(content_store)
    content_store.page(91, 2, workspace_id=1, live_uid=9, version_state=MOVED)
    content_store.page(92, 9, workspace_id=1, version_state=NEW)
    assert _sees(content_store, person(), "pages", 91)
    assert _sees(content_store, person(), "pages", 92)
    assert not _sees(content_store, person(), "pages", 9)


@pytest.mark.behaviour("CH-16", "CH-21")
def test_it_takes_permissions_from_the_live_page(content_store: ContentStore) -> None:
    _branch(content_store)
    content_store.page(30, 2, workspace_id=1, live_uid=3)
    assert _sees(content_store, person(), "pages", 30)
    content_store.change("pages", 3, group_bits=0)
    assert not _sees(content_store, person(), "pages", 30)


@pytest.mark.behaviour("CH-16")
def test_it_narrows_mounts_for_rows_of_that_workspace_only(content_store: ContentStore) -> None:
    _branch(content_store)
    content_store.element(40, 2, workspace_id=1, version_state=NEW)
    content_store.element(41, 3, workspace_id=1, version_state=NEW)
    narrowed = person(workspace_mounts={1: frozenset({3})})
    refs = [_ref("content_elements", uid) for uid in (20, 40, 41)]
    assert {ref.uid for ref in readable(content_store.connection, narrowed, refs)} == {20, 41}


@pytest.mark.behaviour("CH-19")
def test_it_ignores_deletion_on_the_row_and_above(content_store: ContentStore) -> None:
    _branch(content_store)
    for uid in (1, 2, 3):
        content_store.change("pages", uid, deleted=True)
    content_store.change("content_elements", 30, deleted=True)
    content_store.page(31, 2, workspace_id=1, live_uid=3, version_state=DELETED)
    found = readable(
        content_store.connection, person(), [_ref("content_elements", 30), _ref("pages", 31), _ref("pages", 3)]
    )
    assert len(found) == 3
    assert all(record.is_deleted for record in found.values())
    assert shown_pages(content_store.connection, person(), 0, [1, 2, 3]) == frozenset()
    content_store.change("pages", 2, group_bits=0)
    assert not _sees(content_store, person(), "content_elements", 30)


@pytest.mark.behaviour("CH-19")
def test_it_withholds_a_row_that_is_gone_from_everybody(content_store: ContentStore) -> None:
    _branch(content_store)
    assert readable(content_store.connection, admin(), [_ref("pages", 77), _ref("nothing", 1)]) == {}


@pytest.mark.behaviour("CH-16")
def test_it_lets_administrators_pass_but_no_missing_workspace(content_store: ContentStore) -> None:
    content_store.page(9, group_bits=0)
    content_store.element(90, 9, workspace_id=2, version_state=NEW)
    content_store.element(91, 9, workspace_id=3, version_state=NEW)
    content_store.add("site_settings", uid=1, name="Logo")
    assert _sees(content_store, admin(), "content_elements", 90)
    assert not _sees(content_store, admin(), "content_elements", 91)
    assert _sees(content_store, admin(), "site_settings", 1)
    granted = person(tables_select=ALL_TABLES | {"site_settings"}, tables_modify=frozenset({"site_settings"}))
    assert not _sees(content_store, granted, "site_settings", 1)


@pytest.mark.behaviour("CH-16")
def test_it_reads_records_at_the_root_where_their_table_allows(content_store: ContentStore) -> None:
    content_store.add("redirects", uid=1, source="/old")
    content_store.add("contacts", uid=1, name="Eva")
    nowhere = person(page_mounts=frozenset())
    assert _sees(content_store, nowhere, "redirects", 1)
    assert not _sees(content_store, nowhere, "contacts", 1)
    assert not _sees(content_store, person(may_work_live=False), "redirects", 1)


@pytest.mark.behaviour("CH-17")
@pytest.mark.parametrize(
    ("path", "storage_id", "shown"),
    [
        ("/press/a.pdf", 1, True),
        ("/press/deep/a.pdf", 1, True),
        ("/press-archive/a.pdf", 1, False),
        ("/Press/a.pdf", 1, False),
        ("/a.pdf", 1, False),
        ("/press/a.pdf", 2, False),
        ("/press/a.pdf", 0, False),
    ],
)
def test_it_checks_a_file_by_its_own_folder(
    content_store: ContentStore, path: str, storage_id: int, shown: bool
) -> None:
    content_store.page(1)
    content_store.file(1, path, storage_id)
    content_store.add("file_metadata", uid=1, file_uid=1, title="Portrait")
    content_store.add("file_references", uid=1, pid=1, file_uid=1, owner_table="pages", owner_uid=1)
    both = person(
        file_mounts=(FileMount(storage_id=1, folder="/press/"), FileMount(storage_id=0, folder="/press/")),
    )
    for table in ("files", "file_metadata", "file_references"):
        assert _sees(content_store, both, table, 1) == shown, table
        assert not _sees(content_store, replace(both, file_permissions=frozenset()), table, 1), table
        assert _sees(content_store, admin(), table, 1), table
    for reader, allowed in ((both, shown), (replace(both, file_permissions=frozenset()), False), (admin(), True)):
        statement = select(FILES.table.c.uid).where(file_condition(reader, FILES.table))
        assert (content_store.connection.scalars(statement).all() == [1]) == allowed


@pytest.mark.behaviour("CH-17")
def test_it_checks_a_reference_by_page_and_file(content_store: ContentStore) -> None:
    content_store.page(1)
    content_store.page(9)
    content_store.file(1, "/press/a.pdf")
    content_store.add("file_references", uid=1, pid=9, file_uid=1, owner_table="pages", owner_uid=9)
    content_store.add("file_metadata", uid=1, file_uid=99, title="Lost")
    assert not _sees(content_store, person(), "file_references", 1)
    assert not _sees(content_store, admin(), "file_metadata", 1)


def test_it_describes_files_in_writable_mounts_only(content_store: ContentStore) -> None:
    content_store.file(1, "/press/a.pdf")
    content_store.file(2, "/editorial/b.pdf")
    mounts = (FileMount(storage_id=1, folder="/press/", read_only=True), FileMount(storage_id=1, folder="/editorial/"))
    anna = person(file_mounts=mounts)
    assert files_readable(content_store.connection, anna, [1, 2, 3]) == {1, 2}
    assert files_writable(content_store.connection, anna, [1, 2, 3]) == {2}


def test_it_judges_records_that_do_not_exist_yet(content_store: ContentStore) -> None:
    _branch(content_store)
    content_store.file(1, "/press/a.pdf")

    def planned(table: str, workspace_id: int = 1, page_uid: int = 3, **more: Any) -> PlannedRef:
        return PlannedRef(table=table, workspace_id=workspace_id, page_uid=page_uid, **{"language_id": 0, **more})

    refs = [
        planned("pages"),
        planned("content_elements", page_uid=9),
        planned("content_elements", language_id=2),
        planned("content_elements", workspace_id=3),
        planned("site_settings", workspace_id=0, page_uid=0),
        planned("redirects", workspace_id=0, page_uid=0),
        planned("file_references", file_uid=1),
        planned("file_references", file_uid=2),
        planned("nothing"),
        planned("pages", page_uid=0),
    ]
    answers = judge_planned(content_store.connection, person(languages=frozenset({0, 1})), refs)
    assert answers == (True, False, False, False, False, True, True, False, False, False)


def test_it_gives_no_bits_on_pages_that_are_not_shown(content_store: ContentStore) -> None:
    _branch(content_store)
    content_store.page(4, 1, language_id=1, translation_parent=2)
    content_store.page(30, 2, workspace_id=1, live_uid=3, version_state=DELETED)
    content_store.change("pages", 3, group_bits=17)
    live = page_bits_in(content_store.connection, person(), 0, [1, 3, 4, 9, 99])
    assert live == {
        1: PageBit(31),
        3: PageBit.SHOW | PageBit.CONTENT,
        4: PageBit(31),
        9: PageBit(0),
        99: PageBit(0),
    }
    assert page_bits_in(content_store.connection, person(), 1, [3]) == {3: PageBit(0)}
    assert page_bits_in(content_store.connection, person(workspaces={}), 1, [2]) == {2: PageBit(0)}
    assert page_bits_in(content_store.connection, admin(), 0, [9, 99]) == {9: PageBit(31), 99: PageBit(0)}


@pytest.mark.behaviour("CM-02")
@pytest.mark.parametrize("identity", [person(workspaces={}, may_work_live=False), replace(admin(), workspaces={})])
def test_it_shows_no_page_of_a_workspace_the_person_may_not_use(
    content_store: ContentStore, identity: Identity
) -> None:
    _branch(content_store)
    for workspace_id in (1,) if identity.is_admin else (0, 1):
        cte = shown_pages_cte(identity, workspace_id)
        assert content_store.connection.scalars(select(cte.c.uid)).all() == []
        assert shown_pages(content_store.connection, identity, workspace_id, [1]) == frozenset()
        assert page_lines(content_store.connection, identity, workspace_id, [1]) == {}


def test_it_gives_the_way_up_to_the_mount(content_store: ContentStore) -> None:
    _branch(content_store)
    lines = page_lines(content_store.connection, person(page_mounts=frozenset({2})), 0, [3, 2, 1, 9])
    assert lines == {3: (3, 2), 2: (2,)}


def test_it_survives_a_circle_of_pages(content_store: ContentStore) -> None:
    content_store.page(2, 3)
    content_store.page(3, 2)
    assert shown_pages(content_store.connection, person(), 0, [2, 3]) == frozenset()
    assert not _sees(content_store, person(), "pages", 2)


@pytest.mark.behaviour("CH-27")
def test_it_needs_the_same_statements_for_many_records(content_store: ContentStore) -> None:
    _branch(content_store)
    for workspace_id in (1, 2):
        for number in range(100):
            content_store.element(1000 * workspace_id + number, 1 + number % 3, workspace_id=workspace_id)
    content_store.file(1, "/press/a.pdf")
    content_store.add("file_references", uid=1, pid=1, file_uid=1, owner_table="pages", owner_uid=1)
    few = [_ref("content_elements", 30), _ref("pages", 1), _ref("file_references", 1)]
    many = [
        *few,
        *(_ref("content_elements", 1000 * workspace + number) for workspace in (1, 2) for number in range(100)),
    ]
    for refs in (few, many):
        with content_store.counted() as statements:
            assert len(readable(content_store.connection, person(), refs)) == len(refs)
        assert len(statements) == 3 + 1 + 1
        assert content_store.scans(statements) == []


# --- The same rule three times -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder: Path = tmp_path_factory.mktemp("trees")
    writing, reading = make_engines(f"sqlite:///{folder / 'content.db'}")
    yield writing
    writing.dispose()
    reading.dispose()


_BITS = st.sampled_from([0, 1, 31])
_PAGE = st.fixed_dictionaries(
    {
        "owner_id": st.sampled_from([0, 5, 6]),
        "group_id": st.sampled_from([0, EDITORS, 8]),
        "owner_bits": _BITS,
        "group_bits": _BITS,
        "everybody_bits": st.sampled_from([0, 0, 1]),
        "deleted": st.sampled_from([False, False, False, True]),
    }
)
_VERSION = st.tuples(st.sampled_from([CHANGED, DELETED, MOVED]), st.integers(0, 7))


@st.composite
def _trees(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Up to eight pages in a tree, some changed, moved, deleted or new in draft 1."""
    rows: list[dict[str, Any]] = []
    for uid in range(1, draw(st.integers(1, 7)) + 1):
        is_new = draw(st.booleans()) and uid > 5
        marks = {"workspace_id": 1, "version_state": NEW} if is_new else {}
        pid = draw(st.integers(0, uid - 1 if is_new else min(uid - 1, 5)))
        rows.append({"uid": uid, "pid": pid, **draw(_PAGE), **marks, **({"deleted": False} if is_new else {})})
    for live in [row for row in rows if not row.get("workspace_id")]:
        version = draw(st.none() | _VERSION)
        if version is None or live["deleted"]:
            continue
        state, target = version
        moved = {"pid": target % live["uid"]} if state is MOVED else {}
        copied = {**live, "uid": 100 + live["uid"], "live_uid": live["uid"], "workspace_id": 1, **moved}
        rows.append({**copied, "version_state": state, "everybody_bits": draw(st.sampled_from([0, 31]))})
    return rows


_PEOPLE = st.builds(
    person,
    page_mounts=st.frozensets(st.integers(0, 7), max_size=3),
    group_ids=st.sampled_from([(), (EDITORS,), (EDITORS, 8)]),
    workspace_mounts=st.sampled_from([{}, {1: frozenset({2, 3})}]),
    is_admin=st.sampled_from([False, False, False, True]),
)


@pytest.mark.behaviour("CH-16", "CM-02")
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=_trees(), identity=_PEOPLE)
def test_it_says_the_same_in_python_and_in_sql(engine: Engine, rows: list[dict[str, Any]], identity: Identity) -> None:
    with engine.connect() as connection:
        _fill(connection, rows)
        for workspace_id in (0, 1):
            _compare(connection, identity, rows, workspace_id)
        connection.rollback()


@pytest.mark.postgres
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=_trees(), identity=_PEOPLE)
def test_it_says_the_same_on_postgresql(
    postgres_store: ContentStore, rows: list[dict[str, Any]], identity: Identity
) -> None:
    _fill(postgres_store.connection, rows)
    for workspace_id in (0, 1):
        _compare(postgres_store.connection, identity, rows, workspace_id)


def _fill(connection: Connection, rows: list[dict[str, Any]]) -> None:
    connection.execute(delete(PAGES.table))
    for row in rows:
        connection.execute(PAGES.table.insert().values(**row))


def _compare(connection: Connection, identity: Identity, rows: list[dict[str, Any]], workspace_id: int) -> None:
    public = {row.get("live_uid") or row["uid"] for row in rows}
    cte = shown_pages_cte(identity, workspace_id)
    by_query = set(connection.scalars(select(cte.c.uid)).all())
    by_evaluator = shown_pages(connection, identity, workspace_id, public)
    by_model = {uid for uid in public if _shown(identity, rows, workspace_id, uid, deleted_too=False)}
    assert by_query == by_evaluator == by_model
    stored = [row for row in rows if row.get("workspace_id", 0) == workspace_id]
    found = readable(connection, identity, [_ref("pages", row["uid"]) for row in stored])
    expected = {
        row["uid"]
        for row in stored
        if _shown(identity, rows, workspace_id, row.get("live_uid") or row["uid"], deleted_too=True)
    }
    assert {ref.uid for ref in found} == expected


def _shown(identity: Identity, rows: list[dict[str, Any]], workspace_id: int, uid: int, *, deleted_too: bool) -> bool:
    """The rule once more, row by row, without a database."""
    keepers = {row["uid"]: row for row in rows if row.get("workspace_id", 0) in {0, workspace_id}}
    versions = {row["live_uid"]: row for row in rows if row.get("live_uid") and row["workspace_id"] == workspace_id}
    inside = identity.is_admin
    visible = True
    while uid:
        if uid not in keepers:
            return False
        keeper, row = keepers[uid], versions.get(uid, keepers[uid])
        gone = keeper["deleted"] or row.get("version_state") is DELETED
        if gone and not deleted_too:
            return False
        bits = keeper["everybody_bits"]
        bits |= keeper["owner_bits"] if keeper["owner_id"] == identity.user_id else 0
        bits |= keeper["group_bits"] if keeper["group_id"] in set(identity.group_ids) - {0} else 0
        visible = visible and (inside or bool(bits & 1))
        inside = inside or (visible and uid in identity.mounts_in(workspace_id))
        uid = row["pid"]
    return inside and visible
