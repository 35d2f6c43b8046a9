from __future__ import annotations

import pytest

from app.agent.rehearsal import differing_calls, is_refused_on_purpose, needs_card, rehearse_turn
from app.agent.types import PreviewKind
from app.content.errors import WriteRefused
from app.content.types import ChangeAction, RecordRef
from app.core.i18n import render, text
from app.policy.decisions import ALLOWED, Refused
from app.policy.invocation import ToolEffect, ToolFacts
from tests.agent.execution_world import Breaks, FakeWrite, Says, World, content_rows


@pytest.mark.behaviour("CA-09")
def test_it_shows_every_record_field_by_field(world: World) -> None:
    facts = world.start()
    calls = world.propose(facts, ("update_page_metadata", {"page": world.hours, "title": "Open"}))
    (preview,) = rehearse_turn(facts, calls, world.runtime)
    assert preview.kind is PreviewKind.SHOWN
    (record,) = preview.records
    assert (record.table, record.uid, record.action, record.is_target) == (
        "pages",
        world.hours,
        ChangeAction.UPDATED,
        True,
    )
    assert [(item.name, item.old, item.new) for item in record.fields] == [("title", "Opening hours", "Open")]
    assert preview.counts == (("pages", ChangeAction.UPDATED, 1),)
    assert "Opening hours" in render(preview.heading, "en")
    assert "Opening hours" not in render(preview.generic_heading, "en")


def test_it_leaves_no_row_behind(world: World) -> None:
    facts = world.start(workspace=world.draft)
    calls = world.propose(
        facts,
        ("copy_page", {"page": world.museum, "subpages": True}),
        ("update_page_metadata", {"page": world.museum, "title": "New"}),
        ("update_page_metadata", {"page": 999_999, "title": "New"}),
    )
    before = content_rows(without=())
    first = rehearse_turn(facts, calls, world.runtime)
    assert content_rows(without=()) == before
    assert rehearse_turn(facts, calls, world.runtime) == first


def test_it_names_new_records_by_placeholders_and_their_nearest_existing_page(world: World) -> None:
    facts = world.start()
    calls = world.propose(facts, ("copy_page", {"page": world.museum, "target": world.home, "subpages": True}))
    (preview,) = rehearse_turn(facts, calls, world.runtime)
    assert {record.name for record in preview.records} == {
        "+0.pages.1",
        "+0.pages.2",
        "+0.content_elements.1",
        "+0.content_elements.2",
    }
    assert {record.uid for record in preview.records} == {0}
    assert {record.page_uid for record in preview.records} == {world.home}
    bodies = [item.new for record in preview.records for item in record.fields if item.name == "body"]
    assert "See [us](page:+0.pages.1)" in bodies


def test_it_lets_a_later_call_see_an_earlier_one(world: World) -> None:
    facts = world.start()
    calls = world.propose(
        facts,
        ("update_page_metadata", {"page": world.hours, "title": "First"}),
        ("update_page_metadata", {"page": world.hours, "title": "Second"}),
    )
    _, second = rehearse_turn(facts, calls, world.runtime)
    (change,) = second.records[0].fields
    assert (change.old, change.new) == ("First", "Second")


@pytest.mark.behaviour("CA-09")
def test_it_tags_what_its_tool_refuses_and_what_raises(world: World) -> None:
    def refuse(_context: object, _batch: object) -> RecordRef | None:
        raise WriteRefused("too_big", text("This is too big."))

    def fail(_context: object, batch: object) -> RecordRef | None:
        batch.update("pages", world.hours, {"title": "half"})  # type: ignore[attr-defined]
        raise KeyError("password")

    world.with_tools(
        FakeWrite(act=refuse),
        FakeWrite(act=fail, facts=ToolFacts(name="fail", group="editing", effect=ToolEffect.WRITE)),
    )
    facts = world.start()
    calls = world.propose(
        facts, ("act", {}), ("fail", {}), ("update_page_metadata", {"page": world.hours, "title": "Open"}), ("look", {})
    )
    refused, failed, shown, read = rehearse_turn(facts, calls, world.runtime)
    assert (refused.kind, refused.refused_rule, refused.refused_reason) == (PreviewKind.REFUSED, "tool", "too_big")
    assert refused.explanation == text("This is too big.")
    assert (failed.kind, failed.refused_rule, failed.refused_reason) == (PreviewKind.FAILED, "rehearsal", "KeyError")
    assert "password" not in str(failed)
    assert shown.records[0].fields[0].old == "Opening hours"
    assert (read.kind, read.is_refused) == (PreviewKind.READ, False)
    assert needs_card(calls, (refused, failed, shown, read), world.runtime)
    assert needs_card(calls, (refused, failed, read), world.runtime)
    assert not needs_card(calls, (read,), world.runtime)


@pytest.mark.behaviour("RT-03", "DW-09", "DW-13", "DW-14")
def test_it_refuses_on_purpose_before_any_card(world: World) -> None:
    rule = Says(Refused(rule="says", reason="no", explanation=text("No.")))
    world.with_rules(rule)
    facts = world.start()
    calls = world.propose(
        facts,
        ("update_page_metadata", {"page": world.hours, "title": "Open"}),
        ("erase_everything", {}),
        ("update_page_metadata", {"page": world.hours, "colour": "red"}),
    )
    before = content_rows(without=())
    by_rule, unknown, unsuitable = rehearse_turn(facts, calls, world.runtime)
    assert content_rows(without=()) == before
    assert (by_rule.refused_rule, by_rule.refused_reason, by_rule.records) == ("says", "no", ())
    assert (unknown.refused_rule, unknown.refused_reason) == ("offer", "not_registered")
    assert unsuitable.refused_rule == "says", "rules answer early, whatever the arguments are"
    assert all(is_refused_on_purpose(preview) for preview in (by_rule, unknown, unsuitable))
    assert not needs_card(calls, (by_rule, unknown, unsuitable), world.runtime)


@pytest.mark.behaviour("DW-11")
def test_it_takes_a_failing_rule_before_the_card_for_no_refusal(world: World) -> None:
    world.with_rules(Breaks())
    facts = world.start()
    calls = world.propose(facts, ("update_page_metadata", {"page": world.hours, "title": "Open"}))
    (preview,) = rehearse_turn(facts, calls, world.runtime)
    assert preview.kind is PreviewKind.SHOWN
    assert needs_card(calls, (preview,), world.runtime)


def test_it_finds_differences_only_in_calls_that_were_to_work(world: World) -> None:
    facts = world.start()
    calls = world.propose(
        facts,
        ("update_page_metadata", {"page": world.hours, "title": "Open"}),
        ("update_page_metadata", {"page": 999_999, "title": "Open"}),
    )
    approved = rehearse_turn(facts, calls, world.runtime)
    assert differing_calls(approved, rehearse_turn(facts, calls, world.runtime)) == ()
    world.write(lambda batch: batch.update("pages", world.hours, {"title": "Closed"}))
    assert differing_calls(approved, rehearse_turn(facts, calls, world.runtime)) == (0,)
    world.with_rules(Says(Refused(rule="says", reason="no")))
    assert differing_calls(approved, rehearse_turn(facts, calls, world.runtime)) == ()
    world.with_rules(Says(ALLOWED))
    world.write(lambda batch: batch.delete("pages", world.hours))
    assert differing_calls(approved, rehearse_turn(facts, calls, world.runtime)) == (0,)
