"""Facts of a record in words: one badge per fact, in a fixed order (CH-11 to CH-13, a11y.md CL-2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.chat.view_models import FactView
from app.core.i18n import Param, Text, ptext, text
from app.core.moments import Moment, iso_utc
from app.policy.identity import LIVE, Identity

ACTIONS: Mapping[str, Text] = {
    "created": ptext("record", "created"),
    "updated": ptext("record", "changed"),
    "moved": ptext("record", "moved"),
    "deleted": ptext("record", "deleted"),
    "unknown": text("action not recorded"),
}
_TONES: Mapping[str, str] = {
    "created": "ok",
    "updated": "info",
    "moved": "info",
    "deleted": "warn",
    "unknown": "neutral",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class WordsOf:
    """What the words of facts need to know of the site and the reader."""

    identity: Identity
    languages: Mapping[int, tuple[str, str]]
    """Language id -> (code, title in English)."""
    group_titles: Mapping[int, str] = field(default_factory=dict)
    """Titles of visitor groups this reader may see."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """The facts of one record as observed or rehearsed."""

    action: str
    workspace_id: int | None
    language_id: int | None = None
    hidden: bool | None = None
    starttime: int = 0
    endtime: int = 0
    groups: Sequence[int] = ()
    is_target: bool | None = None
    """None = not said (recorded without details)."""
    step_failed: bool = False
    is_partial: bool = False
    has_details: bool = True
    published_since: bool = False


def fact_views(facts: Facts, words: WordsOf) -> tuple[FactView, ...]:
    """The badges of a record in their fixed order; an absent fact has none."""
    found: list[FactView] = []
    if facts.has_details:
        found.append(
            FactView(name="action", value=facts.action, label=ACTIONS[facts.action], tone=_TONES[facts.action])
        )
    if facts.workspace_id is not None:
        found.append(_workspace(facts.workspace_id, words.identity))
    if facts.language_id is not None:
        found.append(_language(facts.language_id, words))
    if facts.hidden is not None:
        label = ptext("record", "hidden") if facts.hidden else ptext("record", "not hidden")
        found.append(FactView(name="hidden", value=facts.hidden, label=label))
    found.extend(_restrictions(facts, words))
    if facts.is_target is not None and facts.has_details:
        found.append(_role(is_target=facts.is_target))
    found.extend(_warnings(facts))
    return tuple(found)


def workspace_words(workspace_id: int, identity: Identity) -> Text:
    """ "Workspace: Draft “Relaunch”", or its number when the title is not for this reader (CH-13)."""
    if workspace_id == LIVE:
        return text("Workspace: Live")
    title = identity.workspaces.get(workspace_id)
    if title is None:
        return text("Workspace no. %(id)s (title not visible to you)", id=str(workspace_id))
    return text("Workspace: Draft “%(title)s”", title=title)


def _workspace(workspace_id: int, identity: Identity) -> FactView:
    tone = "warn" if workspace_id == LIVE else "info"
    return FactView(name="workspace", value=workspace_id, label=workspace_words(workspace_id, identity), tone=tone)


def language_name(language_id: int, words: WordsOf) -> tuple[str, Param]:
    """Code and name of a language; the name is a text of the catalogue where there is one."""
    if language_id == -1:
        return "-1", text("any language")
    code, title = words.languages.get(language_id, (str(language_id), str(language_id)))
    return code, LANGUAGE_NAMES.get(code, title)


LANGUAGE_NAMES: Mapping[str, Text] = {
    "en": ptext("language", "English"),
    "de": ptext("language", "German"),
    "fr": ptext("language", "French"),
    "es": ptext("language", "Spanish"),
    "it": ptext("language", "Italian"),
    "nl": ptext("language", "Dutch"),
    "pl": ptext("language", "Polish"),
}


def _language(language_id: int, words: WordsOf) -> FactView:
    code, name = language_name(language_id, words)
    return FactView(name="language", value=code, label=text("Language: %(language)s", language=name))


def _restrictions(facts: Facts, words: WordsOf) -> list[FactView]:
    found = []
    if facts.starttime:
        label = text("Time limit: from %(date)s", date=Moment(seconds=facts.starttime))
        found.append(FactView(name="from", value=iso_utc(facts.starttime), label=label))
    if facts.endtime:
        label = text("Time limit: until %(date)s", date=Moment(seconds=facts.endtime))
        found.append(FactView(name="until", value=iso_utc(facts.endtime), label=label))
    if facts.groups:
        names = [words.group_titles[group] for group in facts.groups if group in words.group_titles]
        label = (
            text("Limited to user groups: %(names)s", names=", ".join(names))
            if names
            else text("Limited to user groups")
        )
        found.append(FactView(name="groups", value=names, label=label))
    return found


def _role(*, is_target: bool) -> FactView:
    if is_target:
        return FactView(name="role", value="target", label=text("target of the step"))
    return FactView(name="role", value="along", label=text("changed along with it"))


def _warnings(facts: Facts) -> list[FactView]:
    found = []
    if facts.step_failed:
        label = text("Step failed after writing: check this record")
        found.append(FactView(name="failed", value=True, label=label, tone="err"))
    if facts.is_partial:
        found.append(FactView(name="partial", value=True, label=text("Write not finished"), tone="err"))
    if not facts.has_details:
        found.append(FactView(name="undetailed", value=True, label=text("Recorded without details")))
    if facts.published_since:
        found.append(FactView(name="since", value="published", label=text("published since")))
    return found
