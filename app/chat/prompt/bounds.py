"""Text of a prompt kept short and in its place: every part has a bound, and what somebody named stays a quoted name. Pure."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence

LONGEST_NAME = 120


def cut(words: str, longest: int) -> str:
    """``words``, or their first ``longest`` characters and how many there are."""
    if len(words) <= longest:
        return words
    return f"{words[:longest]} […] ({len(words)} characters, the rest was left out)"


def quoted(name: str) -> str:
    """A name people gave, as a JSON string on one line: it cannot begin a line of its own, nor leave its quotes."""
    plain = "".join(" " if unicodedata.category(sign) in {"Cc", "Cf", "Zl", "Zp"} else sign for sign in name)
    tidy = " ".join(plain.split())
    shown = tidy if len(tidy) <= LONGEST_NAME else f"{tidy[:LONGEST_NAME]}…"
    return json.dumps(shown, ensure_ascii=False)


def joined(parts: Sequence[str], *, longest: int, separator: str = ", ") -> str:
    """As many of ``parts`` in order as fit into ``longest`` characters, and how many did not."""
    kept: list[str] = []
    size = 0
    for part in parts:
        size += len(part) + len(separator)
        if size > longest:
            break
        kept.append(part)
    left = len(parts) - len(kept)
    return separator.join([*kept, f"and {left} more"] if left else kept)
