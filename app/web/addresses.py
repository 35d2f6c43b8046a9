"""Typed parts of addresses, and which addresses may follow a form (reliability.md B1, B2, B15)."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote, urlsplit

from flask import Flask, request
from werkzeug.routing import BaseConverter, ValidationError

from app.content.schema import REGISTRY

LARGEST_ID = 2**53
LONGEST_PATH = 2_000
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")


class IdConverter(BaseConverter):
    """A number from 1 to 2**53 in ASCII digits without leading zeros; anything else is no such page."""

    regex = "[1-9][0-9]{0,15}"

    def to_python(self, value: str) -> int:
        number = int(value)
        if number > LARGEST_ID:
            raise ValidationError
        return number

    def to_url(self, value: Any) -> str:
        return str(int(value))


class UuidConverter(BaseConverter):
    """A UUID in lower case, as text."""

    regex = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


class TokenConverter(BaseConverter):
    """The secret part of a one-time link."""

    regex = "[A-Za-z0-9_-]{20,120}"


class TableConverter(BaseConverter):
    """A record table of the registry."""

    regex = "|".join(sorted(REGISTRY))


def install(app: Flask) -> None:
    """Make the converters known."""
    app.url_map.converters.update(id=IdConverter, uuid=UuidConverter, token=TokenConverter, table=TableConverter)


def own_path(target: str | None) -> str | None:
    """``target`` when it is a path of this site and nothing else, or None (B15)."""
    if not target or len(target) > LONGEST_PATH or not target.startswith("/") or target.startswith("//"):
        return None
    if _UNSAFE.search(target) or _UNSAFE.search(unquote(urlsplit(target).path)) or unquote(target).startswith("//"):
        return None
    address = urlsplit(target)
    return None if address.scheme or address.netloc else target


def page_before(fallback: str) -> str:
    """Where the person came from: the field ``next``, else the page that sent the form, else ``fallback``."""
    wanted = own_path(request.form.get("next") or request.args.get("next"))
    if wanted:
        return wanted
    sender = urlsplit(request.referrer or "")
    if sender.netloc != request.host:
        return fallback
    query = f"?{sender.query}" if sender.query else ""
    return own_path(f"{sender.path}{query}") or fallback
