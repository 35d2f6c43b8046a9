"""Rotation of the keys that encrypt what runs keep: everything opens afterwards, and one bad row harms only itself."""

from __future__ import annotations

import stat
from dataclasses import replace

import pytest
from flask import Flask
from sqlalchemy import select, update

from app.agent import models
from app.agent.rotation import COLUMNS, seal_again
from app.core.crypto import Cipher, Unreadable, add_key, drop_earlier_keys, load_keys
from app.core.db import db, reading, transaction
from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments, facts_of

MESSAGES = models.RunMessage.__table__


@pytest.fixture
def waiting(assignments: Assignments, site: DemoSite) -> Assignments:
    """A declined card with a reason, and one that waits."""
    for key in ("hours", "press"):
        assignments.ask([("hide_record", {"table": "pages", "uid": site.pages[key]})], DONE, workspace=1)
        if key == "hours":
            assignments.decide(approve=False, reason="Not today.")
    return assignments


def stored() -> list[str]:
    """Every encrypted value."""
    with reading() as connection:
        return [
            value for sealed in COLUMNS for value in connection.execute(select(sealed.table.c[sealed.column])).scalars()
        ]


def test_it_knows_every_encrypted_column(app: Flask) -> None:
    known = {(sealed.table.name, sealed.column) for sealed in COLUMNS}
    assert known == {
        (table.name, column.name)
        for table in db.metadata.sorted_tables
        for column in table.c
        if column.name.endswith("_sealed")
    }


@pytest.mark.behaviour("RT-16")
def test_a_card_that_waits_is_decided_after_the_old_key_is_gone(waiting: Assignments) -> None:
    folder = waiting.runtime.settings.data_folder
    fresh = add_key(folder)
    rotated = seal_again(Cipher(fresh))
    assert rotated.sealed == len([value for value in stored() if value])
    assert rotated.unreadable == 0
    drop_earlier_keys(folder)
    kept = load_keys(folder)
    assert [name for name, _ in kept.state_keys] == [fresh.current] == ["k2"]
    assert stat.S_IMODE((folder / "keys").stat().st_mode) == 0o600
    waiting.runtime = replace(waiting.runtime, cipher=Cipher(kept))
    waiting.decide()
    assert facts_of(waiting.changes())
    assert seal_again(Cipher(kept)).sealed == 0


def test_a_process_from_before_opens_what_was_sealed_since(waiting: Assignments) -> None:
    folder = waiting.runtime.settings.data_folder
    before = Cipher(load_keys(folder), reload=lambda: load_keys(folder))
    after = Cipher(add_key(folder))
    assert before.open(after.seal("a", "x"), "x") == "a"
    assert after.open(before.seal("b", "x"), "x") == "b"
    with pytest.raises(Unreadable):
        before.open(after.seal("a", "x").replace(".k2.", ".k9."), "x")


@pytest.mark.behaviour("RT-16")
def test_one_unreadable_row_harms_only_itself(waiting: Assignments) -> None:
    with transaction() as connection:
        first = connection.execute(select(MESSAGES.c.run_uuid, MESSAGES.c.seq).limit(1)).one()
        here = (MESSAGES.c.run_uuid == first.run_uuid) & (MESSAGES.c.seq == first.seq)
        connection.execute(update(MESSAGES).where(here).values(body_sealed="v1.k1.bm90IHNlYWxlZA=="))
    rotated = seal_again(Cipher(add_key(waiting.runtime.settings.data_folder)))
    assert rotated.unreadable == 1
    left = [value for value in stored() if value and not value.startswith("v1.k2.")]
    assert left == ["v1.k1.bm90IHNlYWxlZA=="]
