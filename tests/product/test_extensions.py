"""The example extension of docs/examples, installed as a package would be, and what is said of broken ones."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from tests.product.installing import COMMAND, EXAMPLES, install, run

EXAMPLE = EXAMPLES / "imprimatur-events"


@pytest.mark.behaviour("CM-07")
def test_it_runs_the_example_of_the_documentation(tmp_path: Path) -> None:
    install(tmp_path / "site", "imprimatur-events", tomllib.loads((EXAMPLE / "pyproject.toml").read_text()))
    folders, data = [tmp_path / "site", EXAMPLE], tmp_path / "data"
    made = run(folders, "-c", COMMAND, "demo", data=data)
    assert made.returncode == 0, made.stderr
    assert "events_0001" in made.stdout
    probed = run(folders, "-m", "tests.product.extension_probe", str(data), data=data)
    assert probed.returncode == 0, probed.stderr
    found = json.loads(probed.stdout.splitlines()[-1])
    assert found["differences"] == [], "the example's migration and its model describe different tables"
    assert found["hooks"] == [1, 1, 1]
    assert found["registered"]
    assert found["refused"] == "no_place"
    assert found["changes"] == [["events", "created", True], ["content_elements", "created", False]]
    assert found["places"] == ["Hall 1", "Hall 2"], "a draft of the extension's record must leave the live one alone"
    assert found["status"] == 200
    assert found["page_shows_title"]


@pytest.mark.parametrize(
    ("group", "value", "sentence"),
    [
        ("imprimatur.tables", "no_such_package:TABLE", "it cannot be imported"),
        ("imprimatur.tables", "broken_extension:NO_TABLE", "what it names as a table is none"),
        ("imprimatur.tables", "broken_extension:TAKEN", "the table name “pages” is taken or malformed"),
        ("imprimatur.tables", "broken_extension:LACKING", "its table “lacking” lacks columns that its traits need"),
        ("imprimatur.hooks", "broken_extension:NO_TABLE", "what it names as hooks is no function"),
        ("imprimatur.migrations", "broken_extension:NO_TABLE", "what it names as migrations is no package"),
    ],
)
def test_it_stops_the_start_with_a_sentence(tmp_path: Path, group: str, value: str, sentence: str) -> None:
    site = tmp_path / "site"
    install(site, "broken-extension", {"project": {"entry-points": {group: {"broken": value}}}})
    (site / "broken_extension.py").write_text(BROKEN)
    found = run([site], "-c", COMMAND, "db", "upgrade", data=tmp_path / "data")
    assert found.returncode == 1
    assert f"The extension “broken” cannot be used: {sentence}." in found.stderr
    assert "Traceback" not in found.stderr


BROKEN = """
from sqlalchemy import Column, Integer, MetaData, Table

from app.content.traits import TableTrait
from app.core.i18n import text

NO_TABLE = 3
OWN = MetaData()
TAKEN = TableTrait(table=Table("pages", OWN, Column("uid", Integer)), label=text("Page"), fields=(), label_fields=("uid",))
LACKING = TableTrait(
    table=Table("lacking", OWN, Column("uid", Integer)), label=text("Page"), fields=(), label_fields=("uid",), versioned=True
)
"""
