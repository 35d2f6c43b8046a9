"""The styles as one file: what ``css/app.css`` imports, joined once per process, so that a browser asks once (perf.md B1).

The files stay small and the index stays plain CSS: served as they lie, for example by a proxy, they look the same.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Final

INDEX: Final = "css/app.css"
_COMMENT = r"/\*(?:[^*]|\*(?!/))*\*/"
_IMPORT = re.compile(
    rf"""{_COMMENT}|@import\s+url\("(?P<name>[a-z0-9][a-z0-9/._-]*)"\)\s+layer\((?P<layer>[a-z-]+)\);""",
    flags=re.DOTALL,
)
_LEFT = re.compile(rf"{_COMMENT}|(?P<rule>@import|@charset|@namespace|url\()", flags=re.DOTALL)


class NotJoinable(ValueError):
    """A style sheet holds what would mean something else inside another file; the message names file and rule."""


@lru_cache(maxsize=4)
def joined(index: Path) -> bytes:
    """The style sheet ``index`` with every ``@import url("…") layer(…);`` replaced by that layer with the file's rules.

    Layers make the order of rules independent of the place in the file, so nothing else changes. Raises ``NotJoinable`` for
    another form of import, for ``url()`` (it counts from its own file) and for rules that must come first; ``OSError`` for a
    file that is missing.
    """
    return _join(index).encode()


def _join(path: Path) -> str:
    def layer(found: re.Match[str]) -> str:
        if found["name"] is None:
            return found.group()
        return f"@layer {found['layer']} {{\n{_join(path.parent / found['name'])}}}\n"

    words = path.read_text(encoding="utf-8")
    left = _IMPORT.sub("", words)
    for found in _LEFT.finditer(left):
        if found["rule"] is not None:
            msg = f"{path.name}: {found['rule']}"
            raise NotJoinable(msg)
    return _IMPORT.sub(layer, words)
