"""Finds the texts of Python modules for Babel, by the syntax tree.

Babel's own method reads tokens and takes ``text[0]`` for the beginning of a call, so that the next string of the module
becomes an entry of the catalogues.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import IO, Any

Found = tuple[int, str, str | tuple[str | None, ...] | None, list[str]]
"""Line, name of the function, its string arguments (None for other ones), comments for translators."""


def python_calls(
    source: IO[bytes], keywords: Mapping[str, Any], comment_tags: Collection[str], options: Mapping[str, Any]
) -> Iterator[Found]:
    """Calls in ``source`` of a function named in ``keywords`` or in the option of that name."""
    written = source.read()
    lines = written.decode("utf-8").splitlines()
    wanted = {*keywords, *options.get("keywords", ())}
    for call in calls(ast.parse(written), wanted):
        arguments = tuple(literal(argument) for argument in call.args)
        if not arguments or all(argument is None for argument in arguments):
            continue
        messages = arguments[0] if len(arguments) == 1 else arguments
        yield call.lineno, function_name(call), messages, _comments(lines, call.lineno, comment_tags)


def calls(tree: ast.AST, wanted: Collection[str]) -> list[ast.Call]:
    """The calls in ``tree`` of a function with one of the names ``wanted``, in reading order."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and function_name(node) in wanted]
    return sorted(found, key=lambda call: (call.lineno, call.col_offset))


def function_name(call: ast.Call) -> str:
    """Name of the function called, without what stands before a dot; empty for an expression."""
    if isinstance(call.func, ast.Name):
        return call.func.id
    return ""


def literal(node: ast.expr) -> str | None:
    """The string written at ``node``; None when it is anything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _comments(lines: Sequence[str], line: int, tags: Collection[str]) -> list[str]:
    above = lines[line - 2].strip() if line >= 2 else ""
    words = above.removeprefix("#").strip()
    return [words] if above.startswith("#") and any(words.startswith(tag) for tag in tags) else []
