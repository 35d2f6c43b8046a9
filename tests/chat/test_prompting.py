"""The prompt as a whole, and the messages behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from app.agent.configurations import ConfigurationView, find_configuration_named
from app.agent.llm.base import AssistantMessage, UserMessage
from app.agent.runtime import Runtime
from app.chat import prompting
from app.chat.prompt.sections import DEFAULTS, RULES, Part
from app.chat.prompting import LONGEST_HISTORY, LONGEST_MESSAGE, LONGEST_PROMPT, MOST_MESSAGES, SystemPrompt, history
from app.chat.run_record import RunEntry
from app.core.db import reading, transaction
from app.core.ids import new_uuid
from app.seed.demo import DemoSite
from tests.support.personas import IdentityOf

PromptFor = Callable[..., SystemPrompt]


@pytest.fixture
def prompt_for(identity_of: IdentityOf, runtime: Runtime) -> PromptFor:
    def make(person: str = "anna", entries: tuple[RunEntry, ...] = (), **values: Any) -> SystemPrompt:
        with reading() as connection:
            found = find_configuration_named(connection, "Editorial")
            assert found is not None
            configuration: ConfigurationView = replace(found, **values)
            return prompting.system_prompt(connection, identity_of(person), configuration, runtime, entries)

    return make


def by_part(prompt: SystemPrompt) -> Mapping[Part, str]:
    return {section.part: section.words for section in prompt.sections}


def test_it_has_its_parts_in_order(prompt_for: PromptFor, site: DemoSite) -> None:
    prompt = prompt_for(entries=(RunEntry(outcome="completed"),), prompt="Write briefly.")
    assert [section.part for section in prompt.sections] == [
        Part.INSTRUCTIONS,
        Part.SITE,
        Part.WORKSPACE,
        Part.CONFIGURATION,
        Part.TOOLS,
        Part.RULES,
        Part.NOTES,
    ]
    assert prompt.words.startswith("Write briefly.\n\nThe site is called ")
    assert RULES in prompt.words


def test_it_tells_each_person_what_is_theirs(prompt_for: PromptFor, site: DemoSite) -> None:
    anna, dora = by_part(prompt_for("anna")), by_part(prompt_for("dora"))
    assert anna[Part.INSTRUCTIONS] == DEFAULTS["en"]
    assert dora[Part.INSTRUCTIONS] == DEFAULTS["de"]
    assert '2 "French" (fr)' in anna[Part.SITE]
    assert "French" not in dora[Part.SITE]
    assert '"Relaunch"' in anna[Part.WORKSPACE]
    assert "live site" in dora[Part.WORKSPACE]


def test_it_names_the_tools_a_configuration_offers(prompt_for: PromptFor, site: DemoSite) -> None:
    tools = by_part(prompt_for(excluded_tools=("delete_record",), tool_groups=("reading", "deleting")))[Part.TOOLS]
    assert tools == "Groups of tools:\n- reading: get_page_tree, read_record, search_records, list_languages"


def test_it_is_bounded_whatever_people_write(prompt_for: PromptFor, site: DemoSite) -> None:
    with transaction() as connection:
        connection.exec_driver_sql("UPDATE workspace SET title = ?", ("W" * 100,))
        for number in range(3, 400):
            values = (number, f"l{number}", "L" * 60)
            connection.exec_driver_sql("INSERT INTO site_language (id, code, title) VALUES (?, ?, ?)", values)
    writes = tuple(("pages", site.pages["hours"], f"kind_{'a' * size}") for size in range(30))
    entries = tuple(
        RunEntry(outcome="a" * 40, writes=writes, tool_failed=True, run_uuid=new_uuid()) for _ in range(200)
    )
    prompt = prompt_for(entries=entries, prompt="p" * 200_000, requires_draft_workspace=True, name="n" * 80)
    assert 12_000 < len(prompt.words) < LONGEST_PROMPT


def test_administrators_see_the_words_about_fences_where_results_are_fenced(
    identity_of: IdentityOf, runtime: Runtime, site: DemoSite
) -> None:
    with reading() as connection:
        found = find_configuration_named(connection, "Editorial")
        assert found is not None
        plain = prompting.shown_prompt(connection, identity_of("anna"), found, runtime)
        remote = replace(found, model="openai:x")
        fenced = prompting.shown_prompt(connection, identity_of("anna"), remote, runtime)
    assert Part.FENCE not in by_part(plain)
    assert fenced.sections[:-1] == plain.sections
    assert fenced.sections[-1].part is Part.FENCE


def test_the_newest_message_is_whole_and_earlier_ones_are_cut() -> None:
    long = "x" * (LONGEST_MESSAGE + 1)
    found = history([("user", long), ("assistant", "a"), ("user", long)])
    assert [type(message) for message in found] == [UserMessage, AssistantMessage, UserMessage]
    assert found[0].content.endswith("the rest was left out)")
    assert found[-1].content == long


def test_the_history_begins_with_a_person_and_stays_within_its_bounds() -> None:
    talk = [("user", "x" * LONGEST_MESSAGE), ("assistant", "y" * LONGEST_MESSAGE)] * 40
    found = history([*talk, ("user", "now")])
    assert isinstance(found[0], UserMessage)
    assert found[-1].content == "now"
    assert len(found) <= MOST_MESSAGES
    assert sum(len(message.content) for message in found) <= LONGEST_HISTORY
    assert history([]) == []
