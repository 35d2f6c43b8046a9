"""What the page of a configuration shows beside its form: the history of changes, and what a change would have done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import url_for
from sqlalchemy.engine import Connection

from app.accounts import store as accounts
from app.agent.configuration_changes import COMMAND, SettingsChange, list_changes
from app.agent.replay import DAYS, Effect, Example, Replay
from app.agent.tools.registry import ToolRegistry
from app.content.diff import Segment, compare
from app.core.i18n import Text, ntext, text
from app.web.configuration_words import EMPTY, SETTINGS, SettingWords, rule_words
from app.web.diff_views import shown_segment

PART = 20
"""Changes shown at once."""
EFFECTS: Mapping[Effect, Text] = {
    Effect.NEWLY_REFUSED: text("Would be refused now"),
    Effect.NEWLY_ALLOWED: text("Would not be refused any more"),
    Effect.NEWLY_SECOND_PERSON: text("Would need a second person now"),
    Effect.NO_SECOND_PERSON: text("Would need no second person any more"),
}
"""What a change may make of a past step, in the order of the page."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SettingView:
    """One setting before and after; a long text word by word."""

    name: str
    label: Text | str
    old: Text | str | None
    """None = there was no configuration before."""
    new: Text | str
    segments: tuple[Segment, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangeView:
    """One entry of the history."""

    id: int
    at: int
    who: Text | str
    is_creation: bool
    settings: tuple[SettingView, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class HistoryView:
    """A part of the history, newest first."""

    changes: tuple[ChangeView, ...]
    older_url: str | None
    is_later_part: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ExampleView:
    """A past step the change would have touched."""

    run_uuid: str
    effect: str
    effect_words: Text
    tool: Text | str
    person: str
    at: int
    rule: Text | str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class RehearsalView:
    """What the unsaved settings would have done with the steps of the last days."""

    looked_at: Text
    counts: tuple[tuple[str, Text, Text], ...]
    """Machine word, effect, how often."""
    examples: tuple[ExampleView, ...]
    notes: tuple[Text, ...]
    is_same: bool
    """Whether no step would have gone another way."""


def history_view(
    connection: Connection, registry: ToolRegistry, configuration_id: int, before_id: int | None
) -> HistoryView:
    """The newest changes, or those older than ``before_id``."""
    found = list_changes(connection, configuration_id, limit=PART + 1, before_id=before_id)
    shown = found[:PART]
    words = SettingWords.load(connection, registry, _pages_of(shown))
    names = accounts.names_of(connection, [change.user_id for change in shown])
    older = None
    if len(found) > PART:
        older = url_for(
            "configuration_forms.show", configuration_id=configuration_id, before=shown[-1].id, _anchor="changes"
        )
    return HistoryView(
        changes=tuple(_change(change, words, names) for change in shown),
        older_url=older,
        is_later_part=before_id is not None,
    )


def _pages_of(changes: Sequence[SettingsChange]) -> set[int]:
    pairs = [change.changes["branch_page"] for change in changes if "branch_page" in change.changes]
    return {uid for pair in pairs for uid in pair if isinstance(uid, int)}


def _change(change: SettingsChange, words: SettingWords, names: Mapping[int, str]) -> ChangeView:
    who = text("Command line or set-up") if change.user_id == COMMAND else names.get(change.user_id, "–")
    known = [name for name in SETTINGS if name in change.changes]
    # A setting that an older or newer version of the product knows is told by its own name.
    further = sorted(change.changes.keys() - SETTINGS.keys())
    return ChangeView(
        id=change.id,
        at=change.at,
        who=who,
        is_creation=change.is_creation,
        settings=tuple(_setting(name, *change.changes[name], words) for name in (*known, *further)),
    )


def _setting(name: str, old: Any, new: Any, words: SettingWords) -> SettingView:
    by_words = name == "prompt" and bool(old) and bool(new)
    return SettingView(
        name=name,
        label=SETTINGS.get(name, name),
        old=None if old is None else words.value(name, old),
        new=words.value(name, new) if new or name in EMPTY or isinstance(new, bool) else "–",
        segments=tuple(shown_segment(part) for part in compare(old, new)) if by_words else (),
    )


def rehearsal_view(connection: Connection, registry: ToolRegistry, replay: Replay) -> RehearsalView:
    """The answer of a rehearsal in words."""
    words = SettingWords.load(connection, registry, ())
    names = accounts.names_of(connection, [example.owner_id for example in replay.examples])
    return RehearsalView(
        looked_at=_looked_at(replay),
        counts=tuple(
            (effect.value, label, ntext("%(n)s step", "%(n)s steps", replay.counts[effect]))
            for effect, label in EFFECTS.items()
            if replay.counts.get(effect)
        ),
        examples=tuple(_example(example, words, names) for example in replay.examples),
        notes=_notes(replay),
        is_same=not any(replay.counts.get(effect) for effect in EFFECTS),
    )


def _looked_at(replay: Replay) -> Text:
    if not replay.calls:
        return text("No step of this configuration was found in the last %(days)s days.", days=DAYS)
    return ntext(
        "%(n)s step of the last %(days)s days was asked about again.",
        "%(n)s steps of the last %(days)s days were asked about again.",
        replay.calls,
        days=DAYS,
    )


def _notes(replay: Replay) -> tuple[Text, ...]:
    found = [
        text("The rights of people count as they are today."),
        text("Model, text and who may use the configuration are not part of this check."),
    ]
    if replay.is_cut:
        found.append(text("There were more steps. Only the newest ones were asked about."))
    if replay.unreadable:
        found.append(
            ntext(
                "%(n)s step cannot be read any more and was left out.",
                "%(n)s steps cannot be read any more and were left out.",
                replay.unreadable,
            )
        )
    return tuple(found)


def _example(example: Example, words: SettingWords, names: Mapping[int, str]) -> ExampleView:
    return ExampleView(
        run_uuid=example.run_uuid,
        effect=example.effect.value,
        effect_words=EFFECTS[example.effect],
        tool=words.tool(example.tool),
        person=names.get(example.owner_id, "–"),
        at=example.at,
        rule=rule_words(example.rule) if example.rule else None,
    )
