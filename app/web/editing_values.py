"""The frozen values the templates of forms and confirmations receive; everything in them was judged before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wtforms import Field

from app.chat.view_models import Words
from app.content.diff import Segment
from app.core.i18n import Text
from app.web.content_values import RecordLinkView, ValueView


@dataclass(frozen=True, kw_only=True, slots=True)
class CommandView:
    """A command for a record as a link to its page."""

    name: str
    label: Text
    url: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ControlView:
    """One field of a form."""

    name: str
    control: Field
    hint: Text | None
    is_short: bool
    is_text: bool
    """Whether it holds words in the language of the record."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordFormView:
    """The form of a record, filled."""

    action: str
    controls: tuple[ControlView, ...]
    problems: tuple[tuple[str, Any], ...]
    hidden: tuple[tuple[str, str], ...]
    language: str | None
    """Code of the language its texts are in."""
    places: tuple[tuple[str, Text], ...] = ()
    """Where a new record may stand among its neighbours; the first one is chosen."""
    place: str = ""
    languages: tuple[tuple[int, Words], ...] = ()
    """Languages a new record may be in."""
    language_id: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class ClashView:
    """A field that is saved otherwise than it was typed."""

    name: str
    label: Text
    saved: Words
    typed: Words
    segments: tuple[Segment, ...]
    """Text word by word from the saved one to the typed one; empty for values that are no text."""
    has_saved: bool
    has_typed: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ConflictView:
    """Somebody saved while the form was open."""

    heading: Text
    at: int
    clashes: tuple[ClashView, ...]
    theirs: tuple[ValueView, ...]
    """Fields only the other person changed: they keep what is saved."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EditPageView:
    """The page of a record: facts, commands, and the form or the values."""

    record: RecordLinkView
    workspace: Text
    page_url: str | None
    history_url: str
    commands: tuple[CommandView, ...]
    translations: tuple[RecordLinkView, ...]
    values: tuple[ValueView, ...]
    """Fields that are not in the form."""
    form: RecordFormView | None
    previews: tuple[ValueView, ...] = ()
    """Saved Markdown of the form, as it reads."""
    why_not: Text | None = None
    """Why there is no form."""
    conflict: ConflictView | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class NewPageView:
    """The form of a record that does not exist yet."""

    heading: Text
    workspace: Text
    place: Text
    back_url: str
    form: RecordFormView


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """One of some choices."""

    value: str
    label: Words
    hint: Words = ""
    is_chosen: bool = False
    level: int = 1
    """Depth in a tree."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfirmView:
    """What a command would do, and the form that gives it."""

    heading: Text
    record: RecordLinkView | None
    workspace: Text
    consequences: tuple[Text, ...]
    action: str
    button: Text
    back_url: str
    hidden: tuple[tuple[str, str], ...] = ()
    is_danger: bool = False
    problem: Text | None = None
    choices: tuple[Choice, ...] = ()
    """Radio buttons."""
    choices_name: str = ""
    choices_label: Text | None = None
    box: Choice | None = None
    """A check box below them; its ``value`` is its name."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TargetView:
    """A search for a page to move or copy to: a form of its own that only asks. The choices belong to the command's form."""

    action: str
    query: str
    choices: tuple[Choice, ...]
    button: Text
    found: bool = True
    """Whether the search found a page."""
    more: bool = False
