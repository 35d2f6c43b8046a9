"""The head of a Markdown file: YAML between ``---`` or TOML between ``+++``, read with safe loaders only."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

import frontmatter
import yaml
from frontmatter.default_handlers import BaseHandler, YAMLHandler

from app.content.imports.markdown.files import BrokenFile
from app.core.i18n import text

_OPENING = re.compile(r"(?P<mark>-{3}|\+{3})[ \t]*(?:\n|\Z)")
_MAX_WEIGHT = 2**31 - 1


class _Toml(BaseHandler):
    """TOML through the standard library; the handler of the package needs a further dependency."""

    FM_BOUNDARY = re.compile(r"^\+{3}[ \t]*$", re.MULTILINE)

    def load(self, fm: str) -> dict[str, object]:
        """The table in ``fm``."""
        return tomllib.loads(fm)


class _Yaml(YAMLHandler):
    """YAML with exactly three dashes, so that a ruler of the body is no boundary."""

    FM_BOUNDARY = re.compile(r"^-{3}[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class FrontMatter:
    """The fields we know. ``date`` is in epoch seconds UTC; ``url`` and ``aliases`` are addresses as written."""

    title: str = ""
    description: str = ""
    weight: int | None = None
    date: int | None = None
    draft: bool = False
    hidden: bool = False
    tags: tuple[str, ...] = ()
    url: str = ""
    aliases: tuple[str, ...] = ()
    slug: str = ""


def split_front_matter(source: str) -> tuple[FrontMatter, str]:
    """The known fields and the body of ``source``; a file without a head has empty fields.

    Raises ``BrokenFile`` when the head is not closed or not valid.
    """
    opening = _OPENING.match(source.lstrip())
    if opening is None:
        return FrontMatter(), source
    handler = _Toml() if opening["mark"] == "+++" else _Yaml()
    try:
        if len(handler.FM_BOUNDARY.split(source.lstrip(), 2)) < 3:
            raise BrokenFile(text("Its front matter is not closed."))
        meta, body = frontmatter.parse(source, handler=handler)
    except (yaml.YAMLError, ValueError, TypeError, RecursionError, OverflowError) as error:
        raise BrokenFile(text("Its front matter is not valid.")) from error
    return _known_fields(meta), body


def _known_fields(meta: Mapping[object, object] | dict[str, object]) -> FrontMatter:
    fields: dict[str, object] = {str(name).lower(): value for name, value in meta.items() if isinstance(name, str)}
    return FrontMatter(
        title=_line(fields.get("title")),
        description=_line(fields.get("description")),
        weight=_weight(fields.get("weight")),
        date=_epoch(fields.get("date")),
        draft=_flag(fields.get("draft")),
        hidden=_flag(fields.get("hidden")),
        tags=_lines(fields.get("tags")),
        url=_line(fields.get("url")),
        aliases=_lines(fields.get("aliases")),
        slug=_line(fields.get("slug")),
    )


def _line(value: object) -> str:
    """One line of text from a scalar; lists and tables count as absent: with YAML aliases their text can explode."""
    if value is None or not isinstance(value, str | int | float | date | time):
        return ""
    line = " ".join(str(value).split())
    if "\0" in line or any("\ud800" <= sign <= "\udfff" for sign in line):
        raise BrokenFile(text("It has characters that are not text."))
    return line


def _lines(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value]
    return tuple(line for line in map(_line, items) if line)


def _flag(value: object) -> bool:
    return value is True or (isinstance(value, str) and value.strip().lower() in {"true", "yes"})


def _weight(value: object) -> int | None:
    """Hugo's rule: 0 means no weight, and pages without one come last."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    if not math.isfinite(number) or int(number) == 0:
        return None
    return max(-_MAX_WEIGHT, min(_MAX_WEIGHT, int(number)))


def _epoch(value: object) -> int | None:
    """A date or time as epoch seconds; without a zone it is UTC; what is no date counts as absent."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time.min)
    if not isinstance(value, datetime):
        return None
    moment = value if value.tzinfo else value.replace(tzinfo=UTC)
    try:
        return int(moment.timestamp())
    except (ValueError, OverflowError):
        return None
