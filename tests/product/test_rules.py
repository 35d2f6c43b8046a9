"""The example rule of docs/examples, installed as a package would be, and what is said of broken ones (DW-24)."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from tests.product.installing import COMMAND, EXAMPLES, install, run

PROBE = """
import json
from app import create_app
from app.config import Settings
from app.policy.invocation import ConfigurationFacts, InvocationContext, ToolEffect, ToolFacts
import sys

app = create_app(Settings(data=sys.argv[1], workers=0))
policy = app.extensions["imprimatur"].runtime.policy
tool = ToolFacts(name="delete_record", group="deleting", effect=ToolEffect.WRITE)
def ask(table):
    context = InvocationContext(
        tool=tool, arguments={"table": table, "uid": 3}, configuration=ConfigurationFacts(id=1, name="x"),
        acting=None, recorded_workspace=0,
    )
    return getattr(policy.decide_before_approval(context), "reason", None)
print(json.dumps([[rule.id for rule in policy.rules], ask("pages"), ask("content_elements")]))
"""


@pytest.mark.behaviour("DW-24")
def test_it_asks_the_rule_of_the_documentation(tmp_path: Path) -> None:
    example = EXAMPLES / "imprimatur-careful"
    install(tmp_path / "site", "imprimatur-careful", tomllib.loads((example / "pyproject.toml").read_text()))
    found = run([tmp_path / "site", example], "-c", PROBE, str(tmp_path / "data"), data=tmp_path / "data")
    assert found.returncode == 0, found.stderr
    ids, pages, elements = json.loads(found.stdout.splitlines()[-1])
    assert ids[-1] == "careful.keep_pages"
    assert (pages, elements) == ("page_deletion", None)


@pytest.mark.behaviour("DW-24")
@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("no_such_package:Rule", "The rule of the extension “broken” cannot be used: it cannot be loaded."),
        ("broken_rules:Raises", "The rule of the extension “broken” cannot be used: it cannot be loaded."),
        ("broken_rules:Mute", "The rule of the extension “broken” cannot be used: it cannot decide."),
        ("broken_rules:Taken", "A rule of an extension has an id that is malformed or used twice."),
        ("broken_rules:Malformed", "A rule of an extension has an id that is malformed or used twice."),
    ],
)
def test_it_stops_the_start_with_a_sentence(tmp_path: Path, value: str, sentence: str) -> None:
    site = tmp_path / "site"
    points = {"project": {"entry-points": {"imprimatur.rules": {"broken": value}}}}
    install(site, "broken-rules", points)
    (site / "broken_rules.py").write_text(BROKEN)
    found = run([site], "-c", COMMAND, "db", "upgrade", data=tmp_path / "data")
    assert found.returncode == 1
    assert sentence in found.stderr
    assert "Traceback" not in found.stderr


BROKEN = """
class Raises:
    def __init__(self):
        raise RuntimeError("secret words")

class Mute:
    id = "mute"

class Taken:
    id = "draft_workspace_required"
    def decide(self, context):
        return None

class Malformed(Taken):
    id = "Not an id"
"""
