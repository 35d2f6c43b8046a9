"""``/pages/<uid>/export``: an archive with what the person may read, and nothing for others."""

from __future__ import annotations

import zipfile
from io import BytesIO

import pytest
from flask import Flask

from app.seed.demo import DemoSite
from tests.support.visitor import Visitor


def names(app: Flask, site: DemoSite, username: str, key: str) -> set[str]:
    answer = Visitor(app, site, username).get(f"/pages/{site.pages[key]}/export")
    assert (answer.status_code, answer.mimetype) == (200, "application/zip")
    with zipfile.ZipFile(BytesIO(answer.data)) as archive:
        assert archive.testzip() is None
        return set(archive.namelist())


def test_it_gives_an_archive_of_a_branch(app: Flask, site: DemoSite) -> None:
    found = names(app, site, "anna", "visit")
    assert {"_index.en.md", "_index.de.md", "opening-hours.en.md"} <= found
    assert not any("staff" in name for name in found)
    answer = Visitor(app, site, "anna").get(f"/pages/{site.pages['visit']}/export")
    assert answer.headers["Content-Disposition"].startswith("attachment; filename*=UTF-8''visit-")
    assert answer.headers["Cache-Control"] == "no-store"
    answer.close()


def test_it_leaves_out_languages_the_person_may_not_use(app: Flask, site: DemoSite) -> None:
    assert "_index.fr.md" in names(app, site, "anna", "visit")
    assert "_index.fr.md" not in names(app, site, "dora", "visit")


@pytest.mark.parametrize("key", ["staff", "rota"])
def test_it_answers_one_way_for_unknown_and_forbidden(app: Flask, site: DemoSite, key: str) -> None:
    anna = Visitor(app, site, "anna")
    closed, unknown = anna.get(f"/pages/{site.pages[key]}/export"), anna.get("/pages/987654/export")
    assert (closed.status_code, unknown.status_code) == (404, 404)
    assert Visitor(app, site).get(f"/pages/{site.pages['visit']}/export").status_code == 303
