"""The approval card as each viewer sees it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import select, update

from app.agent.approvals import DecisionKind
from app.agent.configurations import find_configuration_named, set_configuration
from app.agent.llm.scripted import text_turn
from app.agent.models import CallPreview, Configuration, GovernanceEvent, Run, RunEvent
from app.chat.view_models import ApprovalCardView, StepView
from app.content.models import Page
from app.core.db import reading, transaction
from app.core.errors import NotFound
from app.core.i18n import Text, render
from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments
from tests.support.clock import FakeClock

DRAFTS_ONLY = "Editorial, drafts only"


def words(value: Text | str | None, locale: str = "en") -> str:
    if value is None:
        return ""
    return render(value, locale) if isinstance(value, Text) else value


def everything(card: ApprovalCardView) -> str:
    """All the words of a card, for checks of what it must not say."""
    return repr(card)


def hide(site: DemoSite, page: str = "hours") -> tuple[str, dict[str, object]]:
    return ("hide_record", {"table": "pages", "uid": site.pages[page]})


def only(card: ApprovalCardView) -> StepView:
    (step,) = card.steps
    return step


@pytest.mark.behaviour("CA-01")
def test_it_words_the_workspace_itself(assignments: Assignments, site: DemoSite) -> None:
    assignments.ask([hide(site)])
    assert words(only(assignments.card()).workspace) == "Writes to the draft workspace “Relaunch”."


@pytest.mark.behaviour("CA-01")
def test_it_says_when_a_step_writes_live(make_assignments: Callable[..., Assignments], site: DemoSite) -> None:
    mine = make_assignments()
    mine.ask([hide(site)], workspace=0)
    step = only(mine.card())
    assert (words(step.workspace), step.is_live) == ("Writes live.", True)


@pytest.mark.behaviour("CA-02")
def test_it_withholds_the_title_of_the_workspace_but_not_the_number(assignments: Assignments, site: DemoSite) -> None:
    assignments.ask([hide(site)])
    step = only(assignments.card("fay"))
    assert words(step.workspace) == "Writes to workspace no. 1 (title not visible to you)."
    assert "Relaunch" not in everything(assignments.card("fay"))


@pytest.mark.behaviour("CA-03")
def test_it_states_a_language_only_where_the_tool_takes_one(assignments: Assignments, site: DemoSite) -> None:
    translate = ("create_translation_draft", {"table": "pages", "uid": site.pages["hours"], "language": "de"})
    assignments.ask([translate, hide(site)])
    first, second = assignments.card().steps
    assert (words(first.language), second.language) == ("Language: German", None)


@pytest.mark.behaviour("CA-04", "DW-14", "DW-16")
def test_it_keeps_a_refused_step_and_shows_only_why(
    make_assignments: Callable[..., Assignments], site: DemoSite
) -> None:
    mine = make_assignments(configuration=DRAFTS_ONLY)
    hours = site.pages["hours"]
    mine.ask([("create_translation_draft", {"table": "pages", "uid": hours, "language": "xx"}), hide(site)])
    for viewer in ("anna", "fay"):
        refused, carried = mine.card(viewer).steps
        assert (refused.is_refused, refused.preview, refused.records, refused.workspace) == (True, "refused", (), None)
        assert "no language" in words(refused.explanation)
        assert not carried.is_refused


@pytest.mark.behaviour("CA-05")
def test_its_button_names_the_step_or_counts_the_steps(assignments: Assignments, site: DemoSite) -> None:
    assignments.ask([hide(site)])
    card = assignments.card()
    assert words(card.approve_label) == "Approve: Hide the page “Opening hours”"
    assignments.decide(approve=False)
    assignments.ask([hide(site), hide(site, "tickets")])
    card = assignments.card()
    assert words(card.approve_label) == "Approve 2 steps"
    assert words(card.approves) == ("Approves: Hide the page “Opening hours”; Hide the page “Tickets and tours”.")


@pytest.mark.behaviour("CA-06")
def test_it_offers_no_approval_when_every_step_is_refused(assignments: Assignments) -> None:
    assignments.ask([("hide_record", {"table": "pages", "uid": 99_999})])
    card = assignments.card()
    assert (card.is_all_refused, card.approve_label, card.may_decline) == (True, None, True)
    assert words(card.blocked) == "Nothing can be approved: no step can be carried out."
    result = assignments.decide(digest=card.digest)
    assert result.kind is DecisionKind.NOTHING_TO_APPROVE


@pytest.mark.behaviour("CA-07")
def test_it_never_promises_an_execution(assignments: Assignments, site: DemoSite) -> None:
    assignments.ask([hide(site)])
    card = assignments.card()
    assignments.decide(work=False)
    decided = assignments.card()
    said = " ".join(
        words(text) for text in (card.heading, card.approves, card.approve_label, decided.heading, decided.decided)
    )
    assert "will be carried out" not in said
    assert words(decided.decided).endswith("The result follows in the history.")


@pytest.mark.behaviour("CA-09")
def test_it_shows_each_field_before_and_after(assignments: Assignments, site: DemoSite) -> None:
    call = ("update_page_metadata", {"page": site.pages["hours"], "title": "When we are open"})
    assignments.ask([call])
    (record,) = only(assignments.card()).records
    assert [(field.name, field.old, field.new) for field in record.fields] == [
        ("title", "Opening hours", "When we are open")
    ]


@pytest.mark.behaviour("CA-09")
def test_it_tells_withheld_and_refused_and_shown_apart(assignments: Assignments, site: DemoSite) -> None:
    assignments.ask([hide(site), ("hide_record", {"table": "pages", "uid": 99_999})])
    assert [step.preview for step in assignments.card().steps] == ["shown", "refused"]
    assert [step.preview for step in assignments.card("fay").steps] == ["withheld", "refused"]


@pytest.mark.behaviour("CA-10")
def test_a_viewer_without_rights_sees_no_preview_and_no_proposed_text_but_may_decide(
    assignments: Assignments, site: DemoSite
) -> None:
    call = ("update_page_metadata", {"page": site.pages["hours"], "title": "Secret plan"})
    assignments.ask([call], DONE)
    card = assignments.card("fay")
    shown = everything(card)
    assert "Secret plan" not in shown
    assert "Opening hours" not in shown
    assert words(only(card).heading) == "Change texts of a page"
    assert words(only(card).withheld) == "1 further record is not shown."
    assert card.approve_label is not None
    assert assignments.decide(by="fay").kind is DecisionKind.RECORDED
    assert words(assignments.card().decided).startswith("Approved by Fay Hughes")


@pytest.mark.behaviour("CA-10")
def test_a_copy_names_neither_page_to_somebody_who_sees_only_one(assignments: Assignments, site: DemoSite) -> None:
    call = ("copy_page", {"page": site.pages["collection"], "target": site.pages["about"]})
    assignments.ask([call])
    assignments.share("emil")  # mounted on the exhibitions: the source is his, the target is not
    step = only(assignments.card("emil"))
    assert words(step.heading) == "Copy a page"
    assert step.records == ()


@pytest.mark.behaviour("CA-11")
def test_the_same_press_twice_is_one_decision(assignments: Assignments, site: DemoSite) -> None:
    assignments.ask([hide(site)], DONE)
    digest = assignments.card().digest
    first = assignments.decide(digest=digest, token="press", work=False)
    again = assignments.decide(digest=digest, token="press", work=False)
    other = assignments.decide(digest=digest, token="other tab", by="fay")
    assert [first.kind, again.kind, other.kind] == [
        DecisionKind.RECORDED,
        DecisionKind.REPEATED,
        DecisionKind.ALREADY_DECIDED,
    ]
    assert (other.by, other.approved) == (site.people.users["anna"], True)


@pytest.mark.behaviour("CA-12", "RT-04")
@pytest.mark.parametrize("digest", ["", "0" * 64, "nonsense"])
def test_a_decision_without_the_digest_changes_nothing(assignments: Assignments, site: DemoSite, digest: str) -> None:
    assignments.ask([hide(site)])
    assert assignments.decide(digest=digest).kind is DecisionKind.STALE
    assert assignments.page().view.status == "awaiting_approval"


@pytest.mark.behaviour("DW-14", "DW-15")
def test_approving_writes_the_other_calls_and_refuses_the_tagged_one_once(
    assignments: Assignments, site: DemoSite
) -> None:
    missing = ("hide_record", {"table": "pages", "uid": 99_999})
    assignments.ask([missing, hide(site)], DONE)
    with reading() as connection:
        tags = connection.execute(select(CallPreview.__table__.c.refused_rule)).scalars().all()
    assert tags == ["tool", ""]
    assignments.decide()
    with reading() as connection:
        rows = connection.execute(select(GovernanceEvent.__table__)).mappings().all()
    assert [(row["decision"], row["reason"]) for row in rows] == [("invocation_denied", "refused_on_card")]
    assert [words(step.outcome) for step in assignments.card().steps] == ["Not carried out", "Reported as done"]
    assert len(assignments.changes().records) == 1


@pytest.mark.behaviour("DW-15")
def test_a_decline_keeps_the_refusal_of_the_tagged_call(assignments: Assignments, site: DemoSite) -> None:
    assignments.ask([("hide_record", {"table": "pages", "uid": 99_999}), hide(site)], DONE)
    assignments.decide(approve=False)
    with reading() as connection:
        rows = connection.execute(select(GovernanceEvent.__table__)).mappings().all()
    assert [(row["decision"], row["reason"]) for row in rows] == [("invocation_denied", "refused_on_card")]


@pytest.mark.behaviour("DW-03", "DW-07", "DW-08", "DW-09", "DW-13")
def test_a_live_write_is_refused_without_a_card_and_said_in_the_persons_language(
    make_assignments: Callable[..., Assignments], site: DemoSite
) -> None:
    mine = make_assignments(owner="olga", configuration=DRAFTS_ONLY)
    mine.ask([hide(site)], DONE, workspace=0)
    assert mine.page().view.status == "idle"
    assert [message.role for message in mine.page().messages] == ["user", "assistant"]
    result = mine.model.seen[1].messages[-1]
    assert "draft_workspace_required" in result.content
    assert "live_workspace" in result.content
    assert "Wechseln Sie in einen Entwurfs-Arbeitsbereich" in result.content
    with reading() as connection:
        rows = connection.execute(select(GovernanceEvent.__table__)).mappings().all()
        events = connection.execute(select(RunEvent.__table__.c.payload)).scalars().all()
    assert [(row["decision"], row["rule"], row["reason"]) for row in rows] == [
        ("invocation_denied", "draft_workspace_required", "live_workspace")
    ]
    assert not [
        payload for payload in (*events, *map(repr, rows)) if "Entwurfs" in payload or "draft workspace" in payload
    ]


@pytest.mark.behaviour("DW-12")
def test_a_setting_switched_on_while_the_card_waits_refuses_the_approved_call(
    make_assignments: Callable[..., Assignments], site: DemoSite
) -> None:
    mine = make_assignments()
    mine.ask([hide(site)], DONE, DONE, workspace=0)
    with transaction() as connection:
        connection.execute(update(Configuration.__table__).values(requires_draft_workspace=True))
    mine.decide()
    with reading() as connection:
        rows = connection.execute(select(GovernanceEvent.__table__)).mappings().all()
    assert [(row["rule"], row["reason"]) for row in rows] == [("draft_workspace_required", "live_workspace")]
    assert mine.changes().records == ()


@pytest.mark.behaviour("DW-04", "DW-12")
def test_a_withdrawn_workspace_refuses_the_approved_call(
    make_assignments: Callable[..., Assignments], site: DemoSite
) -> None:
    mine = make_assignments(configuration=DRAFTS_ONLY)
    mine.ask([hide(site)], DONE, DONE)
    with transaction() as connection:
        connection.exec_driver_sql("UPDATE workspace SET deleted = 1 WHERE id = 1")
    mine.decide(by="fay")
    with reading() as connection:
        rows = connection.execute(select(GovernanceEvent.__table__)).mappings().all()
    assert [(row["rule"], row["reason"]) for row in rows] == [("draft_workspace_required", "workspace_unavailable")]
    assert mine.changes().records == ()


def test_strangers_do_not_learn_that_a_card_exists(assignments: Assignments, site: DemoSite) -> None:
    assignments.ask([hide(site)])
    with pytest.raises(NotFound):
        assignments.card("dora")


@pytest.mark.behaviour("RT-08")
def test_the_reason_of_a_decline_reaches_the_model_and_the_readers(assignments: Assignments, site: DemoSite) -> None:
    assignments.ask([hide(site)], text_turn("I leave it as it is."))
    assignments.decide(approve=False, reason="The page is still needed.")
    told = assignments.model.seen[1].messages[-1]
    assert "declined" in told.content
    assert "The page is still needed." in told.content
    assert assignments.card().reason == "The page is still needed."
    assert assignments.card("fay").reason is None
    assert assignments.page().messages[-1].body == "I leave it as it is."
    assert assignments.changes().records == ()


@pytest.mark.behaviour("CA-10")
@pytest.mark.parametrize("tool", ["hide_record", "publish_record", "delete_record"])
def test_a_withheld_step_does_not_tell_what_kind_of_record_it_names(
    make_assignments: Callable[..., Assignments], site: DemoSite, tool: str
) -> None:
    said = []
    for table, uid in (("pages", site.pages["archive"]), ("content_elements", 8)):
        mine = make_assignments()
        mine.ask([(tool, {"table": table, "uid": uid})])
        step = only(mine.card("fay"))
        said.append((words(step.heading), step.preview, step.records, step.along))
    assert said[0] == said[1]
    assert said[0][1] == "withheld"


@pytest.mark.behaviour("CA-10")
def test_a_withheld_step_that_would_change_nothing_is_withheld_too(assignments: Assignments, site: DemoSite) -> None:
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["archive"]})])  # hidden already
    assert only(assignments.card()).preview == "shown"
    assert only(assignments.card("fay")).preview == "withheld"


@pytest.mark.behaviour("CA-08")
def test_the_card_says_that_the_configuration_wants_a_draft_beside_a_live_write_only(
    make_assignments: Callable[..., Assignments], site: DemoSite
) -> None:
    live, draft = make_assignments(), make_assignments(owner="admin")
    live.ask([hide(site)], workspace=0)
    draft.ask([hide(site)], workspace=1)
    assert live.card().steps[0].draft_required is None, "the configuration demands none"
    own, other = find_both_configurations()
    with transaction() as connection:
        set_configuration(connection, other, requires_draft_workspace=True)
    assert live.card().steps[0].draft_required is None, "it is about the configuration of the run"
    with transaction() as connection:
        set_configuration(connection, own, requires_draft_workspace=True)
    assert words(live.card().steps[0].draft_required) == (
        "The configuration requires a draft workspace. This step would write live."
    )
    assert draft.card().steps[0].draft_required is None, "it writes into a draft"


@pytest.mark.behaviour("CA-08")
def test_the_card_claims_nothing_of_a_configuration_that_cannot_be_read(
    assignments: Assignments, site: DemoSite
) -> None:
    assignments.ask([hide(site)], workspace=0)
    own, _ = find_both_configurations()
    with transaction() as connection:
        set_configuration(connection, own, requires_draft_workspace=True)
        connection.execute(update(Run.__table__).values(configuration_id=987_654))
    assert assignments.card().steps[0].draft_required is None


def find_both_configurations() -> tuple[int, int]:
    with reading() as connection:
        own = find_configuration_named(connection, "Editorial")
        other = find_configuration_named(connection, DRAFTS_ONLY)
    assert own is not None
    assert other is not None
    return own.id, other.id


def test_a_refused_step_of_a_mixed_card_names_the_page_to_those_who_may_see_it(
    assignments: Assignments, site: DemoSite, clock: FakeClock
) -> None:
    own, _ = find_both_configurations()
    with transaction() as connection:
        set_configuration(connection, own, branch_page=site.pages["visit"])
        connection.execute(update(Page.__table__).where(Page.__table__.c.uid == site.pages["visit"]).values(title="V"))
    clock.advance(1)
    assignments.share("gus", "cem")
    outside = ("hide_record", {"table": "pages", "uid": site.pages["press"]})
    assignments.ask([hide(site), outside], workspace=1)
    named = words(assignments.card().steps[1].explanation)
    assert "only on the page “V” and below it" in named
    plain = words(assignments.card("gus").steps[1].explanation)
    assert "in one part of the page tree only" in plain, "Gus may see no page"
    assert "“V”" not in plain
    clock.advance(1)
    with transaction() as connection:
        set_configuration(connection, own, branch_page=site.pages["press"])
    assert "in one part of the page tree only" in words(assignments.card().steps[1].explanation), (
        "nothing tells any more which page the card was about"
    )
