"""Conversations: sending, waiting, stopping, keeping what was typed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.agent import approvals
from app.agent.llm.base import ModelTurn, SystemMessage
from app.agent.llm.scripted import ScriptedModel, call_turn, text_turn
from app.chat import pages, service
from app.core.db import reading
from app.core.errors import Conflict, Forbidden, Invalid, NotFound, TooMany
from app.core.i18n import render
from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments
from tests.support.clock import FakeClock
from tests.support.statements import count_statements


def test_it_titles_a_conversation_by_its_first_message(assignments: Assignments) -> None:
    assignments.ask(DONE, body="Please   look at\nthe page “Museum”")
    assert assignments.page().view.title == "Please look at the page “Museum”"


def test_it_cuts_a_long_title_at_a_word() -> None:
    title = service.title_from("word " * 40)
    assert len(title) <= service.TITLE_SHOWN + 2
    assert title.endswith("word …")


@pytest.mark.parametrize("body", ["", "   ", "\n"])
def test_it_refuses_an_empty_message(assignments: Assignments, body: str) -> None:
    with pytest.raises(Invalid) as caught:
        assignments.ask(DONE, body=body)
    assert render(caught.value.fields["body"], "en") == "Enter a message"


@pytest.mark.parametrize("body", ["a\x00b", "a\ud800b"])
def test_it_refuses_characters_that_cannot_be_stored(assignments: Assignments, body: str) -> None:
    with pytest.raises(Invalid):
        assignments.ask(DONE, body=body)


def test_it_says_by_how_much_a_message_is_too_long(assignments: Assignments) -> None:
    with pytest.raises(Invalid) as caught:
        assignments.ask(DONE, body="x" * 10_002)
    assert render(caught.value.fields["body"], "en") == "The message has 2 characters too many"


def test_the_same_token_twice_is_one_message(assignments: Assignments) -> None:
    assignments.ask(DONE)
    identity = assignments.identity_of("anna")
    first = service.send_message(identity, assignments.id, "again", "token-1", assignments.runtime)
    assert (first, len(assignments.page().messages)) == (1, 2)


def test_a_message_while_a_card_waits_is_refused_with_an_offer(assignments: Assignments, site: DemoSite) -> None:
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["hours"]})])
    with pytest.raises(service.CardWaits):
        assignments.ask(DONE)


def test_decline_and_send_declines_the_card_and_starts_anew(
    assignments: Assignments, site: DemoSite, models: object
) -> None:
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["hours"]})])
    old = assignments.run_uuid
    models.by_name["builtin"] = ScriptedModel([text_turn("A new answer.")])  # type: ignore[attr-defined]
    identity = assignments.identity_of("anna")
    service.decline_and_send(identity, assignments.id, "Something else", "other", assignments.runtime)
    assignments.work()
    page = assignments.page()
    assert [message.role for message in page.messages] == ["user", "card", "user", "assistant"]
    assert page.messages[1].card is not None
    assert page.messages[1].card.state == "declined"
    assert page.view.run_uuid != old
    assert page.view.status == "idle"


def test_decline_and_send_declines_nothing_when_the_message_is_empty(assignments: Assignments, site: DemoSite) -> None:
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["hours"]})])
    with pytest.raises(Invalid):
        service.decline_and_send(assignments.identity_of("anna"), assignments.id, " ", "t", assignments.runtime)
    assert assignments.page().view.status == "awaiting_approval"


def test_decline_and_send_keeps_the_reason_and_the_same_press_is_one_message(
    assignments: Assignments, site: DemoSite, models: object
) -> None:
    hide = ("hide_record", {"table": "pages", "uid": site.pages["hours"]})
    assignments.ask([hide])
    models.by_name["builtin"] = ScriptedModel([call_turn(hide)])  # type: ignore[attr-defined]
    identity, runtime = assignments.identity_of("anna"), assignments.runtime
    first = service.decline_and_send(identity, assignments.id, "Other", "press", runtime, reason="Not now")
    assignments.work()
    card = assignments.page().messages[1].card
    assert card is not None
    assert (card.state, card.reason) == ("declined", "Not now")
    assert service.decline_and_send(identity, assignments.id, "Other", "press", runtime) == first
    assert assignments.page().view.status == "awaiting_approval"


def test_decline_and_send_stops_nothing_that_was_approved_meanwhile(
    assignments: Assignments, site: DemoSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["hours"]})], DONE)
    find = approvals.find_card

    def approved_meanwhile(*given: object) -> object:
        monkeypatch.setattr(approvals, "find_card", find)
        card = find(*given)  # type: ignore[arg-type]
        assignments.decide(by="fay", work=False)
        return card

    monkeypatch.setattr(approvals, "find_card", approved_meanwhile)
    with pytest.raises(Conflict) as caught:
        service.decline_and_send(assignments.identity_of("anna"), assignments.id, "Other", "t", assignments.runtime)
    assert "meanwhile" in caught.value.text.message
    assignments.work()
    assert assignments.card().state == "approved"
    assert [message.role for message in assignments.page().messages] == ["user", "card", "assistant"]


def test_decline_and_send_on_an_expired_card_declines_nothing(
    assignments: Assignments, site: DemoSite, models: object, clock: FakeClock
) -> None:
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["hours"]})])
    clock.advance(14 * 86_400)
    model = ScriptedModel([text_turn("A new answer.")])
    models.by_name["builtin"] = model  # type: ignore[attr-defined]
    service.decline_and_send(assignments.identity_of("anna"), assignments.id, "Other", "t", assignments.runtime)
    assignments.work()
    card = assignments.page().messages[1].card
    assert card is not None
    assert card.state == "expired"
    assert "declined" not in str(assignments.page().messages[-1])


def test_a_second_message_while_it_works_is_refused(assignments: Assignments, models: object) -> None:
    models.by_name["builtin"] = ScriptedModel([DONE])  # type: ignore[attr-defined]
    identity = assignments.identity_of("anna")
    service.send_message(identity, assignments.id, "one", "1", assignments.runtime)
    with pytest.raises(Conflict):
        service.send_message(identity, assignments.id, "two", "2", assignments.runtime)


def test_stopping_ends_a_waiting_card(assignments: Assignments, site: DemoSite) -> None:
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["hours"]})])
    assert service.stop_assignment(assignments.identity_of("anna"), assignments.id, assignments.runtime)
    assert assignments.page().view.status == "idle"
    assert assignments.card().state == "cancelled"


def test_messages_are_limited_per_minute(assignments: Assignments) -> None:
    for _ in range(assignments.runtime.settings.messages_per_minute):
        assignments.ask(DONE)
    with pytest.raises(TooMany):
        assignments.ask(DONE)


@pytest.mark.parametrize("stranger", ["ben", "admin", "fay"])
def test_only_the_owner_sends(assignments: Assignments, stranger: str) -> None:
    assignments.share("ben")
    with pytest.raises(NotFound):
        service.send_message(assignments.identity_of(stranger), assignments.id, "x", "t", assignments.runtime)


def test_people_without_the_grant_cannot_start(make_assignments: Callable[..., Assignments]) -> None:
    with pytest.raises(Forbidden):
        make_assignments(owner="gus")


@pytest.mark.behaviour("RR-04", "RR-05")
def test_a_later_run_is_told_what_earlier_ones_did_and_never_their_uuid(
    assignments: Assignments, site: DemoSite
) -> None:
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["hours"]})], text_turn("I did nothing."))
    assignments.decide()
    uuid = assignments.run_uuid
    assignments.ask(DONE)
    system = assignments.model.seen[0].messages[0]
    assert isinstance(system, SystemMessage)
    (written,) = assignments.changes().records
    assert f"hide pages {written.uid}" in system.content
    assert uuid not in "".join(repr(message) for message in assignments.model.seen[0].messages)


@pytest.mark.behaviour("RR-05")
def test_notes_hold_only_what_the_owner_may_read_now(assignments: Assignments, site: DemoSite) -> None:
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["hours"]})], DONE)
    assignments.decide()
    from app.core.db import transaction

    with transaction() as connection:
        connection.exec_driver_sql("UPDATE user_group SET page_mounts = '[]'")
    assignments.ask(DONE)
    system = assignments.model.seen[0].messages[0]
    assert isinstance(system, SystemMessage)
    assert "no reported write" in system.content


@pytest.mark.behaviour("RR-01", "RR-02")
def test_a_resumed_run_has_two_entries_and_one_uuid(assignments: Assignments, site: DemoSite) -> None:
    from app.chat import run_record, store

    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["hours"]})], DONE)
    assignments.decide()
    with reading() as connection:
        row = store.find_conversation(connection, assignments.id)
    assert row is not None
    entries = run_record.decode(row["run_record"])
    assert [len(entry.writes) for entry in entries] == [0, 1]
    assert run_record.run_uuids(entries) == (assignments.run_uuid,)


def test_an_unchanged_poll_is_one_statement(assignments: Assignments, site: DemoSite) -> None:
    """P1: one statement on an index, no events, no writes."""
    assignments.ask(DONE)
    view = assignments.page().view
    with count_statements() as seen, reading() as connection:
        assert pages.is_unchanged(connection, site.people.users["anna"], view.id, view.last_seq, view.version)
    assert len([statement for statement in seen if "conversation" in statement]) == 1


def test_a_draft_is_kept_until_it_is_sent(assignments: Assignments) -> None:
    service.keep_draft(assignments.identity_of("anna"), assignments.id, "half a sent", assignments.runtime)
    assert assignments.page().view.draft == "half a sent"
    assignments.ask(DONE)
    assert assignments.page().view.draft == ""


def test_a_failed_model_is_said_in_words(assignments: Assignments) -> None:
    def broken(_messages: object) -> ModelTurn:
        raise RuntimeError("secret detail")

    from app.agent.llm.scripted import ScriptedModel as Scripted

    assignments._models.by_name["builtin"] = Scripted([broken])
    service.send_message(assignments.identity_of("anna"), assignments.id, "x", "t", assignments.runtime)
    assignments.work()
    view = assignments.page().view
    assert view.status == "failed"
    assert "secret" not in repr(view)
