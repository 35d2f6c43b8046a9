"""What a message asks for: intents, and the references to records inside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Table = Literal["pages", "content_elements", "files"]
ReferenceKind = Literal["title", "number", "last", "new", "old", "result", "older", "unknown"]
IntentKind = Literal[
    "help", "greet", "thanks", "languages", "tree", "show", "find", "copy", "translate", "metadata", "element", "hide",
    "unhide", "delete", "create_page", "add_text", "move", "redirect", "alternative", "attach", "undelete", "unsupported",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Reference:
    """A record as a person names it.

    `title`, `number`: named. `last` (it), `new` (the copy), `old` (the old one): words that point elsewhere; binding
    turns them into a named one, `result` (what intent `index` makes), `older` (an older page of `base`'s title)
    or `unknown`. `language` is a language code when the person named one ("the German page").
    """

    kind: ReferenceKind
    table: Table = "pages"
    title: str = ""
    number: int = 0
    language: str | None = None
    index: int = 0
    base: Reference | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Intent:
    """One thing asked for. `field` is the field a `metadata` or `element` intent writes `text` into; of a `move` it is
    `after` when `target` is the record to stand right after. `text` of a `redirect` is the address; `temporary`: for a
    while only.
    """

    kind: IntentKind
    subject: Reference | None = None
    target: Reference | None = None
    text: str | None = None
    heading: str | None = None
    field: str = ""
    language: str | None = None
    subpages: bool = False
    temporary: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Parsed:
    """What a message says: its intents in order, the parts not understood, the parts that say what not to do.

    `language` is `en`, `de` or None when no word tells. `negation_leads` is true when a part that says what not to do
    comes before a request, so that its reach is unclear. `gap` is the number of intents before the first part not
    understood, or None.
    """

    intents: tuple[Intent, ...] = ()
    unclear: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    language: str | None = None
    negation_leads: bool = False
    gap: int | None = None


WRITES: frozenset[IntentKind] = frozenset(
    {
        "copy",
        "translate",
        "metadata",
        "element",
        "hide",
        "unhide",
        "delete",
        "create_page",
        "add_text",
        "move",
        "redirect",
        "alternative",
        "attach",
        "undelete",
    }
)
MAKES_PAGE: frozenset[IntentKind] = frozenset({"copy", "create_page"})
