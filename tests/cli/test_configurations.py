"""``imprimatur configuration``: the same checks as the form, and every change in the history."""

from __future__ import annotations

import json
import sqlite3

import pytest

from tests.cli.conftest import Commands


def changes(commands: Commands) -> list[tuple[int, int, dict[str, list[object]]]]:
    """Configuration, person and changes of every entry."""
    with sqlite3.connect(commands.folder / "imprimatur.db") as connection:
        rows = connection.execute("SELECT configuration_id, user_id, changes FROM configuration_change ORDER BY id")
        return [(row[0], row[1], json.loads(row[2])) for row in rows]


@pytest.mark.behaviour("DW-01")
def test_it_keeps_each_change_without_a_person(commands: Commands) -> None:
    commands.done("configuration", "create", "Press", "--exclude-tool", "delete_record")
    commands.done("configuration", "set", "Press", "--require-draft-workspace", "--branch-page", "2")
    commands.done("configuration", "set", "Press", "--require-draft-workspace")
    created, changed = changes(commands)[-2:]
    assert created[:2] == (3, 0)
    assert created[2]["excluded_tools"] == [None, ["delete_record"]]
    assert "requires_draft_workspace" not in created[2], "off unless it is asked for"
    assert changed == (3, 0, {"branch_page": [0, 2], "requires_draft_workspace": [False, True]})


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--branch-page", "987654"), "There is no page no. 987654."),
        (("--prompt", "x" * 20_001), "Enter at most 20,000 characters."),
        (("--model", "nonsense"), "Enter builtin, openai:NAME or anthropic:NAME, at most 120 characters."),
        (("--name", "Editorial, drafts only"), "There is already a configuration with this name."),
        (("--exclude-tool", "nonsense"), "There is no tool “nonsense”."),
        (("--allow-group", "nonsense"), "There is no group with the title “nonsense”."),
    ],
)
def test_it_checks_what_the_form_checks(commands: Commands, options: tuple[str, ...], sentence: str) -> None:
    before = changes(commands)
    result = commands("configuration", "set", "Editorial", *options)
    assert result.exit_code != 0
    assert sentence in result.stderr
    assert changes(commands) == before
