"""Stages of draft rows: sent on, sent back, and back by themselves (cms.md section 9)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from app.content.errors import WriteRefused
from app.content.types import RecordRef, Stage
from app.content.writer import set_stage
from app.policy.identity import Identity
from tests.content.writer.fixtures import ADMIN, ANNA, DRAFT, Store
from tests.content.writer.publishing import context_of, held, in_transaction, publish


def send(store: Store, stage: Stage, refs: Iterable[RecordRef] | None = None, actor: Identity = ADMIN) -> int:
    asked = None if refs is None else list(refs)
    return in_transaction(store, lambda c: set_stage(c, context_of(actor=actor), asked, stage))


def stages(store: Store) -> list[int]:
    return [row["version_stage"] for row in store.rows("content_elements", workspace_id=DRAFT)]


@pytest.fixture
def drafted(store: Store) -> Store:
    """Two changed elements in the draft."""
    store.do(lambda b: b.update("content_elements", 103, {"header": "x"}), DRAFT)
    store.do(lambda b: b.update("content_elements", 104, {"header": "y"}), DRAFT)
    return store


@pytest.mark.behaviour("CM-03")
def test_it_sends_on_as_an_entry_of_its_own_and_no_change_of_the_record(drafted: Store) -> None:
    rows = drafted.rows("content_elements", workspace_id=DRAFT)
    entries = len(drafted.history())
    assert send(drafted, Stage.READY) == 2
    assert stages(drafted) == [Stage.READY, Stage.READY]
    assert [row | {"version_stage": 0} for row in drafted.rows("content_elements", workspace_id=DRAFT)] == rows
    added = drafted.history()[entries:]
    assert [(row["action"], row["uid"], row["workspace_id"]) for row in added] == [
        ("stage", row["uid"], DRAFT) for row in rows
    ]
    assert send(drafted, Stage.READY) == 0
    assert len(drafted.history()) == entries + 2


def test_it_comes_back_to_editing_with_any_update(drafted: Store) -> None:
    send(drafted, Stage.READY)
    drafted.do(lambda b: b.update("content_elements", 103, {"header": "again"}), DRAFT)
    assert stages(drafted) == [Stage.EDITING, Stage.READY]


def test_it_is_sent_back_by_owners_only(drafted: Store) -> None:
    assert send(drafted, Stage.READY, actor=ANNA) == 2
    with pytest.raises(WriteRefused, match="owners_only"):
        send(drafted, Stage.EDITING, actor=ANNA)
    assert send(drafted, Stage.EDITING, actor=replace(ANNA, owned_workspaces=frozenset({DRAFT}))) == 2
    assert stages(drafted) == [Stage.EDITING, Stage.EDITING]


def test_it_handles_only_what_the_person_may_change(drafted: Store) -> None:
    drafted.do(lambda b: b.update("content_elements", 105, {"header": "Secret"}), DRAFT)
    (secret,) = held(drafted, "content_elements", live_uid=105)
    with pytest.raises(WriteRefused, match="not_found"):
        send(drafted, Stage.READY, [secret], ANNA)
    assert send(drafted, Stage.READY, None, ANNA) == 2


def test_it_publishes_from_any_stage(drafted: Store) -> None:
    first, _ = held(drafted, "content_elements")
    send(drafted, Stage.READY, [first])
    assert len(publish(drafted).published) == 2
