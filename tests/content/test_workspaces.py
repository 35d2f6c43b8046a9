"""The use cases of a draft workspace: nothing unseen is written, hooks follow the commit, rights are the writer's."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from app.content.differences import list_differences
from app.content.editing import write_as_person
from app.content.errors import WriteRefused
from app.content.hooks import HOOKS
from app.content.store import find_row
from app.content.types import ChangeSet, RecordRef, Stage, VersionState, WriteContext
from app.content.workspaces import (
    SeenChanged,
    changeable_refs,
    count_states,
    discard,
    mark_of,
    publish,
    send_to_stage,
)
from app.core.db import reading
from app.policy.identity import LIVE
from app.seed.demo import DemoSite
from tests.support.personas import IdentityOf

Edit = Callable[[str, int, str, str], None]
Act = Callable[[IdentityOf, int, Sequence[RecordRef], str], object]

ACTS: dict[str, Act] = {
    "publish": lambda identity_of, draft, refs, seen: publish(identity_of("anna"), draft, refs, seen=seen),
    "discard": lambda identity_of, draft, refs, seen: discard(identity_of("anna"), draft, refs, seen=seen),
    "stage": lambda identity_of, draft, refs, seen: send_to_stage(
        identity_of("anna"), draft, refs, Stage.READY, seen=seen
    ),
}


@pytest.fixture
def draft(site: DemoSite) -> int:
    return site.people.workspaces["Relaunch"]


@pytest.fixture
def edit(site: DemoSite, identity_of: IdentityOf) -> Edit:
    """``edit("anna", draft, "hours", "New title")``."""

    def act(who: str, workspace_id: int, key: str, title: str) -> None:
        uid = site.pages[key]
        write_as_person(
            identity_of(who, workspace_id), workspace_id, lambda batch: batch.update("pages", uid, {"title": title})
        )

    return act


def held(identity_of: IdentityOf, workspace_id: int) -> tuple[RecordRef, ...]:
    with reading() as connection:
        return tuple(item.ref for item in list_differences(connection, identity_of("admin"), workspace_id).records)


def mark(workspace_id: int, refs: Sequence[RecordRef]) -> str:
    with reading() as connection:
        return mark_of(connection, workspace_id, refs)


def title(workspace_id: int, uid: int) -> str:
    with reading() as connection:
        row = find_row(connection, "pages", uid, workspace_id)
    assert row is not None
    return str(row["title"])


@pytest.mark.behaviour("CM-03")
def test_it_publishes_what_was_seen(site: DemoSite, identity_of: IdentityOf, draft: int, edit: Edit) -> None:
    edit("anna", draft, "hours", "When we are open")
    refs = held(identity_of, draft)
    outcome = publish(identity_of("anna"), draft, refs, seen=mark(draft, refs))
    assert outcome.published == refs
    assert title(LIVE, site.pages["hours"]) == "When we are open"
    assert held(identity_of, draft) == ()


@pytest.mark.parametrize("act", sorted(ACTS))
@pytest.mark.parametrize("where", ["live", "draft", "gone"])
def test_it_writes_nothing_when_something_is_not_as_it_was_seen(
    site: DemoSite, identity_of: IdentityOf, draft: int, edit: Edit, act: str, where: str
) -> None:
    edit("anna", draft, "hours", "When we are open")
    edit("anna", draft, "press", "For the press")
    refs = held(identity_of, draft)
    seen = mark(draft, refs)
    if where == "gone":
        discard(identity_of("olga"), draft, refs[:1], seen=mark(draft, refs[:1]))
    else:
        edit("olga", LIVE if where == "live" else draft, "hours", "Meanwhile")
    before = [title(number, site.pages[key]) for number in (LIVE, draft) for key in ("hours", "press")]
    with pytest.raises(SeenChanged):
        ACTS[act](identity_of, draft, refs, seen)
    assert [title(number, site.pages[key]) for number in (LIVE, draft) for key in ("hours", "press")] == before


def test_it_marks_the_rows_and_what_they_stand_for(identity_of: IdentityOf, draft: int, edit: Edit) -> None:
    edit("anna", draft, "hours", "One")
    refs = held(identity_of, draft)
    first = mark(draft, refs)
    assert first == mark(draft, [*refs, *refs]) == mark(draft, [*refs, RecordRef(table="pages", uid=9_999)])
    assert first != mark(draft, [])
    edit("anna", LIVE, "press", "Elsewhere")
    assert first == mark(draft, refs)
    edit("anna", LIVE, "hours", "Live too")
    assert first != mark(draft, refs)


def test_it_refuses_people_without_the_right(identity_of: IdentityOf, draft: int, edit: Edit) -> None:
    edit("anna", draft, "hours", "One")
    refs = held(identity_of, draft)
    seen = mark(draft, refs)
    for name, reason in (("ben", "may_not_publish"), ("cem", "not_found"), ("gus", "not_found")):
        with pytest.raises(WriteRefused) as refused:
            publish(identity_of(name), draft, refs, seen=seen)
        assert refused.value.reason == reason
    for name in ("cem", "gus", "emil"):
        with pytest.raises(WriteRefused):
            discard(identity_of(name), draft, refs, seen=seen)
        with reading() as connection:
            assert changeable_refs(connection, identity_of(name), draft, None) == ()
    assert held(identity_of, draft) == refs


def test_it_counts_what_a_workspace_holds(site: DemoSite, identity_of: IdentityOf, draft: int, edit: Edit) -> None:
    edit("anna", draft, "hours", "One")
    write_as_person(identity_of("anna", draft), draft, lambda batch: batch.delete("pages", site.pages["press"]))
    refs = held(identity_of, draft)
    with reading() as connection:
        found = count_states(connection, draft, refs)
        assert count_states(connection, draft, refs[:0]) == {}
        assert set(changeable_refs(connection, identity_of("ben"), draft, None)) == set(refs)
    assert found[VersionState.CHANGED] == 1
    assert found[VersionState.DELETED] >= 1


@pytest.mark.parametrize("act", ["publish", "discard"])
def test_it_says_when_an_extension_failed_after_the_commit(
    identity_of: IdentityOf, draft: int, edit: Edit, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    told: list[int] = []

    def fail(_context: WriteContext, changes: ChangeSet) -> None:
        told.append(len(changes.changes))
        raise RuntimeError

    edit("anna", draft, "hours", "One")
    refs = held(identity_of, draft)
    monkeypatch.setattr(HOOKS, "after_commit", [fail])
    done = ACTS[act](identity_of, draft, refs, mark(draft, refs))
    changes = done if isinstance(done, ChangeSet) else done.changes  # type: ignore[attr-defined]
    assert told == [1]
    assert changes.failed_after_write
    assert held(identity_of, draft) == ()
