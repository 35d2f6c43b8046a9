"""Packages as Python's metadata sees installed ones, and commands of the product that run where they are installed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"
COMMAND = "from app.cli import main; main()"


def install(folder: Path, name: str, description: Mapping[str, Any]) -> None:
    """Put the name and the entry points of a ``pyproject.toml`` where an installer would."""
    points: Mapping[str, Mapping[str, str]] = description["project"]["entry-points"]
    info = folder / f"{name.replace('-', '_')}-1.0.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0.0\n")
    groups = [
        "\n".join([f"[{group}]", *(f"{key} = {value}" for key, value in own.items())]) for group, own in points.items()
    ]
    (info / "entry_points.txt").write_text("\n\n".join([*groups, ""]))


def run(folders: Sequence[Path], *command: str, data: Path) -> subprocess.CompletedProcess[str]:
    """A Python process of the product that can import the packages of ``folders``."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    path = os.pathsep.join(map(str, [*folders, ROOT]))
    return subprocess.run(  # noqa: S603
        [sys.executable, *command],
        cwd=ROOT,
        env={**kept, "PYTHONPATH": path, "IMPRIMATUR_DATA": str(data)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
