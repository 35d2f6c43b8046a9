"""The site, its preview, export and import on PostgreSQL (D3)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from app import create_app
from app.config import Settings
from app.content.exports import read_branch, render_branch, write_folder
from app.content.files import Storage
from app.content.imports.markdown import read_tree
from app.content.imports.outcome import ImportTarget
from app.content.imports.writing import import_tree
from app.content.site import Stance, find_site_file
from app.core import clock
from app.core.db import READING, db, reading, transaction
from app.seed.demo import DemoSite, install_demo
from app.seed.installation import seed_actor
from tests.support.database import migrate
from tests.support.visitor import Visitor

pytestmark = pytest.mark.postgres


@pytest.fixture
def product(postgres_url: str, tmp_path: Path) -> Iterator[tuple[Flask, DemoSite]]:
    """The demo on PostgreSQL."""
    settings = Settings.from_environment({}, data=str(tmp_path / "data"), database_url=postgres_url, workers=0)
    settings.data_folder.mkdir(parents=True, exist_ok=True)
    app = create_app(settings)
    with app.app_context():
        migrate()
        with transaction() as connection:
            site = install_demo(connection, settings)
        assert site is not None
        yield app, site
        db.engine.dispose()
        db.engines[READING].dispose()


def test_it_serves_the_site_and_takes_it_out_and_in(product: tuple[Flask, DemoSite], tmp_path: Path) -> None:
    app, site = product
    visitor, anna, relaunch = Visitor(app, site), Visitor(app, site, "anna"), site.people.workspaces["Relaunch"]
    for path, status in (
        ("/site/", 200),
        (f"/site/de/{site.pages['summer']}-sommerausstellung", 200),
        (f"/site/de/{site.pages['hours']}", 404),
        ("/site/hours", 301),
        (f"/site/en/{site.pages['rota']}-rota", 404),
        (f"/site/?workspace={relaunch}", 404),
    ):
        assert visitor.get(path).status_code == status, path
    assert anna.get(f"/site/en/{site.pages['about']}-about-us?workspace={relaunch}").status_code == 200
    with reading() as connection:
        stance = Stance(now=clock.now())
        assert {bool(find_site_file(connection, stance, uid)) for uid in range(1, 30)} == {True, False}
        branch = read_branch(connection, site.pages["root"], 0, [0, 1])
    folder = app.extensions["imprimatur"].settings.data_folder / "files"
    write_folder(render_branch(branch, {0: "en", 1: "de"}), tmp_path / "out", {1: Storage(folder=folder)})
    target = ImportTarget(
        actor=seed_actor(),
        parent_uid=site.pages["about"],
        languages={"en": 0, "de": 1},
        storage_id=1,
        files_folder=folder,
    )
    assert import_tree(read_tree(tmp_path / "out", ["en", "de"]), target).failed == 0
