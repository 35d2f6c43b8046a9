"""What a conversation's configuration demands of its first message, said before anything is typed.

A pure function: the caller reads the configuration, the person and the title of the page, and nothing is recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from app.agent.configurations import ConfigurationView, may_use_configuration
from app.agent.tools.base import Tool
from app.agent.tools.words import GROUP_WORDS
from app.core.i18n import Text, ntext, text
from app.policy.identity import LIVE, Identity

MOST_ITEMS = 8
"""Tools that are named; the configuration's own page names the rest."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StartNote:
    """One thing to know."""

    name: str
    """Machine word: ``unusable``, ``draft``, ``second``, ``branch``, ``groups``, ``excluded`` or ``budget``."""
    sentence: Text
    items: tuple[Text | str, ...] = ()
    """What the sentence ends in a colon for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DraftChoice:
    """A draft workspace the person may switch to."""

    id: int
    title: str


@dataclass(frozen=True, kw_only=True, slots=True)
class StartView:
    """The notes, and the way out where there is one."""

    notes: tuple[StartNote, ...]
    drafts: tuple[DraftChoice, ...] = ()
    """Where steps would not be refused; empty = no draft is required, the person is in one, or has none."""


def start_view(
    configuration: ConfigurationView | None,
    identity: Identity,
    tools: Iterable[Tool],
    branch_title: str | None,
    left: int | None = None,
) -> StartView | None:
    """What ``configuration`` demands of ``identity`` where they stand now; None = nothing worth a word.

    ``tools`` are those of the installation. ``branch_title`` is the title of the configuration's page, None for people who
    may not see it: then the page is not named (I21). ``left`` is how many requests to the model the day's budgets leave,
    None = no limit.
    """
    if configuration is None or not may_use_configuration(identity, configuration):
        return StartView(notes=(UNUSABLE,))
    needs_draft = configuration.requires_draft_workspace and not identity.workspace_id
    drafts = _drafts(identity) if needs_draft else ()
    notes: list[StartNote] = []
    if needs_draft:
        notes.append(StartNote(name="draft", sentence=_draft_sentence(identity, has_drafts=bool(drafts))))
    notes.extend(_limits(configuration, branch_title))
    notes.extend(_tools(configuration, tools))
    if left is not None:
        notes.append(StartNote(name="budget", sentence=_budget_sentence(left)))
    return StartView(notes=tuple(notes), drafts=drafts) if notes else None


UNUSABLE = StartNote(
    name="unusable",
    sentence=text("The configuration of this conversation is not available to you. Start a new conversation."),
)


def _drafts(identity: Identity) -> tuple[DraftChoice, ...]:
    titles = identity.workspaces
    return tuple(
        DraftChoice(id=number, title=titles[number])
        for number in sorted(titles, key=lambda number: (titles[number].casefold(), number))
        if number != LIVE and identity.may_use_workspace(number)
    )


def _draft_sentence(identity: Identity, *, has_drafts: bool) -> Text:
    if not has_drafts:
        return text(
            "The configuration requires a draft workspace, and none is available to you. Steps that write will be refused."
        )
    if identity.workspace_id is None:
        return text(
            "The configuration requires a draft workspace, and yours is not available any more. Choose another one."
        )
    return text("The configuration requires a draft workspace, and you work live. Steps that write will be refused.")


def _budget_sentence(left: int) -> Text:
    if left <= 0:
        return text("The budget of today is used up. The AI assistant can answer again after midnight (UTC).")
    return ntext(
        "The budget of today leaves %(n)s request to the AI model.",
        "The budget of today leaves %(n)s requests to the AI model.",
        left,
    )


def _limits(configuration: ConfigurationView, branch_title: str | None) -> Iterator[StartNote]:
    if configuration.requires_second_approver:
        yield StartNote(name="second", sentence=text("A second person has to approve every step that writes."))
    if configuration.branch_page and branch_title:
        sentence = text("Changes are possible only on the page “%(page)s” and below it.", page=branch_title)
        yield StartNote(name="branch", sentence=sentence)
    elif configuration.branch_page:
        yield StartNote(name="branch", sentence=text("Changes are possible in one part of the page tree only."))


def _tools(configuration: ConfigurationView, tools: Iterable[Tool]) -> Iterator[StartNote]:
    groups = configuration.tool_groups
    if groups:
        items = tuple(GROUP_WORDS.get(group) or group for group in groups)
        yield StartNote(name="groups", sentence=text("The AI assistant has tools of these groups only:"), items=items)
    excluded = [
        tool.label
        for tool in tools
        if tool.facts.name in configuration.excluded_tools and (not groups or tool.facts.group in groups)
    ]
    if excluded:
        shown: tuple[Text | str, ...] = tuple(excluded[:MOST_ITEMS])
        if len(excluded) > MOST_ITEMS:
            shown = (*shown, text("further tools"))
        yield StartNote(name="excluded", sentence=text("The AI assistant cannot use these tools here:"), items=shown)
