"""Commands run as a person types them, each on its own copy of the demo's database."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.cli import main
from app.seed.demo import DemoSite


class Commands:
    """``commands("user", "list")`` runs a command on ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *words: str, stdin: str | None = None, **environment: str) -> Result:
        # Anything but an orderly end shows itself here instead of as exit code 1.
        return CliRunner().invoke(
            main, ["--data", str(self.folder), *words], input=stdin, env=environment, catch_exceptions=False
        )

    def done(self, *words: str, stdin: str | None = None) -> str:
        """What a command prints that ends well."""
        result = self(*words, stdin=stdin)
        assert result.exit_code == 0, result.output
        return result.stdout


@pytest.fixture(autouse=True)
def _umask() -> Iterator[None]:
    """Commands make the process write private files; the other tests go on as before."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def commands(tmp_path: Path, demo_template: tuple[Path, DemoSite]) -> Commands:
    """Commands on the demo."""
    folder = tmp_path / "data"
    folder.mkdir()
    shutil.copy(demo_template[0] / "imprimatur.db", folder / "imprimatur.db")
    return Commands(folder)


@pytest.fixture
def empty(tmp_path: Path) -> Commands:
    """Commands on a folder that does not exist yet."""
    return Commands(tmp_path / "new")
