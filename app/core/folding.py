"""One way to fold text for searching, the same in Python, SQLite and PostgreSQL (reliability.md B52).

NFC, then lower case, then two letters with twins: sharp s counts as double s, a final sigma as a sigma.
"""

from __future__ import annotations

import unicodedata
from typing import Any

from sqlalchemy import String
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import GenericFunction

_TWINS = (("ß", "ss"), ("\u03c2", "\u03c3"))


def fold(words: str | None) -> str | None:
    """``words`` as searching compares them; None stays None. Installed as the SQL function ``fold`` on SQLite."""
    if words is None:
        return None
    folded = unicodedata.normalize("NFC", words).lower()
    for letter, twin in _TWINS:
        folded = folded.replace(letter, twin)
    return folded


class folded(GenericFunction[str]):  # noqa: N801  it is a function of SQL
    """``folded(column)``: the column as ``fold`` would give it."""

    type = String()
    inherit_cache = True
    name = "fold"


@compiles(folded, "postgresql")
def _fold_postgresql(element: Any, compiler: Any, **kw: Any) -> str:
    words = compiler.process(element.clauses, **kw)
    expression = f'lower(normalize({words}, NFC) COLLATE "und-x-icu")'
    for letter, twin in _TWINS:
        expression = f"replace({expression}, '{letter}', '{twin}')"
    return f'({expression} COLLATE "C")'
