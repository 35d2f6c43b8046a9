"""Keys of the data folder from the command line."""

from __future__ import annotations

import json

from tests.cli.conftest import Commands


def names(commands: Commands) -> list[str]:
    return list(json.loads((commands.folder / "keys").read_text())["state_keys"])


def test_it_rotates_and_drops_keys(commands: Commands) -> None:
    commands.done("configuration", "list")
    assert names(commands) == ["k1"]
    said = commands.done("keys", "rotate")
    assert said.strip() == "Key k2 is in use. Sealed again 0, unreadable 0."
    assert names(commands) == ["k1", "k2"]
    assert "The earlier keys are gone." in commands.done("keys", "drop")
    assert names(commands) == ["k2"]
    assert "Key k3 is in use" in commands.done("keys", "rotate")
