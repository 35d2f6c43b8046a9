"""Rules about Python modules that no linter knows."""

from __future__ import annotations

import ast

import pytest

from tests.house.sources import modules, name, read

MARKUP_MODULE = "app/web/markdown.py"
"""The one module that may call a string safe HTML: there it has just been cleaned."""

_BANNED_NAMES = ("Manager", "Helper", "Util", "Handler", "Data")


def markup_uses(source: str) -> list[int]:
    """Lines that import or call ``Markup``."""
    found = []
    for node in ast.walk(ast.parse(source)):
        imported = isinstance(node, ast.ImportFrom) and any(alias.name == "Markup" for alias in node.names)
        used = isinstance(node, ast.Name) and node.id == "Markup"
        reached = isinstance(node, ast.Attribute) and node.attr == "Markup"
        if imported or used or reached:
            found.append(getattr(node, "lineno", 0))
    return sorted(set(found))


def empty_names(source: str) -> list[str]:
    """Classes whose name ends in a word that says nothing."""
    classes = [node.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef)]
    return [found for found in classes if found.rstrip("s").endswith(_BANNED_NAMES)]


def undocumented(source: str) -> bool:
    """Whether a module with code lacks the sentence that says what lives in it."""
    tree = ast.parse(source)
    return bool(tree.body) and ast.get_docstring(tree) is None


def test_it_marks_html_as_safe_in_one_module() -> None:
    found = {name(path): lines for path in modules() if (lines := markup_uses(read(path)))}
    found.pop(MARKUP_MODULE, None)
    assert not found, f"text called safe anywhere can carry a script; only {MARKUP_MODULE} may, after cleaning: {found}"


def test_it_names_classes_for_what_they_are() -> None:
    found = {name(path): names for path in modules() if (names := empty_names(read(path)))}
    assert not found, f"Manager, Helper, Util, Handler and Data fit everything and tell nothing: {found}"


def test_it_says_at_the_top_what_lives_in_a_module() -> None:
    found = [name(path) for path in modules() if undocumented(read(path))]
    assert not found, f"the first sentence of a module is where a newcomer starts; these have none: {found}"


@pytest.mark.parametrize(
    "source",
    [
        "from markupsafe import Markup",
        "import markupsafe\nx = markupsafe.Markup('')",
        "def f(Markup): return Markup('')",
    ],
)
def test_it_notices_markup(source: str) -> None:
    assert markup_uses(source)


def test_it_notices_an_empty_name_and_a_missing_docstring() -> None:
    assert empty_names("class RunManager: ...\nclass Runs: ...\nclass PathUtils: ...") == ["RunManager", "PathUtils"]
    assert undocumented("x = 1")
    assert not undocumented("")
