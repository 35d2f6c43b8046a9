"""The steps of an approval card: what each call would change, filtered for the viewer before anything is worded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy.engine import Connection

from app.agent.types import CallState, Preview, PreviewKind, RecordPreview
from app.chat.card_fields import field_views
from app.chat.card_lookups import FileUids, Titles, find_file_uids, find_titles, move_words
from app.chat.facts import ACTIONS, Facts, WordsOf, fact_views, language_name
from app.chat.view_models import CardRecordView, StepView
from app.content import access
from app.content.schema import REGISTRY
from app.content.types import PlannedRef
from app.core.i18n import Text, nptext, ntext, text
from app.policy.identity import LIVE, Identity

OUTCOMES: Mapping[CallState, tuple[Text, str]] = {
    CallState.DONE: (text("Reported as done"), "ok"),
    CallState.UNCHANGED: (text("Nothing to change"), "neutral"),
    CallState.FAILED: (text("Failed, nothing was written"), "err"),
    CallState.PARTIAL: (text("Write not finished"), "err"),
    CallState.REFUSED: (text("Refused by a rule when it was to run"), "err"),
    CallState.REFUSED_ON_CARD: (text("Not carried out"), "neutral"),
    CallState.DECLINED: (text("Declined"), "neutral"),
    CallState.NOT_CARRIED_OUT: (text("Not carried out"), "neutral"),
    CallState.CANCELLED: (text("Stopped before it ran"), "neutral"),
}
GENERIC_REFUSAL = text("This step is refused. Nothing was changed.")


@dataclass(frozen=True, kw_only=True, slots=True)
class StepContext:
    """What the words of every step of one card need."""

    identity: Identity
    words: WordsOf
    tools: Mapping[int, str]
    outcomes: Mapping[int, CallState]
    draft_required: bool
    is_settled: bool
    shown_refs: frozenset[PlannedRef]
    file_uids: FileUids
    titles: Titles
    named: Mapping[str, Text] = field(default_factory=dict)
    """Rule -> its sentence that names a page, where this viewer may see that page."""

    @classmethod
    def load(
        cls,
        connection: Connection,
        identity: Identity,
        previews: Sequence[Preview],
        *,
        words: WordsOf,
        calls: Mapping[int, str],
        outcomes: Mapping[int, CallState],
        draft_required: bool,
        is_settled: bool,
        named: Mapping[str, Text] | None = None,
    ) -> StepContext:
        """Judge every record of the card for this viewer in one go."""
        refs = {ref for preview in previews for ref in preview.named}
        file_uids = find_file_uids(connection, previews)
        refs |= {planned(record, file_uids) for preview in previews for record in preview.records}
        ordered = sorted(refs, key=repr)
        answers = access.judge_planned(connection, identity, ordered) if ordered else ()
        return cls(
            identity=identity,
            words=words,
            tools=calls,
            outcomes=outcomes,
            draft_required=draft_required,
            is_settled=is_settled,
            shown_refs=frozenset(ref for ref, shown in zip(ordered, answers, strict=True) if shown),
            file_uids=file_uids,
            titles=find_titles(connection, identity, previews),
            named=named or {},
        )

    def shows(self, record: RecordPreview) -> bool:
        """Whether the viewer may see a record of the card."""
        return planned(record, self.file_uids) in self.shown_refs


def planned(record: RecordPreview, file_uids: FileUids) -> PlannedRef:
    """A record of a preview as something to judge: it may not exist yet (D7)."""
    return PlannedRef(
        table=record.table,
        workspace_id=record.workspace_id,
        language_id=record.language_id,
        page_uid=record.page_uid,
        file_uid=file_uids.get((record.table, record.name), 0),
    )


def step_view(context: StepContext, preview: Preview, number: int) -> StepView:
    """One call on the card for the viewer of ``context``."""
    shown = [record for record in preview.records if context.shows(record)]
    withheld = len(preview.records) - len(shown)
    may_name = all(ref in context.shown_refs for ref in preview.named) and all(
        record in shown for record in preview.records if record.is_target
    )
    is_blind = preview.kind is PreviewKind.REMOTE
    is_live = not preview.is_refused and not is_blind and preview.workspace_id == LIVE
    state = context.outcomes.get(preview.ordinal) if context.is_settled else None
    views = [_record_view(context, record) for record in shown]
    along = tuple(view for view in views if not view.is_target)
    unlisted = sum(count for _, _, count in preview.counts) - len(preview.records)
    return StepView(
        ordinal=preview.ordinal,
        number=number,
        tool=context.tools.get(preview.ordinal, ""),
        heading=preview.heading if may_name else preview.generic_heading,
        workspace=None
        if preview.is_refused or is_blind
        else workspace_sentence(preview.workspace_id, context.identity),
        is_live=is_live,
        language=_language(context, preview),
        preview=_preview_kind(preview, is_withheld=not shown and not may_name),
        is_refused=preview.is_refused,
        explanation=_explanation(context, preview),
        records=tuple(view for view in views if view.is_target),
        along=along,
        along_label=_along_label(len(along)) if along else None,
        withheld=ntext("%(n)s further record is not shown.", "%(n)s further records are not shown.", withheld)
        if withheld
        else None,
        unlisted=_unlisted(unlisted) if unlisted > 0 else None,
        draft_required=DRAFT_REQUIRED if context.draft_required and is_live else None,
        extension=EXTENSION if preview.has_after_hooks and not preview.is_refused else None,
        outcome=None if state is None else OUTCOMES[state][0],
        outcome_tone="neutral" if state is None else OUTCOMES[state][1],
    )


DRAFT_REQUIRED = text("The configuration requires a draft workspace. This step would write live.")
EXTENSION = text("An extension may change more after this step is written.")


def workspace_sentence(workspace_id: int, identity: Identity) -> Text:
    """The chat's own sentence from id and title; a title that is not for this reader is said to be so (CA-01, CA-02)."""
    if workspace_id == LIVE:
        return text("Writes live.")
    title = identity.workspaces.get(workspace_id)
    if title is None:
        return text("Writes to workspace no. %(id)s (title not visible to you).", id=str(workspace_id))
    return text("Writes to the draft workspace “%(title)s”.", title=title)


