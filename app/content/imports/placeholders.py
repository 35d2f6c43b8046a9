"""Placeholders of the reading half become links to records: ``page:<key>`` to ``page:UID``, ``image:<path>`` to ``file:UID``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import unquote

_TARGET = re.compile(
    r"(?P<lead>\]\([ \t]*<?|^[ ]{0,3}\[[^\[\]\n]+\]:[ \t]*<?)(?P<scheme>page|image):(?P<name>[^\s<>()#]*)", re.MULTILINE
)


def resolve(body: str, pages: Mapping[str, int], files: Mapping[str, int]) -> str:
    """``body`` with its link targets led to records.

    ``pages`` are uids by page key, ``files`` uids by image path. A placeholder without its record stays as it is: the next
    import writes the text again as soon as the record exists.
    """

    def target(match: re.Match[str]) -> str:
        is_page = match["scheme"] == "page"
        uid = (pages if is_page else files).get(unquote(match["name"]))
        return match[0] if uid is None else f"{match['lead']}{'page' if is_page else 'file'}:{uid}"

    return _TARGET.sub(target, body)
