"""Setting up: tables, the demo, settings, and errors people can read."""

from __future__ import annotations

import stat
from dataclasses import fields

import pytest

from app.accounts import store
from app.accounts.passwords import password_matches
from app.cli.installation import Installation
from app.config import Settings
from app.core.db import reading
from app.seed.people import NAMES
from tests.cli.conftest import Commands


def test_it_makes_the_tables_once(empty: Commands) -> None:
    result = empty("user", "list")
    assert (result.exit_code, result.stderr) == (
        1,
        "Error: The database has no tables yet. Run “imprimatur db upgrade” first.\n",
    )

    first = empty.done("db", "upgrade").splitlines()
    assert first[0].startswith("Database: 0001 ")
    assert first[-1] == "Database: up to date."
    assert empty.done("db", "upgrade") == "Database: up to date.\n"
    assert empty.done("user", "list").startswith("NAME")


def test_it_installs_the_demo_with_passwords_of_its_own(empty: Commands) -> None:
    output = empty.done("demo")

    path = empty.folder / "demo-people.txt"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    words = dict(line.split(" ") for line in path.read_text(encoding="utf-8").splitlines())
    assert list(words) == list(NAMES)
    assert len(set(words.values())) == len(NAMES)
    assert all(f"{name:<6} {word}" in output for name, word in words.items())
    installation = Installation(data=str(empty.folder))
    with installation.app.app_context(), reading() as connection:
        for name in ("admin", "gus"):
            user = store.find_user_by_name(connection, name)
            assert user is not None
            assert password_matches(user["password_hash"], words[name])
    installation.close()


def test_it_installs_the_demo_into_an_empty_database_only(commands: Commands) -> None:
    result = commands("demo")

    assert result.exit_code == 1
    assert result.stderr == "Error: This database holds a site already. The demo needs an empty one.\n"
    assert not (commands.folder / "demo-people.txt").exists()


def test_it_keeps_the_demo_on_this_machine(empty: Commands) -> None:
    result = empty("demo", IMPRIMATUR_HOST="192.0.2.1")

    assert result.exit_code == 1
    assert "this machine only" in result.stderr
    assert not (empty.folder / "demo-people.txt").exists()


def test_it_writes_private_files(empty: Commands) -> None:
    empty.done("db", "upgrade")

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in empty.folder.iterdir()}
    assert all(not mode & 0o077 for mode in modes.values()), modes
    assert stat.S_IMODE(empty.folder.stat().st_mode) == 0o700


def test_it_lists_every_setting(commands: Commands) -> None:
    output = commands.done("settings")

    for setting in fields(Settings):
        assert any(
            line.startswith(f"IMPRIMATUR_{setting.name.upper()} ") and line.endswith(setting.metadata["meaning"])
            for line in output.splitlines()
        )


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("IMPRIMATUR_PORT", "many", "IMPRIMATUR_PORT must be a whole number."),
        ("IMPRIMATUR_DATABASE_URL", "postgresql+psycopg://nobody@127.0.0.1:1/none", "The database cannot be reached."),
    ],
)
def test_it_says_what_is_wrong_with_a_setting(commands: Commands, name: str, value: str, sentence: str) -> None:
    result = commands("user", "list", **{name: value})

    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {sentence}")


def test_it_reaps_nothing_in_a_quiet_installation(commands: Commands) -> None:
    assert commands.done("runs", "reap") == "queued again 0, expired 0\n"
