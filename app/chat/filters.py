"""What the list of changes offers above its records: filters, what is listed by action, and what needs a check.

Pure, and only about records the viewer may see: what is withheld is neither filtered nor told apart (CH-18), and its number stays
the same under every filter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.chat.facts import ACTIONS, WordsOf, language_name, workspace_words
from app.chat.folding import FoldedRecord
from app.chat.view_models import ChoiceView, FilterView, OverviewView, TotalView, Words
from app.content.access import Readable
from app.core.i18n import Text, nptext, ntext

Shown = tuple[FoldedRecord, Readable]
Languages = Mapping[int, tuple[str, str]]
NO_DETAILS = "undetailed"
"""The total of records whose action is not known because the run was recorded without details."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Filters:
    """What somebody asked the list for; the values are the machine words of the facts."""

    action: str = ""
    workspace_id: int | None = None
    language: str = ""
    needs_check: bool = False

    @property
    def is_set(self) -> bool:
        """Whether anything is left out because of them."""
        return bool(self.action or self.language or self.needs_check) or self.workspace_id is not None


NO_FILTERS = Filters()
"""The list as it is."""


def matching(shown: Sequence[Shown], filters: Filters, languages: Languages) -> Sequence[Shown]:
    """Those of ``shown`` that ``filters`` ask for, in the same order; to be cut afterwards (CH-28)."""
    if not filters.is_set:
        return shown
    return [(record, found) for record, found in shown if _matches(record, filters, languages)]


def needs_check(record: FoldedRecord) -> bool:
    """Whether a step failed after writing it, or did not finish writing it (CH-06 to CH-08)."""
    return record.step_failed or record.is_partial


def overview(shown: Sequence[Shown], listed: Sequence[Shown], filters: Filters, words: WordsOf) -> OverviewView:
    """What stands above the list: ``shown`` is what the viewer may see, ``listed`` what of it is on the page."""
    to_check = sum(1 for record, _ in shown if needs_check(record))
    return OverviewView(
        totals=_totals(listed),
        to_check=to_check,
        check=ntext("%(n)s record needs a check.", "%(n)s records need a check.", to_check) if to_check else None,
        filters=_filter_view(shown, filters, words, has_checks=to_check > 0),
    )


def _matches(record: FoldedRecord, filters: Filters, languages: Languages) -> bool:
    if filters.needs_check and not needs_check(record):
        return False
    if filters.action and not (record.has_details and record.action == filters.action):
        return False
    if filters.workspace_id is not None and record.workspace_id != filters.workspace_id:
        return False
    return not filters.language or _language(record, languages) == filters.language


def _language(record: FoldedRecord, languages: Languages) -> str:
    if record.language_id is None:
        return ""
    return "-1" if record.language_id == -1 else languages.get(record.language_id, (str(record.language_id), ""))[0]


def _totals(listed: Sequence[Shown]) -> tuple[TotalView, ...]:
    counted = Counter(record.action if record.has_details else NO_DETAILS for record, _ in listed)
    return tuple(
        TotalView(name=name, count=counted[name], label=_total(name, counted[name]))
        for name in (*ACTIONS, NO_DETAILS)
        if counted[name]
    )


def _total(name: str, count: int) -> Text:
    match name:
        case "created":
            return nptext("total", "%(n)s created", "%(n)s created", count)
        case "updated":
            return nptext("total", "%(n)s changed", "%(n)s changed", count)
        case "moved":
            return nptext("total", "%(n)s moved", "%(n)s moved", count)
        case "deleted":
            return nptext("total", "%(n)s deleted", "%(n)s deleted", count)
        case "unknown":
            return nptext("total", "%(n)s without a recorded action", "%(n)s without a recorded action", count)
        case _:
            return nptext("total", "%(n)s recorded without details", "%(n)s recorded without details", count)


def _filter_view(shown: Sequence[Shown], filters: Filters, words: WordsOf, *, has_checks: bool) -> FilterView:
    actions = {record.action for record, _ in shown if record.has_details}
    workspaces = {record.workspace_id for record, _ in shown if record.workspace_id is not None}
    languages = {record.language_id for record, _ in shown if record.language_id is not None}
    named = (language_name(language, words) for language in sorted(languages))
    view = FilterView(
        actions=_choices([(name, label) for name, label in ACTIONS.items() if name in actions], filters.action),
        workspaces=_choices(
            [(str(number), workspace_words(number, words.identity)) for number in sorted(workspaces)],
            "" if filters.workspace_id is None else str(filters.workspace_id),
        ),
        languages=_choices(
            [(code, name if isinstance(name, Text) else str(name)) for code, name in named], filters.language
        ),
        offers_check=has_checks or filters.needs_check,
        needs_check=filters.needs_check,
        is_set=filters.is_set,
    )
    can_choose = any(len(choices) > 1 for choices in (view.actions, view.workspaces, view.languages))
    return replace(view, is_offered=filters.is_set or can_choose or view.offers_check)


def _choices(offered: Sequence[tuple[str, Words]], chosen: str) -> tuple[ChoiceView, ...]:
    return tuple(ChoiceView(value=value, label=label, is_chosen=value == chosen) for value, label in offered)
