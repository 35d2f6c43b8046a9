"""``imprimatur configuration show-prompt``."""

from __future__ import annotations

from tests.cli.conftest import Commands


def test_it_prints_what_a_person_would_have_the_assistant_told(commands: Commands) -> None:
    commands.done("configuration", "set", "Editorial", "--prompt", "Write briefly.")
    printed = commands.done("configuration", "show-prompt", "Editorial", "--user", "dora")
    assert printed.startswith("Write briefly.\n\nThe site is called ")
    assert "French" not in printed
    assert "French" in commands.done("configuration", "show-prompt", "Editorial", "--user", "anna")


def test_it_says_who_may_not_use_it(commands: Commands) -> None:
    result = commands("configuration", "show-prompt", "Editorial", "--user", "gus")
    assert (result.exit_code, result.stderr) == (0, "gus may not use this configuration.\n")


def test_it_refuses_names_there_are_not_and_people_who_may_not_act(commands: Commands) -> None:
    assert "no person" in commands("configuration", "show-prompt", "Editorial", "--user", "x").output
    assert "no configuration" in commands("configuration", "show-prompt", "x", "--user", "anna").output
    commands.done("user", "set", "anna", "--disabled")
    result = commands("configuration", "show-prompt", "Editorial", "--user", "anna")
    assert (result.exit_code, "may not sign in" in result.output) == (1, True)
