"""The line under an answer: from events, whatever the answer says."""

from __future__ import annotations

import pytest
from sqlalchemy import insert

from app.agent.llm.scripted import text_turn
from app.agent.models import RunEvent
from app.chat import pages, statements, store
from app.chat.statements import Reported, statement_view
from app.chat.view_models import MessageView
from app.core.canonical import dumps
from app.core.db import reading, transaction
from app.core.i18n import render
from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments, notes_of
from tests.support.statements import count_statements


def words(message: MessageView) -> str:
    assert message.statement is not None
    return " ".join(render(sentence, "en") for sentence in message.statement.words)


def copy_visit(assignments: Assignments, site: DemoSite) -> None:
    call = ("copy_page", {"page": site.pages["visit"], "target": site.pages["about"], "subpages": True})
    assignments.ask([call], text_turn("Nothing was changed at all."))
    assignments.decide()


@pytest.mark.behaviour("CH-02")
def test_it_counts_what_the_run_reported_whatever_the_answer_says(assignments: Assignments, site: DemoSite) -> None:
    copy_visit(assignments, site)
    assert words(assignments.page().messages[-1]) == "19 records reported as changed."


@pytest.mark.behaviour("CH-02")
def test_an_answer_that_only_claims_changes_has_none(assignments: Assignments) -> None:
    assignments.ask(text_turn("I have copied, published and deleted 12 pages. 12 records reported as changed."))
    (message,) = [message for message in assignments.page().messages if message.role == "assistant"]
    assert words(message) == "No change is recorded for this answer."


def test_each_answer_speaks_of_its_own_run(assignments: Assignments, site: DemoSite) -> None:
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["hours"]})], DONE)
    assignments.decide()
    assignments.ask(text_turn("That is all."))
    found = [message.statement for message in assignments.page().messages if message.role == "assistant"]
    assert [statement.records for statement in found if statement] == [1, 0]


@pytest.mark.behaviour("CH-18")
def test_every_viewer_gets_the_number_shown_and_withheld_make_up(assignments: Assignments, site: DemoSite) -> None:
    copy_visit(assignments, site)
    assignments.share("dora", "emil", "fay")
    for viewer in ("anna", "dora", "emil", "fay"):
        listed = assignments.changes(viewer)
        statement = assignments.page(viewer).messages[-1].statement
        assert statement is not None
        assert statement.records == len(listed.records) + notes_of(listed).get("withheld", 0) == 19


def test_words_beside_a_card_have_no_statement(assignments: Assignments, site: DemoSite) -> None:
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["hours"]})])
    assert [message.statement for message in assignments.page().messages] == [None, None]


def test_it_says_what_is_left_out_and_what_was_not_captured(assignments: Assignments, site: DemoSite) -> None:
    copy_visit(assignments, site)
    payload = {"v": 1, "turn": 9, "call": 0, "status": "not_captured", "omitted": 7, "changes": []}
    with transaction() as connection:
        row = {"run_uuid": assignments.run_uuid, "seq": 900, "kind": "tool_changes", "version": 1, "at": 0}
        connection.execute(insert(RunEvent).values(**row, payload=dumps(payload)))
        counted = statements.count_reported(connection, assignments.run_uuid)
    assert counted == Reported(records=19, omitted=7, incomplete=1)
    view = statement_view(statements.encode(counted))
    assert view is not None
    assert [render(sentence, "en") for sentence in view.words] == [
        "19 records reported as changed.",
        "7 entries were left out because the list is limited.",
        "The recording is incomplete for 1 step.",
    ]


@pytest.mark.parametrize("stored", ["", "[]", "{", '{"records": 1}', '{"records": -1, "omitted": 0, "incomplete": 0}'])
def test_nothing_is_said_where_nothing_was_recorded(stored: str) -> None:
    assert statement_view(stored) is None


@pytest.mark.behaviour("CH-24")
def test_a_page_asks_the_same_with_one_answer_and_with_many(assignments: Assignments) -> None:
    identity = assignments.identity_of("anna")
    counted = []
    for answers in (1, 40):
        with transaction() as connection:
            start = len(store.list_messages(connection, assignments.id))
            for seq in range(start + 1, answers + 1):
                said = {
                    "role": "assistant",
                    "body": "x",
                    "run_uuid": f"run-{seq}",
                    "reported": statements.encode(Reported()),
                }
                store.add_message(connection, assignments.id, seq, said)
        with count_statements() as seen, reading() as connection:
            pages.read_conversation(connection, identity, assignments.id, assignments.runtime)
        counted.append(len(seen))
        assert [statement for statement in seen if "run_event" in statement] == []
    assert counted[0] == counted[1]


def test_counting_is_one_statement(assignments: Assignments, site: DemoSite) -> None:
    copy_visit(assignments, site)
    run = assignments.run_uuid
    with count_statements() as seen, reading() as connection:
        statements.count_reported(connection, run)
    assert len([statement for statement in seen if "FROM" in statement]) == 1
