"""The files the house rules look at."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def files(folder: str, pattern: str) -> list[Path]:
    """The files below ``folder`` of this checkout that match ``pattern``, sorted."""
    return sorted(path for path in (ROOT / folder).rglob(pattern) if path.is_file() and "vendor" not in path.parts)


def name(path: Path) -> str:
    """How a failure names ``path``."""
    return path.relative_to(ROOT).as_posix()


def read(path: Path) -> str:
    """The text of ``path``."""
    return path.read_text(encoding="utf-8")


def templates() -> list[Path]:
    """All templates."""
    return files("templates", "*.html")


def modules() -> list[Path]:
    """The modules of the product without the migrations, which are written by a generator and then left alone."""
    return [path for path in files("app", "*.py") if "versions" not in path.parts]


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """All functions and methods in ``tree``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