def _language(context: StepContext, preview: Preview) -> Text | None:
    if preview.language_id is None or preview.is_refused:
        return None
    _, name = language_name(preview.language_id, context.words)
    return text("Language: %(language)s", language=name)


def _preview_kind(preview: Preview, *, is_withheld: bool) -> str:
    """A step whose records are not for this viewer is withheld, also one that would change nothing (I3)."""
    if preview.kind is PreviewKind.SHOWN and is_withheld:
        return "withheld"
    return preview.kind.value


def _explanation(context: StepContext, preview: Preview) -> Text | None:
    match preview.kind:
        case PreviewKind.REFUSED:
            return context.named.get(preview.refused_rule) or preview.explanation or GENERIC_REFUSAL
        case PreviewKind.FAILED:
            return text("The step could not be tried out, so it will not be carried out. Nothing was changed.")
        case PreviewKind.REMOTE:
            return text("What this step changes cannot be shown before. It is decided without a preview.")
        case _:
            return None


def _record_view(context: StepContext, record: RecordPreview) -> CardRecordView:
    trait = REGISTRY[record.table]
    facts = Facts(
        action=record.action.value,
        workspace_id=None,
        language_id=record.language_id,
        hidden=record.hidden,
        starttime=record.starttime or 0,
        endtime=record.endtime or 0,
        groups=record.groups or (),
        is_target=None,
    )
    return CardRecordView(
        title=record.title or text("untitled"),
        kind=_kind(trait.label, record),
        action=ACTIONS[record.action.value],
        facts=fact_views(facts, context.words),
        fields=field_views(context.identity, record, context.words, context.titles),
        is_target=record.is_target,
        place=move_words(record, context.titles),
    )


def _kind(label: Text, record: RecordPreview) -> Text:
    if not record.live_uid or record.name.startswith("+"):
        return text("%(kind)s, new", kind=label) if record.action == "created" else label
    return text("%(kind)s, no. %(number)s", kind=label, number=str(record.live_uid))


def _along_label(count: int) -> Text:
    return nptext("card", "%(n)s record changes along with it", "%(n)s records change along with it", count)


def _unlisted(count: int) -> Text:
    return ntext(
        "%(n)s further record is counted but not listed.",
        "%(n)s further records are counted but not listed.",
        count,
    )
