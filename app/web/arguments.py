"""Numbers in query and form, in ASCII digits and bounds: ``1_0``, ``+5``, ``²`` are none (reliability.md B3)."""

from __future__ import annotations

import re

from flask import request
from werkzeug.exceptions import UnprocessableEntity

from app.web.addresses import LARGEST_ID

_NUMBER = re.compile(r"0|[1-9][0-9]{0,15}")
LONGEST_SEARCH = 500


def parse_number(words: str) -> int | None:
    """A whole number from 0 to 2**53, or None."""
    return int(words) if _NUMBER.fullmatch(words) and int(words) <= LARGEST_ID else None


def optional_number(name: str) -> int | None:
    """A number of the query; None when it is not given. Something else than a number is a 422."""
    given = request.args.get(name)
    if given is None or given == "":
        return None
    found = parse_number(given)
    if found is None:
        raise UnprocessableEntity
    return found


def required_number(name: str) -> int:
    """A number of the form. Anything else is a 422."""
    found = parse_number(request.form.get(name, ""))
    if found is None:
        raise UnprocessableEntity
    return found


def search_words() -> str:
    """What somebody searches for."""
    return " ".join(request.args.get("q", "").split())[:LONGEST_SEARCH]
