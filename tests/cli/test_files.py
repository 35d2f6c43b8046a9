"""``imprimatur file check``: its numbers and its advice."""

from __future__ import annotations

from tests.cli.conftest import Commands


def test_it_says_what_is_missing_and_marks_it_when_asked(commands: Commands) -> None:
    """The copy of the demo's database comes without its files."""
    first = commands.done("file", "check")
    assert "Without bytes: '/editorial/ferry.png'" in first
    assert "files 4, missing 4, back 0, unused bytes 0" in first
    assert "Nothing was changed." in first
    assert commands.done("file", "check", "--repair").splitlines()[-1] == "files 4, missing 4, back 0, unused bytes 0"
    assert "Nothing was changed." in commands.done("file", "check")
