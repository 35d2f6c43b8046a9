"""Sizes: what does not fit on a screen is not read."""

from __future__ import annotations

import ast

from tests.house.sources import functions, modules, name, read, templates

MODULE_LINES = 300
FUNCTION_LINES = 40
TEMPLATE_LINES = 120


def long_functions(source: str) -> list[str]:
    """Functions with more than ``FUNCTION_LINES`` lines below their docstring."""
    found = []
    for function in functions(ast.parse(source)):
        body = function.body
        documented = ast.get_docstring(function, clean=False) is not None
        first = body[1].lineno if documented and len(body) > 1 else function.lineno
        lines = (function.end_lineno or first) - first + 1
        if lines > FUNCTION_LINES:
            found.append(f"{function.name} ({lines} lines)")
    return found


def test_it_keeps_modules_short() -> None:
    long = {name(path): count for path in modules() if (count := len(read(path).splitlines())) > MODULE_LINES}
    assert not long, f"more than {MODULE_LINES} lines are more than one subject; split by use: {long}"


def test_it_keeps_functions_short() -> None:
    long = {name(path): found for path in modules() if (found := long_functions(read(path)))}
    assert not long, f"more than {FUNCTION_LINES} lines hide a second step; name it and take it out: {long}"


def test_it_keeps_templates_short() -> None:
    long = {name(path): count for path in templates() if (count := len(read(path).splitlines())) > TEMPLATE_LINES}
    assert not long, f"more than {TEMPLATE_LINES} lines; a part with a name becomes a partial or a component: {long}"


def test_it_notices_a_long_function() -> None:
    body = "\n".join(["    x = 1"] * FUNCTION_LINES)
    assert long_functions(f"def short():\n{body[: -len('    x = 1')]}") == []
    assert long_functions(f"def long():\n{body}\n") == [f"long ({FUNCTION_LINES + 1} lines)"]
