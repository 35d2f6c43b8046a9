"""Frozen example views of every state, for tests that render templates without a database."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

from app.chat.pages import CardState, ConversationPage, Updates
from app.chat.view_models import (
    ApprovalCardView,
    CardRecordView,
    ChangedRecordView,
    ChangeListView,
    ConversationLinkView,
    ConversationView,
    FactView,
    FieldView,
    MessageView,
    NoteView,
    StepView,
)
from app.core.i18n import text
from app.web.approval_views import EndedTurnView, InboxView, WaitingTurnView
from app.web.forms.conversation import ComposerView, MessageRefusal

RUN = "0f0e0d0c-1111-4222-8333-444455556666"
AT = 1_796_131_900
CARD_ID = f"card-{RUN}"


def fact(name: str, value: str | int | bool | list[str], words: str, tone: str = "neutral") -> FactView:
    """A fact of a record."""
    return FactView(name=name, value=value, label=text(words), tone=tone)


def changed_record(uid: int = 42, **values: object) -> ChangedRecordView:
    """A record of the list with every fact and link."""
    record = ChangedRecordView(
        table="pages",
        uid=uid,
        live_uid=uid,
        title="Summer <exhibition>",
        title_language="en",
        kind=text("%(kind)s, no. %(number)s", kind="Page", number=str(uid)),
        facts=(
            fact("action", "created", "created", "ok"),
            fact("workspace", 3, "Workspace: Draft “Relaunch”", "info"),
            fact("language", "en", "Language: English"),
            fact("hidden", False, "not hidden"),
            fact("groups", ["Members", "Staff"], "Limited to user groups: Members, Staff"),
            fact("role", "target", "target of the step"),
            fact("failed", True, "Step failed after writing: check this record", "err"),
        ),
        edit_url=f"/records/pages/{uid}",
        history_url=f"/records/pages/{uid}/history?workspace=3",
        history_label=text("View changes: “%(title)s”", title=f"Summer <exhibition> {uid}"),
        workspace_url="/workspaces/3",
    )
    return replace(record, **values)  # type: ignore[arg-type]


def change_list(count: int = 2) -> ChangeListView:
    """A list of ``count`` records; the last of several has no links."""
    records = [changed_record(42 + number) for number in range(count)]
    if count > 1:
        records[-1] = replace(records[-1], edit_url=None, history_url=None, history_label=None, workspace_url=None)
    return ChangeListView(
        conversation_id=7,
        records=tuple(records),
        notes=(
            NoteView(name="coverage", count=1, label=text("The list shows what the site reported.")),
            NoteView(name="withheld", count=3, label=text("3 further records are not shown.")),
        ),
        announcement=text("2 records listed."),
    )


def card_record(title: str = "Opening hours", *, is_target: bool = True) -> CardRecordView:
    """A record on a card with one field of each kind."""
    return CardRecordView(
        title=title,
        kind=text("Page, new"),
        action=text("created"),
        facts=(fact("action", "created", "created", "ok"), fact("hidden", True, "hidden")),
        fields=(
            FieldView(name="title", label=text("Title"), old="Hours", new="Öffnungszeiten", language="de"),
            FieldView(name="body", label=text("Text"), old=None, new="word " * 200),
            FieldView(name="hidden", label=text("Hidden"), old=text("not hidden"), new=text("hidden")),
            FieldView(name="owner_note", label=text("Note"), old=None, new=None, is_withheld=True),
        ),
        is_target=is_target,
    )


def step(number: int = 1, **values: object) -> StepView:
    """An ordinary step."""
    view = StepView(
        ordinal=number - 1,
        number=number,
        tool="copy_page",
        heading=text("Copy the page “%(title)s”", title="Opening hours"),
        workspace=text("Writes to the draft workspace “Relaunch”."),
        is_live=False,
        language=text("Language: German"),
        preview="shown",
        is_refused=False,
        explanation=None,
        records=(card_record(),),
        along=tuple(card_record(f"Part {part}", is_target=False) for part in range(7)),
        along_label=text("7 records change along with it"),
        withheld=text("2 further records are not shown."),
        unlisted=None,
    )
    return replace(view, **values)  # type: ignore[arg-type]


def refused_step(number: int = 2) -> StepView:
    """A step a rule refuses."""
    return step(
        number,
        is_refused=True,
        preview="refused",
        workspace=None,
        language=None,
        explanation=text("Nothing was changed."),
        records=(),
        along=(),
        along_label=None,
        withheld=None,
    )


def card(state: str = "waiting", **values: object) -> ApprovalCardView:
    """A card in one of its states."""
    waiting = state == "waiting"
    view = ApprovalCardView(
        dom_id=CARD_ID,
        run_uuid=RUN,
        url=f"/runs/{RUN}/card",
        state=state,
        heading=text("Approval needed: 1 of 2 steps") if waiting else text("Approved: 1 step"),
        configuration="Editorial",
        cause=None,
        steps=(step(), refused_step()),
        digest="d1" if waiting else "",
        token="t1" if waiting else "",
        approve_label=text("Approve: copy page") if waiting else None,
        approves=text("Approves: copy page.") if waiting else None,
        blocked=None,
        is_all_refused=False,
        may_decline=waiting,
        decided=None if waiting else text("Decided by Ben"),
        seq=3,
        at=AT,
    )
    return replace(view, **values)  # type: ignore[arg-type]


def all_refused() -> ApprovalCardView:
    """A card on which nothing can be approved."""
    return card(
        steps=(refused_step(1),),
        approve_label=None,
        approves=None,
        is_all_refused=True,
        blocked=text("Nothing can be approved: a rule refuses every step."),
    )


CARDS = {
    "waiting": card(),
    "approved": card("approved"),
    "declined": card("declined", reason="Not\nnow"),
    "expired": card("expired", decided=None),
    "superseded": card("superseded", decided=None),
    "cancelled": card("cancelled", decided=None),
    "all refused": all_refused(),
    "second approver": card(approve_label=None, approves=None, blocked=text("Somebody else has to approve.")),
    "objected": card(note=text("This card has changed."), draft_reason="because"),
    "bad form": card(problem=text("Choose to approve or to decline.")),
    "fresh": card(cause=text("A record has changed since the earlier card."), number=2),
    "live": card(steps=(step(is_live=True, draft_required=text("This step would write live.")),)),
    "withheld": card(steps=(step(preview="withheld", records=(), along=(), along_label=None),)),
    "settled step": card("approved", steps=(step(outcome=text("Done"), outcome_tone="ok"),)),
}


def message(seq: int = 1, role: str = "user", **values: object) -> MessageView:
    """An entry of the history."""
    author = text("You") if role == "user" else text("AI assistant")
    view = MessageView(seq=seq, role=role, author=author, at=AT, body="Copy <b>it</b>\nplease", language=None)
    return replace(view, **values)  # type: ignore[arg-type]


def card_message(seq: int = 3, *, filled: bool = True) -> MessageView:
    """The place of a card, with or without the card itself."""
    filling = card() if filled else None
    return message(seq, "card", body="", card=filling, card_id=CARD_ID, card_url=f"/runs/{RUN}/card")


def conversation(status: str = "awaiting_approval", **values: object) -> ConversationView:
    """A conversation as its owner sees it."""
    waits = status == "awaiting_approval"
    view = ConversationView(
        id=7,
        title="Opening hours",
        is_own=True,
        owner_name="Anna Bergmann",
        configuration="Editorial",
        status=status,
        status_label=text("Waiting for your approval"),
        status_detail=text("Send the message again.") if status == "failed" else None,
        run_uuid=RUN,
        card_id=CARD_ID if waits else None,
        has_changes=True,
        changes_version=2,
        version=9,
        last_seq=3,
        poll_seconds=None if status in ("idle", "failed") else 15,
        may_send=True,
        may_stop=status not in ("idle", "failed"),
        draft="half a ",
        writes_to=text("Writes will be proposed for live."),
    )
    return replace(view, **values)  # type: ignore[arg-type]


CONVERSATIONS = {
    "empty": conversation("idle", run_uuid=None, has_changes=False, changes_version=0, last_seq=0),
    "idle": conversation("idle"),
    "working": conversation("working"),
    "waiting": conversation(),
    "failed": conversation("failed"),
    "of somebody else": conversation(is_own=False, may_send=False, may_stop=False, writes_to=None),
    "archived": conversation("idle", is_archived=True, is_pinned=True),
}


def messages() -> tuple[MessageView, ...]:
    """A short history with a card."""
    answer = message(2, "assistant", body="I **propose**:\n\n- one\n- two\n\n# Big", language="en")
    return (message(), answer, card_message())


def conversation_page(view: ConversationView) -> ConversationPage:
    """A whole conversation."""
    return ConversationPage(view=view, messages=messages() if view.last_seq else ())


def updates() -> Updates:
    """What a poll brings: an answer and the place of a card."""
    return Updates(
        view=conversation(),
        messages=(message(4, "assistant", body="A short answer."), card_message(5, filled=False)),
        cards=(CardState(dom_id=CARD_ID, url=f"/runs/{RUN}/card", state="waiting"),),
    )


def composer(view: ConversationView, sentence: str = "", *, offers_decline: bool = False) -> ComposerView:
    """The message field, refused when there is a sentence."""
    refusal = MessageRefusal(sentence=text(sentence), offers_decline=offers_decline) if sentence else None
    return ComposerView(view=view, text=view.draft, token="k1", most=10_000, enter_sends=False, refusal=refusal)


def threads() -> tuple[ConversationLinkView, ...]:
    """The list of conversations."""
    first = ConversationLinkView(
        id=7, title="Opening hours", status=text("Working"), touched_at=AT, is_current=True, is_pinned=True, is_own=True
    )
    second = replace(first, id=8, title=text("New conversation"), is_current=False, is_pinned=False)
    return (first, second, replace(second, id=9))


def shell() -> SimpleNamespace:
    """The frame of a page."""
    return SimpleNamespace(
        site_name="Town Museum",
        person=SimpleNamespace(name="Anna Bergmann"),
        workspace_label=text("Workspace: Live"),
        switcher=None,
        theme="light",
        locale="en",
        nav=(),
        approvals_count=0,
        locales=(),
        links=SimpleNamespace(home="/", preferences="/preferences", sign_in="/sign-in", sign_out="/sign-out"),
        personal=(),
    )


def inbox() -> InboxView:
    """One turn that waits and one that ended."""
    turn = WaitingTurnView(
        run_uuid=RUN,
        url="/x",
        heading=text("Approval %(place)s: your own assignment", place=1),
        asked_by=text("Asked by %(name)s", name="Anna"),
        configuration="Editorial",
        since=AT,
        expires_at=AT,
        verdict=text("You may approve this"),
        tone="ok",
        state="may",
        why=None,
        approvers=text("May be approved by the person who asked and by people with the right to approve."),
        course_url="/y",
        course=text("Course of approval %(place)s", place=1),
    )
    ended = EndedTurnView(
        run_uuid=RUN,
        url="/z",
        heading=text("Decision %(place)s: assignment of %(name)s", place=1, name="Anna"),
        asked_by=text("Asked by %(name)s", name="Anna"),
        configuration="Editorial",
        at=AT,
        decisions=(text("Expired without a decision."),),
        attribution="second_person",
        attribution_words=text("Approved by a second person"),
        tone="ok",
    )
    return InboxView(
        waiting=(turn,),
        count=text("Approvals"),
        may_approve=None,
        shortened=None,
        is_filtered=False,
        has_waiting=True,
        choices={"configuration": (("1", "Editorial"),), "person": (), "days": ()},
        ended=(ended,),
        recent_days=30,
    )
