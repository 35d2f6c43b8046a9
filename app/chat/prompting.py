"""What a model is told at the start of a run: standing words, what earlier runs really did, and the messages so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.engine import Connection

from app.agent.configurations import ConfigurationView, facts_of
from app.agent.llm.base import AssistantMessage, Message, SystemMessage, UserMessage
from app.agent.llm.registry import BUILT_IN
from app.agent.loop import fencing
from app.agent.runtime import Runtime
from app.chat import run_record, store
from app.chat.prompt import sections
from app.chat.prompt.bounds import cut
from app.chat.prompt.notes import notes
from app.chat.prompt.sections import Part, Section
from app.chat.run_record import RunEntry
from app.content import store as content
from app.policy.identity import Identity

MOST_MESSAGES = 40
LONGEST_MESSAGE = 8_000
"""Bound of an earlier message; the newest one is bounded where it is sent and always whole."""
LONGEST_HISTORY = 100_000
LONGEST_PROMPT = 32_000
"""What the bounds of the parts add up to, rounded up."""

SAMPLE_NONCE = "0000000000000000"


@dataclass(frozen=True, kw_only=True, slots=True)
class SystemPrompt:
    """The standing words in their parts."""

    sections: tuple[Section, ...]

    @property
    def words(self) -> str:
        """The text a model gets."""
        return "\n\n".join(section.words for section in self.sections)


def system_prompt(
    connection: Connection,
    owner: Identity,
    configuration: ConfigurationView,
    runtime: Runtime,
    entries: Sequence[RunEntry] = (),
    *,
    is_retry: bool = False,
) -> SystemPrompt:
    """What a run of ``owner`` with ``configuration`` is told, in the order of chat.md section 12; ``entries`` are earlier runs.

    ``is_retry`` says that the run tries the newest message again, which the last of them did not finish.

    It holds nothing ``owner`` may not read now (I28), and at most ``LONGEST_PROMPT`` characters.
    """
    facts = facts_of(configuration)
    offered = [tool.facts for tool in runtime.registry.offered(facts, owner)]
    found = (
        sections.instructions(configuration=configuration.prompt, language=owner.language),
        sections.site(runtime.settings.site_name, content.list_languages(connection), owner),
        sections.workspace(owner),
        sections.configuration(facts),
        sections.tools(offered),
        sections.servers(offered),
        sections.rules(),
        notes(connection, owner, entries, is_retry=is_retry),
    )
    return SystemPrompt(sections=tuple(section for section in found if section is not None))


def shown_prompt(
    connection: Connection, owner: Identity, configuration: ConfigurationView, runtime: Runtime
) -> SystemPrompt:
    """What a model would be told now for ``owner``, for administrators: with the words about fences where results are fenced."""
    prompt = system_prompt(connection, owner, configuration, runtime)
    if configuration.model == BUILT_IN:
        return prompt
    fence = Section(part=Part.FENCE, words=fencing.notice(SAMPLE_NONCE))
    return SystemPrompt(sections=(*prompt.sections, fence))


def messages_for_run(
    connection: Connection,
    owner: Identity,
    configuration: ConfigurationView,
    conversation_id: int,
    record: str,
    runtime: Runtime,
    *,
    is_retry: bool = False,
) -> list[Message]:
    """The messages a new run starts with; the newest one is the person's request, also when an earlier run had begun to answer it.

    Notes on earlier runs are built from fields picked by name (RR-04, RR-05) and hold only records the owner may read now (I28).
    """
    prompt = system_prompt(connection, owner, configuration, runtime, run_record.decode(record), is_retry=is_retry)
    said = [
        (row["role"], row["body"])
        for row in store.list_messages(connection, conversation_id)
        if row["role"] in ("user", "assistant")
    ]
    while said and said[-1][0] != "user":
        del said[-1]
    return [SystemMessage(content=prompt.words), *history(said)]


def history(said: Sequence[tuple[str, str]]) -> list[Message]:
    """(role, words) of a conversation as messages: the newest whole, before it what fits, beginning with a person's words."""
    kept: list[tuple[str, str]] = []
    size = 0
    for role, body in reversed(said[-MOST_MESSAGES:]):
        words = cut(body, LONGEST_MESSAGE) if kept else body
        size += len(words)
        if kept and size > LONGEST_HISTORY:
            break
        kept.append((role, words))
    kept.reverse()
    while kept and kept[0][0] != "user":
        del kept[0]
    return [UserMessage(content=words) if role == "user" else AssistantMessage(content=words) for role, words in kept]
