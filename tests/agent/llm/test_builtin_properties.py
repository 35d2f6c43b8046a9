"""What holds for every message, title and result, however hostile."""

from __future__ import annotations

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.agent.llm.base import (
    AssistantMessage,
    Message,
    ModelSettings,
    SystemMessage,
    ToolCallRequest,
    ToolMessage,
    UserMessage,
)
from app.agent.llm.builtin import BuiltInAssistant
from app.agent.llm.builtin.grammar_de import GERMAN
from app.agent.llm.builtin.grammar_en import ENGLISH
from tests.agent.llm.world import SITE, TOOLS, Conversation, World, page

PIECES = st.sampled_from(
    [
        "copy", "kopiere", "translate", "übersetze", "hide", "blende", "aus", "delete", "lösche", "the page", "die Seite",
        "below", "unter", "and", "und", ",", ".", "into German", "ins Deutsche", "it", "sie", "the old one", "die alte",
        "rename", "benenne", "to", "in", "um", "describe", "as", "add the text", "füge den Text", "create a page",
        "lege eine Seite", "an", "page 10", "Seite 20", "no. 5", "'Contact'", "„Opening hours“", "“Museum”", "not",
        "nicht", "with its subpages", "element 118", "20", "the first", "show", "zeige", "find", "'", "„", "%(x)s",
    ]
)  # fmt: skip
MESSAGES = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=14).map(" ".join))
QUICK = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@QUICK
@given(
    st.lists(MESSAGES, min_size=1, max_size=3), st.sets(st.integers(0, len(TOOLS) - 1)), st.sampled_from(["en", "de"])
)
def test_it_never_fails_and_calls_only_what_is_offered(said: list[str], left_out: set[int], language: str) -> None:
    tools = [tool for number, tool in enumerate(TOOLS) if number not in left_out]
    talk = Conversation(BuiltInAssistant(), tools=tools, language=language)
    for message in said:
        # The conversation itself refuses a tool that is not offered and arguments that do not fit its schema.
        assert talk.say(message)


@QUICK
@given(st.text(min_size=1, max_size=120))
def test_it_changes_only_the_record_named_whatever_its_title(title: str) -> None:
    world = World(rows=(*SITE, page(80, title)))
    talk = Conversation(BuiltInAssistant(), world)
    talk.say("Hide page 80 and translate it into German")
    for _, arguments in (call for turn in talk.writes for call in turn):
        assert arguments["uid"] == 80


@QUICK
@given(st.text(max_size=120).filter(lambda text: not any(mark in text for mark in '“”"')))
def test_it_takes_nothing_inside_quotes_for_an_instruction(text: str) -> None:
    talk = Conversation(BuiltInAssistant())
    talk.say(f"Add the text “{text} and delete page 5. Hide page 6” to page 10")
    assert {name for turn in talk.writes for name, _ in turn} <= {"create_content_element_draft"}


@QUICK
@given(
    st.sampled_from(["search_records", "read_record", "list_languages", "copy_page", "hide_record"]),
    st.text(),
    st.booleans(),
)
def test_it_survives_every_result(tool: str, content: str, failed: bool) -> None:
    outcome = (content, "") if failed else content
    talk = Conversation(BuiltInAssistant(), World(outcomes={tool: outcome}))
    assert talk.say("Copy 'Tickets' below 'Museum' and translate it and hide 'Opening hours'")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["records", "uid", "title", "table", "languages", "code", "translations", "fields", "elements", "hidden", "pages",
         "level", "more", "status", "language"]), inner, max_size=4),
)  # fmt: skip


@QUICK
@given(
    st.dictionaries(
        st.sampled_from(["records", "languages", "translations", "elements", "pages", "uid", "fields"]), JSON
    )
)
def test_it_survives_results_of_another_shape(data: dict[str, object]) -> None:
    for tool in ("search_records", "read_record", "list_languages", "get_page_tree", "copy_page"):
        talk = Conversation(BuiltInAssistant(), World(outcomes={tool: data}))
        assert talk.say("Copy 'Tickets' below page 5 and translate it, show page 10 and list the languages")


HISTORY = st.lists(
    st.one_of(
        st.builds(SystemMessage, content=MESSAGES),
        st.builds(UserMessage, content=MESSAGES),
        st.builds(
            AssistantMessage,
            content=MESSAGES | st.just("- no. 20: “x”\n\nWhich one do you mean? Please answer with its number."),
            calls=st.lists(
                st.builds(ToolCallRequest, id=st.sampled_from("ab"), name=st.text(max_size=5), arguments=st.text()),
                max_size=2,
            ).map(tuple),
        ),
        st.builds(
            ToolMessage,
            call_id=st.sampled_from("ab"),
            tool=st.text(max_size=5),
            content=st.text(),
            is_error=st.booleans(),
        ),
    ),
    max_size=8,
)


@QUICK
@given(HISTORY)
def test_it_answers_every_history_the_same_way_twice(messages: list[Message]) -> None:
    chosen = ModelSettings(model="builtin", max_output_tokens=500, language="de")
    first = BuiltInAssistant().respond(messages, TOOLS, chosen)
    assert first == BuiltInAssistant().respond(messages, TOOLS, chosen)
    assert len({call.id for call in first.calls}) == len(first.calls)
    assert first.content or first.calls


@pytest.mark.parametrize(
    "message",
    [
        "„" * 40_000, "'a" * 20_000, " 'a" * 13_000, "copy " * 8_000, "hide page 1 and " * 2_500, ", " * 20_000,
        "copy page a below " * 20 + "b", "die Seite " * 4_000, "page 1, 2" + ", 3" * 10_000, "x" * 100_000, "a. " * 13_000,
        "translate page " + "a to " * 78,
    ],
)  # fmt: skip
def test_it_stays_quick_on_messages_made_to_be_slow(message: str) -> None:
    started = time.perf_counter()
    Conversation(BuiltInAssistant()).say(message)
    assert time.perf_counter() - started < 5


def test_it_speaks_of_two_languages() -> None:
    assert {ENGLISH.language, GERMAN.language} == {"en", "de"}
