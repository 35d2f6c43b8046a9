"""Budgets, the switch for all runs and what is not kept, from the command line."""

from __future__ import annotations

from tests.cli.conftest import Commands


def test_it_shows_and_sets_the_budget_of_a_configuration(commands: Commands) -> None:
    assert "requests            0     no limit" in commands.done("configuration", "budget", "Editorial")
    said = commands.done("configuration", "budget", "Editorial", "--requests", "200", "--cost", "500")
    lines = [line.split() for line in said.splitlines()]
    assert [lines[1][-1], lines[2][-1], lines[3][-1]] == ["200", "limit", "500"]
    again = commands.done("configuration", "budget", "Editorial", "--tokens", "9")
    assert [line.split()[-1] for line in again.splitlines()][1:] == ["200", "9", "500"]
    assert commands.done("configuration", "budget", "Editorial", "--requests", "0").splitlines()[1].endswith("no limit")
    refused = commands("configuration", "budget", "Nobody's")
    assert (refused.exit_code, "There is no configuration" in refused.stderr) == (1, True)
    assert commands("configuration", "budget", "Editorial", "--requests", "-1").exit_code == 2


def test_it_halts_and_resumes(commands: Commands) -> None:
    assert commands("runs", "halt").exit_code == 2
    assert commands.done("runs", "halt", "--reason", "Odd answers") == (
        "Every assignment is halted. Stopping now: 0.\n"
    )
    again = commands("runs", "halt", "--reason", "Again")
    assert (again.exit_code, again.stderr) == (1, "Error: Every assignment is halted already.\n")
    assert commands.done("runs", "resume") == "Assignments go on. Queued: 0.\n"
    assert commands("runs", "resume").stderr == "Error: Assignments are not halted.\n"


def test_an_empty_reason_is_refused_in_a_sentence(commands: Commands) -> None:
    refused = commands("runs", "halt", "--reason", " ")
    assert (refused.exit_code, refused.stderr) == (1, "Error: Enter why, in at most 200 characters.\n")


def test_it_keeps_everything_unless_days_are_named(commands: Commands) -> None:
    assert commands.done("runs", "purge") == "removed the contents of 0 runs, 0 refusals, 0 attempts\n"
    said = commands.done("runs", "purge", "--content-days", "30", "--governance-days", "365", "--attempts-days", "1")
    assert said == "removed the contents of 0 runs, 0 refusals, 0 attempts\n"
    assert commands("runs", "purge", "--content-days", "-1").exit_code == 2


def test_a_malformed_table_of_models_ends_the_command(commands: Commands) -> None:
    refused = commands("configuration", "list", IMPRIMATUR_MODEL_PRICES="cheap")
    assert (refused.exit_code, "IMPRIMATUR_MODEL_PRICES must be JSON" in refused.stderr) == (1, True)
