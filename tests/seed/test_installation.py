"""What a new installation and the demo begin with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

from app import create_app
from app.accounts import service, store
from app.accounts.service import find_identity
from app.agent.configurations import find_configuration_named
from app.config import Settings
from app.content import models
from app.content.store import find_stored_row, list_children, list_languages
from app.core.db import READING, db, reading, transaction
from app.seed.demo import DemoSite, install_demo
from app.seed.installation import install_site, is_installed
from app.seed.people import MEMBERSHIPS, NAMES
from tests.support.database import migrate

LIVE = 0


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Settings]:
    """A migrated database without a site."""
    settings = Settings.from_environment(
        {}, data=str(tmp_path / "data"), workers=0, languages="de,en", site_name="Haus"
    )
    with create_app(settings).app_context():
        migrate()
        yield settings
        db.engine.dispose()
        db.engines[READING].dispose()


def everything() -> list[Any]:
    """Every row of every table."""
    with reading() as connection:
        tables = db.metadata.sorted_tables
        return [(table.name, tuple(row)) for table in tables for row in connection.execute(select(table))]


def test_it_fills_an_empty_database_with_a_site_to_begin_with(empty: Settings) -> None:
    with transaction() as connection:
        assert not is_installed(connection)
        install_site(connection, empty)
        assert is_installed(connection)
        editor = service.create_user(connection, username="uma")
        group = store.find_group_by_title(connection, "Editors")
        assert group is not None
        service.add_member(connection, editor, group["id"])
    with reading() as connection:
        assert [(language.id, language.code) for language in list_languages(connection)] == [(0, "de"), (1, "en")]
        (root,) = list_children(connection, LIVE, 0)
        assert (root["title"], root["hidden"], root["group_id"]) == ("Haus", False, group["id"])
        found = find_identity(connection, editor)
        configuration = find_configuration_named(connection, "Editorial")
    assert found is not None
    assert found.page_mounts == {root.uid}
    assert (found.may_work_live, list(found.workspaces.values())) == (True, ["Draft"])
    assert found.may("tasks_use")
    assert not found.may("agent_approve")
    assert configuration is not None


def test_it_leaves_an_installed_site_alone(empty: Settings) -> None:
    with transaction() as connection:
        install_site(connection, empty)
    before = everything()
    with transaction() as connection:
        install_site(connection, empty)
        assert install_demo(connection, empty) is None
    assert everything() == before


def test_it_writes_history_for_every_record_of_the_demo(site: DemoSite) -> None:
    history = models.RecordHistory.__table__
    with reading() as connection:
        rows = connection.execute(select(history.c.origin, history.c.table_name, history.c.uid)).all()
    assert {row[0] for row in rows} == {"seed"}
    assert set(site.pages.values()) <= {row[2] for row in rows if row[1] == "pages"}


def test_it_gives_nobody_of_the_demo_a_password(app: Flask) -> None:
    with reading() as connection:
        users = store.list_users(connection)
    assert {user["username"] for user in users} == NAMES.keys() == MEMBERSHIPS.keys()
    assert all(user["password_hash"] is None for user in users)


def test_it_has_people_whose_rights_differ(identity_of: Any, site: DemoSite) -> None:
    spaces = site.people.workspaces
    stands = {name: identity_of(name).workspace_id for name in NAMES}
    assert stands == {
        "admin": LIVE,
        "anna": spaces["Relaunch"],
        "ben": spaces["Relaunch"],
        "olga": spaces["Relaunch"],
        "cem": spaces["Campaign"],
        "dora": LIVE,
        "emil": LIVE,
        "fay": None,
        "gus": None,
    }
    assert [name for name in NAMES if identity_of(name).may_work_live] == ["admin", "anna", "olga", "dora", "emil"]
    assert [name for name in NAMES if identity_of(name).may("agent_approve")] == ["admin", "olga", "fay"]
    assert [name for name in NAMES if identity_of(name).may_use_field("pages", "keywords")] == ["admin", "anna", "olga"]
    assert identity_of("dora").languages == {0, 1}
    assert identity_of("emil").page_mounts == {site.pages["exhibitions"]}


def test_it_links_to_pages_that_exist(site: DemoSite) -> None:
    elements = models.ContentElement.__table__
    with reading() as connection:
        bodies = connection.execute(select(elements.c.body).where(elements.c.body.contains("page:"))).scalars().all()
        for body in bodies:
            uid = int(body.split("page:")[1].split(")")[0])
            assert find_stored_row(connection, "pages", uid) is not None
    assert bodies
