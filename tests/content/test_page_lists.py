"""The page tree level by level, on both databases."""

from __future__ import annotations

import pytest

from app.content.page_lists import PART, list_below, open_tree, topmost_pages
from app.content.reading import page_tree
from app.content.types import VersionState
from tests.content.fixtures import ContentStore, admin, content_store, person, postgres_store

__all__ = ["content_store", "postgres_store"]


@pytest.fixture(params=["content_store", "postgres_store"])
def tree(request: pytest.FixtureRequest) -> ContentStore:
    """1 > 2 > 3, 4 (closed) > 5; 1 > 6; in draft 1: 7 new below 2, 3 moved below 6, 6 renamed; 9 outside."""
    content: ContentStore = request.getfixturevalue(str(request.param))
    content.languages()
    for uid, pid in ((1, 0), (2, 1), (3, 2), (6, 1), (9, 0)):
        content.page(uid, pid)
    content.page(4, 2, group_bits=0)
    content.page(5, 4)
    content.page(8, 1, deleted=True)
    content.page(12, 1, translation_parent=2, language_id=1)
    content.page(20, 2, workspace_id=1, version_state=VersionState.NEW)
    content.page(21, 6, workspace_id=1, live_uid=3, version_state=VersionState.MOVED, title="Moved")
    content.page(22, 1, workspace_id=1, live_uid=6, title="Renamed", sorting="a0006")
    return content


@pytest.mark.parametrize("workspace_id", [0, 1, 2])
@pytest.mark.parametrize("who", [person(), admin(), person(page_mounts=frozenset({2, 4, 9})), person(group_ids=())])
def test_it_lists_what_the_whole_tree_has(tree: ContentStore, who: object, workspace_id: int) -> None:
    whole = page_tree(tree.connection, who, workspace_id, depth=9)  # type: ignore[arg-type]
    opened = open_tree(tree.connection, who, workspace_id, levels=9).pages  # type: ignore[arg-type]
    assert [(node.uid, node.level, node.title, node.has_children, node.version_state) for node in opened] == [
        (node.uid, node.level, node.title, node.has_children, node.version_state) for node in whole
    ]
    for node in whole:
        below = list_below(tree.connection, who, workspace_id, node.uid)  # type: ignore[arg-type]
        assert [child.uid for child in below.pages] == [child.uid for child in whole if child.parent_uid == node.uid]


def test_it_shows_the_overlay_of_a_draft(tree: ContentStore) -> None:
    assert [node.uid for node in list_below(tree.connection, person(), 1, 2).pages] == [20]
    assert [(node.uid, node.title) for node in list_below(tree.connection, person(), 1, 6).pages] == [(3, "Moved")]
    assert [node.title for node in list_below(tree.connection, person(), 1, 1).pages] == ["Page 2", "Renamed"]


def test_nobody_starts_in_a_workspace_that_is_not_theirs(tree: ContentStore) -> None:
    assert topmost_pages(tree.connection, person(workspaces={}), 1) == ()
    assert topmost_pages(tree.connection, admin(), 77) == ()


def test_it_opens_whole_levels_only_and_lists_in_parts(content_store: ContentStore) -> None:
    content_store.page(1)
    for number in range(PART + 5):
        content_store.page(100 + number, 1)
    content_store.page(5000, 100)
    opened = open_tree(content_store.connection, person(), 0)
    assert [(node.uid, node.has_children) for node in opened.pages] == [(1, True)]
    first, second = (list_below(content_store.connection, person(), 0, 1, part=part) for part in (1, 2))
    assert (len(first.pages), first.more, len(second.pages), second.more) == (PART, True, 5, False)
    assert first.pages[0].has_children
    assert not first.pages[1].has_children
    with content_store.counted() as statements:
        list_below(content_store.connection, person(), 0, 1)
    assert len(statements) == 1
    assert content_store.scans(statements) == []
