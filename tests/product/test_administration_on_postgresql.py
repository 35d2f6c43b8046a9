"""Administration on PostgreSQL: the same results, and two administrators cannot take each other out at once."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import select

from app import create_app
from app.accounts import administration, group_administration, service, store
from app.accounts.directory import list_groups, list_people, read_group, read_person
from app.accounts.group_consequences import plan_group_deletion
from app.accounts.rights_summary import summarize_rights
from app.accounts.values import GroupValues, PersonValues
from app.config import Settings
from app.core.db import READING, db, reading, transaction
from app.core.errors import Forbidden, Invalid
from tests.support.database import migrate

pytestmark = pytest.mark.postgres


@pytest.fixture
def two(postgres_url: str, tmp_path: Path) -> Iterator[tuple[Flask, int, int]]:
    """An empty installation with two administrators."""
    app = create_app(Settings.from_environment({}, data=str(tmp_path), database_url=postgres_url, workers=0))
    with app.app_context():
        migrate()
        with transaction() as connection:
            made = [service.create_user(connection, username=name, is_admin=True) for name in ("ada", "bea")]
            for user_id in made:
                service.set_password(connection, user_id, "hash")
        yield app, made[0], made[1]
        for engine in (db.engine, db.engines[READING]):
            engine.dispose()


def test_it_does_the_same_there(two: tuple[Flask, int, int]) -> None:
    _, ada, _ = two
    inner = group_administration.create_group(ada, GroupValues(title="Inner", grants=("tasks_use",)))
    outer = group_administration.create_group(ada, GroupValues(title="Outer", includes=(inner,), live=True))
    uma = administration.create_person(ada, PersonValues(username="uma", name="Über Ma", group_ids=(outer,)))
    with reading() as connection:
        assert [entry.id for entry in list_people(connection, words="ÜBER").people] == [uma]
        assert [(entry.title, entry.members) for entry in list_groups(connection)] == [("Inner", 0), ("Outer", 1)]
        assert {right.value for right in summarize_rights(connection, uma).rights} == {"tasks_use", True}
        assert len(plan_group_deletion(connection, inner).losses) == 1
        group, person = read_group(connection, outer), read_person(connection, uma)
    group_administration.change_group(ada, outer, replace(group.values, includes=()), seen=group.version)
    administration.change_person(ada, uma, replace(person.values, disabled=True), seen=person.version)
    with reading() as connection:
        seen = read_group(connection, inner)
    with pytest.raises(Invalid):
        group_administration.change_group(ada, inner, replace(seen.values, includes=(inner,)), seen=seen.version)
    assert administration.end_sessions_of(ada, uma) == 0


def test_two_administrators_cannot_take_each_other_out_at_once(two: tuple[Flask, int, int]) -> None:
    app, ada, bea = two
    start, refused = threading.Barrier(2), []

    def delete(actor: int, other: int) -> None:
        with app.app_context():
            start.wait()
            try:
                administration.delete_person(actor, other)
            except (Invalid, Forbidden) as error:
                refused.append(type(error))

    threads = [
        threading.Thread(target=contextvars.Context().run, args=(delete, *pair)) for pair in ((ada, bea), (bea, ada))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with reading() as connection:
        left = connection.execute(select(store.USER.c.id).where(store.USER.c.deleted.is_(False))).scalars().all()
    assert len(left) == 1
    assert len(refused) == 1
