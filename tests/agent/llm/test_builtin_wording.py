"""What the built-in assistant reports, and the sentences it has."""

from __future__ import annotations

import re
from typing import Any

import pytest

from app.agent.llm.builtin import BuiltInAssistant
from app.agent.llm.builtin.answers import catalogue
from tests.agent.llm.world import Conversation, World

OUTCOMES = [
    ({"done": "hide", "uid": 30}, "done, as reported."),
    ({"unchanged": True, "uid": 30}, "unchanged, as reported."),
    ({"done": "hide", "completeness": "partial"}, "not finished, as reported."),
    ({"status": "failed_after_writing"}, "written, but something failed afterwards."),
    ({"status": "odd"}, "reported with the status “odd”."),
    ({"done": "create", "table": "redirects", "uid": 2, "status": 301}, "done, as reported."),
    ('An extension failed afterwards.\n{"done": "hide"}', "Note: “An extension failed afterwards.”"),
    (
        ("refused: draft_workspace_required/live_workspace", "A draft is needed."),
        "refused by a rule: “A draft is needed.”",
    ),
    (("refused: x", ""), "refused by a rule. Nothing was reported as changed."),
    (("declined by a person", ""), "declined by a person. Nothing was reported as changed."),
    (("declined by a person: Nein, *zu früh*", ""), "Reason given: “Nein, \\*zu früh\\*”"),
    (("not_carried_out", "An earlier step failed."), "not carried out: “An earlier step failed.”"),
    (("invalid_arguments", ""), "the values were not accepted."),
    (("not_found", "x"), "the record was not found."),
    (("timeout", ""), "failed: “timeout”"),
    (("", ""), "failed."),
]


@pytest.mark.parametrize(("outcome", "said"), OUTCOMES)
def test_it_reports_what_the_result_says_and_no_more(outcome: Any, said: str) -> None:
    talk = Conversation(BuiltInAssistant(), World(outcomes={"hide_record": outcome}))
    closing = talk.say("Hide the page 'Tickets'")
    assert said in closing
    assert ("done" in closing) == (said.startswith("done") or "Note" in said or "not done" in closing)


def test_it_has_each_sentence_in_both_languages_and_claims_nothing_complete() -> None:
    english, german = catalogue("en"), catalogue("de")
    assert english.keys() == german.keys()
    slots = re.compile(r"%\((\w+)\)s")
    for key in english:
        assert set(slots.findall(english[key])) == set(slots.findall(german[key])), key
    claims = re.compile(r"\b(all|complete\w*|everything|alle[rns]?|vollständig\w*|alles|sämtliche\w*)\b", re.IGNORECASE)
    assert [text for text in [*english.values(), *german.values()] if claims.search(text)] == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_it_understands_its_own_examples(language: str) -> None:
    lines = catalogue(language)["examples"].splitlines()[1:]
    assert len(lines) == 18
    for line in lines:
        talk = Conversation(BuiltInAssistant(), language=language)
        answer = talk.say(line.removeprefix("- "))
        assert catalogue(language)["not_understood"] not in answer
        assert catalogue(language)["part_unclear"].partition("%")[0] not in answer
